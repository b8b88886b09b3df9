"""A session: what it was given and what it wrote, as the lines of its ledger say (session/ledger.py)."""

import _blake2
import os
import time

from ctxrepo.hooks.files.logs import lines_of
from ctxrepo.hooks.session.ledger import (
    LASTING,
    MAX_BYTES,
    add,
    clear,
    lasting,
    ledger_path,
    lines_about,
    lines_for_repo,
    mark_of,
)

_GIVEN, _WROTE = "entry", "wrote"

NO_TEXT = "-"
"""Stands in place of a hash: the session removed the note, or the cache has caught up with what the session
wrote. Either way the next version is not the session's own."""

EARLIER_PROMPTS = 2
"""How many earlier prompts are kept, to search a vague follow-up together with them."""

HUSHED = "memory is switched off for this session; `ctxrepo session on` switches it on"
"""Why a session for which somebody said `session off` is given nothing, and what helps."""


class SessionRecord:
    """What a ledger says of a session, and of what it knows of one repository."""

    __slots__ = (
        "asked", "began", "compaction", "cwd", "entries", "faults", "generation", "giver", "handoff",
        "is_compacted", "is_off", "owed_since", "own", "packet", "parent", "project", "sought", "wrote",
    )  # fmt: skip

    def __init__(self) -> None:
        self.entries: dict[str, str] = {}
        """Entries that the session knows: id -> hash."""
        self.own: set[str] = set()
        """Those of them that it wrote itself and was never given."""
        self.generation: int | None = None
        """The generation of the cache that the session has seen."""
        self.faults: set[str] = set()
        """Hashes of the faults that it was told."""
        self.project: str | None = None
        """Its project's folder; '' for none, '?' while the project is unknown."""
        self.asked: list[str] = []
        """What its last prompts were about, oldest first."""
        self.compaction = ""
        """The last compaction that it was given the packet after, where its agent tells no hook of one."""
        self.handoff = ""
        """The time of the handoff that it began with, '-' for none; '' once a newer one was looked for."""
        self.is_off = False
        """Whether it is hushed: given nothing."""
        self.sought = ""
        """The stamps of its folder's git files when the worker was last asked for the project."""
        self.owed_since = 0.0
        """When it began to wait for a round of the worker that its start could not wait for, in Unix seconds;
        0 when it is owed nothing."""
        self.packet = ""
        """What it was given at its start, where its agent forgets that when it is resumed."""
        self.is_compacted = False
        """Whether it was compacted by an agent that calls no start's hook then."""
        self.giver = ""
        """Which process gives it the packet after that compaction; '' while it is owed one."""
        self.wrote: dict[str, str] = {}
        """Notes that it wrote: path -> the hash of what it made of the note last, or NO_TEXT."""
        self.began = 0.0
        """When it began, in Unix seconds; 0 where that isn't known."""
        self.cwd = ""
        self.parent = ""
        """The session that started it, where it is a subagent's."""

    def read(self, line: str) -> None:
        """Apply one line of the ledger, without its mark; a line that can't be understood changes nothing."""
        word, _, rest = line.partition(" ")
        first, _, second = rest.partition(" ")
        if word in (_GIVEN, "own") and second:
            if word == _GIVEN:
                self.own.discard(first)
            elif first not in self.entries:
                self.own.add(first)
            self.entries[first] = second
        elif word in (_WROTE, "moved"):
            path, _, digest = rest.rpartition(" ")
            if path:
                self.wrote[path] = digest
        elif word == "generation" and _is_number(first):
            self.generation = int(first)
        elif word == "fault" and first:
            self.faults.add(first)
        elif word == "asked":
            self.asked = [*self.asked, rest][-EARLIER_PROMPTS:]
        elif word in ("project", "handoff", "sought", "cwd", "compaction"):
            setattr(self, word, rest)
        elif word == "packet":
            self.packet = "\\".join([part.replace("\\n", "\n") for part in rest.split("\\\\")])
        elif line == "compacted":
            self.is_compacted, self.giver = True, ""
        elif word == "gives":
            self.giver = self.giver or rest
        elif word == "of":
            self.parent = rest
        elif line in ("off", "on"):
            self.is_off = line == "off"
        elif word == "owed" and first.replace(".", "", 1).isdecimal() and first.isascii():
            self.owed_since = float(first)
        elif word == "began" and _is_number(rest):
            self.began = float(rest)


