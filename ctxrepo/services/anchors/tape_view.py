"""The tape of a scope as somebody looks at it: its anchors, and which session and which part are meant."""

from collections.abc import Callable, Collection, Iterator, Set
from dataclasses import field
from datetime import datetime, timedelta
from functools import partial
from math import ceil, floor

from ctxrepo.domain.formats.moment import seconds_of
from ctxrepo.domain.project.target import ids_meant, resolve_id
from ctxrepo.domain.tape.anchors import Anchor, Tape
from ctxrepo.domain.tape.session_messages import Conversation, SessionMessage, TapeBounds
from ctxrepo.errors import NoAnswer, NoMatch, UsageError
from ctxrepo.lazy import dataclass
from ctxrepo.services.anchors.tape_requests import THIS, AnchorRange, TapePart, Where
from ctxrepo.services.locate.identify import Project
from ctxrepo.services.reading.find import NamedScope, scope_named
from ctxrepo.services.reading.tape_files import tape_here, unread_tapes
from ctxrepo.services.sessions.conversations import MOST_BYTES, MOST_MESSAGES, read_conversation
from ctxrepo.services.sessions.session_projects import Projects
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.sessions.session_index import IndexedSession
from ctxrepo.storage.state.ledgers import ledgers

_NO_SESSION = ("", "cli", "unknown")
"""What stands in an anchor for a session where there is none."""

_MOST_SESSIONS = 200
"""Sessions of a project that are read, those first that were heard of last."""


@dataclass
class TapeView:
    """The anchors of a scope, and a session of it: `agent` and `session`, '' for none. Transcripts are read
    when they are first asked for. `notices` says what is missing."""

    memory: Memory
    place: NamedScope
    tape: Tape
    agent: str = ""
    session: str = ""
    _bytes_left: int = MOST_BYTES
    _conversations: dict[str, Conversation | None] = field(default_factory=dict)
    _unread: set[str] = field(default_factory=set)
    _is_project_read: bool = False

    @property
    def own(self) -> Tape:
        """The anchors of the session that is meant."""
        return self.tape.of_session(self.session)

    def conversation(self) -> Conversation:
        """What was said in the session that is meant; nothing where that isn't known."""
        read = self.conversation_in(self.agent, self.session) if self.session else None
        return read or Conversation(self.agent, self.session)

    def conversation_in(self, agent: str, session: str) -> Conversation | None:
        """What was said in one session; None where that isn't on this machine. It is read once, and of all
        sessions together no more than MOST_BYTES."""
        if session in _NO_SESSION:
            return None
        if session not in self._conversations:
            conversation = self._conversations[session] = self._read(agent, session)
            if conversation is None:
                self._unread.add(session)
        return self._conversations[session]

    def conversations_in_project(self) -> list[Conversation]:
        """The same of all sessions that this machine knows of in the scope, the one that is meant first."""
        self._is_project_read = True
        read = (self.conversation_in(agent, session) for session, agent in self._sessions().items())
        return [conversation for conversation in read if conversation]

    def is_searched(self, *, in_project: bool) -> Callable[[IndexedSession], bool]:
        """Which sessions of the index are searched: the one that is meant, or all of the scope's here."""
        if not in_project:
            return lambda session: session.id == self.session and self.agent in ("", session.agent)
        known, projects = self._sessions(), Projects(self.memory)
        return lambda session: session.id in known or projects.is_in(session.cwd, self.place)

    def note_searched(self, indexed: Collection[str], *, in_project: bool) -> None:
        """Remember which sessions were to be searched and have no transcript in the index."""
        sessions = self._sessions() if in_project else {self.session}
        self._is_project_read |= in_project
        self._unread |= {session for session in sessions if session not in {*_NO_SESSION, *indexed}}

    def notices(self) -> Iterator[str]:
        """What is missing in all that was looked at."""
        for path, why in unread_tapes(self.memory, self.place.folder).items():
            yield f"{path} is not part of this: it {why}"
        parts = []
        if unread := len(self._unread):
            what = "sessions have" if unread > 1 else "session has"
            parts.append(f"{unread} {what} no transcript that can be read on this machine")
        others = {a.session_id for a in self.tape.anchors if a.host not in ("", self.memory.host)}
        if self._is_project_read and (away := len(others - {*_NO_SESSION, *self._sessions()})):
            were = "sessions were" if away > 1 else "session was"
            parts.append(f"{away} {were} on other machines, which have what was said there")
        is_cut = any(read and not read.is_whole for read in self._conversations.values())
        if is_cut or self._bytes_left <= 0:
            limits = f"{MOST_BYTES >> 20} MiB, and of one session the last {MOST_MESSAGES} messages"
            parts.append(f"of long transcripts the last {limits} are read")
        if parts:
            yield f"not all that was said is in this: {'; '.join(parts)}"

    def _read(self, agent: str, session: str) -> Conversation | None:
        if self._bytes_left <= 0:
            return None
        try:
            read = read_conversation(self.memory, agent, session, self._bytes_left)
        except NoAnswer:  # a folder hangs
            return None
        if read is None:
            return None
        self._bytes_left -= read.size
        return read

    def _sessions(self) -> dict[str, str]:
        """session -> agent."""
        sessions = {self.session: self.agent} if self.session else {}
        for agent, session in _heard_of(self.memory, self.tape, self.place.folder):
            sessions.setdefault(session, agent)
        return dict(list(sessions.items())[:_MOST_SESSIONS])


