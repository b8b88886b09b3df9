"""What an agent's session was given already. One small file a session under `ledger/`, at most 256 KiB:
of a fuller one the first half is forgotten."""

import _blake2
import os
import time

from ctxrepo.hooks.files.logs import append, lines_of
from ctxrepo.hooks.files.private import make, open_own

MAX_BYTES = 256 * 1024

_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")

Told = tuple[dict[str, str], int | None, frozenset[str], str | None, list[str], str, bool, str, float]
"""(entry id -> hash, generation the session has seen, faults told, its project folder: '?' while unknown,
what the last prompts were about, oldest first, of when the handoff is that it began with: '' once that has
been looked at, '-' for none, whether it is to be given nothing, what its folder looked like when a worker
was last asked for the project, since when it is owed what the
worker's next round finds, which took longer than its start could wait; 0 when it is owed nothing)."""

OWN = "own"
"""First word of the line of an entry that the session wrote itself, in place of `entry`: it knows it."""

_OWED = "owed"

EARLIER = 2
"""Prompts that a vague one may go on with."""


HUSHED = "this session was told to be given nothing: `ctxrepo session on`"

_LASTING = ("began ", "cwd ", "off", "on")
"""What is so of a session whatever it has forgotten; each later line stands for the earlier ones."""


def ledger_path(folder: str, agent: str, session: str, sub: str = "") -> str:
    """The session's ledger below the repository's state folder; '' for a session without an id.

    A subagent (`sub`) of it is given things apart, and has one of its own.
    """
    name = f"{session}.{sub}" if sub else session
    return f"{folder}/ledger/{_plain(agent)}-{_plain(name)}" if session else ""


def read_ledger(path: str) -> Told:
    """What the ledger says; an unreadable line says nothing."""
    entries: dict[str, str] = {}
    faults = set()
    generation = project = None
    handoff = sought = ""
    asked: list[str] = []
    is_off = False
    owed = 0.0
    for line in lines_of(path, MAX_BYTES) if path else ():
        word, _, rest = line.partition(" ")
        first, _, second = rest.partition(" ")
        if word in ("entry", OWN) and second:
            entries[first] = second
        elif word == "generation" and first.isascii() and first.isdigit() and len(first) < 16:
            generation = int(first)
        elif word == "fault" and first:
            faults.add(first)
        elif word == "project":
            project = rest
        elif word == "asked":
            asked.append(rest)
        elif word == "handoff":
            handoff = rest
        elif word == "sought":
            sought = rest
        elif line in ("off", "on"):
            is_off = line == "off"
        elif word == _OWED and first.replace(".", "", 1).isdecimal() and first.isascii():
            owed = float(first)
    return entries, generation, frozenset(faults), project, asked[-EARLIER:], handoff, is_off, sought, owed


def add(path: str, lines: list[str]) -> None:
    """Append `lines`, without their ends; a ledger that can't be written means repeating, not failing."""
    if not path or not lines or not make(os.path.dirname(path)):
        return
    text = "".join([line + "\n" for line in lines])
    try:
        if not append(path, text, MAX_BYTES) and os.stat(path).st_size > MAX_BYTES // 2:
            _halve(path)
            append(path, text, MAX_BYTES)
    except OSError:
        pass


def owes(since: float) -> str:
    """The line that what the worker finds after `since` is owed to the session; 0: nothing any more."""
    return f"{_OWED} {since:.6f}"


def clear(path: str) -> None:
    """The session forgot what it was given (it was cleared or compacted), not whether it wants anything."""
    lasting = _lasting(path) if path else []
    try:
        if path:
            os.unlink(path)
    except OSError:
        pass
    add(path, lasting)


def hush(path: str, is_off: bool) -> None:
    """From now on the session is given nothing, or everything again."""
    add(path, ["off" if is_off else "on"])


def is_hushed(path: str) -> bool:
    """Whether the session is given nothing."""
    return read_ledger(path)[6]


def began(path: str, cwd: str) -> list[str]:
    """The lines that tell when and where a session began; none when its ledger does."""
    if not path or "began" in [line.partition(" ")[0] for line in _lasting(path)]:
        return []
    lines = [f"began {int(time.time())}"]
    return [*lines, f"cwd {cwd}"] if cwd and "\n" not in cwd else lines


def _lasting(path: str) -> list[str]:
    found: dict[str, str] = {}
    for line in lines_of(path, MAX_BYTES):
        word = line.partition(" ")[0]
        if line in _LASTING or word + " " in _LASTING:
            found["on" if word == "off" else word] = line
    return list(found.values())


def _halve(path: str) -> None:
    kept = [*_lasting(path), *lines_of(path, MAX_BYTES // 2)[1:]]
    with open(open_own(path, os.O_WRONLY | os.O_TRUNC), "w", encoding="utf-8") as file:
        file.write("\n".join(kept))


def _plain(name: str) -> str:
    """`name` where it is a harmless file name, else a hash of it."""
    if 0 < len(name) <= 64 and _PLAIN.issuperset(name):
        return name
    return "h" + _blake2.blake2b(name.encode("utf-8", "replace"), digest_size=16).hexdigest()
