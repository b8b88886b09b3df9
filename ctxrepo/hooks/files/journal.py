"""The journal's files: one for each operation, which appears whole or not at all, and without any lock.

A name is `NUMBER-NANOSECONDS-PROCESS-SIZE`. The number is higher than that of any operation that waits, so
the order of the names is the order of the operations even where a clock goes back.
"""

import os
import time

from ctxrepo.hooks.files.private import OPENING, ensure_private_folder

HOOKS_BYTES = 128 * 1024 * 1024
"""What hooks may fill of the journal: the rest is for commands, which acknowledge."""

_FULL = 28
"""The error of a full disk."""


def add(folder: str, data: bytes, most: int = 0) -> str:
    """Put the bytes of an operation into the journal; when this returns, they survive a power cut.

    Returns the file's name. OSError where that can't be done, or where more than `most` bytes (0: any number)
    would wait: then no file is left.
    """
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


def names_in(folder: str) -> list[str]:
    """The names of the operations that wait, oldest first; none where the folder can't be listed."""
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
