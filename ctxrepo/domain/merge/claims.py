"""Two machines that newly called two projects' folders the same: the lower id keeps it, the other moves."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import count

from ctxrepo.domain import registry
from ctxrepo.domain.note import decode, encode
from ctxrepo.domain.paths import fold
from ctxrepo.domain.registry import REGISTRY_FILE

Content = str | bytes
"""A blob's key, or bytes that are no blob yet."""

Contents = Mapping[str, Content]
Renames = tuple[tuple[str, str], ...]

_BytesOf = Callable[[Content | None], bytes | None]
_Projects = dict[str, str]


def told_apart(
    base: Mapping[str, str], ours: Contents, theirs: Contents, bytes_of: _BytesOf
) -> tuple[Contents, Contents, Renames]:
    """Both sides with each new project in a folder of its own, and the folders that were renamed for it.

    What the project that moves wrote moves along, its tapes too; what was there before stays.
    """
    was, us, them = (_projects(side, bytes_of) for side in (base, ours, theirs))
    our_new, their_new = (dict(p.items() - was.items()) for p in (us, them))
    taken = {fold(folder) for folder in (*was.values(), *us.values(), *them.values())}
    taken |= {fold(folder) for path in (*base, *ours, *theirs) for folder in _folders(path)}
    renames: list[tuple[str, str]] = []
    moved: set[str] = set()
    for our_id, their_id in _collisions(our_new, their_new):
        loser = max(our_id, their_id)
        if loser in moved:
            continue
        moved.add(loser)
        old = (our_new if loser == our_id else their_new)[loser]
        new = _free(old, taken)
        taken.add(fold(new))
        if loser == our_id:
            ours = _moved(base, ours, loser, old, new, bytes_of)
        else:
            theirs = _moved(base, theirs, loser, old, new, bytes_of)
        renames.append((old, new))
    return ours, theirs, tuple(renames)


def _projects(side: Contents, bytes_of: _BytesOf) -> _Projects:
    return dict(registry.parse(decode(bytes_of(side.get(REGISTRY_FILE)) or b"")).projects)


def _collisions(ours: _Projects, theirs: _Projects) -> Iterator[tuple[str, str]]:
    """Pairs of ids that claim one folder, in the same order on every machine."""
    pairs = (
        (our_id, their_id)
        for our_id, our_folder in ours.items()
        for their_id, their_folder in theirs.items()
        if our_id != their_id and fold(our_folder) == fold(their_folder)
    )
    return iter(sorted(pairs, key=sorted))


def _folders(path: str) -> tuple[str, ...]:
    """The project folders that a file at `path` makes taken."""
    parts = path.split("/")
    return tuple(parts[:1] if parts[0] != "TAPE" else parts[1:2]) if len(parts) > 1 else ()


def _free(folder: str, taken: set[str]) -> str:
    names = (f"{folder}-{n}" for n in count(2))
    return next(name for name in names if fold(name) not in taken and registry.is_folder(name))


def _moved(
    base: Mapping[str, str], side: Contents, project: str, old: str, new: str, bytes_of: _BytesOf
) -> Contents:
    """`side` with its project in the folder `new`; what it changed under the old one is as in base."""
    text = decode(bytes_of(side[REGISTRY_FILE]) or b"")
    moved: dict[str, Content] = dict(side)
    moved[REGISTRY_FILE] = encode(registry.with_project(text, project, new))
    for path in base.keys() | side.keys():
        before = next((b for b in (f"{old}/", f"TAPE/{old}/") if path.startswith(b)), "")
        if not before or side.get(path) == base.get(path):
            continue
        moved.pop(path, None)
        if path in base:
            moved[path] = base[path]
        if path in side:
            moved[before.replace(old, new, 1) + path.removeprefix(before)] = side[path]
    return moved
