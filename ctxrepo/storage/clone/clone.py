"""The clone as a place on disk: its id, branch and state, its owner, and its formats of git."""

import os
import re
import shlex
from collections.abc import Mapping
from pathlib import Path

from ctxrepo.domain.git.gitfiles import Cone, parse, render
from ctxrepo.errors import Damaged, NotInitialised, OtherOwner, RepositoryState
from ctxrepo.lazy import dataclass, lazy_pattern
from ctxrepo.storage.clone.configfile import entries, values
from ctxrepo.storage.clone.reffiles import OUR_REFS, RefFiles, text_of
from ctxrepo.storage.disk.private import put_whole, random_name, require_private

LAST_TIP = "refs/ctxrepo/seen"
"""The remote's tip at our last exchange: merged here, or pushed by us. A fetch alone doesn't move it."""

_ID = lazy_pattern(r"[0-9a-f]{12}\Z")

_UNFINISHED = {
    "MERGE_HEAD": "a merge",
    "CHERRY_PICK_HEAD": "a cherry-pick",
    "REVERT_HEAD": "a revert",
    "rebase-merge": "a rebase",
    "rebase-apply": "a rebase",
    "BISECT_LOG": "a bisection",
}


@dataclass(frozen=True)
class Clone:
    """An ordinary, non-bare clone at `root`."""

    root: Path
    branch: str

    @property
    def git_dir(self) -> Path:
        return self.root / ".git"

    @property
    def own_dir(self) -> Path:
        """The folder of ctxrepo in the clone, which only the user may read."""
        return self.git_dir / "ctxrepo"

    @property
    def branch_ref(self) -> str:
        return f"refs/heads/{self.branch}"

    @property
    def upstream_ref(self) -> str:
        return self.tracking_ref(self.branch)

    def tracking_ref(self, branch: str) -> str:
        """The remote-tracking ref of a branch."""
        return f"refs/remotes/origin/{branch}"

    @property
    def is_partial(self) -> bool:
        """Whether contents of files may still be at the remote."""
        return bool(re.search(r"(?im)^[ \t]*promisor[ \t]*=[ \t]*true", self.configured()))

    @property
    def cone(self) -> Cone | None:
        """The folders that a sparse clone has on disk; None for a full clone."""
        if not re.search(r"(?im)^[ \t]*sparsecheckout[ \t]*=[ \t]*true", self.configured()):
            return None
        file = self.git_dir / "info" / "sparse-checkout"
        return parse(text_of(file)) if file.is_file() else None

    def seems_to_set(self, name: str, value: str) -> bool:
        """Whether the text of the configuration, without git being asked, sets keys of this name to
        `value` only; '' means: not at all."""
        quoted = value.replace("\\", "\\\\").replace('"', '\\"')
        lines = [line.partition("=") for line in self.configured().splitlines()]
        settings = [text.strip() for key, equals, text in lines if equals and key.strip().lower() == name]
        return settings in ([[value], [quoted], [f'"{quoted}"']] if value else [[]])

    def set_cone(self, cone: Cone) -> None:
        """Set the folders that a sparse clone has on disk, in the file that git reads."""
        file = self.git_dir / "info" / "sparse-checkout"
        file.parent.mkdir(exist_ok=True)
        new = file.with_name(f"sparse-checkout-{random_name(4)}")
        new.write_text(render(cone), "utf-8", "surrogateescape")
        new.rename(file)

    def configured(self) -> str:
        """The text of the clone's own configuration, for questions too frequent to start git for."""
        return "\n".join(text_of(self.git_dir / name) for name in ("config", "config.worktree"))

    def origin(self, env: Mapping[str, str]) -> str:
        """The first address that a person's own git fetches from in this clone; '' for none."""
        return next(iter(values(self.git_dir / "config", "remote.origin.url", env)), "").strip()

    def named_committer(self, env: Mapping[str, str]) -> Mapping[str, str]:
        """`user.name` and `user.email` if a person set them for this clone."""
        if not re.search(r"(?im)^[ \t]*\[[ \t]*user\b", text_of(self.git_dir / "config")):
            return {}
        return {key: value for key, value in entries(self.git_dir / "config", env) if key.startswith("user.")}

    def wants_signatures(self, env: Mapping[str, str]) -> bool:
        """Whether the clone's own configuration asks for signed commits; ctxrepo doesn't sign for that."""
        settings = values(self.git_dir / "config", "commit.gpgsign", env)[-1:]
        return bool(settings) and settings[0].lower() in ("", "true", "yes", "on", "1")

    def has_refs(self, prefix: str) -> bool:
        """Whether there are refs below `prefix` ('refs/…/'); needs no pygit2."""
        return RefFiles(self.git_dir).has_any(prefix)

    @property
    def is_there(self) -> bool:
        """Whether there is anything of git's: a run of ours that was writing while somebody removed the clone
        leaves a `.git` with a folder of ours, which is none."""
        return any((self.git_dir / name).exists() for name in ("HEAD", "config", "objects"))

    def repo_id(self) -> str:
        """The id of this clone, made once and kept in it, so that a moved clone finds its state again."""
        self.require_there()
        file = self.own_dir / "id"
        identifier = text_of(file).strip()
        if not _ID.match(identifier):
            identifier = random_name(6)
            require_private(self.own_dir)
            put_whole(file, identifier + "\n")
        return identifier

    def require_there(self, remote: str = "") -> None:
        """NotInitialised where the clone has gone, or never was; `remote` is where it came from, if known."""
        if not self.is_there:
            does = f"{remote}` brings it back." if remote else "[REMOTE]` makes one."
            first = "Move away what is there, then " * is_occupied(self.root)
            raise NotInitialised(
                f"there is no memory repository at {self.root}", f"{first}`ctxrepo init {does}"
            )

    def has_id(self, repo_id: str) -> bool:
        return text_of(self.own_dir / "id").strip() == repo_id

    def forget_id(self) -> None:
        (self.own_dir / "id").unlink(missing_ok=True)

    def require_ready(self) -> None:
        """RepositoryState for an unfinished merge or the like of a person's, another branch checked out,
        or a format of git that we don't use; Damaged when HEAD or one of our refs can't be read."""
        require_our_format(self.root)
        if what := self.unfinished():
            raise RepositoryState(
                f"{what} is unfinished in {self.root}",
                "Finish or abort it there; what is written meanwhile is kept and committed afterwards.",
            )
        refs = self.lost_refs()
        if "HEAD" not in refs and not self.is_on_branch():
            raise RepositoryState(
                f"{self.root} is on {self.checked_out() or 'no branch'}, not on {self.branch}",
                f"`ctxrepo doctor --fix` brings it back to {self.branch}, with what no commit holds yet; "
                "commits that were made elsewhere stay on their branch.",
            )
        if refs:
            raise Damaged(f"{refs[0]} in {self.git_dir} can't be read")

    def unfinished(self) -> str:
        """What a person has begun with git in this clone and not finished, or ''."""
        return next((what for name, what in _UNFINISHED.items() if (self.git_dir / name).exists()), "")

    def checked_out(self) -> str:
        """The branch that the clone is on, '' when it is on none."""
        return self.head_line().partition("ref: refs/heads/")[2]

    def is_on_branch(self) -> bool:
        return self.head_line() == f"ref: {self.branch_ref}"

    def lost_refs(self) -> list[str]:
        """HEAD and those of our refs that are garbage, or that are gone though they existed once."""
        refs = RefFiles(self.git_dir)
        names = [] if refs.head() else ["HEAD"]
        names += ["packed-refs"] if refs.packed_is_garbage() else []
        names += [name for name in (self.branch_ref, self.upstream_ref, *OUR_REFS) if refs.is_garbage(name)]
        # If the branch has a log, or files were checked out, this memory is not new and empty.
        was_there = any(map(refs.exists, OUR_REFS))
        if refs.is_lost(self.branch_ref) or (was_there and not refs.exists(self.branch_ref)):
            names.append(self.branch_ref)
        return names

    def head_line(self) -> str:
        return text_of(self.git_dir / "HEAD").strip()


