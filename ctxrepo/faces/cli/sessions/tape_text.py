"""A tape in words: anchors and messages as lines for people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from ctxrepo.domain.formats.moment import counted, seconds_of
from ctxrepo.domain.project.layout import shown
from ctxrepo.faces.cli import output

if TYPE_CHECKING:
    from ctxrepo.app.sessions.tape import OnTape, ResetDone
    from ctxrepo.domain.tape.anchor import Anchor
    from ctxrepo.domain.tape.conversation import SessionMessage
    from ctxrepo.domain.tape.tree import TreeLine
    from ctxrepo.services.tape.look import AnchorShown, TapeHits, TapeInfo, TapeReading

_SHORT = 8
"""Characters of a session's id that people read and type."""

_INDENT = " " * 18
"""As wide as a moment and the gap behind it."""

_BESIDE = 100
"""Characters of a message beside an anchor, and in a tree."""

_MOST_TOLD = 1000
"""Characters of a summary: one that another machine left may have more."""


def info_text(on: OnTape[TapeInfo]) -> str:
    found = on.found
    handoffs = len(found.anchors.handoffs.anchors)
    others = len(found.anchors.anchors) - handoffs
    rows = [("tape", on.folder)]
    if on.session:
        since = f", {found.since} of them since its last anchor" if found.last else ", and no anchor yet"
        rows.append(("session", session_words(on.agent, on.session)))
        rows.append(("messages", f"{found.messages}{since if found.messages else ''}"))
    rows.append(("anchors", f"{counted(handoffs, 'handoff')}, {others} of sessions"))
    lines = output.aligned(rows)
    return "\n".join([*lines, *(["", *anchor_lines(found.last)] if found.last else [])])


def list_text(on: OnTape[Sequence[AnchorShown]]) -> str:
    lines = [line for one in on.found for line in anchor_lines(one)]
    return "\n".join(lines) or f"no anchor is on the tape of {on.folder}"


def search_text(on: OnTape[TapeHits]) -> str:
    found = on.found
    parts = [
        *(line for one in found.anchors for line in anchor_lines(one)),
        *([""] if found.anchors and found.messages else []),
        *_message_lines(found.messages),
    ]
    return "\n".join(parts)


def read_text(on: OnTape[TapeReading], *, is_whole: bool) -> str:
    return "\n".join(_message_lines(on.found.messages, is_whole=is_whole)) or "nothing was said there"


def tree_text(on: OnTape[Sequence[TreeLine]]) -> str:
    lines = [session_words(on.agent, on.session)]
    for line in on.found:
        message = line.message
        lines.append(f"{line.stem}{moment(message.when)[5:]}  {_who(message)}: {_short(message)}")
        lines += [
            f"{line.below}⚓ {shown(anchor.name)}  {moment(anchor.timestamp)[5:]}" for anchor in line.anchors
        ]
    return "\n".join(lines)


def deleted_text(gone: Sequence[Anchor]) -> str:
    return "\n".join(f"deleted: {shown(anchor.name)}  ^{shown(anchor.id)}" for anchor in gone)


def reset_text(done: ResetDone) -> str:
    count = counted(done.reset.archived, "anchor")
    of_here = f"{done.reset.aside} ({done.reset.of_here})" if done.reset.of_here else ""
    places = ", ".join(filter(None, (*done.reset.paths, of_here)))
    return f"reset: {count} of {done.folder} archived{f' to {places}' if places else ''}"


def anchor_lines(one: AnchorShown) -> Iterator[str]:
    anchor = one.anchor
    mark = "⚓" if anchor.type == "handoff" else "·"
    who = session_words(anchor.agent, anchor.session_id)
    yield f"{moment(anchor.timestamp):16}  {mark} {shown(anchor.name)}  ^{shown(one.short)}  {who}".rstrip()
    trigger = "" if anchor.trigger in ("", "direct") else f"by {shown(anchor.trigger)}"
    keywords = shown(" ".join(f"#{word}" for word in anchor.keywords), _MOST_TOLD)
    told = [shown(" ".join(anchor.summary.split()), _MOST_TOLD), shown(anchor.purpose), trigger, keywords]
    if any(told):
        yield f"{_INDENT}  {' · '.join(filter(None, told))}"
    for arrow, side in (("↑", one.before), ("↓", one.after)):
        yield from (f"{_INDENT}  {arrow} {_who(message)}: {_short(message)}" for message in side)


def _message_lines(messages: Iterable[SessionMessage], *, is_whole: bool = False) -> Iterator[str]:
    """Each message, below a line with its session wherever that is another one."""
    session = ""
    for message in messages:
        if message.session != session:
            session = message.session
            yield session_words(message.agent, message.session)
        text = message.text
        text = text.strip().replace("\n", f"\n{_INDENT}") if is_whole else " ".join(text.split())
        tools = _tools(message) if message.tools else ""
        yield f"{moment(message.when):16}  {_who(message)}: {' '.join(filter(None, (text, tools)))}"


def _who(message: SessionMessage) -> str:
    return "user" if message.who == "user" else shown(message.agent)


def session_words(agent: str, session: str) -> str:
    return shown(f"{agent} {session[:_SHORT]}".strip())


def _short(message: SessionMessage) -> str:
    """The first words of a message, or the tools that were used without one."""
    text = " ".join(message.text.split()) or _tools(message)
    return text if len(text) <= _BESIDE else f"{text[: _BESIDE - 1].rstrip()}…"


def _tools(message: SessionMessage) -> str:
    return shown(f"[{', '.join(dict.fromkeys(message.tools))}]")


def moment(when: str) -> str:
    at = seconds_of(when)
    return "" if at is None else output.wall_time(datetime.fromtimestamp(at, UTC))