def view_of(
    memory: Memory, scope: str, session: str, project: Project | None, caller: tuple[str, str]
) -> TapeView:
    """The tape of a scope, and the session whose id begins with `session`; with '' that of the `caller`
    (agent and session) where it is one of the scope, else the newest of the scope here. NotFound or
    UsageError where none or several are meant."""
    if session == THIS and not caller[1]:
        raise UsageError(
            f"--session {THIS} is the session that a command runs in, and this one runs in none",
            "Name it by the beginning of its id: `ctxrepo session show` lists those of the last day.",
        )
    place = scope_named(memory, scope, project)
    tape = tape_here(memory, place.folder)
    if session and session != THIS:
        agent, session_id = _named(memory, tape, session)
    elif session == THIS or _is_in(memory, tape, place, project, caller[1]):
        agent, session_id = caller
    else:
        agent, session_id = next(_heard_of(memory, tape, place.folder), ("", ""))
    return TapeView(memory, place, tape, agent, session_id)


def _is_in(memory: Memory, tape: Tape, place: NamedScope, project: Project | None, session: str) -> bool:
    """Whether a session is in the scope: by where the command runs, an anchor, or what a hook recorded."""
    if not session:
        return False
    if place.folder == scope_named(memory, "", project).folder or tape.of_session(session).anchors:
        return True
    recorded = ledgers(memory.places.sessions, memory.state.id)
    return any(ledger.session == session and ledger.project == place.folder for ledger in recorded)


def _named(memory: Memory, tape: Tape, beginning: str) -> tuple[str, str]:
    agents = {a.session_id: a.agent for a in tape.anchors if a.session_id not in _NO_SESSION}
    if not ids_meant(beginning, agents):
        listed = ledgers(memory.places.sessions, memory.state.id)
        agents = {ledger.session: ledger.agent for ledger in listed if not ledger.parent}
    hint = "`ctxrepo session show` lists those of the last day."
    session = resolve_id(beginning, agents, f"there is no session {beginning}", hint)
    recorded = next((a.agent for a in tape.of_session(session).anchors if a.agent), "")
    return agents[session] or recorded, session


def _heard_of(memory: Memory, tape: Tape, folder: str) -> Iterator[tuple[str, str]]:
    """(agent, session) of the scope's sessions that this machine knows of, those first that it heard of
    last: by the anchors that they left, then by hooks' records."""
    for anchor in reversed(tape.anchors):
        if anchor.host == memory.host and anchor.session_id not in _NO_SESSION and anchor.agent:
            yield anchor.agent, anchor.session_id
    for ledger in ledgers(memory.places.sessions, memory.state.id):
        if ledger.project == folder and not ledger.parent:
            yield ledger.agent, ledger.session


