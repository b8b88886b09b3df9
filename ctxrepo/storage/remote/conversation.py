"""Talks to the remote: fetch, push, clone; within bounds, never with force, never with a prompt."""

import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from ctxrepo.domain.git.remote import RemoteAnswer, classify, ignored_variable, reason
from ctxrepo.domain.secrets import redact
from ctxrepo.errors import Damaged, UsageError
from ctxrepo.lazy import dataclass, lazy_pattern
from ctxrepo.storage.clone.clone import Clone, foreign_format
from ctxrepo.storage.clone.reffiles import RefFiles
from ctxrepo.storage.clone.refwriter import RefWriter, logs_setting
from ctxrepo.storage.git.address import check_url, is_local
from ctxrepo.storage.git.git import RECEIVING, SENDING, SERVED, Answer, Git, Progress, Watch
from ctxrepo.storage.isolated.owngit import OwnGit
from ctxrepo.storage.objects.objectfiles import without_heavy_packs

LONGEST = 600.0
"""Seconds after which any conversation is ended, even if data still comes."""

_FETCH = ("--progress", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head")

_COUNTING = lazy_pattern(r": +\d")
"""Matches git's progress lines; its other lines are for people who typed the command."""

_UNREADABLE = lazy_pattern(
    r"^(error|fatal): (.*is corrupt|.*is empty$|bad .*object|bad object|could not read [0-9a-f]{40}"
    r"|unable to read [0-9a-f]{40}|unable to parse|could not parse|failed to (read|traverse|parse)"
    r"|.*did not send all necessary|.*packfile|.*inflate|bad shallow|.*reference broken)",
    re.IGNORECASE | re.MULTILINE,
)
"""git's messages when it can't read an object or a ref, here or in a remote on this disk."""


_PACKETS = lazy_pattern(r"(?m)^[\d:.]+ \S+ +packet: .*\n?")
"""Matches the lines that GIT_TRACE_PACKET adds to git's own."""

_FOREIGN_FORMAT = lazy_pattern(r"object-format=(?!sha1\b)(\w{1,20})")


@dataclass(frozen=True)
class Remote:
    """The remote that config.toml names; agents could write the clone's own configuration. git runs in a
    directory of ours (ADR 38); we copy the refs that it fetches. `timeout` seconds of silence end it."""

    own: OwnGit
    env: Mapping[str, str]
    timeout: float

    @property
    def url(self) -> str:
        return self.own.url

    @property
    def clone(self) -> Clone:
        return self.own.clone

    @property
    def _served(self) -> tuple[str, ...]:
        return SERVED if is_local(self.url) else ()

    def tip(self) -> str:
        """The commit of the shared branch on the remote, asked without a fetch; '' for none."""
        git = self.own.git(self.env)
        words = ("ls-remote", "--quiet", "--", self.url, self.clone.branch_ref)
        answer = git.run(*words, timeout=LONGEST, watch=Watch(self.timeout, RECEIVING))
        lines = (line.split("\t") for line in answer.out.splitlines() if answer.ok)
        return next((line[0] for line in lines if line[1:] == [self.clone.branch_ref]), "")

    def look(self) -> RemoteAnswer:
        """Ask whether the remote answers, lets us in and has our object format; fetches and sends nothing."""
        return self._refusal() or self._explained(_probe(self.own.git(self.env), self.url, self.timeout))

    def fetch(self, also: str = "") -> RemoteAnswer:
        """Fetch the shared branch, and the branches below `also`, to their remote-tracking refs, while the
        caller holds the sync lock. A remote without the branch is ok, too."""
        # A shallow clone lacks the common ancestor that a merge needs.
        deepen = ("--unshallow",) if RefFiles(self.clone.git_dir).shallow() else ()
        answer = self._fetch_refs(*deepen, refspec=self._refspec(self.clone.branch))
        if answer.outcome == "missing" and "couldn't find remote ref" in answer.reason:
            answer = self._branch_is_gone()
        if not (answer.ok and also):
            return answer
        return self._fetch_refs("--prune", refspec=self._refspec(f"{also}/*"))

    def fetch_objects(self, objects: Sequence[str]) -> RemoteAnswer:
        """Fetch objects that a partial clone left on the remote."""
        return self._fetch("--stdin", stdin="".join(f"{oid}\n" for oid in objects).encode())

    def fetch_all(self, folder: Path) -> RemoteAnswer:
        """Fetch the shared branch with all its history as one pack into a new repository at `folder`: one
        that lacks objects can't fetch them itself, as git would tell the remote that they are here."""
        refspec = f"+{self.clone.branch_ref}:{self.clone.branch_ref}"
        words = ("-c", "fetch.unpackLimit=1", "fetch", *_FETCH, *self._served, "--", self.url, refspec)
        return self._run_elsewhere(folder, *words)

    def push(self, commit: str, branch: str = "") -> RemoteAnswer:
        """Push `commit` to the shared branch, or another, without force: it must contain what is there."""
        words = ("--progress", "--porcelain", "--no-verify", "--no-recurse-submodules", "--no-follow-tags")
        return self._run("push", *words, "--", self.url, f"{commit}:refs/heads/{branch or self.clone.branch}")

    def has(self, commit: str) -> bool:
        """Whether the remote has a commit, on a branch or not."""
        probe = self.own.folder / "probe"
        try:
            words = ("fetch", *_FETCH, "--depth=1", "--filter=tree:0", "--", self.url, commit)
            return self._run_elsewhere(probe, *words).ok
        finally:
            shutil.rmtree(probe, ignore_errors=True)

    def _fetch_refs(self, *options: str, refspec: str) -> RemoteAnswer:
        """Fetch into our directory, then copy the refs that changed there to the clone."""
        if refusal := self._refusal():
            return refusal
        self.own.git(self.env)
        before = self.own.show_refs()
        answer = self._fetch(*options, refspec=refspec)
        if answer.outcome in ("bounds", "malformed"):  # the objects of the refs may have been removed
            return answer
        writer = RefWriter(self.clone.git_dir, logs_setting(self.clone.configured()))
        now = RefFiles(self.own.folder).all()
        for name in before.keys() - now.keys():
            writer.remove(name)
        for name, oid in now.items():
            if before.get(name) != oid:
                writer.set(name, oid)
        if answer.ok and "--unshallow" in options:
            writer.write_shallow("".join(f"{oid}\n" for oid in sorted(RefFiles(self.own.folder).shallow())))
        return answer

    def _fetch(self, *options: str, refspec: str = "", stdin: bytes = b"") -> RemoteAnswer:
        """Run git fetch. A partial clone names the remote, or git wouldn't know what it may leave there."""
        place = ("--filter=blob:none", "origin") if self.clone.is_partial else ("--", self.url)
        words = (*_FETCH, *self._served, *options, *place, *([refspec] if refspec else []))
        packs = self.clone.git_dir / "objects" / "pack"
        before = set(packs.glob("pack-*.pack"))
        answer = self._run("fetch", *words, stdin=stdin)
        return without_heavy_packs(answer, set(packs.glob("pack-*.pack")) - before)

    def _refspec(self, branch: str) -> str:
        return f"+refs/heads/{branch}:{self.clone.tracking_ref(branch)}"

    def _branch_is_gone(self) -> RemoteAnswer:
        """Forget a branch that the remote lacks, unless it is a web page: git takes that for empty."""
        if self.url.lower().startswith("https:"):
            answer = _probe(self.own.git(self.env), self.url, self.timeout)
            if not answer.ok:
                return answer
        RefWriter(self.clone.git_dir).remove(self.clone.upstream_ref)
        return RemoteAnswer("ok", "the remote is empty")

    def _run(self, *words: str, stdin: bytes = b"") -> RemoteAnswer:
        return self._refusal() or self._answer_of(self.own.git(self.env), words, stdin)

    def _run_elsewhere(self, folder: Path, *words: str) -> RemoteAnswer:
        """Run git in an empty repository at `folder`, which has none of our objects."""
        if refusal := self._refusal():
            return refusal
        shutil.rmtree(folder, ignore_errors=True)
        self.own.make_empty(folder)
        return self._answer_of(replace(self.own.git(self.env), folder=folder, git_dir=folder), words)

    def _refusal(self) -> RemoteAnswer | None:
        try:
            check_url(self.url)
        except UsageError as error:  # config.toml is written by hand, too
            return RemoteAnswer("address", error.message)
        return None

    def _answer_of(self, git: Git, words: Sequence[str], stdin: bytes = b"") -> RemoteAnswer:
        watch = Watch(self.timeout, SENDING if words[0] == "push" else RECEIVING)
        completed = git.run(*words, timeout=LONGEST, stdin=stdin, watch=watch)
        if not (completed.ok or completed.excess) and _UNREADABLE.search(completed.err):
            # That may be about this side, or about a remote on this disk.
            checked = git.run("fsck", "--no-dangling", "--no-reflogs", "--no-progress", timeout=LONGEST)
            if checked.code:
                raise Damaged(f"git stopped at something in {self.clone.git_dir}: {completed.reason}")
        return self._explained(_answer(completed, pushing=words[0] == "push"))

    def _explained(self, answer: RemoteAnswer) -> RemoteAnswer:
        """The answer; for a failure, with a variable of the environment that git would have used."""
        return answer if answer.ok else replace(answer, ignored_variable=ignored_variable(self.env, self.url))


def clone(
    url: str,
    root: Path,
    env: Mapping[str, str],
    progress: Progress | None,
    timeout: float,
    *,
    sparse: bool = False,
) -> RemoteAnswer:
    """Clone `url` without checking anything out; `root` appears whole or not at all. `timeout` seconds of
    silence end it. A `sparse` clone leaves the contents of files on the remote until they are needed.

    A remote of another format of git is refused. An empty one is asked for its format, because a git before
    2.41 makes a SHA-1 clone of any."""
    check_url(url)
    root.parent.mkdir(parents=True, exist_ok=True)
    building = root.with_name(f".{root.name}.cloning")
    shutil.rmtree(building, ignore_errors=True)
    git = Git(root.parent, env, file_remote=is_local(url))
    words = ("--no-checkout", "--no-tags", "--no-local", "--origin=origin", "--template=", "--progress")
    options = (*(["--filter=blob:none"] if sparse else []), *(SERVED if is_local(url) else ()))
    hear = _showing_progress(progress, f"asking {redact(url)}") if progress else None
    try:
        command = ("clone", *words, *options, "--", url, str(building))
        answer = _answer(git.run(*command, timeout=LONGEST, watch=Watch(timeout, RECEIVING, hear)))
        if answer.ok and (name := foreign_format(building / ".git")):
            answer = RemoteAnswer("format", f"it is a {name} repository")
        elif answer.ok and not RefFiles(building / ".git").all():
            answer = _probe(git, url, timeout)
        answer = without_heavy_packs(answer, building.glob(".git/objects/pack/pack-*.pack"))
        if answer.ok:
            if root.exists():
                root.rmdir()  # an empty folder was allowed; anything else fails here
            building.rename(root)
        return answer if answer.ok else replace(answer, ignored_variable=ignored_variable(env, url))
    finally:
        shutil.rmtree(building, ignore_errors=True)


def _probe(git: Git, url: str, timeout: float) -> RemoteAnswer:
    """Ask a remote for its refs and look at its packets: an empty SHA-256 repository has none, as a page."""
    words = ("ls-remote", "--quiet", "--", url)
    completed = git.run(*words, timeout=LONGEST, trace=True, watch=Watch(timeout, RECEIVING))
    if not completed.ok:
        return _answer(replace(completed, err=_PACKETS.sub("", completed.err)))
    if not (completed.out or _PACKETS.search(completed.err)):
        return RemoteAnswer("missing", "what answers at that address is not a git repository")
    foreign = _FOREIGN_FORMAT.search(completed.err)
    return RemoteAnswer("format", f"its object format is {foreign[1]}") if foreign else RemoteAnswer("ok")


def _showing_progress(progress: Progress, first: str) -> Progress:
    """Shows `first` now, and git's progress lines later."""
    progress(first)

    def tell(words: str) -> None:
        if lines := [line for line in words.splitlines() if _COUNTING.search(line)]:
            progress("\n".join(lines))

    return tell


def _answer(answer: Answer, *, pushing: bool = False) -> RemoteAnswer:
    if answer.ok:
        return RemoteAnswer("ok")
    if answer.excess:
        return RemoteAnswer("bounds", answer.excess)
    if answer.code is None:
        return RemoteAnswer("timeout", answer.reason)
    words = redact(f"{answer.err}\n{answer.out}")
    outcome = classify(words, pushing=pushing)
    return RemoteAnswer(outcome, reason(words, outcome) or answer.reason)
