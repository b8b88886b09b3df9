"""HEAD, refs, packed refs and their logs as the files they are, for when git gives up on them."""

from __future__ import annotations

import hashlib
import os
import re
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ctxrepo.errors import Busy
from ctxrepo.hot.age import age
from ctxrepo.storage.reflock import STALE, clear_stale_locks

WT = "refs/ctxrepo/wt"
WT_NEXT = "refs/ctxrepo/wt-next"
FOLLOWED = "refs/ctxrepo/index"
OUR_REFS = (WT, WT_NEXT, FOLLOWED)
"""Trees: what each file was last based on, what is being written, what the user's index follows."""

HIDDEN = "refs/ctxrepo/hidden"
"""A tree: what the files were based on that an obstacle hides."""

OPEN = "refs/ctxrepo/review/"
"""Below it each branch that waits for people to look at it, as it was pushed."""
DECLINED = "refs/ctxrepo/declined/"
"""Below it what they struck out."""
DISMISSED = "refs/ctxrepo/dismissed/"
"""Where that is kept once a person has seen it."""

_ID = re.compile(r"[0-9a-f]{40}")
# Bytes that are no UTF-8 come as half surrogates: git would allow them, and nobody names a branch so.
_SYMBOLIC = re.compile(r"ref: (refs/[^\x00-\x20\x7f~^:?*\[\\\udc80-\udcff]+)")
_PACKED = re.compile(r"[0-9a-f]{40} refs/[^\x00-\x20\x7f~^:?*\[\\\udc80-\udcff]+|\^[0-9a-f]{40}|#.*")
_VERSIONS = (b"\x02", b"\x03", b"\x04")
"""Of the format of an index."""

_HASH = 20
_ENTRY = 62
"""Bytes of a file in the index besides its name."""


@dataclass(frozen=True)
class RefFiles:
    """What lies below one `.git`."""

    git_dir: Path

    def head(self) -> str:
        """The line in HEAD, '' when it is missing or no ref and no commit."""
        line = _line(self.git_dir / "HEAD")
        return line if _SYMBOLIC.fullmatch(line) or _ID.fullmatch(line) else ""

    def find(self, name: str) -> str | None:
        """The id at a ref, None when it is missing or garbage."""
        # Loose first: who packs refs removes the loose one last.
        line = _line(self.git_dir / name)
        if _ID.fullmatch(line):
            return line
        return None if self.is_garbage(name) else self.packed().get(name)

    def exists(self, name: str) -> bool:
        return (self.git_dir / name).is_file() or name in self.packed()

    def is_lost(self, name: str) -> bool:
        """Whether a ref whose log tells where it was is gone, or only its older, packed value is left."""
        if (self.git_dir / name).exists():
            return False
        newest = next(iter(self.log(name)), None)
        return newest is not None and newest != self.packed().get(name)

    def is_garbage(self, name: str) -> bool:
        """Whether a loose ref is there that says nothing: a power cut leaves them empty."""
        path = self.git_dir / name
        line = _line(path)
        return path.is_file() and not _ID.fullmatch(line) and not _SYMBOLIC.fullmatch(line)

    def loose(self) -> list[str]:
        """Names of all loose refs, garbage included, locks not."""
        files = (self.git_dir / "refs").rglob("*")
        names = (p.relative_to(self.git_dir).as_posix() for p in files if p.is_file())
        return sorted(n for n in names if not n.endswith(".lock"))

    def packed(self) -> dict[str, str]:
        """name -> id of the packed refs that can be read."""
        pairs = (line.split(" ", 1) for line in self._packed_lines() if line[:1] not in "#^")
        return {name: oid for oid, name in pairs}

    def packed_is_garbage(self) -> bool:
        return self._packed_path.is_file() and len(self._packed_lines()) != len(self._all_packed())

    def log(self, name: str) -> list[str]:
        """Where a ref has been, newest first."""
        found: list[str] = []
        for line in _text(self.git_dir / "logs" / name).splitlines():
            ids = line.split(" ", 2)[:2]
            found += [i for i in ids if _ID.fullmatch(i) and i.strip("0")]
        return list(dict.fromkeys(reversed(found)))

    def write(self, name: str, oid: str) -> None:
        """Point a ref, or with `ref: …` HEAD, somewhere, whatever is there now."""
        self._replace(name, f"{oid}\n")

    def write_packed(self, without: str = "") -> None:
        """Packed refs anew from the lines that can be read, but for one ref."""
        kept: list[str] = []
        is_gone = False
        for line in self._packed_lines():
            is_gone = line.endswith(f" {without}") if line[:1] != "^" else is_gone
            if line[:1] != "#" and not is_gone:
                kept.append(line)
        # git believes the sorting its own first line promises; without that line it looks itself.
        self._replace("packed-refs", "".join(f"{line}\n" for line in kept))

    def remove(self, name: str) -> None:
        """A ref is gone, loose and packed."""
        if name in self.packed():
            self.write_packed(without=name)
        with suppress(FileNotFoundError):
            (self.git_dir / name).unlink()

    def locks(self) -> Iterator[tuple[Path, float]]:
        """(file, seconds of age) of every lock that git keeps: they bear no owner."""
        names = ("index", "config", "packed-refs", "shallow", "HEAD")
        for path in [self.git_dir / f"{n}.lock" for n in names] + [*(self.git_dir / "refs").rglob("*.lock")]:
            with suppress(FileNotFoundError):
                yield path, age(path.stat().st_mtime)

    def shallow_is_garbage(self) -> bool:
        lines = _text(self.git_dir / "shallow").splitlines()
        return not all(_ID.fullmatch(line) for line in lines)

    def shallow(self) -> set[str]:
        """Commits whose parents were left out when this was cloned."""
        return {line for line in _text(self.git_dir / "shallow").splitlines() if _ID.fullmatch(line)}

    def index_is_garbage(self) -> bool:
        """Whether the user's index is there and can't be read."""
        try:
            data = (self.git_dir / "index").read_bytes()
        except OSError:
            return False
        if data[:7] != b"DIRC\0\0\0" or data[7:8] not in _VERSIONS or len(data) < 12 + _HASH:
            return True
        told, entries = data[-_HASH:], int.from_bytes(data[8:12], "big")
        if told == bytes(_HASH):  # git was told to save itself the hash; then at least there is room for all
            return len(data) < 12 + entries * _ENTRY + _HASH
        return told != hashlib.sha1(data[:-_HASH], usedforsecurity=False).digest()

    @property
    def _packed_path(self) -> Path:
        return self.git_dir / "packed-refs"

    def _all_packed(self) -> list[str]:
        return _text(self._packed_path).splitlines()

    def _packed_lines(self) -> list[str]:
        return [line for line in self._all_packed() if _PACKED.fullmatch(line)]

    def _replace(self, name: str, text: str) -> None:
        path = self.git_dir / name
        lock = path.with_name(path.name + ".lock")
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = _take(self.git_dir, name, lock)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        lock.rename(path)


def _take(git_dir: Path, name: str, lock: Path) -> int:
    """git's own lock on a ref, taken as git takes it; one that a kill left behind is in nobody's way long."""
    end = time.monotonic() + 2 * STALE
    while True:
        try:
            return os.open(lock, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
        except FileExistsError:
            if time.monotonic() > end:
                raise Busy(f"another process holds {lock}", "Run the command again in a moment.") from None
        clear_stale_locks(git_dir, name)
        time.sleep(0.05)


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8", "surrogateescape")
    except OSError:
        return ""


def _line(path: Path) -> str:
    return _text(path).strip()