def resolve(tape: Tape, own: Tape, name: str, *, is_only_own: bool) -> Anchor:
    """The anchor that is meant: by its id, then by its exact name, then by a part of it, the newest; one of
    the session's `own` comes before others'. NoMatch when there is none."""
    tapes = (own,) if is_only_own else (own, tape)
    lookups = (Tape.with_id,) if name.startswith("^") else (Tape.with_id, Tape.called, Tape.like)
    for lookup in lookups:
        for searched in tapes:
            if anchor := lookup(searched, name):
                return anchor
    where = "left in this session" if is_only_own else "on this tape"
    is_elsewhere = is_only_own and any(lookup(tape, name) for lookup in lookups)
    hint = "Another session left one: `--in project`." if is_elsewhere else "`ctxrepo tape list` shows them."
    raise NoMatch(f"no anchor called {name!r} is {where}", hint)


def between(tape: Tape, own: Tape, ends: AnchorRange, *, is_only_own: bool = False) -> TapeBounds:
    """The bounds between the anchors that are meant; NoMatch for one that isn't there."""
    names = (ends.after, ends.until)
    after, until = (resolve(tape, own, name, is_only_own=is_only_own) if name else None for name in names)
    return TapeBounds(after, until)


def bounds_of(view: TapeView, part: TapePart, where: Where, *, dates_first: bool) -> TapeBounds:
    """The bounds that are meant; NoMatch for an anchor that isn't there. The first that is asked for holds:
    between dates, between two anchors, after the last anchor, after an anchor; without `dates_first`: between
    two anchors, between dates, after an anchor, after the last one. `where` = `session` means anchors of that
    session only, and `project` the project's last anchor."""
    anchors = between(view.tape, view.own, part, is_only_own=where == "session")
    dates = TapeBounds(
        start=_seconds("--from", part.start, is_end=False), end=_seconds("--to", part.end, is_end=True)
    )
    newest = {"session": view.own.last, "project": view.tape.last, "": view.own.last or view.tape.last}
    last = TapeBounds(after=newest[where] if part.is_last else None)
    pair = anchors if anchors.until else TapeBounds()
    order = (dates, pair, last, anchors) if dates_first else (pair, dates, anchors, last)
    return next((bounds for bounds in order if bounds.is_bound), TapeBounds())


def message_bounds(view: TapeView, bounds: TapeBounds) -> tuple[int, int, Callable[[SessionMessage], bool]]:
    """These bounds for messages of all sessions: two moments in Unix seconds (0: none) that hold all that is
    within, and whether a message is. In the session of an anchor its message counts, for which transcripts of
    sessions with an anchor in them are read; elsewhere the time counts."""
    ends = [anchor for anchor in (bounds.after, bounds.until) if anchor]
    sessions = {(anchor.agent, anchor.session_id) for anchor in ends}
    read = filter(None, (view.conversation_in(agent, session) for agent, session in sessions))
    by_place = [each for each in read if any(each.place_of(end) is not None for end in ends)]
    inside = [message for conversation in by_place for message in bounds.of(conversation)]
    moments = [seconds_of(message.when) for message in inside]
    lowest, highest = bounds.seconds
    if None in moments:  # only its place says where such a message belongs
        lowest = highest = None
    times = [moment for moment in moments if moment is not None]
    since = 0 if lowest is None else floor(min((lowest, *times)))
    until = 0 if highest is None else ceil(max((highest, *times)))
    known = {_key(message) for conversation in by_place for message in conversation.messages}
    return since, until, partial(_fits, bounds, known, {*map(_key, inside)})  # another process is sent it


def _fits(
    bounds: TapeBounds, known: Set[tuple[str, str]], inside: Set[tuple[str, str]], message: SessionMessage
) -> bool:
    key = _key(message)
    if message.id and key in known:
        return key in inside
    at = seconds_of(message.when)
    return at is None or bounds.holds_moment(at)


def _key(message: SessionMessage) -> tuple[str, str]:
    return message.agent, message.id


def _seconds(option: str, text: str, *, is_end: bool) -> float | None:
    """A date or moment in this machine's zone, in Unix seconds. A day is whole: it starts behind the end of
    the day before."""
    if not text:
        return None
    try:
        moment = datetime.fromisoformat(text)
        if len(text) > len("2026-11-20"):
            return moment.astimezone().timestamp()
        return (moment + timedelta(days=1) if is_end else moment).astimezone().timestamp() - 0.001
    except ValueError:
        hint = "For example 2026-11-20, or 2026-11-20T14:30."
        raise UsageError(f"{option} {text!r} is no date", hint) from None
    except OverflowError:
        raise UsageError(f"{option} {text!r} is out of range", "Leave it out for no bound.") from None
