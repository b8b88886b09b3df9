"""The tape of a scope as somebody looks at it: its anchors, the session that is meant, and what was said."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import field

from ctxrepo.domain.tape.anchor import Anchor
from ctxrepo.domain.tape.conversation import Conversation
from ctxrepo.domain.tape.tape import Tape
from ctxrepo.errors import NoAnswer, NoMatch, NotFound, UsageError
from ctxrepo.lazy import dataclass
from ctxrepo.services.delivery.sessions import Caller
from ctxrepo.services.locate.identify import Project
from ctxrepo.services.reading.find import NamedScope, scope_named
from ctxrepo.services.reading.tape import tape_here, unread_tapes
from ctxrepo.services.sessions.where import Projects
from ctxrepo.services.transcripts.conversations import MOST_BYTES, MOST_MESSAGES, read_conversation
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.sessions.index import IndexedSession
from ctxrepo.storage.state.ledgers import ledgers

THIS = "this"
"""What stands for the session that a command runs in."""

_NOBODY = ("", "cli", "unknown")
"""What stands in an anchor for a session where there is none."""

_SESSIONS = 200
"""Sessions of a project that are read, those first that were heard of last."""


@dataclass
class TapeView:
    """`agent` and `session` are the one that is meant, '' for none. `notices` is what is missing in what was
    looked at."""

    memory: Memory
    place: NamedScope
    tape: Tape
    here: Caller
    agent: str = ""
    session: str = ""
    _left: int = MOST_BYTES
    _read: dict[str, Conversation | None] = field(default_factory=dict)
    _unread: set[str] = field(default_factory=set)
    _is_project_read: bool = False

    @property
    def own(self) -> Tape:
        """The anchors of the session that is meant."""
        return self.tape.of_session(self.session)

    def said(self) -> Conversation:
        """What was said in the session that is meant; nothing where that isn't known."""
        found = self.said_in(self.agent, self.session) if self.session else None
        return found or Conversation(self.agent, self.session)

    def said_in(self, agent: str, session: str) -> Conversation | None:
        """What was said in one session; None where that isn't on this machine. It is read once, and of all
        sessions together no more than MOST_BYTES."""
        if session in _NOBODY:
            return None
        if session in self._read:
            return self._read[session]
        found = None
        if self._left > 0:
            try:
                reading = read_conversation(self.memory, agent, session, self.here.env, self._left)
            except NoAnswer:  # a folder hangs
                reading = None
            if reading:
                self._left -= reading.size
                found = reading.said
        self._read[session] = found
        if found is None:
            self._unread.add(session)
        return found

    def said_in_project(self) -> list[Conversation]:
        """The same of all sessions that this machine knows of in the scope, the one that is meant first."""
        self._is_project_read = True
        found = (self.said_in(agent, session) for session, agent in self._sessions().items())
        return [said for said in found if said]

    def is_searched(self, *, in_project: bool) -> Callable[[IndexedSession], bool]:
        """Which sessions of the index are searched: all of the scope's on this machine, or the one that is
        meant."""
        if not in_project:
            return lambda one: bool(self.session) and one.id == self.session and self.agent in ("", one.agent)
        known, projects = self._sessions(), Projects(self.memory)
        return lambda one: one.id in known or projects.is_in(one.cwd, self.place)

    def note_searched(self, indexed: Collection[str], *, in_project: bool) -> None:
        """Remember which sessions were to be searched and have no transcript in the index."""
        wanted = self._sessions() if in_project else {self.session}
        self._is_project_read |= in_project
        self._unread |= {session for session in wanted if session not in {*_NOBODY, *indexed}}

    def notices(self) -> Iterator[str]:
        """What is missing in all that was looked at."""
        for path, why in unread_tapes(self.memory, self.place.folder).items():
            yield f"{path} is not part of this: it {why}"
        parts = []
        if unread := len(self._unread):
            what = "sessions have" if unread > 1 else "session has"
            parts.append(f"{unread} {what} no transcript that can be read on this machine")
        if self._is_project_read and (away := len(self._elsewhere())):
            were = "sessions were" if away > 1 else "session was"
            parts.append(f"{away} {were} on other machines, which have what was said there")
        if any(said and not said.is_whole for said in self._read.values()) or self._left <= 0:
            limits = f"{MOST_BYTES >> 20} MiB, and of one session the last {MOST_MESSAGES} messages"
            parts.append(f"of long transcripts the last {limits} are read")
        if parts:
            yield f"not all that was said is in this: {'; '.join(parts)}"

    def _elsewhere(self) -> set[str]:
        """The sessions that only other machines had."""
        others = {a.session_id for a in self.tape.anchors if a.host not in ("", self.memory.host)}
        return others - {*_NOBODY, *self._sessions()}

    def _sessions(self) -> dict[str, str]:
        """session -> agent."""
        found = {self.session: self.agent} if self.session else {}
        for anchor in reversed(self.tape.anchors):
            if anchor.host == self.memory.host and anchor.session_id not in _NOBODY and anchor.agent:
                found.setdefault(anchor.session_id, anchor.agent)
        for ledger in ledgers(self.memory.places.sessions, self.memory.state.id):
            if ledger.project == self.place.folder and not ledger.parent:
                found.setdefault(ledger.session, ledger.agent)
        return dict(list(found.items())[:_SESSIONS])


