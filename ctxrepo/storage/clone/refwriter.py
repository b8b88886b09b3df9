"""Moves, makes and removes refs by git's own protocol: a lock beside each, a swap, a line in its log.

git and libgit2 would read the clone's configuration for it, which others can write.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from ctxrepo.errors import Busy, Damaged, GitFailed
from ctxrepo.storage.clone.reffiles import RefFiles, is_name
from ctxrepo.storage.clone.reflock import STALE, clear_stale_locks
from ctxrepo.storage.disk.durable import sync_folder

_NULL = "0" * 40

_WHO = "ctxrepo <>"
"""Who moved a ref, as its log has it."""

_LOGGED = ("refs/heads/", "refs/remotes/", "refs/notes/")
"""Below these git begins a log for each ref, where nobody says otherwise."""

_TRIES = 5
"""How often a folder is made anew that a git takes away because it is empty."""


@dataclass
class _Lock:
    """A lock that is held: a file beside another, which it may become."""

    path: Path
    target: Path
    file: int | None

    def land(self, text: str) -> None:
        """Be the file with this text, safe from a power cut."""
        assert self.file is not None
        with os.fdopen(self.file, "wb") as file:
            self.file = None
            file.write(text.encode("utf-8", "surrogateescape"))
            file.flush()
            os.fsync(file.fileno())
            try:
                self.path.rename(self.target)
            except OSError:
                self.path.unlink(missing_ok=True)
                raise
        sync_folder(self.target.parent)

    def release(self) -> None:
        if self.file is not None:
            os.close(self.file)
            self.file = None
            self.path.unlink(missing_ok=True)


@dataclass(frozen=True)
class RefWriter(RefFiles):
    """What lies below one `.git`. No link is followed; `logs` is what `core.logAllRefUpdates` says there."""

    logs: str = ""

    def move(self, name: str, new: str, old: str | None) -> bool:
        """Compare and swap: False when the ref is not at `old` any more."""
        with self._locked(name) as lock:
            if self.is_garbage(name):
                raise Damaged(f"{name} in {self.git_dir} can't be read")
            if self.find(name) != old or self.is_symbolic(name):
                return False
            if new != old:
                self._put(name, lock, new, old)
        return True

    def set(self, name: str, new: str) -> None:
        """Point a ref somewhere, whatever it was."""
        with self._locked(name) as lock:
            if (old := self.find(name)) != new:
                self._put(name, lock, new, old)

    def write(self, name: str, text: str) -> None:
        """Give a file its only line, whatever is there now; no log tells of it."""
        with self._locked(name) as lock:
            lock.land(f"{text}\n")

    def point_head(self, branch: str) -> None:
        """Make HEAD stand for another branch; no file is touched."""
        with self._locked("HEAD") as lock:
            before, old, new = self.head(), self.resolve("HEAD"), self.resolve(branch)
            if new:  # in git's own words, by which `git checkout -` finds its way
                came = before.removeprefix("ref: refs/heads/")
                self._log("HEAD", old, new, f"checkout: moving from {came} to {branch[len('refs/heads/') :]}")
            lock.land(f"ref: {branch}\n")

    def remove(self, name: str, *, with_log: bool = True) -> None:
        """A ref is gone, loose and packed, and its log with it; nothing happens where it isn't there."""
        if not os.path.lexists(self.git_dir / name) and name not in self.packed():
            return
        with self._locked(name):
            if name in self.packed():
                self.write_packed(without=name)
            with suppress(FileNotFoundError, IsADirectoryError):  # the folder of refs that are called alike
                (self.git_dir / name).unlink()
            if with_log and os.path.lexists(self.git_dir / "logs" / name):
                with suppress(OSError):
                    self._place(f"logs/{name}").unlink()
        for below in ("", "logs"):
            self._tidy(below, name)

    def write_packed(self, without: str = "") -> None:
        """Packed refs anew from the lines that can be read, but for one ref."""
        with self._locked("packed-refs") as lock:
            kept: list[str] = []
            is_gone = False
            for line in self._packed_lines():
                is_gone = line.endswith(f" {without}") if line[:1] != "^" else is_gone
                if line[:1] != "#" and not is_gone:
                    kept.append(line)
            # git believes the sorting its own first line promises; without that line it looks itself.
            lock.land("".join(f"{line}\n" for line in kept))

    def write_shallow(self, text: str) -> None:
        """Commits whose parents are left out, one a line; with '' none are any more."""
        with self._locked("shallow") as lock:
            if text:
                lock.land(text)
            else:
                (self.git_dir / "shallow").unlink(missing_ok=True)

    def _put(self, name: str, lock: _Lock, new: str, old: str | None) -> None:
        if old is None:
            self._require_room(name)
        self._log(name, old, new, "ctxrepo")
        if self.head() == f"ref: {name}":
            self._log("HEAD", old, new, "ctxrepo")
        lock.land(f"{new}\n")

    def _require_room(self, name: str) -> None:
        """GitFailed where a ref is in the way of this one, as a file is in the way of a folder."""
        above = ["/".join(name.split("/")[:count]) for count in range(3, name.count("/") + 1)]
        packed = self.packed()
        there = next((one for one in above if one in packed), None)
        there = there or next((one for one in packed if one.startswith(f"{name}/")), None)
        there = there or next(iter(self.loose(name)), None)
        if there:
            raise GitFailed(f"{name} can't be made: {there} is in its way")
        _remove_empty(self.git_dir / name)

    @contextmanager
    def _locked(self, name: str) -> Iterator[_Lock]:
        """git's own lock on a file, taken as git takes it; one that a kill left is in nobody's way long."""
        if name.startswith("refs/") and not is_name(name):
            raise GitFailed(f"{name!r} can't be the name of a ref")
        try:
            lock = self._take(name)
            try:
                yield lock
            finally:
                lock.release()
        except OSError as error:
            raise GitFailed(f"{self.git_dir / name} can't be written: {error.strerror or error}") from error

    def _take(self, name: str) -> _Lock:
        end = time.monotonic() + 2 * STALE
        while True:
            lock = self._place(f"{name}.lock")
            try:
                flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
                return _Lock(lock, self.git_dir / name, os.open(lock, flags, 0o644))
            except FileNotFoundError:  # a git has just taken the empty folder away
                if time.monotonic() > end:
                    raise
            except FileExistsError:
                if time.monotonic() > end:
                    raise Busy(
                        f"another process holds {lock}", "Run the command again in a moment."
                    ) from None
                clear_stale_locks(self.git_dir, name)
            time.sleep(0.02)

    def _place(self, name: str) -> Path:
        """Where a file is below `.git`, its folders made; GitFailed where one is a link or a file."""
        folder = self.git_dir
        for part in name.split("/")[:-1]:
            folder = folder / part
            for _ in range(_TRIES):
                try:
                    mode = folder.lstat().st_mode
                except FileNotFoundError:
                    with suppress(FileExistsError, FileNotFoundError):
                        folder.mkdir()
                    continue
                if not stat.S_ISDIR(mode):
                    raise GitFailed(f"{self.git_dir / name} can't be written: {folder} is no folder")
                break
        return self.git_dir / name

    def _log(self, name: str, old: str | None, new: str, why: str) -> None:
        """A line in the log of a ref, where there is one or git would begin it."""
        is_followed = name == "HEAD" or name.startswith(_LOGGED)
        begins = self.logs == "always" or (self.logs != "false" and is_followed)
        if not begins and not os.path.lexists(self.git_dir / "logs" / name):
            return
        with suppress(OSError, GitFailed):
            path = self._place(f"logs/{name}")
            _remove_empty(path)
            flags = os.O_WRONLY | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
            file = os.open(path, flags | (os.O_CREAT if begins else 0), 0o644)
            try:
                if stat.S_ISREG(os.fstat(file).st_mode):
                    when = f"{int(time.time())} {time.strftime('%z')}"
                    os.write(file, f"{old or _NULL} {new} {_WHO} {when}\t{why}\n".encode())
            finally:
                os.close(file)

    def _tidy(self, below: str, name: str) -> None:
        """Take away the folders that a ref has left empty, as git does: `refs/heads` stays."""
        parts = name.split("/")
        with suppress(OSError):
            for count in range(len(parts) - 1, 2, -1):
                (self.git_dir / below / "/".join(parts[:count])).rmdir()


def _remove_empty(folder: Path) -> None:
    """Take away a folder in which there is nothing but empty folders."""
    with suppress(OSError):
        found = [folder]
        for one in found:
            with os.scandir(one) as there:
                found += [Path(entry.path) for entry in there if entry.is_dir(follow_symlinks=False)]
        for one in reversed(found):
            one.rmdir()


def logs_setting(configuration: str) -> str:
    """What a configuration's text says of `core.logAllRefUpdates`: '' when nothing."""
    lines = [line.partition("=") for line in configuration.splitlines()]
    said = [value.strip().lower() for key, _, value in lines if key.strip().lower() == "logallrefupdates"]
    return {"always": "always", "false": "false", "no": "false", "off": "false", "0": "false"}.get(
        said[-1] if said else "", ""
    )
