"""A memory as hooks see it, without git or a worker: what they answer, leave behind and start."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from checkout import PAYLOADS

from ctxrepo import hook
from ctxrepo.agents.known import instruction_files
from ctxrepo.domain.git.oid import blob_id
from ctxrepo.domain.note.note import Note
from ctxrepo.domain.records.enforced_rule import rule_of
from ctxrepo.domain.records.evidence import Evidence, Marks, to_line
from ctxrepo.domain.records.save import Origin, Save
from ctxrepo.domain.tape.touched_files import FirstFile
from ctxrepo.hooks.known.enforced import Approval, approve, end_approval
from ctxrepo.hooks.known.locate import Place, place_in
from ctxrepo.hooks.known.world import Repo, stamp_of
from ctxrepo.hooks.known.world import World as Known
from ctxrepo.hooks.recall.ask_helper import address
from ctxrepo.hooks.session.ledger import read_ledger
from ctxrepo.hooks.session.ledger_file import ledger_path
from ctxrepo.services.sessions.session_settings import silence_switches
from ctxrepo.storage.cache.cache import Cache, put_faults, put_round, put_stamps
from ctxrepo.storage.cache.computed import put_first_files
from ctxrepo.storage.cache.evidence_rows import EvidenceFiles
from ctxrepo.storage.cache.layout import Fault, NewestHandoff
from ctxrepo.storage.state.compiled import (
    CompiledCheckout,
    CompiledRepository,
    compile_settings,
    record_checkout,
)
from ctxrepo.storage.state.journal import Journal

HOOK = Path(hook.__file__)

NOTES = {
    "global/MEMORY.md": "# Me\n\n- Prefers short answers\n",
    "shop/topics/db.md": "---\ndescription: The databases\ntags: [db]\n---\n- The staging port is 5433\n",
    "shop/MEMORY.md": "- Deploy with `make ship`\n",
    "other/MEMORY.md": "- Nobody else's business\n",
}


_PATIENT = """\
import runpy, sys
sys.path.append({package!r})
from ctxrepo.hooks.known import freshness
from ctxrepo.hooks.recall import ask_helper
ask_helper.HELPER_SECONDS = freshness.WORKER_SECONDS = 5
runpy.run_path({hook!r}, run_name="__main__")
"""


@contextmanager
def socket_in(folder: Path) -> Iterator[str]:
    """The address of the helper's socket in a state folder, however long its name."""
    path, handle = address(str(folder))
    try:
        yield path
    finally:
        if handle >= 0:
            os.close(handle)


def repo_with(state: Path, home: Path = Path("/memory")) -> Repo:
    """A repository that has its state in this folder."""
    return Repo("a" * 12, str(home), str(state))


def place_at(home: str, folder: str = "", is_known: bool = True) -> Place:
    """The place of a session in the project that has this folder in the clone at `home`."""
    known = Known({}, "/state", repo_with(Path("/state/a"), Path(home)))
    return place_in(known, "example/shop" if folder else "", folder, is_known)


