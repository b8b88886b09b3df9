"""The file that holds a session's ledger: what the session was given, a line each.

It stands in `sessions/` below the state root and not in the state of a repository, as a session may be given
notes of several. It takes at most 256 KiB; once it is full, the older half is dropped.

A line about what is in a repository begins with a mark, `@` and the repository's id: entries of two
repositories may have the same id, and each cache counts its own generations. A line without a mark is about
the session itself (docs/adr/0045-sessions-stand-above-repositories.md).

Two versions of ctxrepo may read and write one ledger at once. A line is a word and what belongs to it:

    entry ID HASH     the session was given this entry
    own ID HASH       it wrote this entry itself
    wrote PATH HASH   it wrote the note, which has this text now
    moved PATH HASH   it moved or pinned the note, whose text stayed, or it knows the note as it is now
    generation N      it was told of all changes up to this generation of the cache
    fault HASH        it was told this fault
    project FOLDER    it was told that it is in this project; `?` while that is unknown
    handoff TIME      it began with the handoff of that time; `-` for none
    owed TIME         it is owed what a worker's round brings that begins after this time; 0 for nothing
    asked WORDS       its prompt was about these words
    compaction NAME   it was given the packet anew after this compaction
    sought STAMPS     the worker was asked for the project of the folder, whose git files had these stamps
    of SESSION        it is a subagent, which this session started
    packet TEXT       it was given this at its start, and is given it again when it is resumed; newlines and
                      backslashes in it are escaped by a backslash
    compacted         it was compacted by an agent that calls no start's hook then, and is owed the packet
    gives PROCESS     the hook in this process gives it that packet; the first one after `compacted` does
    bridge COUNT      so many of its prompts came before what it may be told of the last session; `-`: no
                      prompt waits for that
    began TIME, cwd FOLDER, off, on    about the session itself (LASTING), and these:
    wanted manual     its user asked for an anchor in so many words; no keyword displaces that
    wanted keyword NAME WORDS    keywords of a prompt ask for this anchor; the words have a tab between them
    wanted -          what was asked for was left, or isn't wanted any more
    ended TIME FILE   it ended then, with this transcript
    ended -           it goes on
"""

import _blake2
import os

from ctxrepo.hooks.files.logs import append, lines_of
from ctxrepo.hooks.files.private import ensure_private_folder, open_own

FOLDER = "sessions"
"""The folder of all ledgers, below the state root."""

BRIDGES = "bridges"
"""The folder of what sessions may be told of the one before, below the state of the repository."""

MAX_BYTES = 256 * 1024

_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")

LASTING = ("began", "cwd", "on", "off", "wanted", "ended")
"""First words of lines about the session itself, which outlast a compaction; the last of each counts."""


def ledger_path(state: str, agent: str, session: str, sub: str = "") -> str:
    """The session's ledger below the state root; '' for a session without an id.

    A subagent (`sub`) of it has a ledger of its own, because it is given things on its own.
    """
    name = f"{session}.{sub}" if sub else session
    return f"{state}/{FOLDER}/{_plain(agent)}-{_plain(name)}" if session else ""


def mark_of(repo: str) -> str:
    """How a line begins that is about the repository with this id."""
    return f"@{repo} "


def lines_for_repo(lines: list[str], repo: str) -> list[str]:
    """The lines about the session itself or about the repository with this id, with the marks removed."""
    mark = mark_of(repo)
    about = [line for line in lines if line[:1] != "@" or line.startswith(mark)]
    return [line.removeprefix(mark) for line in about]


def lines_about(path: str, repo: str) -> list[str]:
    """The lines of the ledger at `path` about the session itself and the repository with this id."""
    return lines_for_repo(lines_of(path, MAX_BYTES), repo) if path else []


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
