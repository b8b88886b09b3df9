"""Moves, makes and removes refs by git's own protocol: lock file, compare and swap, a line in the log. git
and libgit2 would read the clone's configuration for this, which others can write (ADR 38)."""

import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ctxrepo.errors import Busy, Damaged, GitFailed
from ctxrepo.hooks.own_files import age
from ctxrepo.lazy import dataclass
from ctxrepo.storage.clone.reffiles import RefFiles, is_name
from ctxrepo.storage.disk.private import sync_folder

_NULL = "0" * 40

_WHO = "ctxrepo <>"
"""Who moved a ref, as its log says."""

_LOGGED = ("refs/heads/", "refs/remotes/", "refs/notes/")
"""Below these git keeps a log for each ref by default."""

STALE = 2.0
"""Seconds after which a lock on a ref counts as abandoned: updating one takes milliseconds. Only who holds
our own lock removes such locks, so it is never the lock of another process of ours."""

_TRIES = 5
"""How often we make a folder again that a git removes because it is empty."""


@dataclass
class _Lock:
    """A lock file that we hold; it can be renamed to the file it locks."""

    path: Path
    target: Path
    file: int | None

    def write_and_rename(self, text: str) -> None:
        """Write the text to the lock file, on the disk, and rename it to the locked file."""
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
    """Writes the refs of one git folder, through no link; `logs` is the value of `core.logAllRefUpdates`."""

    logs: str = ""

    def move(self, name: str, new: str, old: str | None) -> bool:
        """Compare and swap: False when the ref is no longer at `old`."""
        # A person's git, a worker and a sync by hand all move the branch. Git's own lock file makes comparing
        # and writing one step for all of them (tests/storage/clone/test_refwriter.py, many at once). A caller
        # that gets False merges again.
        with self._locked(name) as lock:
            if self.is_garbage(name):
                raise Damaged(f"{name} in {self.git_dir} can't be read")
            if self.find(name) != old or self.is_symbolic(name):
                return False
            if new != old:
                self._put(name, lock, new, old)
        return True

    def set(self, name: str, new: str) -> None:
        """Point a ref at `new`, whatever it pointed at before."""
        with self._locked(name) as lock:
            if (old := self.find(name)) != new:
                self._put(name, lock, new, old)

    def write(self, name: str, text: str) -> None:
        """Replace a file by this one line, without a log entry."""
        with self._locked(name) as lock:
            lock.write_and_rename(f"{text}\n")

    def point_head(self, branch: str) -> None:
        """Point HEAD at another branch; no file in the worktree changes."""
        with self._locked("HEAD") as lock:
            before, old, new = self.head(), self.resolve("HEAD"), self.resolve(branch)
            if new:  # in git's own words, which `git checkout -` looks for
                came = before.removeprefix("ref: refs/heads/")
                self._log("HEAD", old, new, f"checkout: moving from {came} to {branch[len('refs/heads/') :]}")
            lock.write_and_rename(f"ref: {branch}\n")

    def remove(self, name: str, *, with_log: bool = True) -> None:
        """Remove a ref, loose and packed, and its log; does nothing if there is none."""
        if not os.path.lexists(self.git_dir / name) and name not in self.packed():
            return
        with self._locked(name):
            if name in self.packed():
                self.write_packed(without=name)
            with suppress(FileNotFoundError, IsADirectoryError):  # a folder for refs below this name
                (self.git_dir / name).unlink()
            if with_log and os.path.lexists(self.git_dir / "logs" / name):
                with suppress(OSError):
                    self._place(f"logs/{name}").unlink()
        parts = name.split("/")
        for below in ("", "logs"):
            with suppress(OSError):  # what this left empty, as git does; `refs/heads` stays
                for count in range(len(parts) - 1, 2, -1):
                    (self.git_dir / below / "/".join(parts[:count])).rmdir()

    def write_packed(self, without: str = "") -> None:
        """Write packed-refs again from the lines that can be read, without one ref."""
        with self._locked("packed-refs") as lock:
            remaining: list[str] = []
            is_gone = False
            for line in self._packed_lines():
                is_gone = line.endswith(f" {without}") if line[:1] != "^" else is_gone
                if line[:1] != "#" and not is_gone:
                    remaining.append(line)
            # Leave out git's first line, which promises that the lines are sorted.
            lock.write_and_rename("".join(f"{line}\n" for line in remaining))

    def write_shallow(self, text: str) -> None:
        """Write the commits whose parents are left out, one a line; '' when no history is left out."""
        with self._locked("shallow") as lock:
            if text:
                lock.write_and_rename(text)
            else:
                (self.git_dir / "shallow").unlink(missing_ok=True)

    def _put(self, name: str, lock: _Lock, new: str, old: str | None) -> None:
        if old is None:
            self._require_room(name)
        self._log(name, old, new, "ctxrepo")
        if self.head() == f"ref: {name}":
            self._log("HEAD", old, new, "ctxrepo")
        lock.write_and_rename(f"{new}\n")

    def _require_room(self, name: str) -> None:
        """GitFailed when another ref is in the way: `a` can't stand beside `a/b`."""
        above = ["/".join(name.split("/")[:count]) for count in range(3, name.count("/") + 1)]
        packed = self.packed()
        obstacle = next((ref for ref in above if ref in packed), None)
        obstacle = obstacle or next((ref for ref in packed if ref.startswith(f"{name}/")), None)
        obstacle = obstacle or next(iter(self.loose(name)), None)
        if obstacle:
            raise GitFailed(f"{name} can't be made: {obstacle} is in its way")
        _remove_empty(self.git_dir / name)

    @contextmanager
    def _locked(self, name: str) -> Iterator[_Lock]:
        """Hold git's own lock on a file; a lock that a killed process left is removed after a while."""
        if name.startswith("refs/") and not is_name(name):
            raise GitFailed(f"{name!r} can't be the name of a ref")
        try:
            lock = self._acquire(name)
            try:
                yield lock
            finally:
                lock.release()
        except OSError as error:
            raise GitFailed(f"{self.git_dir / name} can't be written: {error.strerror or error}") from error

    def _acquire(self, name: str) -> _Lock:
        end = time.monotonic() + 2 * STALE
        while True:
            lock = self._place(f"{name}.lock")
            try:
                flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
                return _Lock(lock, self.git_dir / name, os.open(lock, flags, 0o644))
            except FileNotFoundError:  # a git has just removed the empty folder
                if time.monotonic() > end:
                    raise
            except FileExistsError:
                if time.monotonic() > end:
                    raise Busy(
                        f"another process holds {lock}", "Run the command again in a moment."
                    ) from None
                with suppress(FileNotFoundError):
                    if age(lock.stat().st_mtime) > STALE:
                        lock.unlink()
            time.sleep(0.02)

    def _place(self, name: str) -> Path:
        """The path of a file in the git folder; makes its folders. GitFailed when one is a link or a file."""
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
                    raise GitFailed(f"{self.git_dir / name} can't be written: {folder} isn't a folder")
                break
        return self.git_dir / name

    def _log(self, name: str, old: str | None, new: str, why: str) -> None:
        """Add a line to the log of a ref, if it has a log or git would begin one."""
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


def _remove_empty(folder: Path) -> None:
    """Remove a folder that holds nothing but empty folders."""
    with suppress(OSError):
        folders = [folder]
        for each in folders:
            with os.scandir(each) as entries:
                folders += [Path(entry.path) for entry in entries if entry.is_dir(follow_symlinks=False)]
        for each in reversed(folders):
            each.rmdir()


def logs_setting(configuration: str) -> str:
    """The value of `core.logAllRefUpdates` in the text of a configuration; '' when it isn't set."""
    lines = [line.partition("=") for line in configuration.splitlines()]
    settings = [value.strip().lower() for key, _, value in lines if key.strip().lower() == "logallrefupdates"]
    return {"always": "always", "false": "false", "no": "false", "off": "false", "0": "false"}.get(
        settings[-1] if settings else "", ""
    )
