"""Facts about the code checkout that a session runs in, asked of git; nothing is ever written there.

A checkout is other people's, and may hang: callers that must not hang ask through `outside`."""

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ctxrepo.errors import GitFailed
from ctxrepo.hooks.known.locate import top_of
from ctxrepo.hooks.known.world import stamp_of
from ctxrepo.lazy import dataclass
from ctxrepo.storage.disk import foreign
from ctxrepo.storage.user.sound import is_path, is_sound

if TYPE_CHECKING:
    from ctxrepo.storage.git.git import Answer, Git

_TIMEOUT = 5.0
_LINK_BYTES = 64 * 1024
_PLACES = ("--git-dir", "--git-common-dir", "--show-toplevel")

Tracking = Literal["tracked", "ignored", "seen", "outside"]


@dataclass(frozen=True)
class CodeCheckout:
    """A working tree of the user's, or the folder that a bare repository and its worktrees stand in.
    `common` is the git folder that all its worktrees share, `config` the file in it that decides the
    identity, `stamp` its `mtime_ns:size`. `name` is the folder name of the main worktree; `worktree` the
    name of a linked one that is to be a project of its own, else ''. `born` tells this git folder from a
    later one at its place, '' where nothing does."""

    top: Path
    common: Path
    config: Path
    stamp: str
    explicit: str
    remotes: Mapping[str, str]
    name: str
    worktree: str
    born: str = ""


def describe_checkout(folder: Path, env: Mapping[str, str], worktrees: str) -> CodeCheckout | None:
    """What git tells of the checkout that `folder` is in; None outside git and in a bare repository. With the
    policy `worktrees` = `share` a linked worktree is the project of its main one.
    GitFailed when there is a `.git`, and git refuses it, passes it over or doesn't answer: it is not known
    then which project that is, and half of the facts would make another one of it. No git is started where
    something else stands in the place of git's files and folders."""
    if not is_path(folder) or not folder.is_dir():
        return None
    git, nearest = _git(folder, env), top_of(str(_real(folder)))
    if not is_sound(_real(folder)):
        if nearest:
            raise _refusal(nearest, "something else stands in the place of git's files")
        return None
    answer = _asked(git, "rev-parse", *_PLACES)
    own, common, top = _places(git, folder, answer.out)
    if own is None or common is None:
        if nearest:
            raise _refusal(nearest, answer.reason, answer.err)
        return None
    top = top or _around(folder, common)
    # A configuration can say that its working tree is elsewhere; nobody speaks for a folder but its own.
    if top is None or not _real(folder).is_relative_to(_real(top)) or not os.path.exists(top / ".git"):
        return None
    if str(_real(top)) != nearest:
        raise _refusal(nearest, f"it passes over {nearest}/.git and takes {top} for the repository")
    config = common / "config"
    stamp = stamp_of(str(config))
    remotes = _values(git, r"^remote\..*\.url$")
    return CodeCheckout(
        top=top,
        common=common,
        config=config,
        stamp=stamp,
        explicit=(_values(git, r"^ctxrepo\.project$").get("ctxrepo.project") or [""])[-1],
        # Of several addresses git fetches from the first one.
        remotes={key.removeprefix("remote.").removesuffix(".url"): urls[0] for key, urls in remotes.items()},
        name=top.name if own == common else _name_of(common),
        worktree=own.name if own != common and worktrees == "isolate" else "",
        born=stamp_of(str(common / "description")),  # written when the folder was made, and not since
    )


def first_commit(top: Path, env: Mapping[str, str]) -> str:
    """The first commit of a checkout, of several the lowest, so that every clone agrees; '' for none, and
    for a shallow clone, which doesn't know it. GitFailed when git doesn't answer."""
    git = _git(top, env)
    if _asked(git, "rev-parse", "--is-shallow-repository").out.strip() != "false":
        return ""
    answer = _asked(git, "rev-list", "--max-parents=0", "HEAD")
    if not answer.ok and _asked(git, "rev-parse", "--verify", "--quiet", "HEAD").ok:
        raise _refusal(str(top), answer.reason)
    return min(answer.out.split(), default="")


def is_genuine_worktree(code: CodeCheckout) -> bool:
    """Whether the repository itself confirms this working tree: its `.git` folder is inside it, or the
    repository lists it as a linked worktree. A `.git` file alone could be written by anybody."""
    link = code.top / ".git"
    if os.path.isdir(link) and not os.path.islink(link):
        return _real(link) == code.common
    path = foreign.text(link, _LINK_BYTES).removeprefix("gitdir:").strip()
    if not path or not is_path(code.top / path):
        return False
    own = _real(code.top / path)
    if own == code.common:
        return own.is_relative_to(_real(code.top))
    tree = foreign.text(own / "gitdir", _LINK_BYTES).strip()
    return bool(tree) and is_path(own / tree) and _real(own / tree) == _real(link)


def tracking(path: Path, env: Mapping[str, str]) -> Tracking:
    """What git makes of a file; `seen` is one that an `add` would take along."""
    git = _git(path.parent, env)
    if not is_sound(_real(path.parent)):
        return "outside"
    if _asked(git, "rev-parse", "--is-inside-work-tree").out.strip() != "true":
        return "outside"
    if _asked(git, "ls-files", "--error-unmatch", "--", path.name).code == 0:
        return "tracked"
    return "ignored" if _asked(git, "check-ignore", "-q", "--", path.name).code == 0 else "seen"


