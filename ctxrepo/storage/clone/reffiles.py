"""Reads HEAD, refs, packed refs and their logs as plain files, without any configuration (ADR 38)."""

import os
import re
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from ctxrepo.hooks.own_files import age
from ctxrepo.lazy import dataclass, lazy_pattern
from ctxrepo.storage.disk.kinds import kind_of, may_be_read

WT = "refs/ctxrepo/wt"
WT_NEXT = "refs/ctxrepo/wt-next"
FOLLOWED = "refs/ctxrepo/index"
OUR_REFS = (WT, WT_NEXT, FOLLOWED)
"""Refs to trees: what each file is based on, what is being written, what the user's index follows (ADR 7)."""

HIDDEN = "refs/ctxrepo/hidden"
"""A ref to a tree: what files were based on before an obstacle hid them."""

OPEN = "refs/ctxrepo/review/"
"""Below it: each branch under review, as it was pushed."""
DECLINED = "refs/ctxrepo/declined/"
"""Below it: what reviewers struck out."""
DISMISSED = "refs/ctxrepo/dismissed/"
"""Below it: the same, once a person has seen it."""

_ID = lazy_pattern(r"[0-9a-f]{40}")
# Bytes that are no UTF-8 are read as lone surrogates: git would allow them, but nobody names a branch so.
_SYMBOLIC = lazy_pattern(r"ref: (refs/[^\x00-\x20\x7f~^:?*\[\\\udc80-\udcff]+)")
_NAME = lazy_pattern(r"refs/[^\x00-\x20\x7f~^:?*\[\\\udc80-\udcff]+")
_NO_NAME = lazy_pattern(r"\.\.|@\{|//|/\.|\.lock(/|\Z)|[/.]\Z")
_PACKED = lazy_pattern(r"[0-9a-f]{40} refs/[^\x00-\x20\x7f~^:?*\[\\\udc80-\udcff]+|\^[0-9a-f]{40}|#.*")
_VERSIONS = (b"\x02", b"\x03", b"\x04")
"""Versions of the index format that we know."""

_MOST = 64 * 1024 * 1024
"""Bytes of a file that is read whole; half a million packed refs have as many."""
_DEEPEST = 5
"""How many symbolic refs are followed in a row, as git does."""

_HASH = 20
_ENTRY = 62
"""Bytes of a file in the index besides its name."""


