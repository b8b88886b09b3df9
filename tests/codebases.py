"""Codebases: real repositories of code in which files come, go and change, a commit at a time."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from repositories import make_checkout

from ctxrepo.storage.code.tree import CodeTree

DAY = 86_400
START = 1_788_220_800
"""A day before the first commit of each; each later one is a day after the one before. 2026-09-01."""


class Codebase:
    """A checkout at `top` whose commits are `days` apart."""

    def __init__(self, top: Path) -> None:
        self.top = top if (top / ".git").exists() else make_checkout(top)
        self.count = 0

    def git(self, *words: str) -> str:
        at = f"{START + self.count * DAY} +0000"
        env = {**os.environ, "GIT_AUTHOR_DATE": at, "GIT_COMMITTER_DATE": at}
        run = subprocess.run(
            ["git", *words], cwd=self.top, capture_output=True, text=True, check=True, env=env
        )
        return run.stdout.strip()

    def commit(self, files: Mapping[str, str | None] = {}, *, moved: Mapping[str, str] = {}) -> str:
        """Write these files (None removes one), move others, and commit; returns the commit's id."""
        for old, new in moved.items():
            (self.top / new).parent.mkdir(parents=True, exist_ok=True)
            self.git("mv", old, new)
        for path, text in files.items():
            file = self.top / path
            if text is None:
                file.unlink()
            else:
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text)
        self.git("add", "-A")
        self.count += 1
        self.git("commit", "-q", "--allow-empty", "-m", f"commit {self.count}")
        return self.git("rev-parse", "HEAD")

    @property
    def now(self) -> float:
        """The moment of the last commit."""
        return START + self.count * DAY

    def day(self, back: int = 0) -> str:
        """The day of the last commit, or of one before it, as git writes it."""
        return self.git("log", "-1", "--format=%cs", f"HEAD~{back}")

    def tree(self) -> CodeTree:
        tree = CodeTree.open(self.top, dict(os.environ))
        assert tree is not None
        return tree
