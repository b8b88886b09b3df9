"""Ids as git gives them."""

from __future__ import annotations

import subprocess
from pathlib import Path

from ctxrepo.domain.git.oid import EMPTY_BLOB, EMPTY_TREE, blob_id, tree_id

FILES = {"a.md": b"- one\n", "a-b.md": b"", "Größe.md": b"\xff\0"}


def test_bytes_and_folders_have_the_ids_that_git_gives_them(tmp_path: Path) -> None:
    def git(*words: str) -> str:
        return subprocess.run(
            ["git", *words], cwd=root, check=True, capture_output=True, text=True
        ).stdout.strip()

    root = tmp_path / "memory"
    for folder in (root, root / "a"):  # which git sorts behind a.md, as if it were called a/
        folder.mkdir(exist_ok=True)
        for name, data in FILES.items():
            (folder / name).write_bytes(data)
    git("init", "-q")
    git("add", "-A")
    files = {name: blob_id(data) for name, data in FILES.items()}
    assert files["a.md"] == git("rev-parse", ":a.md")
    assert EMPTY_TREE == tree_id({}, {}) == git("mktree")
    assert EMPTY_BLOB == blob_id(b"") == files["a-b.md"]
    assert tree_id(files, {"a": tree_id(files, {})}) == git("write-tree")
