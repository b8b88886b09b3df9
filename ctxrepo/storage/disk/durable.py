"""What a power cut must not take back is on the disk before anything counts on it."""

from __future__ import annotations

import os
from pathlib import Path

MANY = 32
"""From so many files on, one sync of everything is cheaper than one fsync a file."""


def sync_folder(folder: Path) -> None:
    """A file that was made or renamed is only safe from a power cut once its folder is on disk."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
