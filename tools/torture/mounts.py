"""File systems that are full, read-only or odd, mounted for the length of a test."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path

from needs import unless
from sessions import eventually


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
    words = ["mount", "-o", "remount,ro,bind", str(folder)]
    with mounted(folder, "--bind", str(folder)):
        # A worker that is about to end may still have a file open for writing.
        eventually(lambda: subprocess.run(words, capture_output=True).returncode == 0, 20)
        yield


@contextmanager
def sandbox(home: Path, aside: Path, *writable: Path) -> Iterator[None]:
    """As agents' sandboxes show a home: read-only, but for the folders `writable` in it. `aside` is a folder
    outside of it, for us."""
    with ExitStack() as mounts:
        for number, folder in enumerate(writable):  # seen from outside, for a mount takes on what it lies in
            mounts.enter_context(mounted(aside / str(number), "--bind", str(folder)))
        mounts.enter_context(read_only(home))
        for number, folder in enumerate(writable):
            mounts.enter_context(mounted(folder, "--bind", str(aside / str(number))))
        yield


@cache
def why_no_mount() -> str:
    """What keeps us from mounting a file system of our own, '' where nothing does."""
    if os.getuid() != 0:
        return "only root may mount: run the tests as root"
    with tempfile.TemporaryDirectory() as folder:
        try:
            with mounted(Path(folder), "-t", "tmpfs", "tmpfs"):
                return ""
        except (OSError, subprocess.CalledProcessError) as error:
            return f"root may not mount here, as in a container without CAP_SYS_ADMIN ({error})"


def why_no_filesystem(name: str) -> str:
    """Why the kernel of this machine mounts no file system of this kind; '' where it does."""
    known = Path("/proc/filesystems").read_text().split()
    loads = ["modprobe", "--quiet", "--dry-run", name]
    if name in known or (shutil.which(loads[0]) and subprocess.run(loads).returncode == 0):
        return ""
    return f"the kernel of this machine knows no {name}"


needs_mount = unless(why_no_mount())

_NETWORK = frozenset({"nfs", "nfs4", "cifs", "smb3", "9p"})


@cache
def network_folder() -> Path | None:
    """A folder on another machine's disk that may be written to, if one is mounted."""
    mounts = Path("/proc/mounts")
    lines = mounts.read_text("utf-8", "replace").splitlines() if mounts.exists() else []
    folders = (Path(words[1]) for line in lines if (words := line.split())[2] in _NETWORK)
    return next((folder for folder in folders if os.access(folder, os.W_OK)), None)


@contextmanager
def disk_of_another_kind(folder: Path) -> Iterator[Path]:
    """A folder on another machine's disk where one is mounted, else `folder` on one that is in memory."""
    if away := network_folder():
        with tempfile.TemporaryDirectory(dir=away) as made:
            yield Path(made)
    else:
        with mounted(folder, "-t", "tmpfs", "tmpfs"):
            yield folder