@dataclass(frozen=True)
class RefFiles:
    """The refs of one git folder."""

    git_dir: Path

    def head(self) -> str:
        """The line in HEAD; '' when HEAD is missing, or holds neither a ref nor a commit."""
        line = _line(self.git_dir / "HEAD")
        return line if _SYMBOLIC.fullmatch(line) or _ID.fullmatch(line) else ""

    def find(self, name: str) -> str | None:
        """The id at a ref, None when it is missing or garbage."""
        # Loose refs first: git packs a ref before it removes the loose one.
        return self._id_at(name, _line(self.git_dir / name))

    def _id_at(self, name: str, line: str) -> str | None:
        """The same, where the loose ref holds this line, or '' for none."""
        if line:
            return line if _ID.fullmatch(line) else None
        if self.is_garbage(name):
            return None
        # Without parsing all lines:
        packed = re.search(rf"(?m)^([0-9a-f]{{40}}) {re.escape(name)}$", text_of(self._packed_path))
        return packed[1] if packed else None

    def is_symbolic(self, name: str) -> bool:
        """Whether a loose ref points at another ref."""
        return bool(_SYMBOLIC.fullmatch(_line(self.git_dir / name)))

    def resolve(self, name: str) -> str | None:
        """The id at a ref or at HEAD, through symbolic ones; None when it is missing or garbage."""
        for _ in range(_DEEPEST):
            line = _line(self.git_dir / name)
            target = _SYMBOLIC.fullmatch(line)
            if target is None or not is_name(target[1]):
                return self._id_at(name, line)
            name = target[1]
        return None

    def all(self, prefix: str = "refs/") -> dict[str, str]:
        """name -> id of the refs whose names begin with `prefix`; unreadable ones are left out."""
        # Loose refs first, as above: a ref that is packed meanwhile is found in one of the two places.
        names = [name for name in self.loose(prefix.rpartition("/")[0]) if name.startswith(prefix)]
        loose = {name: self.resolve(name) for name in names}
        packed = {name: oid for name, oid in self.packed().items() if name.startswith(prefix)}
        readable = {name: oid for name, oid in (packed | loose).items() if oid and is_name(name)}
        return dict(sorted(readable.items()))

    def exists(self, name: str) -> bool:
        return (self.git_dir / name).is_file() or name in self.packed()

    def is_lost(self, name: str) -> bool:
        """Whether a ref with a log is gone, or has only an older, packed value left."""
        if (self.git_dir / name).exists():
            return False
        newest = next(iter(self.log(name)), None)
        return newest is not None and newest != self.packed().get(name)

    def is_garbage(self, name: str) -> bool:
        """Whether a loose ref exists and can't be read: a power cut may leave it empty. An empty folder in
        its place is fine: git leaves such folders."""
        line = _line(self.git_dir / name)
        if _ID.fullmatch(line) or _SYMBOLIC.fullmatch(line):
            return False
        kind = kind_of(self.git_dir / name)
        return any(self.loose(name)) if kind == "a folder" else kind != ""

    def loose(self, below: str = "refs") -> list[str]:
        """Names of the loose refs in a folder of refs, garbage included, locks not; no link is followed."""
        names, folders = [], [below]
        while folders:
            folder = folders.pop()
            with suppress(OSError), os.scandir(self.git_dir / folder) as entries:
                for entry in entries:
                    name = f"{folder}/{entry.name}"
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(name)
                    elif entry.is_file() and not name.endswith(".lock"):
                        names.append(name)
        return sorted(names)

    def has_any(self, prefix: str) -> bool:
        """Whether there are refs below `prefix` ('refs/…/')."""
        return bool(self.loose(prefix.rstrip("/"))) or f" {prefix}" in text_of(self._packed_path)

    def packed(self) -> dict[str, str]:
        """name -> id of the packed refs that can be read."""
        pairs = (line.split(" ", 1) for line in self._packed_lines() if line[:1] not in "#^")
        return {name: oid for oid, name in pairs}

    def packed_is_garbage(self) -> bool:
        lines = text_of(self._packed_path).splitlines()
        return not (all(map(_PACKED.fullmatch, lines)) and may_be_read(self._packed_path))

    def log(self, name: str) -> list[str]:
        """The commits that a ref has pointed at, newest first."""
        commits: list[str] = []
        for line in text_of(self.git_dir / "logs" / name).splitlines():
            ids = line.split(" ", 2)[:2]
            commits += [i for i in ids if _ID.fullmatch(i) and i.strip("0")]
        return list(dict.fromkeys(reversed(commits)))

    def logged(self) -> set[str]:
        """The commits that any ref with a log has pointed at, HEAD too."""
        names = [name.removeprefix("logs/") for name in self.loose("logs")]
        return {oid for name in names for oid in self.log(name)}

    def locks(self) -> Iterator[tuple[Path, float]]:
        """(file, age in seconds) of every lock of git's in this folder; they don't say who holds them."""
        names = ("index", "config", "packed-refs", "shallow", "HEAD")
        for path in [self.git_dir / f"{n}.lock" for n in names] + [*(self.git_dir / "refs").rglob("*.lock")]:
            with suppress(FileNotFoundError):
                yield path, age(path.stat().st_mtime)

    def shallow_is_garbage(self) -> bool:
        lines = text_of(self.git_dir / "shallow").splitlines()
        return not (all(map(_ID.fullmatch, lines)) and may_be_read(self.git_dir / "shallow"))

    def shallow(self) -> set[str]:
        """The commits whose parents a shallow clone left out."""
        return {line for line in text_of(self.git_dir / "shallow").splitlines() if _ID.fullmatch(line)}

    def index_is_garbage(self) -> bool:
        """Whether the user's index exists and is damaged."""
        if not may_be_read(self.git_dir / "index"):
            return True
        try:
            data = (self.git_dir / "index").read_bytes()
        except OSError:
            return False
        if data[:7] != b"DIRC\0\0\0" or data[7:8] not in _VERSIONS or len(data) < 12 + _HASH:
            return True
        checksum, entries = data[-_HASH:], int.from_bytes(data[8:12], "big")
        if checksum == bytes(_HASH):  # git may be set to write no checksum: then only check the size
            return len(data) < 12 + entries * _ENTRY + _HASH
        import hashlib  # loads OpenSSL, which no reader of a ref needs

        return checksum != hashlib.sha1(data[:-_HASH], usedforsecurity=False).digest()

    @property
    def _packed_path(self) -> Path:
        return self.git_dir / "packed-refs"

    def _packed_lines(self) -> list[str]:
        return [line for line in text_of(self._packed_path).splitlines() if _PACKED.fullmatch(line)]


def is_name(name: str) -> bool:
    """Whether git allows this name for a ref."""
    return bool(_NAME.fullmatch(name)) and not _NO_NAME.search(name)


def text_of(path: Path) -> str:
    """The text of a regular file; '' for a pipe, which never ends, a link, which leads anywhere, or none."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return ""
    try:
        status = os.fstat(file)
        if not stat.S_ISREG(status.st_mode) or status.st_size > _MOST:
            return ""
        return os.read(file, status.st_size + 1).decode("utf-8", "surrogateescape")
    except OSError:
        return ""
    finally:
        os.close(file)


def _line(path: Path) -> str:
    return text_of(path).strip()
