"""Conversations with the remote: fetch, push, clone. Bounded, without force, without a question asked."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ctxrepo.domain.remote import RemoteAnswer, classify
from ctxrepo.domain.secrets import scan
from ctxrepo.errors import UsageError
from ctxrepo.storage.clone import Clone
from ctxrepo.storage.git import Answer, Git, Progress, redact
from ctxrepo.storage.reflock import clear_stale_locks

_CLONE_SILENCE = 60.0
"""Seconds without a word after which a clone is given up."""


@dataclass(frozen=True)
class Remote:
    """The remote at `url`, as config.toml has it: the clone's own configuration can be written by agents.

    Nothing is said to it while that configuration holds foreign keys.
    """

    clone: Clone
    git: Git
    url: str
    timeout: float

    def look(self) -> RemoteAnswer:
        """Ask whether it is there and lets us in; nothing is brought or sent."""
        return self._say("ls-remote", "--quiet", self.url)

    def fetch(self, also: str = "") -> RemoteAnswer:
        """Bring the shared branch to its remote-tracking ref, and the branches below `also` to theirs."""
        answer = self._fetch(self.clone.branch)
        return self._fetch(f"{also}/*", "--prune") if answer.ok and also else answer

    def _fetch(self, branch: str, *how: str) -> RemoteAnswer:
        refspec = f"+refs/heads/{branch}:{self.clone.tracking_ref(branch)}"
        words = ("--quiet", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head", *how)
        answer = self._say("fetch", *words, self.url, refspec)
        if answer.outcome == "missing" and "couldn't find remote ref" in answer.reason:
            self.git.run("update-ref", "-d", self.clone.upstream_ref, timeout=self.timeout)
            return RemoteAnswer("ok", "the remote is empty")
        return answer

    def push(self, commit: str, branch: str = "") -> RemoteAnswer:
        """Offer `commit` as the shared branch, or another; the remote takes it only if it is ahead of what
        it has there."""
        words = ("--quiet", "--porcelain", "--no-verify")
        return self._say("push", *words, self.url, f"{commit}:refs/heads/{branch or self.clone.branch}")

    def has(self, commit: str) -> bool:
        """Whether a commit is there at all, on a branch or not."""
        probe = self.clone.git_dir / "ctxrepo" / "probe"
        shutil.rmtree(probe, ignore_errors=True)
        try:
            self.git.ask("init", "--quiet", "--bare", "--template=", str(probe))
            words = ("--git-dir", str(probe), "fetch", "--quiet", "--depth=1", "--filter=tree:0", "--no-tags")
            return self._say(*words, self.url, commit).ok
        finally:
            shutil.rmtree(probe, ignore_errors=True)

    def _say(self, *words: str) -> RemoteAnswer:
        if foreign := self.clone.foreign_keys(self.git):
            return RemoteAnswer(
                "guard", f"the clone's configuration sets {', '.join(foreign[:3])}, which could run a program"
            )
        clear_stale_locks(self.clone.git_dir, self.clone.upstream_ref, "packed-refs")
        return _answer(self.git.run(*words, timeout=self.timeout))


def clone(
    url: str, root: Path, env: Mapping[str, str], file_remote: bool, progress: Progress | None
) -> RemoteAnswer:
    """Clone `url` without checking anything out; `root` appears whole or not at all."""
    check_url(url)
    root.parent.mkdir(parents=True, exist_ok=True)
    building = root.with_name(f".{root.name}.cloning")
    shutil.rmtree(building, ignore_errors=True)
    git = Git(root.parent, env, file_remote=file_remote)
    shown = ("--progress",) if progress else ("--quiet",)
    words = ("--no-checkout", "--no-tags", "--no-local", "--origin=origin", *shown)
    try:
        answer = _answer(
            git.run("clone", *words, "--", url, str(building), timeout=_CLONE_SILENCE, progress=progress)
        )
        if answer.ok:
            if root.exists():
                root.rmdir()  # an empty folder was allowed; anything else fails here
            building.rename(root)
        return answer
    finally:
        shutil.rmtree(building, ignore_errors=True)


def check_url(url: str) -> None:
    """UsageError for a URL that could run a program or carries a password."""
    scheme, colon, rest = url.partition("://")
    if url.startswith("-") or "::" in url.split("/", 1)[0] or any(ord(c) < 32 for c in url):
        raise UsageError(f"{redact(url)[:60]!r} is not the address of a git repository")
    if colon and scheme.lower() not in ("https", "ssh", "file"):
        raise UsageError(f"{scheme}:// is not spoken here", "Use https, ssh or a path.")
    if (colon and ":" in rest.split("/", 1)[0].rpartition("@")[0]) or scan(url):
        raise UsageError(
            "the address carries a password or token", "Leave it out and let git's credential helper know it."
        )


def _answer(answer: Answer) -> RemoteAnswer:
    if answer.ok:
        return RemoteAnswer("ok")
    if answer.code is None:
        return RemoteAnswer("timeout", answer.reason)
    return RemoteAnswer(classify(f"{answer.out}\n{answer.err}"), answer.reason)
