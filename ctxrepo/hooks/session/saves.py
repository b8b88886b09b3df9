"""A memory file as an agent's tool left it goes into the journal, so that it reaches the history whoever
writes to the file next (ADR 48)."""

import _sqlite3
import os
import time

from ctxrepo.hooks.dialect import Event, TouchedFile
from ctxrepo.hooks.files.journal import HOOKS_BYTES, add
from ctxrepo.hooks.files.logs import line_json
from ctxrepo.hooks.files.small_files import bytes_of
from ctxrepo.hooks.known.compiled import Repo
from ctxrepo.hooks.known.staleness import ref_of

MAX_VERSION = 1024 * 1024
"""The most bytes of a version that is taken. The write guard lets no larger note into a commit."""


class ToolVersion:
    """A memory file as a tool left it: its path in the repository, its bytes, and the tree that the clone's
    files were checked out as when the tool wrote; '' where nobody can tell."""

    __slots__ = ("data", "path", "tree")

    def __init__(self, path: str, data: bytes, tree: str) -> None:
        self.path = path
        self.data = data
        self.tree = tree


def version_of(repo: Repo, file: TouchedFile, relative: str) -> ToolVersion | None:
    """What the agent says that it wrote, or else the file as it is now; None where there is neither.

    The agent's word comes first, because by now another editor may have replaced the file; then nobody knows
    what was checked out when the agent wrote. Only a regular file of at most 1 MiB is read, and never through
    a link.
    """
    tree = ref_of(repo.home, "refs/ctxrepo/wt")  # before the file: a commit may be replacing both
    found = bytes_of(file.path, MAX_VERSION)
    wrote = file.wrote.encode("utf-8", "replace") if file.wrote else found
    if wrote is None or len(wrote) > MAX_VERSION:
        return None
    return ToolVersion(relative, wrote, tree if wrote == found else "")


def save(db: _sqlite3.Connection, repo: Repo, event: Event, version: ToolVersion) -> str:
    """Put the version into the journal; '' once it survives a power cut, or why it doesn't, as the end of a
    sentence."""
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


def why_too_large(path: str, wrote: str) -> str:
    """Why no version of the file at `path` was taken, as the end of a sentence; '' if there was nothing to
    take."""
    try:
        size = os.lstat(path).st_size
    except OSError:
        size = 0  # it has gone again
    size = max(size, len(wrote.encode("utf-8", "replace")))
    return f"it is larger than {MAX_VERSION >> 20} MiB" if size > MAX_VERSION else ""
