"""What else can be put into a git folder: links, pipes and lies in the place of git's files."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

from attacks.carriers import Env, Poison

SECRET = "what is outside is nobody's business, 8080"

PIPES = (
    "config", "config.worktree", "commondir", "gitdir", "HEAD", "ORIG_HEAD", "FETCH_HEAD", "MERGE_HEAD",
    "index", "packed-refs", "shallow", "refs/heads/main", "refs/remotes/origin/main", "refs/ctxrepo/wt",
    "logs/HEAD", "logs/refs/heads/main", "info/sparse-checkout", "info/exclude", "info/attributes",
    "info/grafts", "objects/info/alternates", "objects/info/commit-graph",
    "objects/info/commit-graphs/commit-graph-chain",
    "objects/pack/multi-pack-index", "objects/pack/pack-1.idx", "objects/info/packs", "ctxrepo/id", "gc.pid",
    "gc.log", "description", "worktrees/w/gitdir", "COMMIT_EDITMSG", "refs/stash", "refs/replace/1", "hooks",
)  # fmt: skip
"""Files of a git folder in whose place a pipe can lie to which nobody writes."""

LINKS = (
    "HEAD", "index", "packed-refs", "refs/heads/main", "refs/remotes/origin/main", "refs/ctxrepo/wt",
    "logs/HEAD", "logs/refs/heads/main", "FETCH_HEAD", "ORIG_HEAD", "info/sparse-checkout", "info/attributes",
    "info/exclude", "ctxrepo/id", "gc.pid", "shallow", "config", "COMMIT_EDITMSG", "objects/info/alternates",
)  # fmt: skip
"""Files in whose place a link can lie that leads outside: nothing of it is told, nothing written there."""

FOLDERS = (
    "objects",
    "refs",
    "refs/heads",
    "logs",
    "info",
    "ctxrepo",
    "ctxrepo/scratch",
    "objects/pack",
    "hooks",
)
"""Folders that can lie elsewhere, behind a link."""

GARBAGE = (
    "config", "HEAD", "packed-refs", "index", "shallow", "commondir", "info/sparse-checkout", "ctxrepo/id",
    "objects/info/commit-graph", "objects/pack/multi-pack-index", "refs/heads/main", "logs/HEAD",
    "config.worktree", "sharedindex.0000000000000000000000000000000000000000",
)  # fmt: skip

Cousin = Callable[[Path, Poison], Env]


def _pipe(name: str) -> Cousin:
    def put(top: Path, poison: Poison) -> Env:
        os.mkfifo(_gone(top / ".git" / name))
        return {}

    return put


def _link(name: str) -> Cousin:
    def put(top: Path, poison: Poison) -> Env:
        _gone(top / ".git" / name).symlink_to(outside(poison) / "file")
        return {}

    return put


def _folder(name: str) -> Cousin:
    def put(top: Path, poison: Poison) -> Env:
        folder = top / ".git" / name
        folder.mkdir(parents=True, exist_ok=True)
        there = poison.aside / "elsewhere"
        folder.rename(there)
        folder.symlink_to(there)
        return {}

    return put


def _garbage(name: str) -> Cousin:
    def put(top: Path, poison: Poison) -> Env:
        _gone(top / ".git" / name).write_bytes(b"\0\xff[core\nref: ../../../outside\n" * 20)
        return {}

    return put


def outside(poison: Poison) -> Path:
    """A folder with a file that is nobody's business."""
    folder = poison.aside / "outside"
    folder.mkdir(exist_ok=True)
    (folder / "file").write_text(f"{SECRET}\n")
    return folder


def _gone(file: Path) -> Path:
    """The place of a file, where nothing is any more."""
    file.parent.mkdir(parents=True, exist_ok=True)
    if file.is_dir() and not file.is_symlink():
        shutil.rmtree(file)
    file.unlink(missing_ok=True)
    return file


def head_leads_out(top: Path, poison: Poison) -> Env:
    outside(poison)
    (top / ".git" / "HEAD").write_text("ref: refs/heads/../../../../aside/outside/file\n")
    return {}


def objects_are_pipes(top: Path, poison: Poison) -> Env:
    """The commit that the branch is at can't be read, and reading it would last for ever."""
    git = top / ".git"
    oid = _asked(top, "rev-parse", "HEAD")
    file = git / "objects" / oid[:2] / oid[2:]
    if file.exists():
        file.unlink()
        os.mkfifo(file)
    return {}


def a_commit_replaced(top: Path, poison: Poison) -> Env:
    """`refs/replace`: git shows another commit in the place of the branch's own."""
    tip, other = _asked(top, "rev-parse", "HEAD"), _asked(top, "rev-list", "--max-parents=0", "HEAD")
    _gone(top / ".git" / "refs" / "replace" / tip).write_text(f"{other}\n")
    return {}


def a_graft(top: Path, poison: Poison) -> Env:
    (top / ".git" / "info").mkdir(exist_ok=True)
    (top / ".git" / "info" / "grafts").write_text(f"{_asked(top, 'rev-parse', 'HEAD')}\n")
    return {}


def a_shared_index(top: Path, poison: Poison) -> Env:
    """An index split in two, whose other half is a pipe."""
    _asked(top, "update-index", "--split-index")
    for file in (top / ".git").glob("sharedindex.*"):
        os.mkfifo(_gone(file))
    return {}


def _asked(top: Path, *words: str) -> str:
    return subprocess.run(["git", *words], cwd=top, capture_output=True, text=True, check=True).stdout.strip()


COUSINS: dict[str, Cousin] = {
    **{f"a pipe as {name}": _pipe(name) for name in PIPES},
    **{f"a link as {name}": _link(name) for name in LINKS},
    **{f"{name} elsewhere": _folder(name) for name in FOLDERS},
    **{f"garbage in {name}": _garbage(name) for name in GARBAGE},
    "HEAD leads out": head_leads_out,
    "objects are pipes": objects_are_pipes,
    "a commit replaced": a_commit_replaced,
    "a graft": a_graft,
    "a shared index": a_shared_index,
}