def ignored(top: Path, paths: Sequence[str], env: Mapping[str, str]) -> frozenset[str]:
    """Those of these paths below the checkout at `top` that git doesn't know and ignores."""
    if not paths or not is_sound(_real(top)):
        return frozenset()
    names = "".join(f"{path}\0" for path in paths).encode("utf-8", "surrogateescape")
    answer = _asked(_git(top, env), "check-ignore", "-z", "--stdin", stdin=names)
    return frozenset(answer.out.split("\0")[:-1])


_MOST_COMMITS = 1000
"""How many of the newest commits tell which files change."""


def head_of(top: Path, env: Mapping[str, str]) -> str:
    """The commit that the checkout at `top` is at; '' without one."""
    if not is_sound(_real(top)):
        return ""
    return _asked(_git(top, env), "rev-parse", "--verify", "--quiet", "HEAD^{commit}").out.strip()


def changed_files(top: Path, since: int, env: Mapping[str, str]) -> dict[str, list[int]]:
    """path -> when commits of the checkout at `top` changed it, in Unix seconds, for all that changed since
    then. Only git's plumbing is asked, which runs nothing that a configuration names."""
    if not is_sound(_real(top)):
        return {}
    git = _git(top, env)
    newest = ("--timestamp", f"--max-age={since}", f"--max-count={_MOST_COMMITS}")
    listed = _asked(git, "rev-list", *newest, "HEAD", "--").out.split()
    times = dict(zip(listed[1::2], map(int, listed[::2]), strict=True))
    command = ("diff-tree", "--stdin", "--root", "-r", "-z", "--name-only", "--no-renames")
    moments: dict[str, list[int]] = {}
    at = 0
    commits = "".join(f"{name}\n" for name in times).encode()
    for name in _asked(git, *command, stdin=commits).out.split("\0")[:-1]:
        at = times.get(name, at)
        if name not in times:
            moments.setdefault(name, []).append(at)
    return moments


def _refusal(top: str, why: str, advice: str = "") -> GitFailed:
    """What to say of a checkout that git doesn't take; `advice` holds what git advises against that."""
    command = re.search(r"git config --global --add safe\.directory .+", advice)
    remedy = f"If it is yours: `{command[0].strip()}`." if command else "`git status` there says more."
    why = why.removeprefix("fatal: ").partition(" in repository at ")[0]
    return GitFailed(f"git refuses {top}: {why}", remedy)


def _places(git: "Git", folder: Path, out: str) -> tuple[Path | None, Path | None, Path | None]:
    """The own and the common git folder of the checkout at `folder`, and its top; None for what it lacks.
    `out` is git's answer to _PLACES."""
    lines = out.split("\n")[:-1]
    if len(lines) not in (2, 3) and "\n" in str(_real(folder)):  # a name may have more than one line
        lines = [_asked(git, "rev-parse", word).out[:-1] for word in _PLACES]
    own, common, top = [*lines, "", "", ""][:3] if len(lines) in (2, 3) else ("", "", "")
    # git 2.30 gives relative ones
    folders = [_real(folder / line) if line and is_path(folder / line) else None for line in (own, common)]
    return folders[0], folders[1], Path(top) if top else None


def _around(folder: Path, common: Path) -> Path | None:
    """The folder of a bare repository that has its worktrees beside it: a file `.git` there names it."""
    real = _real(folder)
    for top in (real, *real.parents):
        if link := foreign.text(top / ".git", _LINK_BYTES):
            path = top / link.removeprefix("gitdir:").strip()
            return top if is_path(path) and _real(path) == common else None
    return None


def _real(path: Path) -> Path:
    """The path without links; where these go round in a circle, as it is."""
    return Path(os.path.realpath(path))


def _name_of(common: Path) -> str:
    """What a repository is called whose worktree this isn't: `shop/.git`, `shop/.bare`, `shop.git`."""
    return common.parent.name if common.name.startswith(".") else common.name.removesuffix(".git")


def _git(folder: Path, env: Mapping[str, str]) -> "Git":
    """Git in a checkout. A command in a checkout that is recorded asks nothing, and loads none of this."""
    from ctxrepo.storage.git.git import Git

    return Git(folder, env, is_offline=True)


def _values(git: "Git", pattern: str) -> dict[str, list[str]]:
    """name -> values, in order, of the repository's own settings that match."""
    answer = _asked(git, "config", "--local", "--null", "--get-regexp", pattern)
    if answer.code not in (0, 1):  # 1: none matches
        raise _refusal(str(git.folder), answer.reason)
    values: dict[str, list[str]] = {}
    for item in answer.out.split("\0")[:-1]:
        name, _, value = item.partition("\n")
        values.setdefault(name, []).append(value)
    return values


def _asked(git: "Git", *words: str, stdin: bytes = b"") -> "Answer":
    answer = git.run(*words, timeout=_TIMEOUT, stdin=stdin)
    if answer.code is None:
        raise GitFailed(
            f"git gave no answer within {_TIMEOUT:.0f} s about {git.folder}", "Run the command again."
        )
    return answer
