"""Two machines that newly called two projects' folders the same: the lower id keeps it, the other moves."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import count

from ctxrepo.domain import registry
from ctxrepo.domain.merge.contents import Content, Contents
from ctxrepo.domain.note import decode, encode
from ctxrepo.domain.paths import fold
from ctxrepo.domain.registry import REGISTRY_FILE

Renames = tuple[tuple[str, str], ...]

_BytesOf = Callable[[Content | None], bytes | None]
_NamesIn = Callable[[str], Iterable[str]]
_Projects = dict[str, str]

_TAPES = "TAPE/"
_OLD_TAPE = "__anchors.jsonl"
"""How pi-memory-md's tape of a project ends, which is no folder."""


@dataclass(frozen=True)
class Claimed:
    """The three trees with each project in one folder, and the folders that were renamed for it."""

    base: Contents
    ours: Contents
    theirs: Contents
    renames: Renames = ()


def told_apart(
    base: Contents, ours: Contents, theirs: Contents, bytes_of: _BytesOf, names_in: _NamesIn
) -> Claimed:
    """Each new project in a folder of its own; `names_in` tells which names of the base are taken.

    What the project that moves wrote moves along, its tapes too; what was there before stays. What a side
    goes on to write for a project that has moved on the other one follows it.
    """
    was, us, them = (_projects(side, bytes_of) for side in (base, ours, theirs))
    base, ours = _followed(base, ours, was, us, them)
    base, theirs = _followed(base, theirs, was, them, us)
    claimed = Claimed(base, ours, theirs)
    our_new, their_new = (dict(p.items() - was.items()) for p in (us, them))
    taken: set[str] = set()
    moved: set[str] = set()
    for our_id, their_id in _collisions(our_new, their_new):
        loser = max(our_id, their_id)
        if loser in moved:
            continue
        moved.add(loser)
        taken = taken or _taken((was, us, them), (base, ours, theirs), names_in)
        old = (our_new if loser == our_id else their_new)[loser]
        new = _free(old, taken)
        taken.add(fold(new))
        claimed = replace(claimed, renames=(*claimed.renames, (old, new)))
        if loser == our_id:
            claimed = replace(claimed, ours=_moved(base, claimed.ours, loser, old, new, bytes_of))
        else:
            claimed = replace(claimed, theirs=_moved(base, claimed.theirs, loser, old, new, bytes_of))
    return claimed


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


def _taken(projects: Iterable[_Projects], trees: Iterable[Contents], names_in: _NamesIn) -> set[str]:
    """The names, folded, that no project can get any more: whatever has one, registered or not."""
    paths = [*names_in(""), *(_TAPES + name for name in names_in(_TAPES.rstrip("/")))]
    paths += [path for tree in trees for path in tree]
    names = {path.removeprefix(_TAPES).split("/")[0].removesuffix(_OLD_TAPE) for path in paths}
    return {fold(name) for name in (*names, *(folder for known in projects for folder in known.values()))}


def _free(folder: str, taken: set[str]) -> str:
    names = (f"{folder}-{n}" for n in count(2))
    return next(name for name in names if fold(name) not in taken and registry.is_folder(name))


def _moved(base: Contents, side: Contents, project: str, old: str, new: str, bytes_of: _BytesOf) -> Contents:
    """`side` with its project in the folder `new`; what it changed under the old one is as in base."""
    text = decode(bytes_of(side[REGISTRY_FILE]) or b"")
    moved = _with_changes_at(base, side, old, new)
    return {**moved, REGISTRY_FILE: encode(registry.with_project(text, project, new))}


def _followed(
    base: Contents, side: Contents, was: _Projects, now: _Projects, other: _Projects
) -> tuple[Contents, Contents]:
    """Base and side, in which the side's changes for a project are where the other side has moved it to.

    By now the old folder may be another project's.
    """
    for project, old in was.items():
        new = other.get(project, old)
        if new != old and now.get(project) == old:
            pairs = {path: _at(path, old, new) for path in base}
            copies = {to: base[path] for path, to in pairs.items() if to and side.get(path) != base[path]}
            side = _with_changes_at(base, side, old, new)
            base = {**copies, **base}
    return base, side


def _with_changes_at(base: Contents, side: Contents, old: str, new: str) -> dict[str, Content]:
    """`side` with its changes under `old` made under `new` instead."""
    moved = dict(side)
    for path in base.keys() | side.keys():
        to = _at(path, old, new)
        if not to or side.get(path) == base.get(path):
            continue
        moved.pop(path, None)
        if path in base:
            moved[path] = base[path]
        if path in side:
            moved[to] = side[path]
    return moved


def _at(path: str, old: str, new: str) -> str:
    """Where a file of the project in the folder `old` is when it is in `new`; '' for what is not its own."""
    if path == _TAPES + old + _OLD_TAPE:
        return _TAPES + new + _OLD_TAPE
    before = next((b for b in (f"{old}/", f"{_TAPES}{old}/") if path.startswith(b)), "")
    return before[: -len(old) - 1] + new + "/" + path.removeprefix(before) if before else ""
