"""A session: what its ledger says of it, and what is to be noted there."""

import _blake2
import _sqlite3
import os
import time

from ctxrepo.hooks.known.cached import CachedFault, faults_of, json_array
from ctxrepo.hooks.own_files import lines_of
from ctxrepo.hooks.session.ledger import BRIDGES, add, clear, lasting, read_ledger
from ctxrepo.hooks.session.ledger_file import MAX_BYTES, ledger_path, mark_of
from ctxrepo.hooks.session.ledger_words import (
    BEGAN,
    BRIDGE,
    CWD,
    FAULT,
    GIVEN,
    GIVER,
    LASTING,
    MOVED,
    NO_TEXT,
    WROTE,
    LedgerWord,
    SessionRecord,
)

TYPE_CHECKING = False
if TYPE_CHECKING:  # most hooks read no rows of the index
    from ctxrepo.hooks.known.packet_rows import IndexRow

SWITCHED_OFF = "memory is switched off for this session; `ctxrepo session on` switches it on"
"""Why a session for which somebody said `session off` is given nothing, and what helps."""

_FLAWED = "select path, problem from note where problem != '' and path in (select value from json_each(?))"
_HASHES = "select path, hash from note where path in (select value from json_each(?))"


class Session:
    """A session of an agent: what its ledger says, and what is to be noted there.

    What is noted is in the record at once, and in the ledger after `save`. A session without an id has no
    ledger. A subagent (`sub`) has a ledger of its own, because it is given things on its own."""

    def __init__(self, state: str, repo: str, agent: str, session: str, sub: str = "") -> None:
        self.state = state
        """The state root."""
        self.repo = repo
        """The id of the repository from which it is given something here."""
        self.agent = agent
        self.id = session
        self.path = ledger_path(state, agent, session, sub)
        self._record: SessionRecord | None = None
        self._lines: list[str] = []
        """Lines that were noted and not saved yet."""

    @property
    def record(self) -> SessionRecord:
        """What the ledger says; it is read at the first use."""
        if self._record is None:
            self._record = read_ledger(self.path, self.repo)
            mark = mark_of(self.repo)
            for line in self._lines:
                self._record.read(line.removeprefix(mark))
        return self._record

    @property
    def bridge_file(self) -> str:
        """The file in which the worker leaves what the session may be told of the one before; '' for none."""
        name = os.path.basename(self.path)
        return f"{self.state}/{self.repo}/{BRIDGES}/{name}.jsonl" if name else ""

    def note(self, word: LedgerWord, *values: object) -> None:
        """Note a line of the ledger: a word of session/ledger_words.py with its values."""
        line = word.line(*values)
        self._lines.append(mark_of(self.repo) + line if word.is_about_repository else line)
        if self._record is not None:
            self._record.read(line)

    def note_given(self, entries: dict[str, str]) -> None:
        """Note that the session was given these entries: id -> hash."""
        for entry, digest in entries.items():
            self.note(GIVEN, entry, digest)

    def note_write(self, path: str, data: bytes | None, is_move: bool = False) -> None:
        """Note that the session wrote `data` to the note at `path`, removed it (None), or moved it as it was
        (`is_move`). Files that are no notes are not noted, as the cache doesn't hold them."""
        if not path.endswith(".md") or "\n" in path:
            return
        text = (data or b"").decode("utf-8", "replace")  # as the cache reads it
        digest = NO_TEXT if data is None else _blake2.blake2b(text.encode(), digest_size=8).hexdigest()
        self.note(MOVED if is_move else WROTE, path, digest)

    def begin(self, cwd: str) -> None:
        """Note that the session begins now, in the folder `cwd`, unless the ledger says when it began."""
        if not self.path or BEGAN.name in [line.partition(" ")[0] for line in lasting(self.path)]:
            return
        self.note(BEGAN, time.time())
        if cwd and "\n" not in cwd:
            self.note(CWD, cwd)

    def begin_as_copy_of(self, session: str) -> None:
        """Note what that session was given, because this one goes on with a copy of its conversation. Nothing
        is noted where that session is unknown (''); then this one may be given something again."""
        if session in ("", self.id):
            return
        for line in lines_of(ledger_path(self.state, self.agent, session), MAX_BYTES):
            if line and line.partition(" ")[0] not in (*LASTING, BRIDGE.name):
                self._lines.append(line)
        self._record = None
        self.save()

    def forget_given(self) -> None:
        """Drop what the session was given: it was cleared or compacted, and doesn't know that any more."""
        clear(self.path)
        self._record = None

    def takes_packet(self) -> bool:
        """Whether this process is the one that gives the session the packet that it is owed since it was
        compacted. Of several hooks that run at once, the first in the ledger is."""
        if not self.record.is_compacted or self.record.giver:
            return False
        self.note(GIVER, os.getpid())
        self.save()
        self._record = None
        return self.record.giver == str(os.getpid())

    def untold_faults(self, cache: _sqlite3.Connection) -> list[CachedFault]:
        """The faults that the session wasn't told yet."""
        return [fault for fault in faults_of(cache) if fault.hash not in self.record.faults]

    def changed_by_others(self, cache: _sqlite3.Connection, rows: "list[IndexRow]") -> "list[IndexRow]":
        """Those of the changed notes that somebody else wrote last. For the others it is noted that the cache
        has caught up with the session's write, so that the next change to them is somebody else's."""
        wrote = self.record.wrote if rows else {}
        if not wrote:
            return rows
        hashes = dict(cache.execute(_HASHES, (json_array(cache, list(wrote)),)))
        own = {row.path for row in rows if wrote.get(row.path) == hashes.get(row.path, NO_TEXT)}
        for path in sorted(own):
            self.note(MOVED, path, NO_TEXT)
        return [row for row in rows if row.path not in own]

    def untold_flaws(self, cache: _sqlite3.Connection, paths: list[str]) -> list[str]:
        """What is wrong with the heads of these notes, which the session wrote, a line each; from now on it
        counts as told."""
        flaws = []
        for path, problem in cache.execute(_FLAWED, (json_array(cache, paths),)) if paths else ():
            line = f"{path}, which this session wrote: {problem}. `ctxrepo check` tells more."
            digest = _blake2.blake2b(line.encode("utf-8", "replace"), digest_size=8).hexdigest()
            if digest not in self.record.faults:
                self.note(FAULT, digest)
                flaws.append(line)
        return flaws

    def save(self) -> None:
        """Append what was noted to the ledger."""
        lines, self._lines = self._lines, []
        add(self.path, lines)
