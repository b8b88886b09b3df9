"""Whose a clone is: nobody else may change it under our hands."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from pathlib import Path

from ctxrepo.errors import RepositoryState

_TIMEOUT = 10.0


def require_owner(root: Path, env: Mapping[str, str]) -> None:
    """RepositoryState for a clone that is another user's, who could change it under our hands; root's pass.

    As with git, `safe.directory` of the user's own configuration lets it pass.
    """
    for path in (root, root / ".git"):
        owner = path.lstat().st_uid
        if owner in (os.geteuid(), 0):
            continue
        from ctxrepo.storage.git.git import nowhere  # only here is git asked

        answer = nowhere(env).run("config", "--null", "--get-all", "safe.directory", timeout=_TIMEOUT)
        if not {"*", str(root), str(root / ".git")} & set(answer.out.split("\0")):
            trust = f"`git config --global --add safe.directory {shlex.quote(str(root))}`"
            raise RepositoryState(
                f"{path} belongs to another user (id {owner})", f"Make it yours, or trust it: {trust}."
            )
