"""What in a clone's git folder could harm a person who runs their own git there; ours reads none of it.
Whoever can write there (an agent that was talked into it, an unpacked archive) can name programs and
addresses."""

import os
import re
import shlex
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from ctxrepo.domain.formats.blocks import text_beside
from ctxrepo.lazy import dataclass, lazy_pattern
from ctxrepo.storage.clone.broken import Broken
from ctxrepo.storage.clone.clone import Clone
from ctxrepo.storage.clone.configfile import entries, remove_key
from ctxrepo.storage.clone.reffiles import text_of

_CONFIGURATIONS = ("config", "config.worktree")

_BORROWED = ("objects/info/alternates", "objects/info/http-alternates")


@dataclass(frozen=True)
class Danger:
    """`key` of a configuration `file`, or, where that is '', the file itself; `what` says what it does.
    One that `is_removed` nobody needs: `doctor --fix` takes it away."""

    file: Path
    what: str
    key: str = ""
    is_removed: bool = False


def dangers(clone: Clone, env: Mapping[str, str]) -> Iterator[Danger]:
    """Every danger in the clone. GitFailed when one of its configuration files can't be read."""
    for name in _CONFIGURATIONS:
        yield from _keys(clone.git_dir / name, env)
    yield from _files(clone.git_dir)
    yield from _worktrees(clone.git_dir, env)


def remove_dangers(clone: Clone, env: Mapping[str, str], broken: Broken) -> Iterator[Danger]:
    """Remove the dangers that nobody needs; the original files are kept aside."""
    for danger in [danger for danger in dangers(clone, env) if danger.is_removed]:
        if not danger.key:
            broken.take(danger.file)
            yield danger
            continue
        broken.copy(danger.file)
        if remove_key(danger.file, env, danger.key):
            yield danger


def _keys(file: Path, env: Mapping[str, str]) -> Iterator[Danger]:
    pairs = entries(file, env)
    foreign = {key for key, value in pairs if not is_allowed(key, value)}
    yield from (Danger(file, f"sets {key}", key, is_removed=True) for key in sorted(foreign))
    counts = Counter(key for key, _ in pairs if key.startswith("remote.") and key not in foreign)
    for key, count in counts.items():
        if key.endswith(".pushurl"):
            yield Danger(file, f"sets {key}: a push of yours goes there", key)
        elif key.endswith(".url") and count > 1:
            yield Danger(file, f"sets {key} {count} times: a push of yours goes to all of them", key)


def _files(git_dir: Path) -> Iterator[Danger]:
    if os.path.lexists(git_dir / "commondir"):
        file = git_dir / "commondir"
        yield Danger(file, "lets git read another configuration and other refs", is_removed=True)
    for name in _BORROWED:
        if os.path.lexists(git_dir / name):
            yield Danger(git_dir / name, "lets git take objects from elsewhere, which ctxrepo doesn't")
    if os.path.lexists(git_dir / "modules"):
        yield Danger(
            git_dir / "modules", "holds repositories inside this one, with configurations of their own"
        )
    yield from _attributes(git_dir / "info" / "attributes")
    for name in _names(git_dir / "hooks"):
        if not name.endswith(".sample"):
            yield Danger(git_dir / "hooks" / name, "is run by your own git")


def _attributes(file: Path) -> Iterator[Danger]:
    for place in (file.parent, file):
        if place.is_symlink():
            yield Danger(place, "is a link: what stands there can have git run a filter")
            return
    lines = [line.strip() for line in text_of(file).splitlines()]
    if foreign := [line for line in lines if line and line[0] != "#" and line not in ATTRIBUTES]:
        yield Danger(file, f"says `{foreign[0][:80]}`: it can have git run a filter")


def _worktrees(git_dir: Path, env: Mapping[str, str]) -> Iterator[Danger]:
    """Linked worktrees that lead elsewhere than back here, and what their own configuration sets."""
    for name in _names(git_dir / "worktrees"):
        folder = git_dir / "worktrees" / name
        yield from _keys(folder / "config.worktree", env)
        if (common := text_of(folder / "commondir").strip()) not in ("", "../.."):
            yield Danger(folder / "commondir", f"lets git read another configuration, in {common[:200]}")
        file = folder / "gitdir"
        target = text_of(file).strip()
        if target and text_of(Path(target)).strip() != f"gitdir: {folder}":
            yield Danger(file, f"names {target[:200]}, which is no worktree of this clone")


def _names(folder: Path) -> list[str]:
    with suppress(OSError):
        return sorted(os.listdir(folder))
    return []


# Anything else could run a program or send the memory elsewhere when a person runs their own git there:
# ours read none of it.
_ALLOWED = lazy_pattern(text_beside(__spec__, "allowed.keys"), re.VERBOSE | re.IGNORECASE)
_ALLOWED_VALUES = {"core.autocrlf": "false", "core.hookspath": os.devnull}

MERGE_NAME = "notes entry by entry, by ctxrepo"
"""What git calls our merge driver."""

PUSH = "remote.origin.push"
"""Where a plain `git push` sends what."""

_PARKED = lazy_pattern(r"\+refs/heads/[^:*]+:refs/ctxrepo/parked/[\w.-]+")

ATTRIBUTES = ("*.md merge=ctxrepo", "*.jsonl merge=ctxrepo", "ctxrepo.toml merge=ctxrepo")
"""By which files git asks our merge driver, line by line."""


def merge_driver(interpreter: str) -> str:
    """The line by which git starts our merge driver: a shell reads it, after git has read its percent
    signs. Isolated, because whoever can set PYTHONPATH could otherwise run anything at the next merge."""
    return f"{shlex.quote(interpreter).replace('%', '%%')} -I -m ctxrepo _merge %O %A %B %P"


def parking(branch: str, host: str) -> str:
    """The refspec by which a plain `git push` of the shared branch goes to a ref of this machine's that
    nobody reads: our sync sends the branch for review. `+`: it goes on from elsewhere after a review."""
    return f"+refs/heads/{branch}:refs/ctxrepo/parked/{host}"


def is_parking(refspec: str) -> bool:
    """Whether we could have written this refspec, for whatever branch and machine."""
    return bool(_PARKED.fullmatch(refspec))


def is_allowed(key: str, value: str) -> bool:
    """Whether the clone's own configuration can give `key` this value without harm."""
    ours = {"merge.ctxrepo.name": MERGE_NAME, "merge.ctxrepo.driver": merge_driver(sys.executable)}
    expected = (_ALLOWED_VALUES | ours).get(key.lower())
    if expected is not None:
        return value == expected
    if re.fullmatch(r"(?i)branch\..+\.(push)?remote", key) and re.search(r"[/:\\]", value):
        return False  # an address where the name of a remote belongs
    return is_parking(value) if key.lower() == PUSH else bool(_ALLOWED.fullmatch(key))
