"""Commands that look at the memory as a whole: topics, pages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

from ctxrepo.app.notes import overview
from ctxrepo.app.notes.browsing import ScopeRequest
from ctxrepo.app.notes.overview import PagesRequest
from ctxrepo.faces.cli import output
from ctxrepo.faces.cli.answer import answer
from ctxrepo.faces.cli.options import SCOPE, command, json_option, scope_option

if TYPE_CHECKING:
    from ctxrepo.domain.score.residency import Residency
    from ctxrepo.services.score.topics import Topic


def topics(scope: Annotated[str, scope_option()] = "", json: Annotated[bool, json_option()] = False) -> None:
    """Show what is in which note, and how much of it matters."""
    answer(overview.list_topics, ScopeRequest(scope), json, _topic_table)


def _topic_table(listed: Sequence[Topic]) -> str:
    return "\n".join(output.aligned(map(tuple, map(_cells, listed)))) or "no entries yet"


def _cells(topic: Topic) -> Iterator[str]:
    yield topic.path
    yield output.counted(topic.entries, "entry", "entries")
    yield f"{topic.active} active" + (f", {topic.pinned} pinned" if topic.pinned else "")
    yield f"hotness {topic.hotness:g}"
    yield f"{topic.tokens} tokens"
    notes = [f"cold since {topic.last}"] * topic.is_cold + ["large: split it"] * topic.is_large
    yield ", ".join(notes)


@command(scope=SCOPE, budget="--budget TOKENS")
def pages(request: PagesRequest, json: bool = False) -> None:
    """Show what fits of each note: all, its structure, or a line."""
    answer(overview.list_pages, request, json, _page_table)


def _page_table(residency: Residency) -> str:
    rows = [
        (
            fidelity,
            page.kind,
            page.path,
            f"{page.tokens(fidelity)} of {page.tokens('full')} tokens" + ", pinned" * page.is_pinned,
        )
        for page, fidelity in residency.pages
    ]
    return "\n".join([*output.aligned(rows), f"{residency.used} of {residency.budget} tokens"])
