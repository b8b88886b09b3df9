"""Who commits and how it is signed, as the user's own git configuration says."""

from collections.abc import Mapping, Sequence

from ctxrepo.domain.text import blake2b
from ctxrepo.errors import UNLOCK, Uncommitted
from ctxrepo.lazy import dataclass
from ctxrepo.storage.git.git import Git

SIGN_SECONDS = 8.0
"""Seconds for a signer, which may wait for a passphrase that nobody types, or for a token to be touched."""

_WHO = ("user.name", "user.email")
_NONE_FITS = 1
"""How `git config` ends when no key is what it was asked for."""


@dataclass(frozen=True)
class Committer:
    """Who commits ('' for both where one is missing), and whether it is signed."""

    name: str
    email: str
    signs: bool
    means: str = ""
    """A digest of all that git is told about signing: with other words another try may go well."""


def find_committer(git: Git, own: Mapping[str, str]) -> Committer:
    """Who commits, by `own`, the clone's configuration, where it says that; signing is up to the user's
    and the system's. GitFailed without an answer of git's: that would be a commit by nobody, unsigned."""
    words = ("config", "--null", "--get-regexp", r"^(user\..*|commit\.gpgsign|gpg\..*)$")
    answer = git.run(*words, timeout=10)
    if answer.code not in (0, _NONE_FITS):
        raise Uncommitted(
            f"git can't tell who commits: {answer.reason}",
            "Try `git config --list`; what was written is kept and committed then.",
        )
    items = answer.out.split("\0")
    values = {key: value.strip() for item in items for key, _, value in [item.partition("\n")] if key}
    values |= {key: value.strip() for key, value in own.items() if key in _WHO and value.strip()}
    name, email = (values.get(key, "") for key in _WHO)
    signs = values.get("commit.gpgsign", "false").lower() in ("", "true", "yes", "on", "1")
    means = blake2b(answer.out.encode("utf-8", "replace"), digest_size=8).hexdigest() if signs else ""
    return Committer(name, email, signs, means) if name and email else Committer("", "", signs, means)


def signed_commit(git: Git, tree: str, parents: Sequence[str], message: str, who: Committer) -> str:
    """A commit object signed as the user's git is set up to; Uncommitted when the key can't be used."""
    words = [word for parent in parents for word in ("-p", parent)]
    identity = [
        word
        for key, value in (("user.name", who.name), ("user.email", who.email))
        for word in ("-c", f"{key}={value}")
        if value
    ]
    command = (*identity, "commit-tree", "-S", *words, "-F", "-", tree)
    answer = git.run(*command, timeout=SIGN_SECONDS, stdin=message.encode())
    if not answer.ok:
        raise Uncommitted(f"the commit could not be signed: {answer.reason}", UNLOCK)
    return answer.out.strip()


def own_setting(git: Git, key: str) -> str:
    """The value of a key in the user's own configuration, or else the system's, never in a clone's; ''
    where neither has it, or git can't tell."""
    for file in ("--global", "--system"):
        answer = git.run("config", file, "--includes", "--get", key, timeout=10)
        if answer.ok and answer.out.strip():
            return answer.out.strip()
    return ""