_TIMEOUT = 10.0

_FORMATS = lazy_pattern(
    r'(?im)^[ \t]*(?:\[extensions\][ \t]*)?(objectformat|refstorage)[ \t]*=[ \t]*"?([^\s"#;]*)'
)
_OURS = {"objectformat": "sha1", "refstorage": "files"}
"""What we read and write: ids of 40 digits, and each ref a file. A clone that sets neither key has both."""


def is_occupied(root: Path) -> bool:
    """Whether there is something where a clone is to be made."""
    return root.exists() and not (root.is_dir() and not any(root.iterdir()))


def require_owner(root: Path, env: Mapping[str, str]) -> None:
    """OtherOwner for a clone that is another user's, who could change it under our hands; root's
    pass, and as with git what `safe.directory` of the user's own configuration names."""
    for path in (root, root / ".git"):
        owner = path.lstat().st_uid
        if owner in (os.geteuid(), 0):
            continue
        from ctxrepo.storage.git.git import nowhere  # only here is git asked

        answer = nowhere(env).run("config", "--null", "--get-all", "safe.directory", timeout=_TIMEOUT)
        if not {"*", str(root), str(root / ".git")} & set(answer.out.split("\0")):
            trust = f"`git config --global --add safe.directory {shlex.quote(str(root))}`"
            raise OtherOwner(
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
