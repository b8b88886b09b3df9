"""What the ledger of a session says, and what is added to it (its words are in session/ledger_words.py)."""

import os

from ctxrepo.hooks.own_files import append, ensure_private_folder, lines_of, open_own
from ctxrepo.hooks.session.ledger_file import MAX_BYTES, lines_about
from ctxrepo.hooks.session.ledger_words import GIVEN, LASTING, OFF, ON, WROTE, SessionRecord

BRIDGES = "bridges"
"""The folder of what sessions may be told of the one before, below the state of the repository."""


def read_ledger(path: str, repo: str) -> SessionRecord:
    """What the ledger at `path` says of the session and this repository; nothing where there is none."""
    record = SessionRecord()
    for line in lines_about(path, repo):
        record.read(line)
    return record


def given_before_writes(path: str, repo: str) -> list[tuple[str, dict[str, str]]]:
    """(a note's path, the entries given before: id -> hash) of each write to this repository."""
    digests: dict[str, str] = {}
    writes = []
    for line in lines_about(path, repo):
        word, _, rest = line.partition(" ")
        if word == GIVEN.name:
            entry, _, digest = rest.partition(" ")
            digests[entry] = digest
        elif word == WROTE.name:
            writes.append((rest.rpartition(" ")[0], {**digests}))
    return writes


def switch_memory(path: str, is_off: bool) -> None:
    """Note that the session is given nothing from now on, or memory again. What it writes is always kept."""
    add(path, [(OFF if is_off else ON).line()])


def is_switched_off(path: str) -> bool:
    """Whether the session with this ledger is given nothing, from no repository."""
    return read_ledger(path, "").is_off


def add(path: str, lines: list[str]) -> None:
    """Append `lines` (without newlines). Where that can't be, the session may be given things twice."""
    if not path or not lines or not ensure_private_folder(os.path.dirname(path)):
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
    lines = lasting(path) if path else []
    try:
        if path:
            os.unlink(path)
    except OSError:
        pass
    add(path, lines)


def lasting(path: str) -> list[str]:
    """The lines about the session itself, the last of each kind."""
    last: dict[str, str] = {}
    for line in lines_of(path, MAX_BYTES):
        word = line.partition(" ")[0]
        if word in LASTING:
            last[ON.name if word == OFF.name else word] = line
    return list(last.values())


def _halve(path: str) -> None:
    """Drop the older half, but for the lasting lines."""
    lines = [*lasting(path), *lines_of(path, MAX_BYTES // 2)[1:]]
    with open(open_own(path, os.O_WRONLY | os.O_TRUNC), "w", encoding="utf-8") as file:
        file.write("\n".join(lines))
