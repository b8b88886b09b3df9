"""Whether ctxrepo may work in a clone at all: whose it is, and in which of git's formats (ADR 65)."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from pathlib import Path

from ctxrepo.errors import RepositoryState
from ctxrepo.lazy import lazy_pattern
from ctxrepo.storage.clone.reffiles import text_of

_TIMEOUT = 10.0

_FORMATS = lazy_pattern(
    r'(?im)^[ \t]*(?:\[extensions\][ \t]*)?(objectformat|refstorage)[ \t]*=[ \t]*"?([^\s"#;]*)'
)
_OURS = {"objectformat": "sha1", "refstorage": "files"}
"""What we read and write: ids of 40 digits, and each ref a file. A clone that sets neither key has both."""


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


def foreign_format(git_dir: Path) -> str:
    """The format of a git folder that we can't use, such as `SHA-256` or `reftable`; '' for none."""
    formats = {key.lower(): value.lower() for key, value in _FORMATS.findall(text_of(git_dir / "config"))}
    foreign = next((value for key, value in sorted(formats.items()) if value != _OURS[key]), "")
    return "SHA-256" if foreign == "sha256" else foreign[:40]


def require_our_format(root: Path) -> None:
    """RepositoryState for a clone of SHA-256, or one whose refs are not files: what we would write into it is
    no part of it, and git would call the clone broken."""
    if not (name := foreign_format(root / ".git")):
        return
    place = shlex.quote(str(root))
    if name == "SHA-256":
        convert = (
            f"`git init --object-format=sha1 NEW` makes one, and `git -C {place} fast-export --all | "
            "git -C NEW fast-import` brings the history; put NEW in its place."
        )
    else:
        convert = (
            f"`git -C {place} refs migrate --ref-format=files` converts it; git 2.46 or newer does that."
        )
    raise RepositoryState(
        f"{root} is a {name} repository, and ctxrepo works with SHA-1 and refs in files only", convert
    )
