"""What a clone's own configuration can say without harm, and the keys and attributes in it that are ours."""

from __future__ import annotations

import os
import re
import shlex
import sys

from ctxrepo.lazy import lazy_pattern

# Anything else could run a program or send the memory elsewhere when a person runs their own git there:
# ours read none of it.
_ALLOWED = lazy_pattern(
    r"""
      core\.(repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks
            |sparsecheckout|sparsecheckoutcone|untrackedcache)
    | index\..+
    | extensions\.(worktreeconfig|partialclone|objectformat|refstorage)  # see require_our_format
    | remote\.[^/:\\]+\.(url|pushurl|fetch|promisor|partialclonefilter|prune|tagopt|gh-resolved)
    | branch\..+\.(remote|merge|description|rebase|pushremote|[\w-]*merge-base[\w-]*)
    | pull\.(rebase|ff)
    | push\.(default|autosetupremote|followtags|gpgsign|useforceifincludes)
    | gc\.(?!recentobjectshook).+
    | maintenance\..+
    | user\.(name|email|signingkey)
    | commit\.gpgsign
    | gpg\.(format|ssh\.allowedsignersfile)
    | ctxrepo\..+
    """,
    re.VERBOSE | re.IGNORECASE,
)
_ALLOWED_VALUES = {"core.autocrlf": "false", "core.hookspath": os.devnull}

MERGE_NAME = "notes entry by entry, by ctxrepo"
"""What git calls our merge driver."""

PUSH = "remote.origin.push"
"""Where a plain `git push` sends what."""

_PARKED = lazy_pattern(r"\+refs/heads/[^:*]+:refs/ctxrepo/parked/[\w.-]+")

ATTRIBUTES = ("*.md merge=ctxrepo", "*.jsonl merge=ctxrepo", "ctxrepo.toml merge=ctxrepo")
"""By which files git asks our merge driver, line by line."""


def merge_driver(interpreter: str) -> str:
    """The line by which git starts our merge driver: a shell reads it, after git has read its percent signs.

    Isolated, because whoever can set PYTHONPATH could otherwise run anything at the next merge.
    """
    return f"{shlex.quote(interpreter).replace('%', '%%')} -I -m ctxrepo _merge %O %A %B %P"


def parking(branch: str, host: str) -> str:
    """The refspec by which a plain `git push` of the shared branch goes to a ref of this machine's own.

    Nobody reads that ref: our sync sends the branch itself, for review. The plus sign is needed because the
    branch goes on from elsewhere when a review ends.
    """
    return f"+refs/heads/{branch}:refs/ctxrepo/parked/{host}"


def is_parking(refspec: str) -> bool:
    """Whether we could have written this refspec, for whatever branch and machine."""
    return bool(_PARKED.fullmatch(refspec))


def is_allowed(key: str, value: str) -> bool:
    """Whether the clone's own configuration can give `key` this value without harm."""
    ours = {"merge.ctxrepo.name": MERGE_NAME, "merge.ctxrepo.driver": merge_driver(sys.executable)}
    wanted = (_ALLOWED_VALUES | ours).get(key.lower())
    if wanted is not None:
        return value == wanted
    if re.fullmatch(r"(?i)branch\..+\.(push)?remote", key) and re.search(r"[/:\\]", value):
        return False  # an address where the name of a remote belongs
    return is_parking(value) if key.lower() == PUSH else bool(_ALLOWED.fullmatch(key))