def view_of(memory: Memory, scope: str, session: str, project: Project | None, here: Caller) -> TapeView:
    """The tape of a scope. `session` is the beginning of an id; with '' it is the session that the command
    runs in, where it is one of the scope, else the newest one of the scope on this machine. NotFound and
    UsageError where none or several are meant by what is given."""
    if session == THIS and not here.session[1]:
        raise UsageError(
            f"--session {THIS} is the session that a command runs in, and this one runs in none",
            "Name it by the beginning of its id: `ctxrepo session show` lists those of the last day.",
        )
    place = scope_named(memory, scope, project)
    tape = tape_here(memory, place.folder)
    if session and session != THIS:
        agent, meant = _named(memory, tape, session)
    elif session == THIS or _is_in(memory, tape, place, project, here.session[1]):
        agent, meant = here.session
    else:
        agent, meant = _newest(memory, tape, place.folder)
    return TapeView(memory, place, tape, here, agent, meant)


def _is_in(memory: Memory, tape: Tape, place: NamedScope, project: Project | None, session: str) -> bool:
    """Whether the session that the command runs in is one of this scope, which may be another one than that
    of the folder where it runs."""
    if not session:
        return False
    if place.folder == scope_named(memory, "", project).folder or tape.of_session(session).anchors:
        return True
    known = ledgers(memory.places.sessions, memory.state.id)
    return any(one.session == session and one.project == place.folder for one in known)


def _named(memory: Memory, tape: Tape, wanted: str) -> tuple[str, str]:
    known = {a.session_id: a.agent for a in tape.anchors if a.session_id not in _NOBODY}
    found = {wanted} & known.keys() or {one for one in known if one.startswith(wanted)}
    if not found:
        listed = ledgers(memory.places.sessions, memory.state.id)
        known = {one.session: one.agent for one in listed if not one.parent}
        found = {wanted} & known.keys() or {one for one in known if one.startswith(wanted)}
    if not found:
        raise NotFound(
            f"no session's id begins with {wanted}", "`ctxrepo session show` lists those of the last day."
        )
    if len(found) > 1:
        raise UsageError(f"{len(found)} sessions' ids begin with {wanted}", "Say more of it.")
    session = found.pop()
    return known[session] or _agent_in(tape, session), session


def _agent_in(tape: Tape, session: str) -> str:
    return next((a.agent for a in tape.of_session(session).anchors if a.agent), "")


def _newest(memory: Memory, tape: Tape, folder: str) -> tuple[str, str]:
    """The session of the scope that this machine heard of last."""
    for anchor in reversed(tape.anchors):
        if anchor.host == memory.host and anchor.session_id not in _NOBODY and anchor.agent:
            return anchor.agent, anchor.session_id
    for ledger in ledgers(memory.places.sessions, memory.state.id):
        if ledger.project == folder and not ledger.parent:
            return ledger.agent, ledger.session
    return "", ""


def resolve(tape: Tape, own: Tape, name: str, *, is_only_own: bool) -> Anchor:
    """The anchor that is meant: by its id, then by its exact name, then by a part of it, the newest; one of
    the session's `own` comes before others'. NoMatch when there is none."""
    tapes = (own,) if is_only_own else (own, tape)
    ways = (Tape.with_id,) if name.startswith("^") else (Tape.with_id, Tape.called, Tape.like)
    for way in ways:
        for one in tapes:
            if found := way(one, name):
                return found
    where = "left in this session" if is_only_own else "on this tape"
    elsewhere = is_only_own and any(way(tape, name) for way in ways)
    hint = "Another session left one: `--in project`." if elsewhere else "`ctxrepo tape list` shows them."
    raise NoMatch(f"no anchor called {name!r} is {where}", hint)
