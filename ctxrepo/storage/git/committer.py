"""Who commits and how it is signed, as the user's own git configuration says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ctxrepo.errors import GitFailed
from ctxrepo.lazy import dataclass
from ctxrepo.storage.git.git import Git

_WHO = ("user.name", "user.email")
_NONE_FITS = 1
"""How `git config` ends when no key is what it was asked for."""


@dataclass(frozen=True)
class Committer:
    """Who commits ('' for both where one is missing), and whether it is signed."""

    name: str
    email: str
    signs: bool


def find_committer(git: Git, own: Mapping[str, str]) -> Committer:
    """Who commits, by `own`, the clone's configuration, where it says that; signing is up to the user's
    and the system's. GitFailed without an answer of git's: that would be a commit by nobody, unsigned."""
    words = ("config", "--null", "--get-regexp", r"^(user\.(name|email)|commit\.gpgsign)$")
    answer = git.run(*words, timeout=10)
    if answer.code not in (0, _NONE_FITS):
        raise GitFailed(
            f"git can't tell who commits: {answer.reason}",
            "Try `git config --list`; what was written is kept and committed then.",
        )
    items = answer.out.split("\0")
    values = {key: value.strip() for item in items for key, _, value in [item.partition("\n")] if key}
    values |= {key: value.strip() for key, value in own.items() if key in _WHO and value.strip()}
    name, email = (values.get(key, "") for key in _WHO)
    signs = values.get("commit.gpgsign", "false").lower() in ("", "true", "yes", "on", "1")
    return Committer(name, email, signs) if name and email else Committer("", "", signs)


def signed_commit(git: Git, tree: str, parents: Sequence[str], message: str, who: Committer) -> str:
    """A commit object signed as the user's git is set up to; GitFailed when the key can't be used."""
    words = [word for parent in parents for word in ("-p", parent)]
    named = [
        word
        for key, value in (("user.name", who.name), ("user.email", who.email))
        for word in ("-c", f"{key}={value}")
        if value
    ]
    command = (*named, "commit-tree", "-S", *words, "-F", "-", tree)
    answer = git.run(*command, timeout=20, stdin=message.encode())
    if not answer.ok:
        raise GitFailed(
            f"the commit could not be signed: {answer.reason}",
            "Unlock the signing key; what was written is kept and committed then.",
        )
    return answer.out.strip()


def own_setting(git: Git, key: str) -> str:
    """The value of a key in the user's own configuration, or else the system's, never in a clone's; ''
    where neither has it, or git can't tell."""
    for file in ("--global", "--system"):
        answer = git.run("config", file, "--includes", "--get", key, timeout=10)
        if answer.ok and answer.out.strip():
            return answer.out.strip()
    return ""
