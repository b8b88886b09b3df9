"""The file of a session's ledger: what the session was given, and what else hooks must know of it.

It stands in `sessions/` below the state root and not in the state of a repository, because a session may be
given notes of several. It takes at most 256 KiB; once it is full, the older half is dropped.

What the lines say is in session/ledger_words.py. A line about what is in a repository begins with a mark, `@`
and the repository's id: entries of two repositories may have the same id, and each cache counts its own
generations. A line without a mark is about the session itself
(docs/adr/0045-sessions-stand-above-repositories.md)."""

import _blake2
import os

from ctxrepo.hooks.own_files import append, ensure_private_folder, lines_of, open_own
from ctxrepo.hooks.session.ledger_words import GIVEN, LASTING, OFF, ON, WROTE, SessionRecord

FOLDER = "sessions"
"""The folder of all ledgers, below the state root."""

BRIDGES = "bridges"
"""The folder of what sessions may be told of the one before, below the state of the repository."""

MAX_BYTES = 256 * 1024

_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")


def ledger_path(state: str, agent: str, session: str, sub: str = "") -> str:
    """The session's ledger below the state root; '' for a session without an id. A subagent (`sub`) of it has
    a ledger of its own, because it is given things on its own."""
    name = f"{session}.{sub}" if sub else session
    return f"{state}/{FOLDER}/{_plain(agent)}-{_plain(name)}" if session else ""


def mark_of(repo: str) -> str:
    """How a line begins that is about the repository with this id."""
    return f"@{repo} "


def read_ledger(path: str, repo: str) -> SessionRecord:
    """What the ledger at `path` says of the session and this repository; nothing where there is none."""
    record = SessionRecord()
    for line in _lines_about(path, repo):
        record.read(line)
    return record


def given_before_writes(path: str, repo: str) -> list[tuple[str, dict[str, str]]]:
    """(a note's path, the entries given before: id -> hash) of each write to this repository."""
    given: dict[str, str] = {}
    writes = []
    for line in _lines_about(path, repo):
        word, _, rest = line.partition(" ")
        if word == GIVEN.name:
            entry, _, digest = rest.partition(" ")
            given[entry] = digest
        elif word == WROTE.name:
            writes.append((rest.rpartition(" ")[0], {**given}))
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


def _lines_about(path: str, repo: str) -> list[str]:
    """The lines about the session itself or about the repository with this id, with the marks removed."""
    mark = mark_of(repo)
    lines = lines_of(path, MAX_BYTES) if path else []
    about = [line for line in lines if line[:1] != "@" or line.startswith(mark)]
    return [line.removeprefix(mark) for line in about]


def _halve(path: str) -> None:
    """Drop the older half, but for the lasting lines."""
    lines = [*lasting(path), *lines_of(path, MAX_BYTES // 2)[1:]]
    with open(open_own(path, os.O_WRONLY | os.O_TRUNC), "w", encoding="utf-8") as file:
        file.write("\n".join(lines))


def _plain(name: str) -> str:
    """`name` if it can be a file's name, else a hash of it."""
    if 0 < len(name) <= 64 and _PLAIN.issuperset(name):
        return name
    return "h" + _blake2.blake2b(name.encode("utf-8", "replace"), digest_size=16).hexdigest()
