"""File systems that are full, read-only or odd, mounted for the length of a test."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest


@contextmanager
def mounted(folder: Path, *words: str) -> Iterator[Path]:
    """`mount WORDS folder`, taken away again whoever is still in it."""
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(["mount", *words, str(folder)], check=True, capture_output=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


@contextmanager
def read_only(folder: Path) -> Iterator[None]:
    with mounted(folder, "--bind", str(folder)):
        subprocess.run(["mount", "-o", "remount,ro,bind", str(folder)], check=True)
        yield


@cache
def can_mount() -> bool:
    with tempfile.TemporaryDirectory() as folder:
        try:
            with mounted(Path(folder), "-t", "tmpfs", "tmpfs"):
                return True
        except (OSError, subprocess.CalledProcessError):
            return False


needs_mount = pytest.mark.skipif(
    os.getuid() != 0 or not can_mount(),
    reason="only root may mount, so full and read-only disks are not tried here",
)

_NETWORK = frozenset({"nfs", "nfs4", "cifs", "smb3", "9p"})


@cache
def network_folder() -> Path | None:
    """A folder on another machine's disk that may be written to, if one is mounted."""
    mounts = Path("/proc/mounts")
    lines = mounts.read_text("utf-8", "replace").splitlines() if mounts.exists() else []
    folders = (Path(words[1]) for line in lines if (words := line.split())[2] in _NETWORK)
    return next((folder for folder in folders if os.access(folder, os.W_OK)), None)


needs_network_folder = pytest.mark.skipif(
    network_folder() is None,
    reason="no NFS, SMB or 9p is mounted for writing here, so what a lock is worth on one is not tried",
)
