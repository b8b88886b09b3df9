"""The git directory of ours for a repository that a test has made."""

from __future__ import annotations

from pathlib import Path

from ctxrepo.storage.clone.clone import Clone
from ctxrepo.storage.isolated.owngit import OwnGit


def own_of(root: Path, url: str = "", branch: str = "main") -> OwnGit:
    return OwnGit(root.with_name(f"{root.name}-own"), Clone(root, branch), url)
