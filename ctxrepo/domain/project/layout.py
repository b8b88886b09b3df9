"""Where things are in a memory repository: the names of files and folders that mean something to us."""

from __future__ import annotations

GLOBAL = "global"
"""The folder of what holds everywhere, unless the settings give another one."""

PROJECT = "project"
"""What a person calls the scope of the project that they stand in."""

MEMORY = "MEMORY.md"
CHECKLIST = "SCRATCHPAD.md"
DAILY = "daily"
ARCHIVE = "archive"
"""The folder of a scope for what is past: kept and found, never delivered."""

REGISTRY = "ctxrepo.toml"
TAPES = "TAPE"
CONFLICTS = "conflicts"
INBOX = "inbox"
BOOKKEEPING = ".ctx"
EVIDENCE = f"{BOOKKEEPING}/evidence"

RESERVED = frozenset({GLOBAL, TAPES.casefold(), INBOX, CONFLICTS, ARCHIVE, BOOKKEEPING, ".git"})
"""What no project's folder may be called, whatever its case."""

OLD_TAPE = "__anchors.jsonl"
"""How pi-memory-md's tape of a project ends, which isn't a folder."""


def tapes_of(folder: str) -> str:
    """The folder with the tapes of a scope."""
    return f"{TAPES}/{folder}"


def pi_tape(folder: str) -> str:
    """The file in which pi-memory-md keeps the anchors of a project."""
    return f"{TAPES}/{folder}{OLD_TAPE}"


def tape_archive(folder: str) -> str:
    """The folder with what `tape reset` took off the tape of a scope."""
    return f"{tapes_of(folder)}/{ARCHIVE}"


def tape_folder(path: str) -> str:
    """The scope folder whose tape the file at `path` is, '' when it is no tape, or an archived one."""
    top, _, rest = path.partition("/")
    if top != TAPES or not rest.endswith(".jsonl") or is_archived(rest):
        return ""
    return rest.partition("/")[0] if "/" in rest else rest.removesuffix(OLD_TAPE)


def archived_tape_folder(path: str) -> str:
    """The scope folder off whose tape the anchors in the file at `path` were taken, '' for other files."""
    top, _, rest = path.partition("/")
    return rest.partition("/")[0] if top == TAPES and is_archived(rest) else ""


def scope_of(path: str) -> str:
    """The name that no other project's folder may have while there is a file at `path`."""
    return path.removeprefix(f"{TAPES}/").split("/")[0].removesuffix(OLD_TAPE)


def moved_path(path: str, old: str, new: str) -> str:
    """Where a file of the project in the folder `old` is when it is in `new`; '' for what is not its own.

    Its own are its folder, its tapes, and the tape that pi-memory-md keeps for it.
    """
    if path == pi_tape(old):
        return pi_tape(new)
    before = next((b for b in (f"{old}/", f"{tapes_of(old)}/") if path.startswith(b)), "")
    return before[: -len(old) - 1] + new + "/" + path.removeprefix(before) if before else ""


def archived(path: str) -> str:
    """Where the note at `path` is once it is in the archive of its scope."""
    folder, _, rest = path.partition("/")
    return f"{folder}/{ARCHIVE}/{rest}"


def is_archived(path: str) -> bool:
    """Whether the note at `path` is in the archive of its scope."""
    return path.partition("/")[2].startswith(f"{ARCHIVE}/")


def is_conflict_copy(path: str) -> bool:
    """Whether the file at `path` is a version that lost a merge."""
    return path.startswith(f"{CONFLICTS}/")


def is_evidence(path: str) -> bool:
    return path.startswith(f"{EVIDENCE}/")


def is_aside(path: str) -> bool:
    """Whether the note is kept, but neither listed nor recalled."""
    folders = path.split("/")[:-1]
    is_hidden = any(folder.startswith(".") for folder in folders) or folders[:1] == [TAPES]
    return not folders or is_hidden or not {ARCHIVE, CONFLICTS, INBOX}.isdisjoint(folders[:2])
