"""Looking through a tape: its anchors, and what was said in a stretch of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field, replace
from typing import Literal, TypeVar

from ctxrepo.domain.secrets import mask
from ctxrepo.domain.tape.anchor import Anchor
from ctxrepo.domain.tape.conversation import Conversation, SessionMessage, Stretch, merged
from ctxrepo.domain.tape.tape import AnchorFilter, Tape
from ctxrepo.errors import NoMatch, UsageError
from ctxrepo.lazy import dataclass
from ctxrepo.services.tape.stretch import StretchRequest, Where, stretch_of
from ctxrepo.services.tape.view import TapeView, resolve
from ctxrepo.services.transcripts.conversations import shown

Found = TypeVar("Found")

CHARS = 300
"""Characters of a message that are shown, unless others are asked for."""

LEAST_CHARS = 80
MOST_SHOWN = 100
MOST_CONTEXT = 5

MANY, TOO_MANY = 10, 20
"""So many messages since the last anchor are worth a word, and a handoff."""


@dataclass(frozen=True)
class TapeSearch:
    """What is looked for: `text` in anchors and in messages, `anchors` of the one and `types` of the other.

    `entries_in` and `anchors_in` say whether the session that is meant is looked through, or all of the
    project; where the session has nothing the project is, too. Names of anchors are then those of the
    session alone; with '' any.
    """

    text: str = ""
    kind: Literal["all", "entry", "anchor"] = "all"
    types: tuple[str, ...] = ()
    limit: int = 20
    context: int = 0
    stretch: StretchRequest = field(default_factory=StretchRequest)
    anchors: AnchorFilter = field(default_factory=AnchorFilter)
    entries_in: Where | Literal[""] = ""
    anchors_in: Where | Literal[""] = ""


@dataclass(frozen=True)
class ReadTape:
    """What is read: the newest `limit` messages of the stretch, or those around an anchor."""

    stretch: StretchRequest = field(default_factory=StretchRequest)
    around: str = ""
    text: str = ""
    types: tuple[str, ...] = ()
    limit: int = 20
    chars: int = CHARS
    entries_in: Where = "project"
    anchors_in: Where | Literal[""] = ""


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
    when that has none either."""
    require_within("--limit", wanted.limit, 1, MOST_SHOWN)
    require_within("--context", wanted.context, 0, MOST_CONTEXT)
    stretch = stretch_of(view, wanted.stretch, wanted.anchors_in, dates_first=True)
    anchors: list[Anchor] = []
    messages: list[SessionMessage] = []
    scopes: list[Where] = []
    if wanted.kind != "entry":
        fitting = replace(wanted.anchors, text=wanted.text)

        def anchors_in(where: Where) -> list[Anchor]:
            tape = view.own if where == "session" else view.tape
            return [a for a in tape.anchors if fitting.fits(a) and stretch.holds(a)]

        anchors, scope = _first_found(anchors_in, wanted.anchors_in, wanted.entries_in)
        scopes.append(scope)
    if wanted.kind != "anchor":

        def entries_in(where: Where) -> list[SessionMessage]:
            return _messages(view, where, stretch, wanted.types, wanted.text, lambda said: said)

        messages, scope = _first_found(entries_in, wanted.entries_in, wanted.anchors_in)
        scopes.append(scope)
    if not anchors and not messages:
        raise NoMatch("nothing on the tape fits", "`ctxrepo tape list` shows the anchors.")
    return TapeHits(
        tuple(anchor_shown(view, anchor, wanted.context) for anchor in anchors[-wanted.limit :]),
        tuple(shown(messages[-wanted.limit :], CHARS)),
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
    is_only_own = wanted.anchors_in == "session"
    if wanted.around and wanted.stretch != StretchRequest():
        raise UsageError("--around stands alone: not with --after, --until, --last, --from or --to")
    if wanted.around:
        anchor = resolve(view.tape, view.own, wanted.around, is_only_own=is_only_own)
        before, after = _around(view, anchor, wanted)
        return TapeReading(tuple(shown([*before, *after], wanted.chars)), Stretch())
    stretch = stretch_of(view, wanted.stretch, wanted.anchors_in, dates_first=False)
    found = _messages(view, wanted.entries_in, stretch, wanted.types, wanted.text, lambda said: said.branch)
    return TapeReading(tuple(shown(found[-wanted.limit :], wanted.chars)), stretch)


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


def masked(anchor: Anchor) -> Anchor:
    """An anchor without secrets: another program's may hold some."""
    meta = {key: mask(value) if isinstance(value, str) else value for key, value in anchor.meta.items()}
    if anchor.keywords:
        meta["keywords"] = [mask(word) for word in anchor.keywords]
    return replace(anchor, name=mask(anchor.name), meta=meta)


def require_within(name: str, number: int, least: int, most: int) -> None:
    """UsageError when a number that was given is out of its range."""
    if not least <= number <= most:
        raise UsageError(f"{name} {number} is out of range: it can be {least} to {most}")


def _first_found(
    look: Callable[[Where], list[Found]], wanted: Where | Literal[""], other: Where | Literal[""]
) -> tuple[list[Found], Where]:
    """What is found in the session, or else in the project. What is said of the other kind holds for this
    one, where nothing is said of it."""
    if (wanted or other) != "project" and (found := look("session")):
        return found, "session"
    return look("project"), "project"


def _messages(
    view: TapeView,
    where: Where,
    stretch: Stretch,
    types: Sequence[str],
    text: str,
    part: Callable[[Conversation], Conversation],
) -> list[SessionMessage]:
    sessions = [view.said()] if where == "session" else view.said_in_project()
    found = [stretch.of(part(said)) for said in sessions]
    messages = list(found[0]) if where == "session" else merged(found)
    return [message for message in messages if message.is_of(types) and message.has(text)]


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
