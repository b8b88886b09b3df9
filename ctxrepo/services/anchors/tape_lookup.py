"""Anchors of a tape are listed and searched, and what was said between them is searched, read and drawn."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeVar

from ctxrepo.domain.formats.moment import seconds_of
from ctxrepo.domain.question.question_terms import terms_of
from ctxrepo.domain.tape.anchors import Anchor, Tape
from ctxrepo.domain.tape.session_messages import SessionMessage, TapeBounds, TreeLine, merged, tree_of
from ctxrepo.errors import NoMatch, NotFound
from ctxrepo.lazy import dataclass
from ctxrepo.services.anchors.tape_requests import CHARS, Kind, ListAnchors, ReadTape, TapeSearch, Where
from ctxrepo.services.anchors.tape_view import TapeView, bounds_of, message_bounds, resolve
from ctxrepo.services.sessions.conversations import mask_anchor, mask_and_cut
from ctxrepo.services.sessions.found_messages import MessageQuery, find_messages, indexed_sessions

Match = TypeVar("Match")

MANY, TOO_MANY = 10, 20
"""So many messages since the last anchor are worth a word, and a handoff."""


@dataclass(frozen=True)
class AnchorShown:
    """An anchor, the id that names it, and what was said before and after it."""

    anchor: Anchor
    short: str
    before: tuple[SessionMessage, ...] = ()
    after: tuple[SessionMessage, ...] = ()


@dataclass(frozen=True)
class TapeHits:
    """What a search found, and the wider one of the scopes in which it did; `widened` are the kinds of which
    the session had nothing, so that all of the project was searched."""

    anchors: tuple[AnchorShown, ...]
    messages: tuple[SessionMessage, ...]
    scope: Where
    widened: tuple[Kind, ...] = ()


@dataclass(frozen=True)
class TapeReading:
    """What was read, and the bounds of the tape that it is."""

    messages: tuple[SessionMessage, ...]
    bounds: TapeBounds


@dataclass(frozen=True)
class TapeInfo:
    """The `anchors` of the scope, and of the session its `own`, the number of its messages, and its last
    anchor with how many messages came since."""

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
    """How the tape stands."""
    conversation = view.conversation()
    last = view.own.last
    since = TapeBounds(after=last).of(conversation.branch) if last else conversation.branch.messages
    shown_last = anchor_shown(view, last) if last else None
    return TapeInfo(view.tape, view.own, len(conversation.messages), shown_last, len(since))


def list_anchors(view: TapeView, request: ListAnchors) -> list[AnchorShown]:
    """The newest anchors, the newest last, with what was said around each; of a session if one is named."""
    request.require_valid()
    tape = view.own if request.session else view.tape
    anchors = [anchor for anchor in tape.anchors if request.type in ("", anchor.type)]
    return [anchor_shown(view, anchor, request.context) for anchor in anchors[-request.limit :]]


def search(view: TapeView, request: TapeSearch) -> TapeHits:
    """The newest anchors and messages that fit, in the session or else in the project, in a session that is
    named only there; NoMatch for none. To search messages, bring the index of sessions up to date before."""
    request.require_valid()
    places: Sequence[Where] = ("session",) if request.is_of_session else ("session", "project")
    places = ("project",) if request.place == "project" else places
    bounds = bounds_of(view, request, request.place, dates_first=True)
    anchors: list[Anchor] = []
    messages: list[SessionMessage] = []
    scopes: dict[Kind, Where] = {}
    if "anchors" in request.kinds:
        fitting = request.anchors(terms_of(request.query))

        def find_anchors(where: Where) -> list[Anchor]:
            tape = view.own if where == "session" else view.tape
            return [anchor for anchor in tape.anchors if fitting.fits(anchor) and bounds.holds(anchor)]

        anchors, scopes["anchors"] = _first_found(find_anchors, places)
    if "messages" in request.kinds:
        messages, scopes["messages"] = _first_found(partial(_find_messages, view, request, bounds), places)
    if not anchors and not messages:
        raise NoMatch("nothing on the tape fits", "`ctxrepo tape list` shows the anchors.")
    return TapeHits(
        tuple(anchor_shown(view, anchor, request.context) for anchor in anchors[-request.limit :]),
        tuple(mask_and_cut(messages, CHARS)),
        "project" if "project" in scopes.values() else "session",
        tuple(kind for kind, scope in scopes.items() if scope == "project" != request.place),
    )


def read(view: TapeView, request: ReadTape) -> TapeReading:
    """The newest messages within bounds, on the branch that goes on: after the start, up to the end."""
    request.require_valid()
    is_session = request.place == "session"
    if request.around:
        anchor = resolve(view.tape, view.own, request.around, is_only_own=is_session)
        before, after = (_asked_for(request, side) for side in _around(view, anchor))
        before = before[-(request.limit - request.limit // 2) :]  # as many on both sides
        messages = [*before, *after[: request.limit - len(before)]]
        return TapeReading(tuple(mask_and_cut(messages, request.chars)), TapeBounds())
    bounds = bounds_of(view, request, request.place, dates_first=False)
    conversations = [view.conversation()] if is_session else view.conversations_in_project()
    parts = [bounds.of(conversation.branch) for conversation in conversations]
    messages = _asked_for(request, parts[0] if is_session else merged(parts))
    return TapeReading(tuple(mask_and_cut(messages[-request.limit :], request.chars)), bounds)


def _asked_for(request: ReadTape, messages: Iterable[SessionMessage]) -> list[SessionMessage]:
    return [message for message in messages if message.is_of(request.types) and message.has(request.text)]


def anchor_shown(view: TapeView, anchor: Anchor, context: int = 0) -> AnchorShown:
    """An anchor as it is shown, without secrets, with so many messages before and after it."""
    short, clean = view.tape.short_ids.get(anchor.id, anchor.id), mask_anchor(anchor)
    if not context:
        return AnchorShown(clean, short)
    before, after = ([m for m in side if m.text.strip()] for side in _around(view, anchor))
    sides = (before[-context:], after[:context])
    return AnchorShown(clean, short, *(tuple(mask_and_cut(side, CHARS)) for side in sides))


def _first_found(find: Callable[[Where], list[Match]], places: Sequence[Where]) -> tuple[list[Match], Where]:
    """What is found in the first of the places that has something, and that place; nothing in the last."""
    lookups = ((find(place), place) for place in places)
    return next((lookup for lookup in lookups if lookup[0]), ([], places[-1]))


def _find_messages(
    view: TapeView, request: TapeSearch, bounds: TapeBounds, where: Where
) -> list[SessionMessage]:
    """The newest messages that fit, the newest last."""
    in_project = where == "project"
    if not (in_project or view.session):
        return []
    since, until, fits = message_bounds(view, bounds)
    query = MessageQuery(
        text=request.query,
        wants_session=view.is_searched(in_project=in_project),
        fits=fits,
        types=request.types,
        since=since,
        until=until,
        limit=request.limit,
    )
    oldest_first = [hit.message for hit in reversed(find_messages(view.memory, query))]
    view.note_searched({session.id for session in indexed_sessions(view.memory)}, in_project=in_project)
    return sorted(oldest_first, key=lambda message: seconds_of(message.when) or 0.0)


def _around(view: TapeView, anchor: Anchor) -> tuple[Sequence[SessionMessage], Sequence[SessionMessage]]:
    """The messages before and after an anchor; none where its session isn't on this machine."""
    conversation = view.conversation_in(anchor.agent, anchor.session_id)
    if conversation is None:
        return (), ()
    place = conversation.holder_of(anchor) + 1
    return conversation.messages[:place], conversation.messages[place:]


def draw(view: TapeView) -> list[TreeLine]:
    """The messages of the session, cut as shown. NotFound where its transcript isn't on this machine."""
    if not view.session:
        raise NotFound("no agent's session of this project is known here", "--session names one.")
    conversation = view.conversation()
    if not conversation.messages:
        raise NotFound(
            f"nothing that was said in the session {view.session} can be read on this machine",
            "`ctxrepo tape list` shows its anchors.",
        )
    lines = tree_of(conversation, view.own.anchors)
    messages = mask_and_cut((line.message for line in lines), CHARS)
    return [
        replace(line, message=message, anchors=tuple(mask_anchor(anchor) for anchor in line.anchors))
        for line, message in zip(lines, messages, strict=True)
    ]
