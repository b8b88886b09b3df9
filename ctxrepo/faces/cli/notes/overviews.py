"""Commands that look at the memory as a whole: topics, pages, and the rules that are enforced."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

from ctxrepo.app.notes import enforcement, overview
from ctxrepo.app.notes.browsing import ScopeRequest
from ctxrepo.app.notes.overview import PagesRequest
from ctxrepo.domain.project.layout import shown
from ctxrepo.domain.project.target import parse_entry
from ctxrepo.errors import UsageError
from ctxrepo.faces.cli import output
from ctxrepo.faces.cli.answer import answer
from ctxrepo.faces.cli.options import SCOPE, argument, command, json_option, option, scope_option
from ctxrepo.services.notes.enforcing import EnforceRequest

if TYPE_CHECKING:
    from ctxrepo.domain.score.residency import Residency
    from ctxrepo.services.notes.enforcing import Enforcement
    from ctxrepo.services.score.topics import Topic

_MOST_TEXT = 200
"""Characters of an entry or a rule that are shown."""


def topics(
    scope: Annotated[str, scope_option()] = "",
    json: Annotated[bool, json_option()] = False,
) -> None:
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


def _page_table(found: Residency) -> str:
    rows = [
        (
            fidelity,
            page.kind,
            page.path,
            f"{page.tokens(fidelity)} of {page.tokens('full')} tokens" + ", pinned" * page.is_pinned,
        )
        for page, fidelity in found.pages
    ]
    return "\n".join([*output.aligned(rows), f"{found.used} of {found.budget} tokens"])


def enforce(
    entry: Annotated[str, argument(metavar="ENTRY", help="^ID or PATH#L9 of an entry.")] = "",
    rule: Annotated[
        list[str] | None, argument(metavar="RULE", help="The rule, e.g. block command kubectl apply.")
    ] = None,
    off: Annotated[bool, option("--off")] = False,
    json: Annotated[bool, json_option()] = False,
) -> None:
    """Hold agents to what an entry says; without ENTRY list the rules."""
    if not entry:
        if off:
            raise UsageError("--off is for an entry", "`ctxrepo enforce ^ID --off`.")
        answer(enforcement.list_rules, None, json, _rule_table)
        return
    request = EnforceRequest(parse_entry(entry), " ".join(rule or ()), off)
    answer(enforcement.enforce, request, json, lambda done: "\n".join(_rule_lines(done)))


def _rule_table(listed: Sequence[Enforcement]) -> str:
    return "\n".join(line for one in listed for line in _rule_lines(one)) or "no rule is enforced"


def _rule_lines(one: Enforcement) -> Iterator[str]:
    yield f"^{one.id} {one.at}".rstrip() + ("" if one.at else ", which is gone")
    yield f"  - {shown(one.text, _MOST_TEXT)}"
    if one.held and not one.is_approved:
        ends = f"; `ctxrepo enforce ^{one.id} --off` in a terminal ends it"
        yield f"  {shown(one.held, _MOST_TEXT)}: enforced here, as it was approved{ends}"
    if one.rule:
        waits = f"waits for a person: `ctxrepo enforce ^{one.id}` in a terminal approves it"
        yield f"  {shown(one.rule, _MOST_TEXT)}: {'enforced here' if one.is_approved else waits}"
    elif not one.held:
        yield "  enforced no more"