class Session:
    """A session of an agent: what its ledger says, and what is to be noted there.

    What is noted is in the record at once, and in the ledger after `save`. A session without an id has no
    ledger. A subagent (`sub`) has a ledger of its own, because it is given things on its own.
    """

    __slots__ = ("_lines", "_record", "agent", "id", "path", "repo", "state")

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

    @property
    def record(self) -> SessionRecord:
        """What the ledger says; it is read at the first use."""
        if self._record is None:
            self._record = read_ledger(self.path, self.repo)
            for line in lines_for_repo(self._lines, self.repo):
                self._record.read(line)
        return self._record

    def note_begin(self, cwd: str) -> None:
        """Note that the session begins now, in the folder `cwd`, unless the ledger says when it began."""
        if not self.path or "began" in [line.partition(" ")[0] for line in lasting(self.path)]:
            return
        self._note(f"began {int(time.time())}")
        if cwd and "\n" not in cwd:
            self._note(f"cwd {cwd}")

    def forget_given(self) -> None:
        """Drop what the session was given: it was cleared or compacted, and doesn't know that any more."""
        clear(self.path)
        self._record = None

    def note_given(self, entries: dict[str, str]) -> None:
        """Note that the session was given these entries: id -> hash."""
        for key, digest in entries.items():
            self._note_here(f"{_GIVEN} {key} {digest}")

    def note_own_entry(self, entry: str, digest: str) -> None:
        """Note that the session wrote this entry itself."""
        self._note_here(f"own {entry} {digest}")

    def note_fault_told(self, digest: str) -> None:
        """Note that the session was told the fault with this hash."""
        self._note_here(f"fault {digest}")

    def note_generation(self, generation: int) -> None:
        """Note that the session was told of all changes up to this generation of the cache."""
        self._note_here(f"generation {generation}")

    def note_prompt_words(self, words: str) -> None:
        """Note that the session's prompt was about these words."""
        self._note(f"asked {words}")

    def note_project(self, project: str) -> None:
        """Note that the session was told that it is in this folder of the memory; '' for none, '?' for
        unknown."""
        self._note_here(f"project {project}")

    def note_handoff(self, time_left: str) -> None:
        """Note the time of the handoff that the session began with, '-' for none; '' once a newer one was
        looked for."""
        self._note_here(f"handoff {time_left}")

    def note_compaction(self, name: str) -> None:
        """Note that the session is given the packet after this compaction."""
        self._note("compaction " + name.replace("\n", " "))

    def note_packet(self, text: str) -> None:
        """Note what the session was given at its start, for an agent that forgets it when it is resumed."""
        self._note_here("packet " + text.replace("\\", "\\\\").replace("\n", "\\n"))

    def note_compacted(self) -> None:
        """Note that the session was compacted, and is owed the packet."""
        self._note_here("compacted")

    def takes_packet(self) -> bool:
        """Whether this process is the one that gives the session the packet that it is owed since it was
        compacted. Of several hooks that run at once, the first in the ledger is."""
        if not self.record.is_compacted or self.record.giver:
            return False
        self._note_here(f"gives {os.getpid()}")
        self.save()
        self._record = None
        return self.record.giver == str(os.getpid())

    def note_project_wanted(self, stamps: str) -> None:
        """Note that the worker was asked for the project of the folder, whose git files have these stamps."""
        self._note(f"sought {stamps}")

    def note_owed(self, since: float) -> None:
        """Note that the session is owed what a worker's round brings that begins after `since`; 0: it is
        owed nothing any more."""
        self._note_here(f"owed {since:.6f}")

    def note_parent(self, session: str) -> None:
        """Note that this session is a subagent's, which the session with that id started."""
        self._note("of " + session.replace("\n", " "))

    def note_write(self, path: str, data: bytes | None, is_move: bool = False) -> None:
        """Note that the session wrote `data` to the note at `path`, or removed the note (None). Other files
        than notes are not noted, as the cache doesn't hold them. With `is_move` the note's text stayed as it
        was."""
        if not path.endswith(".md"):
            return
        text = (data or b"").decode("utf-8", "replace")  # as the cache reads it
        digest = NO_TEXT if data is None else _blake2.blake2b(text.encode(), digest_size=8).hexdigest()
        self._note_path("moved" if is_move else _WROTE, path, digest)

    def note_known(self, path: str, digest: str) -> None:
        """Note that the text with this hash, which the note at `path` has now, is no news to the session."""
        self._note_path("moved", path, digest)

    def note_arrived(self, path: str) -> None:
        """Note that the cache holds the note at `path` as this session left it, so that the next change to it
        is somebody else's."""
        self._note_path("moved", path, NO_TEXT)

    def copy_ledger_of(self, session: str) -> None:
        """Note what that session was given: this one goes on with a copy of its conversation."""
        for line in lines_of(ledger_path(self.state, self.agent, session), MAX_BYTES):
            if line and line.partition(" ")[0] not in LASTING:
                self._note(line)

    def save(self) -> None:
        """Append what was noted to the ledger."""
        lines, self._lines = self._lines, []
        add(self.path, lines)

    def _note_path(self, word: str, path: str, digest: str) -> None:
        if "\n" not in path:
            self._note_here(f"{word} {path} {digest}")

    def _note_here(self, line: str) -> None:
        """Note what is about the repository."""
        self._note(mark_of(self.repo) + line)

    def _note(self, line: str) -> None:
        self._lines.append(line)
        if self._record is not None:
            for its in lines_for_repo([line], self.repo):
                self._record.read(its)


def read_ledger(path: str, repo: str) -> SessionRecord:
    """What the ledger at `path` says of the session and of the repository with this id; an empty record where
    there is no ledger."""
    record = SessionRecord()
    for line in lines_about(path, repo):
        record.read(line)
    return record


def given_before_writes(path: str, repo: str) -> list[tuple[str, dict[str, str]]]:
    """Each write of the session to this repository: (the note's path, the entries of the repository that it
    was given before: id -> hash)."""
    given: dict[str, str] = {}
    found = []
    for line in lines_about(path, repo):
        word, _, rest = line.partition(" ")
        if word == _GIVEN:
            name, _, digest = rest.partition(" ")
            given[name] = digest
        elif word == _WROTE:
            found.append((rest.rpartition(" ")[0], {**given}))
    return found


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 16
