"""What stands at a path, in words: where git has files and folders of its own, there may be anything else."""

import os
import shlex
import stat
from collections.abc import Iterator
from pathlib import Path

from ctxrepo.errors import Damaged, RepositoryState
from ctxrepo.lazy import dataclass

_KINDS = {
    stat.S_IFREG: "a file",
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}

_FOLDERS = ("objects", "objects/pack", "refs", "logs", "info")
"""What must be folders of the clone's own in its git folder, where they are there at all."""


@dataclass(frozen=True)
class Misplaced:
    """What stands where git has a file or folder (`belongs`) and is `kind` instead."""

    path: Path
    kind: str
    belongs: str = "a folder of its own"

    @property
    def words(self) -> str:
        return f"{self.path} is {self.kind}, where {self.belongs} belongs"

    @property
    def way_out(self) -> str:
        """What a person does about it; nothing is lost by that."""
        path, copy, link = (shlex.quote(f"{self.path}{end}") for end in ("", ".copy", ".link"))
        if self.kind == "a link to a folder":
            steps = f"cp -a {path}/. {copy} && mv {path} {link} && mv {copy} {path}"
            return f"If it is yours, `{steps}` puts what it leads to in its place."
        return f"`ls -l {path}` tells more; ctxrepo goes on once the folder is there again."

    @property
    def is_for_a_person(self) -> bool:
        """Whether it leads, once a disk is back, to what is nowhere else: a person decides about it."""
        return self.belongs != "a file" and self.kind.startswith("a link")


def kind_of(path: Path) -> str:
    """What is there: 'a file', 'a pipe', 'a link to a folder', … '' where nothing is."""
    try:
        mode = path.lstat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return ""
    if not stat.S_ISLNK(mode):
        return _KINDS.get(stat.S_IFMT(mode), "something else")
    try:
        return f"a link to {_KINDS.get(stat.S_IFMT(path.stat().st_mode), 'something else')}"
    except OSError:
        return "a link to nothing"


def may_be_read(path: Path) -> bool:
    """Whether there is a file, so that reading ends, or nothing."""
    return kind_of(path) in ("", "a file", "a link to a file")


def misplaced(git_dir: Path) -> Iterator[Misplaced]:
    """What git and libgit2 would follow elsewhere, or wait at for ever, as soon as they are started: what
    is written to a folder that is a link would land in somebody else's place."""
    for name in _FOLDERS:
        if (kind := kind_of(git_dir / name)) not in ("", "a folder"):
            yield Misplaced(git_dir / name, kind)
    for entry in _entries(git_dir / "objects"):
        if len(entry.name) == 2 and not entry.is_dir(follow_symlinks=False):
            yield Misplaced(Path(entry.path), kind_of(Path(entry.path)))
    for entry in _entries(git_dir / "objects" / "pack"):  # they open all of it, whatever it is called
        if not (entry.is_file() or entry.is_dir()):
            yield Misplaced(Path(entry.path), kind_of(Path(entry.path)), "a file")


def require_in_place(root: Path) -> None:
    """RepositoryState where the git folder of a clone, or one in it, is a link that only a person can judge;
    Damaged where something else stands in its place."""
    git_dir = root / ".git"
    misplacements = [Misplaced(git_dir, kind)] if (kind := kind_of(git_dir)) not in ("", "a folder") else []
    for misplacement in misplacements or misplaced(git_dir):
        if misplacement.is_for_a_person or misplacement.path == git_dir:
            raise RepositoryState(misplacement.words, misplacement.way_out)
        raise Damaged(misplacement.words)


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    """What is in a folder of its own; of one that is a link nothing."""
    try:
        if folder.is_symlink():
            return []
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError:  # there is none
        return []
