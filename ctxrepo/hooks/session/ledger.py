"""The file that holds a session's ledger: what the session was given, a line each. It stands under `ledger/`
and takes at most 256 KiB; once it is full, the older half is dropped."""

import _blake2
import os

from ctxrepo.hooks.files.logs import append, lines_of
from ctxrepo.hooks.files.private import make, open_own

MAX_BYTES = 256 * 1024

_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")

LASTING = ("began", "cwd", "on", "off")
"""First words of lines about the session itself, which outlast a compaction; the last of each counts."""


def ledger_path(folder: str, agent: str, session: str, sub: str = "") -> str:
    """The session's ledger below the repository's state folder; '' for a session without an id.

    A subagent (`sub`) of it has a ledger of its own, because it is given things on its own.
    """
    name = f"{session}.{sub}" if sub else session
    return f"{folder}/ledger/{_plain(agent)}-{_plain(name)}" if session else ""


def add(path: str, lines: list[str]) -> None:
    """Append `lines` (without newlines). Where that can't be, the session may be given things twice."""
    if not path or not lines or not make(os.path.dirname(path)):
        return
    text = "".join([line + "\n" for line in lines])
    try:
        if not append(path, text, MAX_BYTES) and os.stat(path).st_size > MAX_BYTES // 2:
            _halve(path)
            append(path, text, MAX_BYTES)
    except OSError:
        pass


def clear(path: str) -> None:
    """Empty the ledger but for its lasting lines: the session was cleared or compacted, and forgot."""
    kept = lasting(path) if path else []
    try:
        if path:
            os.unlink(path)
    except OSError:
        pass
    add(path, kept)


def lasting(path: str) -> list[str]:
    """The lines about the session itself, the last of each kind."""
    found: dict[str, str] = {}
    for line in lines_of(path, MAX_BYTES):
        word = line.partition(" ")[0]
        if word in LASTING:
            found["on" if word == "off" else word] = line
    return list(found.values())


def _halve(path: str) -> None:
    """Drop the older half, but for the lasting lines."""
    kept = [*lasting(path), *lines_of(path, MAX_BYTES // 2)[1:]]
    with open(open_own(path, os.O_WRONLY | os.O_TRUNC), "w", encoding="utf-8") as file:
        file.write("\n".join(kept))


def _plain(name: str) -> str:
    """`name` if it can be a file's name, else a hash of it."""
    if 0 < len(name) <= 64 and _PLAIN.issuperset(name):
        return name
    return "h" + _blake2.blake2b(name.encode("utf-8", "replace"), digest_size=16).hexdigest()
