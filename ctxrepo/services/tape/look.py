"""Looking through a tape: its anchors, and what was said in a stretch of it."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import field, replace
from functools import partial
from typing import Literal, TypeVar

from ctxrepo.domain.formats.moment import seconds_of
from ctxrepo.domain.tape.anchor import Anchor
from ctxrepo.domain.tape.conversation import Conversation, SessionMessage, Stretch, merged
from ctxrepo.domain.tape.tape import AnchorFilter, Tape
from ctxrepo.errors import NoMatch, UsageError
from ctxrepo.lazy import dataclass
from ctxrepo.services.sessions.messages import MessageQuery, find_messages, indexed_sessions
from ctxrepo.services.sessions.points import masked
from ctxrepo.services.sessions.query import terms_of
from ctxrepo.services.tape.stretch import StretchRequest, Where, message_bounds, stretch_of
from ctxrepo.services.tape.view import TapeView, resolve
from ctxrepo.services.transcripts.conversations import shown

Match = TypeVar("Match")

Kind = Literal["anchors", "messages"]

KINDS: tuple[Kind, ...] = ("anchors", "messages")
"""What a search looks for, unless it is told."""

CHARS = 300
"""Characters of a message that are shown, unless others are asked for."""

LEAST_CHARS = 80
MOST_SHOWN = 100
MOST_CONTEXT = 5

MANY, TOO_MANY = 10, 20
"""So many messages since the last anchor are worth a word, and a handoff."""


@dataclass(frozen=True)
class TapeSearch:
    """What is looked for: `query`, words that must all be there, in anchors and in messages; `anchors` and
    `types` say which of the one and of the other.

    `where` is the session that is meant, or all of the project; where the session has nothing the project is
    searched, too. With `session` only anchors of the session are meant by their names, with '' any.
    """

    query: str = ""
    kinds: Collection[Kind] = KINDS
    where: Where | Literal[""] = ""
    types: tuple[str, ...] = ()
    limit: int = 20
    context: int = 0
    stretch: StretchRequest = field(default_factory=StretchRequest)
    anchors: AnchorFilter = field(default_factory=AnchorFilter)


@dataclass(frozen=True)
class ReadTape:
    """What is read: the newest `limit` messages of the stretch, or those around an anchor.

    `where` is the session that is meant, or all of the project; '' is the project, and with `session` only
    anchors of the session are meant by their names.
    """

    stretch: StretchRequest = field(default_factory=StretchRequest)
    around: str = ""
    text: str = ""
    types: tuple[str, ...] = ()
    limit: int = 20
    chars: int = CHARS
    where: Where | Literal[""] = ""


@dataclass(frozen=True)
class AnchorShown:
    """An anchor, the id that names it, and what was said before and after it."""

    anchor: Anchor
    short: str
    before: tuple[SessionMessage, ...] = ()
    after: tuple[SessionMessage, ...] = ()


@dataclass(frozen=True)
class TapeHits:
    anchors: tuple[AnchorShown, ...]
    messages: tuple[SessionMessage, ...]
    scope: Where


@dataclass(frozen=True)
class TapeReading:
    messages: tuple[SessionMessage, ...]
    stretch: Stretch


@dataclass(frozen=True)
class TapeInfo:
    """How a tape stands: the `anchors` of the scope; of the session that is meant how many messages it has,
    its last anchor, and how many messages came since."""

    anchors: Tape
    own: Tape
    messages: int
    last: AnchorShown | None
    since: int

    @property
    def advice(self) -> str:
        if self.since > TOO_MANY:
            return f"{self.since} messages since the last anchor: `ctxrepo handoff` leaves one now"
        if self.since > MANY:
            return f"{self.since} messages since the last anchor: time for another one soon"
        return ""


def info(view: TapeView) -> TapeInfo:
    said = view.said()
    last = view.own.last
    behind = Stretch(after=last).of(said.branch) if last else said.branch.messages
    told = anchor_shown(view, last) if last else None
    return TapeInfo(view.tape, view.own, len(said.messages), told, len(behind))


def list_anchors(
    view: TapeView, kind: str, limit: int, context: int, *, is_only_own: bool = False
) -> list[AnchorShown]:
    """The newest anchors, the newest last, each with what was said around it; `is_only_own` has those of the
    session that is meant."""
    require_within("--limit", limit, 1, MOST_SHOWN)
    require_within("--context", context, 0, MOST_CONTEXT)
    tape = view.own if is_only_own else view.tape
    found = [a for a in tape.anchors if kind in ("", a.type)]
    return [anchor_shown(view, anchor, context) for anchor in found[-limit:]]


def search(view: TapeView, wanted: TapeSearch) -> TapeHits:
    """The newest anchors and messages that fit. Where the session has none, the project is searched; NoMatch
    when that has none either.

    The index of sessions must have been brought up to date, if messages are searched.
    """
    require_within("--limit", wanted.limit, 1, MOST_SHOWN)
    require_within("--context", wanted.context, 0, MOST_CONTEXT)
    stretch = stretch_of(view, wanted.stretch, wanted.where, dates_first=True)
    anchors: list[Anchor] = []
    messages: list[SessionMessage] = []
    scopes: list[Where] = []
    if "anchors" in wanted.kinds:
        anchors, scope = _in_session_or_project(partial(_find_anchors, view, wanted, stretch), wanted.where)
        scopes.append(scope)
    if "messages" in wanted.kinds:
        messages, scope = _in_session_or_project(partial(_find_messages, view, wanted, stretch), wanted.where)
        scopes.append(scope)
    if not anchors and not messages:
        raise NoMatch("nothing on the tape fits", "`ctxrepo tape list` shows the anchors.")
    return TapeHits(
        tuple(anchor_shown(view, anchor, wanted.context) for anchor in anchors[-wanted.limit :]),
        tuple(shown(messages, CHARS)),
        "project" if "project" in scopes else "session",
    )


def read(view: TapeView, wanted: ReadTape) -> TapeReading:
    """The newest messages of a stretch, on the branch that goes on; the start is exclusive, the end
    inclusive."""
    require_within("--limit", wanted.limit, 1, MOST_SHOWN)
    if wanted.chars != 0 and wanted.chars < LEAST_CHARS:
        raise UsageError(
            f"--chars {wanted.chars} is out of range: it can be {LEAST_CHARS} or more, or 0 for all of each"
        )
    if wanted.around and wanted.stretch != StretchRequest():
        raise UsageError("--around stands alone: not with --after, --until, --last, --from or --to")
    if wanted.around:
        anchor = resolve(view.tape, view.own, wanted.around, is_only_own=wanted.where == "session")
        before, after = _around(view, anchor, wanted)
        return TapeReading(tuple(shown([*before, *after], wanted.chars)), Stretch())
    stretch = stretch_of(view, wanted.stretch, wanted.where, dates_first=False)
    messages = _messages_of(view, wanted, stretch)
    return TapeReading(tuple(shown(messages[-wanted.limit :], wanted.chars)), stretch)


def anchor_shown(view: TapeView, anchor: Anchor, context: int = 0) -> AnchorShown:
    """An anchor as it is shown, without secrets."""
    short = view.tape.short_ids.get(anchor.id, anchor.id)
    said = view.said_in(anchor.agent, anchor.session_id) if context else None
    clean = masked(anchor)
    if said is None:
        return AnchorShown(clean, short)
    place = said.holder_of(anchor) + 1
    before = [message for message in said.messages[:place] if message.text.strip()][-context:]
    after = [message for message in said.messages[place:] if message.text.strip()][:context]
    return AnchorShown(clean, short, *(tuple(shown(side, CHARS)) for side in (before, after)))


def require_within(name: str, number: int, least: int, most: int) -> None:
    """UsageError when a number that was given is out of its range."""
    if not least <= number <= most:
        raise UsageError(f"{name} {number} is out of range: it can be {least} to {most}")


def _in_session_or_project(
    find: Callable[[Where], list[Match]], where: Where | Literal[""]
) -> tuple[list[Match], Where]:
    """What is found in the session, or else in the project."""
    if where != "project" and (matches := find("session")):
        return matches, "session"
    return find("project"), "project"


def _find_anchors(view: TapeView, wanted: TapeSearch, stretch: Stretch, where: Where) -> list[Anchor]:
    tape = view.own if where == "session" else view.tape
    fitting = replace(wanted.anchors, words=tuple(terms_of(wanted.query)))
    return [anchor for anchor in tape.anchors if fitting.fits(anchor) and stretch.holds(anchor)]


def _find_messages(
    view: TapeView, wanted: TapeSearch, stretch: Stretch, where: Where
) -> list[SessionMessage]:
    """The newest messages that fit, the newest last."""
    in_project = where == "project"
    bounds = message_bounds(view, stretch)
    query = MessageQuery(
        text=wanted.query,
        wants_session=view.is_searched(in_project=in_project),
        fits=bounds.fits,
        types=wanted.types,
        since=bounds.since,
        until=bounds.until,
        limit=wanted.limit,
        is_newest_first=True,
    )
    oldest_first = [found.message for found in reversed(find_messages(view.memory, query))]
    view.note_searched(indexed_sessions(view.memory), in_project=in_project)
    return sorted(oldest_first, key=lambda message: seconds_of(message.when) or 0.0)


def _messages_of(view: TapeView, wanted: ReadTape, stretch: Stretch) -> list[SessionMessage]:
    """The messages of a stretch that are to be read, on the branches that go on."""
    is_session = wanted.where == "session"
    conversations = [view.said()] if is_session else view.said_in_project()
    parts = [stretch.of(conversation.branch) for conversation in conversations]
    messages = parts[0] if is_session else merged(parts)
    return [message for message in messages if message.is_of(wanted.types) and message.has(wanted.text)]


def _around(
    view: TapeView, anchor: Anchor, wanted: ReadTape
) -> tuple[list[SessionMessage], list[SessionMessage]]:
    """The messages before and after an anchor, as many on both sides."""
    said = view.said_in(anchor.agent, anchor.session_id) or Conversation(anchor.agent, anchor.session_id)
    place = said.holder_of(anchor) + 1
    sides = (said.messages[:place], said.messages[place:])
    before, after = ([e for e in side if e.is_of(wanted.types) and e.has(wanted.text)] for side in sides)
    half = wanted.limit - wanted.limit // 2
    return before[-half:], after[: wanted.limit - len(before[-half:])]
