"""A file that a person named for a result: written whole, or left as it was."""

from __future__ import annotations

import os
from pathlib import Path

from ctxrepo.errors import UsageError
from ctxrepo.storage.disk.random_names import random_name


def require_place(file: Path) -> None:
    """UsageError if no file can be written there, before the work is done whose result it is for."""
    if file.is_dir():
        raise UsageError(f"{file} is a folder", "Name a file.")
    if not file.parent.is_dir():
        raise UsageError(f"there is no folder {file.parent}", "Make it, or name another place.")


def write_whole(file: Path, data: bytes) -> None:
    """Put `data` into the file in one step; what is not a regular file, as /dev/stdout, is written to."""
    if file.exists() and not file.is_file():
        file.write_bytes(data)
        return
    target = Path(os.path.realpath(file))
    fresh = target.with_name(f".{target.name[:200]}.{random_name(4)}")
    try:
        fresh.write_bytes(data)
        if target.exists():
            fresh.chmod(target.stat().st_mode & 0o777)
        fresh.replace(target)
    except BaseException:
        fresh.unlink(missing_ok=True)
        raise
