"""Reads small regular files whole: a pipe may never end, and a large file isn't one that we look for."""

import os

_KIND, _REGULAR = 0o170000, 0o100000


def bytes_of(path: str, most: int, follow: bool = False) -> bytes | None:
    """The bytes of the file at `path`; None when it can't be read, has more than `most`, or is no
    regular file. A link is none either, unless `follow` is set.
    """
    try:
        file = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | (0 if follow else os.O_NOFOLLOW))
    except (OSError, ValueError):
        return None
    try:
        status = os.fstat(file)
        if status.st_mode & _KIND != _REGULAR or status.st_size > most:
            return None
        data = os.read(file, most + 1)
    except OSError:
        return None
    finally:
        os.close(file)
    return data if len(data) <= most else None
