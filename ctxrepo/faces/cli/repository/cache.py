"""Commands about the cache that hooks answer from: cache verify, rebuild, embed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from ctxrepo.faces.cli import output
from ctxrepo.faces.cli.answer import answer, open_desk
from ctxrepo.faces.cli.options import json_option, without_verb

group = typer.Typer()


def register(app: typer.Typer) -> None:
    app.add_typer(group, name="cache")


@group.callback(invoke_without_command=True)
def cache(context: typer.Context, json: Annotated[bool, json_option()] = False) -> None:
    """Verify or rebuild what hooks answer from.

    The cache is made from the notes and follows them by itself; it can be thrown away at any time.
    Without a verb it is verified.

    Example: ctxrepo cache
    """
    without_verb(context, verify, json=json)


@group.command()
def verify(json: Annotated[bool, json_option()] = False) -> None:
    """Compare the cache with the notes.

    Ends with 1 when it doesn't say what they say.

    Example: ctxrepo cache verify
    """
    from ctxrepo.app.repository.cache import verify

    def said(found: Sequence[str]) -> str:
        lines = [f"cache: {line}. `ctxrepo cache rebuild` makes it anew." for line in found]
        return "\n".join(lines) or "the cache says what the notes say"

    answer(open_desk(), verify, None, json, said)


@group.command()
def rebuild(json: Annotated[bool, json_option()] = False) -> None:
    """Throw the cache away and build it anew from the notes.

    Example: ctxrepo cache rebuild
    """
    from ctxrepo.app.repository.cache import TimedRebuild, rebuild

    def said(done: TimedRebuild) -> str:
        built = done.rebuilt
        counted = (
            f"{output.counted(built.notes, 'note')}, {output.counted(built.entries, 'entry', 'entries')}"
        )
        return f"built the cache anew: {counted} in {done.seconds} s"

    answer(open_desk(), rebuild, None, json, said)


@group.command()
def embed(json: Annotated[bool, json_option()] = False) -> None:
    """Make ready what finding by meaning needs, now.

    A model that recall.model names and that isn't on this machine is fetched from the hub; nothing else ever
    does that. Then entries that have no vectors get some, which otherwise happens in the background.

    Example: ctxrepo cache embed
    """
    from ctxrepo.app.repository.cache import TimedEmbedding, embed

    def said(done: TimedEmbedding) -> str:
        texts = output.counted(done.made.embedded, "text")
        return f"embedded {texts} of {done.made.texts} in {done.seconds} s"

    answer(open_desk(), embed, None, json, said)
