"""The file of a session's ledger: what the session was given, and what else hooks must know of it.

It stands in `sessions/` below the state root and not in the state of a repository, because a session may be
given notes of several. It takes at most 256 KiB; once it is full, the older half is dropped.

A line about what is in a repository begins with a mark, `@` and the repository's id: entries of two
repositories may have the same id, and each cache counts its own generations. A line without a mark is about
the session itself (docs/adr/0045-sessions-stand-above-repositories.md). What the words of the lines mean is
in session/ledger_words.py, which most tool hooks do without."""

from ctxrepo.hooks.own_files import lines_of

FOLDER = "sessions"
"""The folder of all ledgers, below the state root."""

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


def lines_about(path: str, repo: str) -> list[str]:
    """The lines about the session itself or about the repository with this id, with the marks removed."""
    mark = mark_of(repo)
    lines = lines_of(path, MAX_BYTES) if path else []
    return [line.removeprefix(mark) for line in lines if line[:1] != "@" or line.startswith(mark)]


def faults_told(path: str, repo: str) -> set[str]:
    """Hashes of the faults that the session was told (the word FAULT, spelled out: see above)."""
    return {line[6:] for line in lines_about(path, repo) if line.startswith("fault ")}


def _plain(name: str) -> str:
    """`name` if it can be a file's name, else a hash of it."""
    if 0 < len(name) <= 64 and _PLAIN.issuperset(name):
        return name
    import _blake2  # agents name sessions plainly

    return "h" + _blake2.blake2b(name.encode("utf-8", "replace"), digest_size=16).hexdigest()
