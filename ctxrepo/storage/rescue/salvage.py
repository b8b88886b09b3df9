"""Objects brought back after their files were spoiled: from a broken pack, from the user's index."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from pathlib import Path

from ctxrepo.storage.clone.broken import Broken
from ctxrepo.storage.disk.durable import sync_folder
from ctxrepo.storage.git.git import Git
from ctxrepo.storage.objects.objectfiles import packs_without_index, spoiled_objects

_TIMEOUT = 120.0
"""Seconds for one git process that goes through a whole pack."""


def clear_spoiled(git_dir: Path, git: Git, broken: Broken) -> int:
    """Move aside every object file that can't be read, keeping what is readable in it; returns how many."""
    moved = 0
    for path, _ in list(spoiled_objects(git_dir)):
        there = broken.take(path)
        moved += there is not None
        if path.suffix == ".pack":
            for other in path.parent.glob(f"{path.stem}.*"):
                broken.take(other)
            if there is not None and there.is_file():
                _unpack(git, there)
    for pack in packs_without_index(git_dir):
        # git takes a pack it can't find the index of for none at all.
        git.run("index-pack", str(pack), timeout=_TIMEOUT)
    return moved


def take_graphs(git_dir: Path, broken: Broken) -> None:
    """Move aside what git has written down of the history: it may tell of commits that are gone."""
    info = git_dir / "objects" / "info"
    for path in (info / "commit-graph", *info.glob("commit-graphs/*")):
        broken.take(path)


def store_index(git_dir: Path, git: Git) -> None:
    """Write the folders that the user's index knows as trees: after a commit they are the commit's own."""
    copy = (
        git_dir / "ctxrepo" / "index-to-read"
    )  # git would write into the index itself, or make an empty one
    with suppress(FileNotFoundError):
        shutil.copy2(git_dir / "index", copy)
        git.run("write-tree", "--missing-ok", timeout=_TIMEOUT, index=copy)
        copy.unlink()


def adopt_packs(git_dir: Path, other: Path) -> None:
    """Move the packs of another repository on this disk here, each index last: with it the pack counts."""
    there = git_dir / "objects" / "pack"
    there.mkdir(parents=True, exist_ok=True)
    for file in sorted((other / "objects" / "pack").glob("pack-*"), key=lambda p: p.suffix == ".idx"):
        file.rename(there / file.name)
    sync_folder(there)
    shutil.rmtree(other, ignore_errors=True)


def _unpack(git: Git, pack: Path) -> None:
    """Store what can be read of a broken pack; one sync of the disk instead of one for each object."""
    words = ("-c", "core.fsync=none", "unpack-objects", "-r", "-q")
    git.run(*words, timeout=_TIMEOUT, stdin=pack.read_bytes())
    os.sync()
