"""Finds which block of one version of a note is which block of another, by content and not by place."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Set

from ctxrepo.domain.merge.choose import Key
from ctxrepo.domain.merge.note.pairing import (
    Saying,
    Section,
    paired,
    same_sayings,
    same_titles,
    without,
    words_of_many,
)
from ctxrepo.domain.merge.note.version import Body, BodyVersion, Three
from ctxrepo.domain.note.likeness import words_of

_Path = tuple[str, ...]


def identify(base: str, ours: str, theirs: str) -> Three:
    """Three bodies whose parts have keys such that one thing has the same key in all of them."""
    bodies = Body.read(base), Body.read(ours), Body.read(theirs)
    our_paths, their_paths = _same_headings(*bodies)
    not_ids = {name for body in bodies for name, times in body.ids().items() if times > 1}
    was = bodies[0].keyed({path: path for path in bodies[0].sections()}, not_ids)
    us, them = bodies[1].keyed(our_paths, not_ids), bodies[2].keyed(their_paths, not_ids)
    our_edits, their_edits = _edits(was, us, them)
    return was, us.rekeyed(our_edits), them.rekeyed(their_edits)


def _same_headings(base: Body, ours: Body, theirs: Body) -> tuple[dict[_Path, _Path], dict[_Path, _Path]]:
    """For each side: heading path -> its path in the base, or the path it would have there."""
    was, us, them = base.sections(), ours.sections(), theirs.sections()
    twice = base.titles_twice() | ours.titles_twice() | theirs.titles_twice()
    our_paths: dict[_Path, _Path] = {(): ()}
    their_paths: dict[_Path, _Path] = {(): ()}
    for depth in range(1, max(map(len, (*was, *us, *them)), default=0) + 1):
        old = {path: below for path, below in was.items() if len(path) == depth}
        here, there = _titles(us, our_paths, depth), _titles(them, their_paths, depth)
        # If one side renamed a heading and edited its section, the other side's section may show it.
        our_changes = {p: old[p] + there.get(p, ()) for p in without(old, here)}, without(here, old)
        their_changes = {p: old[p] + here.get(p, ()) for p in without(old, there)}, without(there, old)
        our_edits, their_edits = (
            {new: old for new, old in edits.items() if not {new[-1], old[-1]} & twice}
            for edits in paired(our_changes, their_changes, same_titles)
        )
        our_paths |= {path: our_edits.get(now, now) for path, now in our_paths.items()}
        their_paths |= {path: their_edits.get(now, now) for path, now in their_paths.items()}
    return our_paths, their_paths


def _titles(sections: Mapping[_Path, Section], paths: dict[_Path, _Path], depth: int) -> dict[_Path, Section]:
    """The headings of one depth by their paths in the base; adds these to `paths`."""
    here = [path for path in sections if len(path) == depth]
    paths |= {path: (*paths[path[:-1]], path[-1]) for path in here}
    return {paths[path]: sections[path] for path in here}


def _edits(was: BodyVersion, us: BodyVersion, them: BodyVersion) -> tuple[dict[Key, Key], dict[Key, Key]]:
    """For each side: new key -> the key in the base of the part that it moved or edited.

    A text that occurs twice is left out: nobody could tell which of the two it was.
    """
    counts = [Counter(part.says for part in version.parts.values()) for version in (was, us, them)]
    once = {says for count in counts for says in count if all(other[says] <= 1 for other in counts)}
    # Parts that both sides gave the same id are the same part already.
    for key in us.parts.keys() & them.parts.keys() - was.parts.keys():
        if us.parts[key].says != them.parts[key].says:
            once -= {us.parts[key].says, them.parts[key].says}
    our_moves, their_moves = _moves(was, us, them)
    us, them = us.rekeyed(our_moves), them.rekeyed(their_moves)
    ours = our_gone, our_come = _changes(was, us, once)
    theirs = their_gone, their_come = _changes(was, them, once)
    common = set()
    if our_gone or their_gone:
        common = words_of_many(part.says for part in was.parts.values() if part.kind != "heading")
    our_pairs, their_pairs = paired(ours, theirs, same_sayings(common))
    return (
        our_moves | {our_come[new].key: our_gone[old].key for new, old in our_pairs.items()},
        their_moves | {their_come[new].key: their_gone[old].key for new, old in their_pairs.items()},
    )


def _moves(was: BodyVersion, us: BodyVersion, them: BodyVersion) -> tuple[dict[Key, Key], dict[Key, Key]]:
    """For each side: key -> the key in the base of the copy that it moved or reformatted.

    A part that both have at the same new place was moved by both, or by neither.
    """
    our_gone, our_come = _places(was, us), _places(us, was)
    their_gone, their_come = _places(was, them), _places(them, was)
    our_moves: dict[Key, Key] = {}
    their_moves: dict[Key, Key] = {}
    for says in our_gone.keys() | their_gone.keys():
        gone, come = our_gone[says] & their_gone[says], our_come[says] & their_come[says]
        by_both = dict(zip(_last_first(come), _last_first(gone), strict=False))
        moved = set(by_both.values())
        our_moves |= by_both | dict(
            zip(_last_first(our_come[says] - come), _last_first(our_gone[says] - moved), strict=False)
        )
        their_moves |= by_both | dict(
            zip(_last_first(their_come[says] - come), _last_first(their_gone[says] - moved), strict=False)
        )
    return our_moves, their_moves


def _places(version: BodyVersion, other: BodyVersion) -> defaultdict[str, set[Key]]:
    """text -> the keys of its copies that the other version does not have."""
    found: defaultdict[str, set[Key]] = defaultdict(set)
    for key, part in version.parts.items():
        if part.kind != "heading" and key not in other.parts:
            found[part.says].add(key)
    return found


def _last_first(keys: Set[Key]) -> list[Key]:
    return sorted(keys, reverse=True)


def _changes(
    was: BodyVersion, now: BodyVersion, once: Set[str]
) -> tuple[dict[str, Saying], dict[str, Saying]]:
    """(texts whose keys have gone, texts whose keys are new)"""
    return _sayings(was, now, once), _sayings(now, was, once)


def _sayings(version: BodyVersion, other: BodyVersion, once: Set[str]) -> dict[str, Saying]:
    return {
        part.says: Saying(key, part.path, part.says, words_of(part.says), part.id, part.kind)
        for key, part in version.parts.items()
        if part.kind != "heading" and part.says in once and key not in other.parts
    }
