"""A session: what its ledger says of it, and what is to be noted there."""

import _blake2
import os
import time

from ctxrepo.hooks.files.logs import lines_of
from ctxrepo.hooks.session.ledger import (
    BRIDGES,
    LASTING,
    MAX_BYTES,
    add,
    clear,
    lasting,
    ledger_path,
    lines_for_repo,
    mark_of,
)
from ctxrepo.hooks.session.record import GIVEN, NO_TEXT, WROTE, SessionRecord, read_ledger

HUSHED = "memory is switched off for this session; `ctxrepo session on` switches it on"
"""Why a session for which somebody said `session off` is given nothing, and what helps."""


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

    @property
    def bridge_file(self) -> str:
        """The file in which the worker leaves what the session may be told of the one before; '' for none."""
        name = os.path.basename(self.path)
        return f"{self.state}/{self.repo}/{BRIDGES}/{name}.jsonl" if name else ""

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
            self._note_here(f"{GIVEN} {key} {digest}")

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
        self._note_path("moved" if is_move else WROTE, path, digest)

    def note_known(self, path: str, digest: str) -> None:
        """Note that the text with this hash, which the note at `path` has now, is no news to the session."""
        self._note_path("moved", path, digest)

    def note_arrived(self, path: str) -> None:
        """Note that the cache holds the note at `path` as this session left it, so that the next change to it
        is somebody else's."""
        self._note_path("moved", path, NO_TEXT)

    def note_bridge_wanted(self, waited: int) -> None:
        """Note that so many prompts have waited for what the session is to be told of the one before."""
        self._note(f"bridge {waited}")

    def note_bridge_over(self) -> None:
        """Note that the session is told no more of the one before."""
        self._note("bridge -")

    def note_wanted_by_keywords(self, name: str, keywords: list[str]) -> None:
        """Note that keywords of a prompt ask for an anchor of this name."""
        words = "\t".join([" ".join(word.split()) for word in keywords])
        self._note(f"wanted keyword {name} {words}")

    def note_wanted_by_user(self) -> None:
        """Note that the session's user asked for an anchor in so many words."""
        self._note("wanted manual")

    def note_nothing_wanted(self) -> None:
        """Note that no anchor is asked for any more."""
        self._note("wanted -")

    def note_end(self, at: float, transcript: str) -> None:
        """Note that the session ended, with this transcript."""
        self._note(f"ended {int(at)} " + transcript.replace("\n", " "))

    def note_goes_on(self) -> None:
        """Note that a session that had ended goes on."""
        self._note("ended -")

    def copy_ledger_of(self, session: str) -> None:
        """Note what that session was given: this one goes on with a copy of its conversation."""
        for line in lines_of(ledger_path(self.state, self.agent, session), MAX_BYTES):
            if line and line.partition(" ")[0] not in (*LASTING, "bridge"):
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