class World:
    """A memory with a worker that only notes that it was started, and a code checkout beside it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.state = root / "state"
        self.memory = root / "memory"
        self.code = root / "code"
        self.folder = self.state / ("a" * 12)
        self.started = root / "started"
        self._hook = HOOK
        self.memory.mkdir()
        (self.code / ".git").mkdir(parents=True)
        (self.code / ".git/config").write_text("[core]\n")
        self.settings = {
            "interpreter": str(self.worker()),
            "secret": "0f" * 16,
            "instructions": instruction_files(),
            "silence": silence_switches(),
        }
        self.compile()
        self.know()

    def worker(self, then: str = "") -> Path:
        """An interpreter that adds a line to `started` instead of working, and then does `then`."""
        path = self.root / "worker"
        path.write_text(f'#!/bin/sh\necho "$*" >> {self.started}\n{then}\n')
        path.chmod(0o755)
        return path

    def be_patient(self) -> None:
        """Have hooks give helper and worker seconds: on a busy machine nobody is there within less."""
        self._hook = self.root / "patient.py"
        self._hook.write_text(_PATIENT.format(package=str(HOOK.parents[1]), hook=str(HOOK)))

    def compile(self, **more: str) -> None:
        self.settings |= more
        compile_settings(self.state, self.settings, [CompiledRepository("a" * 12, self.memory)])

    def spoil(self) -> None:
        """Make what the hooks know of checkouts unreadable, which no hook reckons with."""
        with closing(sqlite3.connect(self.state / "hooks.db")) as db:
            db.execute("drop table checkout")

    def know(self, folder: str = "shop") -> None:
        config = self.code / ".git/config"
        stamp = stamp_of(str(config))
        own = "example/shop"
        record_checkout(self.state, CompiledCheckout(str(self.code), str(config), stamp, own, folder, own))

    def cache(
        self,
        head: str,
        notes: Mapping[str, str],
        faults: tuple[str, ...] = (),
        records: Sequence[Evidence] = (),
    ) -> None:
        """Have the cache hold these notes, and what these `records` say of their entries."""
        data = "".join(f"{to_line(record)}\n" for record in records).encode()
        evidence = EvidenceFiles({"desk.jsonl": blob_id(data)}, lambda _: data) if records else Marks()
        cache = Cache.open(self.folder / "cache.db")
        cache.apply(head, [Note(path, text) for path, text in notes.items()], [], evidence)
        cache.change(put_faults, [Fault("note", fault) for fault in faults])
        scopes = ("global", "shop", "other")
        cache.change(put_stamps, {scope: {f"{scope}/watched.md": ""} for scope in scopes})
        cache.change(put_round, 0)
        cache.close()

    def approve(self, entry: str, line: str, is_on: bool = True) -> None:
        """A person holds agents to this rule beside the entry as the cache has it, or not any more."""
        with closing(sqlite3.connect(self.folder / "cache.db")) as db:
            query = "select n.scope, e.text from entry e join note n on n.id = e.note where e.id = ?"
            scope, text = db.execute(query, (entry,)).fetchone()
        owner, rule = {"global": "", "shop": "example/shop"}.get(scope, scope), rule_of(line)
        assert rule
        state, approval = str(self.folder), Approval(entry, owner, rule, text.removeprefix("- "))
        assert approve(state, approval) if is_on else end_approval(state, entry)

    def hand_over(self, scope: str, text: str, day: str = "2026-11-21") -> None:
        cache = Cache.open(self.folder / "cache.db")
        handed = NewestHandoff(scope, "stop", f"{day}T10:00:00.000Z", text)
        cache.apply(cache.head, [], [], Marks(), [handed])
        cache.close()

    def touched(
        self, files: list[tuple[str, str]], notes: list[tuple[str, str]] | None = None, owner: str = ""
    ) -> None:
        """Say of notes and the project's code files that they come first; beside each why, or its lines."""
        firsts = [*((("", *note)) for note in notes or []), *((str(self.code), *file) for file in files)]
        cache = Cache.open(self.folder / "cache.db")
        rows = [FirstFile(top, path, rank, why) for rank, (top, path, why) in enumerate(firsts, 1)]
        cache.change(put_first_files, {("example/shop", owner): rows}, "")
        cache.close()

    def run(self, payload: str, event: str = "", env: Mapping[str, str] | None = None, **fill: str) -> str:
        """The answer to a recorded payload as additionalContext; '' for silence."""
        text = (PAYLOADS / f"{payload}.json").read_text()
        given = {"cwd": str(self.code), "home": str(self.root / "home"), "prompt": "", "file": "", **fill}
        for name, value in given.items():
            text = text.replace(f"@{name}@", json.dumps(value)[1:-1])
        name = payload.partition("-")[0]
        out = self.raw(text.encode(), event or name, env)
        if not out:
            return ""
        output = json.loads(out)["hookSpecificOutput"]
        assert output["hookEventName"] == name
        return str(output["additionalContext"])

    def raw(
        self, stdin: bytes, event: str, env: Mapping[str, str] | None = None, agent: str = "claude"
    ) -> bytes:
        words = [sys.executable, "-I", "-S", str(self._hook), agent, event, str(self.state)]
        run = subprocess.run(words, input=stdin, capture_output=True, env={**os.environ, **(env or {})})
        assert run.returncode == 0
        assert run.stderr == b""
        assert run.stdout.count(b"\n") == (1 if run.stdout else 0)
        return run.stdout

    def shell_failed(self, command: str, error: str, **more: str) -> str:
        """What the model of a session is told after its shell ran a command that failed, and printed this."""
        payload = {
            "session_id": "s1",
            "cwd": str(self.code),
            "hook_event_name": "PostToolUseFailure",
            "tool_name": "Bash",
            "tool_input": {"command": command},
            "error": error,
            **more,
        }
        out = self.raw(json.dumps(payload).encode(), "PostToolUseFailure")
        return str(json.loads(out)["hookSpecificOutput"]["additionalContext"]) if out else ""

    def spooled(self) -> list[dict[str, Any]]:
        path = self.folder / "spool.jsonl"
        return [json.loads(line) for line in path.read_text().split("\n") if line] if path.exists() else []

    def saved(self) -> list[Save]:
        """What waits in the journal, oldest first."""
        return Journal(self.folder / "journal").read()

    def write_without_commit(self) -> None:
        """Put a save into the journal, as a command does, and leave its file alone."""
        by = Origin("", "", "")
        Journal(self.folder / "journal").add([Save("shop/new.md", None, b"- new\n", "remember", by)])

    def forget_saves(self) -> None:
        """Empty the journal, as the worker does when a commit holds what was in it."""
        journal = Journal(self.folder / "journal")
        journal.take_out([save.place for save in journal.read()])

    def starts(self, count: int) -> bool:
        """Whether the worker was started so many times by now, or soon."""
        deadline = time.monotonic() + (30 if count else 0.3)
        while time.monotonic() < deadline:
            if count and self._starts() >= count:
                break
            time.sleep(0.02)
        return self._starts() == count

    def is_worker_started(self) -> bool:
        """Whether the worker was started by now, or soon. Of two hooks in a row the second may find it at
        work."""
        return self.becomes(lambda: self._starts() > 0)

    def becomes(self, is_so: Callable[[], bool]) -> bool:
        """Whether it is so within a time that any machine keeps to."""
        deadline = time.monotonic() + 30
        while not is_so() and time.monotonic() < deadline:
            time.sleep(0.02)
        return is_so()

    def errors(self) -> str:
        path = self.state / "hook-errors.log"
        return path.read_text() if path.exists() else ""

    def ledger(self) -> Any:
        session = json.loads((PAYLOADS / "SessionStart.json").read_text())["session_id"]
        return read_ledger(ledger_path(str(self.state), "claude", session), self.folder.name)

    def _starts(self) -> int:
        return len(self.started.read_text().splitlines()) if self.started.exists() else 0
