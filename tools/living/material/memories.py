"""A passing memory in a home of its own, which ctxrepo's own services make, write to and ask."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path

from ctxrepo.domain.note import compose
from ctxrepo.domain.note.entry import Entry, entries_of
from ctxrepo.domain.project.layout import is_note
from ctxrepo.domain.project.target import parse_target
from ctxrepo.domain.records.save import Origin
from ctxrepo.domain.secrets import scan
from ctxrepo.services.delivery.sessions import Caller
from ctxrepo.services.delivery.start_packet import Start, context
from ctxrepo.services.locate.identify import Project
from ctxrepo.services.notes.remarks import RememberResult
from ctxrepo.services.notes.remember import remember_all
from ctxrepo.services.notes.requests import Fact
from ctxrepo.services.recall.recall import Question, RecallResult, recall
from ctxrepo.services.repository.init import InitRequest, init
from ctxrepo.services.saving.commit import commit
from ctxrepo.services.saving.evidence import new_record, record_all
from ctxrepo.services.saving.write import drafting
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.user.places import Places


@dataclass(frozen=True)
class PassingMemory:
    """A memory repository that is gone after its use. Each folder in it is a project's."""

    home: Path
    env: Mapping[str, str]

    @cached_property
    def memory(self) -> Memory:
        return Memory.open(Places.of(self.env), self.env)

    def state(self, notes: Mapping[str, Sequence[str]], at: float) -> dict[str, list[str]]:
        """Put facts into new notes, path -> texts, in one write, and record that they were stated, as an
        import does: `remember` for thousands of them would compare each with all. Returns their ids."""
        texts = {}
        for path, facts in notes.items():
            texts[path] = compose.new_note(path, moment(at).date().isoformat(), [])
            for fact in facts:
                texts[path] = compose.append(texts[path], compose.bullet(fact))
        return self.put(texts, at)

    def put(self, notes: Mapping[str, str], at: float) -> dict[str, list[str]]:
        """The same with whole notes, path -> text."""
        now = moment(at)
        with drafting(self.memory, "remember", Origin(self.memory.host), now) as draft:
            for path, text in notes.items():
                draft.put(path, text)
            ids = {path: [entry.id for entry in entries_of(path, text)] for path, text in notes.items()}
            records = [
                new_record(draft, "stated", entry, path, now) for path, of in ids.items() for entry in of
            ]
            record_all(draft, records, now)
        return ids

    def remember(self, folder: str, texts: Sequence[str], at: float, note: str = "") -> list[RememberResult]:
        """State facts in one write, in MEMORY.md or in a note. Refused where the guard refuses one."""
        target = parse_target(note) if note else None
        project = Project(f"example.org/{folder}", folder, is_registered=False)
        facts = [Fact(text, note=target) for text in texts]
        return remember_all(self.memory, facts, project, Origin(self.memory.host), moment(at))

    def commit(self, at: float) -> None:
        """Do what a worker does first: commit what was written, and bring the cache up to it."""
        commit(self.memory, moment(at))

    def recall(self, folders: Sequence[str], question: Question, at: float) -> RecallResult:
        """What a session in the project is given beside a prompt, or finds."""
        return recall(self.memory, question, folders, Caller(self.home, self.env), moment(at))

    def start(self, folder: str) -> str:
        """What a session in the project is given at its start."""
        project = Project(f"example.org/{folder}", folder, is_registered=True)
        return context(self.memory, project, Start(self.home)).text

    def entries(self, folder: str = "") -> list[Entry]:
        """All entries that stand in the files, archived ones too."""
        root = self.memory.root
        files = sorted(path for path in (root / folder).rglob("*.md") if ".git" not in path.parts)
        paths = ((path, path.relative_to(root).as_posix()) for path in files)
        return [
            entry for path, name in paths if is_note(name) for entry in entries_of(name, path.read_text())
        ]


@contextmanager
def passing_memory() -> Iterator[PassingMemory]:
    """A new memory without a remote, in main memory where the system has room for files there."""
    shared = "/dev/shm"
    home = Path(
        tempfile.mkdtemp(prefix="ctxrepo-living-", dir=shared if os.access(shared, os.W_OK) else None)
    )
    env = {"HOME": str(home), "PATH": os.environ["PATH"], "LANG": "C.UTF-8", "GIT_CONFIG_NOSYSTEM": "1"}
    try:
        (home / ".gitconfig").write_text("[user]\n\tname = ada\n\temail = ada@example.org\n")
        init(Places.of(env), env, InitRequest(""), sys.executable, moment(0))
        yield PassingMemory(home, env)
    finally:
        shutil.rmtree(home, ignore_errors=True)


def moment(at: float) -> datetime:
    return datetime.fromtimestamp(at, UTC)


def may_be_written(text: str) -> bool:
    """Whether the write guard lets a line pass: documents show what looks like keys and passwords."""
    return text.isprintable() and not scan(text)


def holds_secret(texts: Sequence[str]) -> bool:
    """Whether these texts, one below the other, hold what looks like a secret though none does by itself."""
    return bool(scan("\n".join(f"- {text}" for text in texts)))
