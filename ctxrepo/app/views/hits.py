"""Answers to a question, as text that every face shows: entries recalled, hits of a search, past sessions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from ctxrepo.agents.known import AGENTS
from ctxrepo.domain.formats.moment import seconds_of, wall_time
from ctxrepo.domain.project.layout import shown
from ctxrepo.domain.text import with_doubt

if TYPE_CHECKING:
    from ctxrepo.domain.tape.session_messages import SessionMessage
    from ctxrepo.services.reading.searching import Hit
    from ctxrepo.services.recall.recall import LeftOut, RecalledEntry, RecallResult
    from ctxrepo.services.sessions.session_search import SessionHit, SessionsFound

_HIT_WIDTH = 160
"""Characters of an entry that a hit shows on its one line."""

_WIDTH = 100
"""Characters of an entry that was left out."""

_FEW = 8
"""Entries left out that are shown; data for programs have all."""

_SPEAKERS = {"user": "you", "agent": "agent"}


def recall_text(result: RecallResult, *, is_explained: bool = False) -> str:
    """The entries that were recalled, numbered; explained with the reasons, and with what was left out."""
    parts = recalled_entries(result, is_explained=is_explained)
    if is_explained and result.left_out:
        parts.append(_left_out_text(result.left_out))
    return "\n\n".join(parts)


def recalled_entries(result: RecallResult, *, is_explained: bool = False) -> list[str]:
    """The text of each entry that was recalled."""
    return [_hit_text(number, hit, is_explained) for number, hit in enumerate(result.hits, 1)]


def _hit_text(number: int, hit: RecalledEntry, is_explained: bool) -> str:
    head = " · ".join(filter(None, (hit.at, hit.heading, hit.age)))
    text = with_doubt(hit.text, hit.doubt)
    lines = [f"{number}. {head}  {hit.id}", *(f"   {line}" for line in text.split("\n"))]
    if is_explained:
        lines += [f"   {name}: {text}" for name, text in hit.explanation]
    return "\n".join(lines)


def _left_out_text(left_out: Sequence[LeftOut]) -> str:
    lines = ["left out:"]
    for omission in left_out[:_FEW]:
        text = shown(" ".join(omission.entry.text.split()), _WIDTH)
        lines.append(f"- {omission.entry.at} ({omission.entry.score:.2f}): {omission.why}\n  {text}")
    more = len(left_out) - _FEW
    return "\n".join([*lines, f"… {more} more"] if more > 0 else lines)


def hit_line(hit: Hit) -> str:
    """A hit of a search on one line."""
    text = shown(" ".join(hit.text.split()).removeprefix("- "), _HIT_WIDTH)
    mark = (
        " (superseded)" * hit.superseded
        + " (its last day is over)" * hit.expired
        + " (only on this machine)" * hit.here_only
    )
    mark += f" {hit.doubt}" if hit.doubt else ""
    near = "" if hit.similarity is None else f"{hit.similarity:.2f}  "
    return f"{near}{hit.at} — {text or 'No description'}{mark}" + (f" {hit.id}" if hit.id else "")


def session_hits(result: SessionsFound) -> list[str]:
    """Each hit in past sessions with the messages around it, and the command that resumes its session;
    before them a line that says so where no hit has all words."""
    parts = ["\n".join(_hit_lines(hit)) for hit in result.hits]
    if result.has_all_words:
        return parts
    words = ", ".join(shown(word, 80) for word in result.unknown)
    unknown = f"; nobody said {words}" if words else ""
    return [f"nothing has all of these words, so what has some of them{unknown}:", *parts]


def _hit_lines(hit: SessionHit) -> Iterator[str]:
    agent = AGENTS[hit.agent].title if hit.agent in AGENTS else hit.agent
    speaker = _SPEAKERS.get(hit.message.who, "")
    yield "  ".join(filter(None, (moment_of(hit.message.when), agent, shown(hit.project, 80), speaker)))
    yield from (f"    {_neighbour(message)}" for message in hit.before)
    yield f"  > {hit.message.text}"
    yield from (f"    {_neighbour(message)}" for message in hit.after)
    if hit.anchor:
        yield f"  anchor  {shown(hit.anchor.name, 80)}, {moment_of(hit.anchor.timestamp)}"
    if hit.resume:
        yield f"  resume  {hit.resume}"  # never cut, or somebody would run a part of it
    elif hit.no_resume:
        yield f"  resume  no command: {hit.no_resume}"


def _neighbour(message: SessionMessage) -> str:
    return f"{_SPEAKERS.get(message.who, '')}: {' '.join(message.text.split())}"


def moment_of(when: str) -> str:
    """A moment of a record by this machine's clock; '' for what is none."""
    at = seconds_of(when)
    return "" if at is None else wall_time(datetime.fromtimestamp(at, UTC))
