"""The journal of saves as hooks write it, and the memory file that a tool has just written (ADR 48)."""

import _sqlite3
import os
import time

from ctxrepo.hooks.dialect import Event, TouchedFile
from ctxrepo.hooks.known.freshness import ref_of
from ctxrepo.hooks.known.world import Repo
from ctxrepo.hooks.own_files import OPENING, bytes_of, ensure_private_folder, line_json

HOOKS_BYTES = 128 * 1024 * 1024
"""What hooks may fill of the journal: the rest is for commands, which acknowledge."""

_FULL = 28
"""The error of a full disk."""


def add(folder: str, data: bytes, most: int = 0) -> str:
    """Put an operation into the journal, where it survives a power cut; the file's name. OSError, and no
    file, where that can't be, or more than `most` bytes (0: any number) would wait."""
    if not ensure_private_folder(folder):
        raise NotADirectoryError(20, "It isn't a folder of your own, and ctxrepo keeps one there", folder)
    names = names_in(folder)
    if most and size_of(names) + len(data) > most:
        raise OSError(_FULL, f"{most >> 20} MiB of saves wait for a commit already")
    number = int(names[-1].split("-", 1)[0]) + 1 if names else 1
    name = f"{number}-{time.time_ns()}-{os.getpid()}-{len(data)}"
    try:
        put(folder, name, data)
    except OSError:
        if os.path.lexists(f"{folder}/{name}"):  # only the name hasn't reached the disk
            os.unlink(f"{folder}/{name}")
        raise
    return name


def put(folder: str, name: str, data: bytes) -> None:
    """Make the file `name` hold these bytes: after a power cut it has them all, or is as it was before."""
    new = f"{folder}/.{name}"
    file = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | OPENING, 0o600)
    try:
        try:
            view = memoryview(data)
            while view:
                view = view[os.write(file, view) :]
            os.fsync(file)
        finally:
            os.close(file)
        os.rename(new, f"{folder}/{name}")
    except OSError:
        os.unlink(new)
        raise
    sync(folder)


def sync(folder: str) -> None:
    """Bring the names in the folder to the disk."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | OPENING)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def names_in(folder: str | int) -> list[str]:
    """The names of the operations in a folder, or in that of a handle, oldest first; none where it can't be
    listed."""
    try:
        return sorted(filter(_is_name, os.listdir(folder)), key=_numbers)
    except OSError:
        return []


def size_of(names: list[str]) -> int:
    """How many bytes these operations have, as their names say."""
    return sum(_numbers(name)[3] for name in names)


def _is_name(name: str) -> bool:
    parts = name.split("-")
    return len(parts) == 4 and name.isascii() and all(part.isdigit() for part in parts)


def _numbers(name: str) -> tuple[int, ...]:
    return tuple(map(int, name.split("-")))


MAX_VERSION = 1024 * 1024
"""The most bytes of a version that is taken. The write guard lets no larger note into a commit."""


class ToolVersion:
    """A memory file as a tool left it: its path in the repository, its bytes, and the tree that the clone's
    files were checked out as when the tool wrote; '' where nobody can tell."""

    def __init__(self, path: str, data: bytes, tree: str) -> None:
        self.path = path
        self.data = data
        self.tree = tree


def version_of(repo: Repo, file: TouchedFile, relative: str) -> ToolVersion | None:
    """What the agent says that it wrote, or else the file as it is now; None where there is neither.

    The agent's word comes first, because by now another editor may have replaced the file; then nobody knows
    what was checked out when the agent wrote. Only a regular file of at most 1 MiB is read, and never through
    a link."""
    tree = ref_of(repo.home, "refs/ctxrepo/wt")  # before the file: a commit may be replacing both
    content = bytes_of(file.path, MAX_VERSION)
    version = file.wrote.encode("utf-8", "replace") if file.wrote else content
    if version is None or len(version) > MAX_VERSION:
        return None
    return ToolVersion(relative, version, tree if version == content else "")


def save(db: _sqlite3.Connection, repo: Repo, event: Event, version: ToolVersion) -> str:
    """Put the version into the journal; '' once it survives a power cut, else why not, to end a sentence."""
    now = time.time()
    fields: dict[str, object] = {
        "path": version.path,
        "op": "tool",
        "at": time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now)) + f".{int(now % 1 * 1000):03}Z",
        "agent": event.agent,
        "session": event.session,
        "id": f"{time.time_ns()}-{os.getpid()}",
        "tree": version.tree,
        "after": len(version.data),
    }
    record = line_json(db, fields).encode("utf-8", "replace") + version.data + b"\n"
    try:
        add(f"{repo.state}/journal", record, HOOKS_BYTES)
    except OSError as error:
        return f"the journal can't be written: {error.strerror or 'the disk may be full or read-only'}"
    return ""


_TEXT = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 _-./(),"


def may_be_flawed(path: str, data: bytes) -> bool:
    """Whether a note may have something wrong: a conflict marker, or a head that isn't as plain as can be."""
    if path[-3:] != ".md" or data[:3] != b"---":
        return path[-3:] == ".md" and b"<<<<<<< " in data
    head, end, _ = data.partition(b"\n---\n")
    fields = dict([line.partition(b": ")[::2] for line in head.split(b"\n")[1:]])
    for key, value in fields.items():
        is_quoted = value[:1] == value[-1:] == b'"' and value.count(b'"') == 2
        if is_quoted and not value[1:-1].translate(None, _TEXT + b":;!?'#&*+="):
            continue
        listed = value[1:-1] if value[:1] + value[-1:] == b"[]" else value
        is_dated = key not in (b"created", b"updated") or len(value) == 10
        if not (key.isalnum() and listed[:1].isalnum() and is_dated) or listed.translate(None, _TEXT):
            return True
    return not end or len(fields) != head.count(b"\n")


def why_too_large(path: str, wrote: str) -> str:
    """Why the file at `path` was too large to be taken, as the end of a sentence; '' if it wasn't."""
    try:
        size = os.lstat(path).st_size
    except OSError:
        size = 0  # it has gone again
    size = max(size, len(wrote.encode("utf-8", "replace")))
    return f"it is larger than {MAX_VERSION >> 20} MiB" if size > MAX_VERSION else ""
