"""Commands about the cache that hooks answer from: cache verify, rebuild, embed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from ctxrepo.app.repository import diagnosis
from ctxrepo.faces.cli import output
from ctxrepo.faces.cli.answer import answer, open_desk
from ctxrepo.faces.cli.options import group_of, json_option

if TYPE_CHECKING:
    from ctxrepo.services.meaning.ready import ReadyResult
    from ctxrepo.services.rescue.cache_repair import Rebuilt

group = group_of("cache", "Verify or rebuild the cache that hooks read.", "verify")


@group.command()
def verify(json: Annotated[bool, json_option()] = False) -> None:
    """Compare the cache with the notes."""

    def said(found: Sequence[str]) -> str:
        lines = [f"cache: {line}. `ctxrepo cache rebuild` makes it anew." for line in found]
        return "\n".join(lines) or "the cache says what the notes say"

    answer(open_desk(), diagnosis.verify, None, json, said)


@group.command()
def rebuild(json: Annotated[bool, json_option()] = False) -> None:
    """Delete the cache and rebuild it from the notes."""

    def said(done: diagnosis.Timed[Rebuilt]) -> str:
        built = done.made
        counted = (
            f"{output.counted(built.notes, 'note')}, {output.counted(built.entries, 'entry', 'entries')}"
        )
        return f"built the cache anew: {counted} in {done.seconds} s"

    answer(open_desk(), diagnosis.rebuild, None, json, said)


@group.command()
def embed(json: Annotated[bool, json_option()] = False) -> None:
    """Prepare search by meaning now."""

    def said(done: diagnosis.Timed[ReadyResult]) -> str:
        texts = output.counted(done.made.embedded, "text")
        return f"embedded {texts} of {done.made.texts} in {done.seconds} s"

    answer(open_desk(), diagnosis.embed, None, json, said)
