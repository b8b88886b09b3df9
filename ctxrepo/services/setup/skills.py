"""Our skills in an agent's folder: which to write, which to leave, which to take away."""

from collections.abc import Mapping, Sequence, Set
from pathlib import Path

from ctxrepo.lazy import dataclass
from ctxrepo.storage.disk import foreign
from ctxrepo.storage.disk.foreign import Change
from ctxrepo.storage.user import assets
from ctxrepo.storage.user.receipt import digest


@dataclass(frozen=True)
class Skills:
    """`changes` to make, the files `owned` afterwards with their digests, and what to tell."""

    changes: tuple[Change, ...]
    owned: Mapping[Path, str]
    notices: tuple[str, ...]


def installed(root: Path, owned: Mapping[Path, str]) -> Skills:
    """Bring the skills in the folder `root` up to date, given the files `owned`. One with a file that isn't
    as we wrote it is a person's own and stays whole."""
    shipped = _shipped(root)
    there = {path: foreign.read(path) for path in {**shipped, **owned} if path.is_relative_to(root)}
    theirs = {
        _skill(root, path): path
        for path, data in there.items()
        if data is not None and data != shipped.get(path) and digest(data) != owned.get(path)
    }
    ours = [path for path in there if _skill(root, path) not in theirs]
    changes = [Change(path, there[path], shipped.get(path)) for path in ours]
    return Skills(
        changes=tuple(c for c in changes if c.before != c.after),
        owned={
            **{path: owned[path] for path in owned if path not in ours and path in there},
            **{path: digest(shipped[path]) for path in ours if path in shipped},
        },
        notices=tuple(
            f"The skill {skill} is left as it is: {path} is not as ctxrepo wrote it."
            for skill, path in theirs.items()
        ),
    )


def removed(root: Path, owned: Mapping[Path, str] | None, kept: Set[Path] = frozenset()) -> Skills:
    """Take away the files in `owned` that are as we wrote them, but for those to be `kept`; None: it isn't
    known what we own, but what this version writes, or another agent's setup wrote last."""
    shipped = {path: digest(data) for path, data in _shipped(root).items()}
    if owned is None:
        owned = shipped
    ours = [path for path in owned if path.is_relative_to(root) and path not in kept]
    there = {path: data for path in ours if (data := foreign.read(path)) is not None}
    ours = [path for path, data in there.items() if digest(data) in (owned[path], shipped.get(path))]
    return Skills(
        changes=tuple(Change(path, there[path], None) for path in ours),
        owned={},
        notices=tuple(f"{path} stays: it was changed since." for path in there if path not in ours),
    )


def together(parts: Sequence[Skills]) -> Skills:
    """What is to be done in several folders."""
    return Skills(
        changes=tuple(change for part in parts for change in part.changes),
        owned={path: digest for part in parts for path, digest in part.owned.items()},
        notices=tuple(notice for part in parts for notice in part.notices),
    )


def folders(roots: Sequence[Path], changes: Sequence[Change]) -> set[Path]:
    """The folders below the `roots` that the files of these changes are in."""
    above = {folder for change in changes for folder in change.path.parents}
    return {folder for folder in above if any(root in folder.parents for root in roots)}


def _shipped(root: Path) -> dict[Path, bytes]:
    return {root / path: data for path, data in assets.files("skills").items()}


def _skill(root: Path, path: Path) -> str:
    return path.relative_to(root).parts[0]
