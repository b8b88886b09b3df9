"""Those who write to a memory at once: commands, agents' tools and their hooks, editors, late writers, the
worker, another machine. A step is one action of one of them, as a plain tuple: its name, then what it takes.

Every actor has a copy of each note: what they read of it last. It may be stale by the time they write.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Collection
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from typing import Any

from machines import NOW, Machine

from ctxrepo.domain.project.target import Target
from ctxrepo.domain.records.save import Origin
from ctxrepo.errors import CtxrepoError
from ctxrepo.hooks import saves
from ctxrepo.hooks.dialect import Event, TouchedFile
from ctxrepo.hooks.known.world import open_hooks, repo_of
from ctxrepo.services.notes.placing import forget, move
from ctxrepo.services.notes.remember import remember
from ctxrepo.services.notes.requests import Fact
from ctxrepo.services.saving.commit import CommitRequest, commit
from torture.points import Unexpected, full_disk, in_a_child, stopped_at
from torture.promises import SECRET, TOKEN, Promises, seemingly_read, settled, tokens

Step = tuple[Any, ...]

NOTES = ("global/MEMORY.md", "global/topics/a.md")
_TARGETS = tuple(Target("global", note.removeprefix("global/")) for note in NOTES)
_SECRET_LINE = f"- the key of the depot is {SECRET}\n"
_WORDS = "amber basil cedar delta ember fjord grove heron ivory jetty kiosk lemon maple nylon ocean pearl"


def line_of(token: str) -> str:
    """An entry that is like no other."""
    return f"{token} {' '.join(random.Random(token).sample(_WORDS.split(), 5))}"


class Stage:
    """A case while it is played: ada's machine, where all happens, and ben's, which shares her remote."""

    def __init__(self, root: Path, ada: Machine, ben: Machine) -> None:
        self.root, self.ada, self.ben = root, ada, ben
        self.promises = Promises()
        self.memory = ada.open()
        self.pending: list[tuple[str, int, str]] = []
        """Hooks that haven't run: (session, note, what the agent says that it wrote)."""
        first = [self.on_disk(note) for note in range(len(NOTES))]
        for data in first:
            self.promises.promise(data)
        self._copies = {(actor, n): d for actor in ("s-1", "s-2", "hand") for n, d in enumerate(first)}
        self._open: dict[int, tuple[int, bytes | None]] = {}
        self._emptied: dict[int, tuple[bytes, set[str]]] = {}
        self._looked: dict[int, set[str]] = {}
        """What a commit that is under way has read of each note."""

    def play(self, step: Step) -> None:
        """One step; Unexpected, or any error but what a step may meet, is a fault."""
        getattr(self, step[0].replace("-", "_"))(*step[1:])

    def file(self, note: int) -> Path:
        return self.ada.clone / NOTES[note]

    def on_disk(self, note: int) -> bytes | None:
        with suppress(FileNotFoundError):
            return self.file(note).read_bytes()
        return None

    # -- commands

    def remember(self, note: int, token: str, trouble: str = "") -> None:
        """Acknowledge a fact, on a full disk (`full`), or killed at a point."""
        fact = Fact(line_of(token), note=_TARGETS[note])
        if self._command(
            trouble, lambda: _no_refusal(remember(self._fresh(), fact, None, Origin("here"), NOW))
        ):
            self.promises.promise(token.encode())

    def forget(self, note: int, nth: int, trouble: str = "") -> None:
        """Take out the entry with the nth of the tokens that are there."""
        data = self.on_disk(note) or b""
        lines = [n for n, line in enumerate(data.decode().splitlines(), 1) if TOKEN.search(line)]
        if lines:
            line = lines[nth % len(lines)]
            target = Target("global", _TARGETS[note].path, lines=(line, line))
            self.promises.excuse(tokens(data.splitlines()[line - 1]))
            self._command(
                trouble, lambda: _no_refusal(forget(self._fresh(), target, None, Origin("here"), NOW))
            )

    def forget_note(self, note: int, trouble: str = "") -> None:
        left_out = tokens(self.on_disk(note))
        act = lambda: _no_refusal(forget(self._fresh(), _TARGETS[note], None, Origin("here"), NOW))  # noqa: E731
        self.promises.excuse(left_out)
        self._command(trouble, act)

    def move(self, note: int, token: str, trouble: str = "") -> None:
        """Move the note to a place of its own."""
        to = Target("global", f"topics/moved-{token.strip('q')}.md")
        self._command(
            trouble, lambda: _no_refusal(move(self._fresh(), _TARGETS[note], to, None, Origin("here"), NOW))
        )

    def _command(self, trouble: str, act: Callable[[], list[str]]) -> bool:
        """Whether the command was acknowledged."""
        try:
            if trouble == "full":
                with full_disk():
                    act()
                return False
            if trouble:
                return in_a_child(trouble, partial(_refused_or, act), self.root / "said") == []
            act()
        except CtxrepoError:
            return False
        except OSError:
            if trouble != "full":
                raise
            return False
        return True

    # -- agents and editors

    def read(self, actor: str, note: int) -> None:
        self._copies[actor, note] = self.on_disk(note)

    def tool(self, session: str, note: int, token: str, change: str, how: str, copy: str, hook: str) -> None:
        """An agent's tool writes; `hook` is now, later, never or full. With `said` in it the agent says what
        it wrote."""
        data = self._edit(session, note, token, change, how, copy)
        text = data.decode() if "said" in hook and data else ""
        if "never" not in hook:
            self.pending.append((session, note, text))
        if "now" in hook:
            self.hooks(session)
        elif "full" in hook:
            with full_disk():
                self.hooks(session)

    def hook(self, session: str) -> None:
        """The oldest hook of the session that waits runs now."""
        mine = [hook for hook in self.pending if hook[0] == session]
        if mine:
            self.pending.remove(mine[0])
            self._hook(*mine[0])

    def hooks(self, session: str) -> None:
        """All hooks of the session that wait run now, one after the other."""
        while any(hook[0] == session for hook in self.pending):
            self.hook(session)

    def _hook(self, session: str, note: int, text: str) -> None:
        state = str(self.ada.places.state)
        db = open_hooks(state)
        if db is None or (repo := repo_of(db, state)) is None:
            raise Unexpected("hooks find no memory")
        event = Event("claude", "PostToolUse", {"session": session})
        version = saves.version_of(repo, TouchedFile(str(self.file(note)), "[]", text), NOTES[note])
        if version and not saves.save(db, repo, event, version):
            self.promises.promise(version.data)
        db.close()

    def hand(self, note: int, token: str, change: str, how: str, copy: str) -> None:
        """A person's editor writes; with `empty` it empties the file now, and fills it in a step `fill`."""
        self._edit("hand", note, token, change, how, copy)

    def fill(self, note: int) -> None:
        """The editor writes what it emptied the file for."""
        if note in self._emptied:
            data, excused = self._emptied.pop(note)
            self.promises.unexcuse(excused & tokens(data))
            self.promises.emptied |= tokens(data)
            self._write("hand", note, data, "place")

    def delete(self, note: int) -> None:
        self._copies["hand", note] = data = self.on_disk(note)
        if data is not None:
            self.promises.excuse(tokens(data) | self._settled(note, data))
            self.file(note).unlink()

    def put_back(self, note: int) -> None:
        """The hand writes what it read last, or deleted."""
        if (data := self._copies["hand", note]) is not None:
            self._write("hand", note, data, "rename")

    def clean(self, note: int) -> None:
        """A person takes the secrets out."""
        self.read("hand", note)
        data = self.on_disk(note) or b""
        if SECRET.encode() in data:
            self._write("hand", note, data.replace(_SECRET_LINE.encode(), b""), "place")

    def open(self, note: int) -> None:
        """A program opens the file and reads it."""
        with suppress(FileNotFoundError):
            file = os.open(self.file(note), os.O_RDWR)
            self.close(note)
            self._open[note] = file, os.pread(file, 1 << 20, 0)

    def close(self, note: int) -> None:
        if note in self._open:
            os.close(self._open.pop(note)[0])

    def late(self, note: int, token: str, change: str) -> None:
        """The program writes through the handle that it has, whatever became of the file."""
        if note in self._open:
            file, before = self._open[note]
            data = _changed(before, token, change)
            on_disk = os.pread(file, 1 << 20, 0)
            self.promises.excuse(tokens(before) - tokens(data))
            self.promises.excuse(self._settled(note, on_disk) & tokens(on_disk) - tokens(data))
            self.promises.guessed |= seemingly_read(self.memory, NOTES[note], tokens(data))
            os.ftruncate(file, 0)
            os.pwrite(file, data, 0)
            self._open[note] = file, data

    def _edit(self, actor: str, note: int, token: str, change: str, how: str, copy: str) -> bytes:
        if copy == "fresh":
            self.read(actor, note)
        data = _changed(self._copies[actor, note], token, change)
        self._write(actor, note, data, how)
        return data

    def _write(self, actor: str, note: int, data: bytes, how: str) -> None:
        """The actor replaces what is there by what they made of their copy."""
        copy, on_disk = self._copies[actor, note], self.on_disk(note)
        file = self.file(note)
        file.parent.mkdir(parents=True, exist_ok=True)
        kept = b"" if how == "empty" else data
        left_out = (tokens(copy) | self._settled(note, on_disk)) - tokens(kept)
        if how == "empty":
            self._emptied[note] = data, left_out
        self.promises.excuse(left_out)
        self.promises.guessed |= seemingly_read(self.memory, NOTES[note], tokens(kept))
        if how == "rename":
            (self.root / "new").write_bytes(kept)
            (self.root / "new").replace(file)
        else:
            file.write_bytes(kept)
        self._copies[actor, note] = data

    def _settled(self, note: int, on_disk: bytes | None) -> set[str]:
        """What is committed and checked out; a commit that is under way has been told of what it has read,
        and doesn't look again."""
        return settled(self.memory, NOTES[note], on_disk) | self._looked.get(note, set())

    # -- commits

    def commit(self, only: Collection[int] | None, point: str = "", meanwhile: Step | None = None) -> None:
        """The worker commits; at the point it is killed, or there is a step `meanwhile`."""
        request = CommitRequest(None if only is None else {NOTES[note] for note in only})
        act = lambda: [r.path for r in commit(self._fresh(), NOW, request).held]  # noqa: E731
        self._look(only, partial(self._at, act, point, meanwhile))

    def sync(self, point: str = "", meanwhile: Step | None = None) -> None:
        act = lambda: [r.path for r in self.ada.sync().held]  # noqa: E731
        self._look(None, partial(self._at, act, point, meanwhile))

    def finish(self) -> bool:
        """A person takes secrets out and confirms deletions, and commits; whether there was nothing to do."""
        for note in range(len(NOTES)):
            self.clean(note)
        request = CommitRequest(deletions=True)
        result = commit(self._fresh(), NOW, request)
        return result.found_nothing and self.memory.journal.is_settled()

    def _look(self, only: Collection[int] | None, act: Callable[[], list[str] | None]) -> None:
        """What a commit looks at is promised when it ends well, but for the files that it holds back."""
        written = {save.path for save in self.memory.journal.read()}
        seen = [(n, self.on_disk(n)) for n in range(len(NOTES)) if only is None or n in only]
        seen += [(n, self.on_disk(n)) for n in range(len(NOTES)) if NOTES[n] in written]
        late = [(n, self._written_late(n)) for n in self._open]
        self._looked = {n: tokens(data) for n, data in seen}
        held = act()
        self._looked = {}
        if held is not None:
            for note, data in (*seen, *late):
                if NOTES[note] not in held:
                    self.promises.promise(data)

    def _written_late(self, note: int) -> bytes | None:
        """What a program has in a file that was replaced by a checkout, which keeps it."""
        file, _ = self._open[note]
        status = os.fstat(file)
        with suppress(FileNotFoundError):
            if self.file(note).stat().st_ino == status.st_ino:
                return None
        return os.pread(file, 1 << 20, 0) if status.st_nlink else None

    def _at(self, act: Callable[[], list[str]], point: str, meanwhile: Step | None) -> list[str] | None:
        if point and meanwhile is None:
            return in_a_child(point, act, self.root / "said")
        with ExitStack() as stack:
            if meanwhile is not None:
                stack.enter_context(stopped_at(point, partial(self.play, meanwhile)))
            return act()

    def elsewhere(self, note: int, token: str, change: str) -> None:
        """Another machine edits the note, and sends it."""
        file = self.ben.clone / NOTES[note]
        before = file.read_bytes() if file.exists() else None
        data = _changed(before, token, change)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
        self.promises.excuse(tokens(before) - tokens(data))
        if self.ben.sync().remote.ok:
            self.promises.promise(data)

    def last_sync(self) -> None:
        self.ada.sync(wanted=CommitRequest(deletions=True))

    def _fresh(self) -> Any:
        return self.ada.open()


def _no_refusal(_: object) -> list[str]:
    return []


def _refused_or(act: Callable[[], list[str]]) -> list[str]:
    try:
        return act()
    except CtxrepoError as error:
        return [error.message]


def _changed(before: bytes | None, token: str, change: str) -> bytes:
    """The copy with a line more (`add`), also with a secret (`secret`), with one less (`remove N`), or both
    (`swap N`)."""
    what, _, nth = change.partition(" ")
    lines = (before or b"").decode().splitlines(keepends=True)
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += "\n"
    there = [n for n, line in enumerate(lines) if TOKEN.search(line)]
    if nth and there:
        del lines[there[int(nth) % len(there)]]
    if what != "remove" or not there:
        lines.append(f"- {line_of(token)}\n")
    if what == "secret":
        lines.append(_SECRET_LINE)
    return "".join(lines).encode()
