"""Which block of one version of a note is which block of another, by what it says and not by where it is."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property

from ctxrepo.domain.entry import explicit_id, normalised
from ctxrepo.domain.likeness import words_of
from ctxrepo.domain.markdown import Kind, closed, split_blocks
from ctxrepo.domain.merge.choose import Key
from ctxrepo.domain.merge.pairing import (
    Saying,
    Section,
    paired,
    same_sayings,
    same_titles,
    without,
    words_of_many,
)

START: Key = ("start",)
END: Key = ("end",)
BARE = "bare"
"""The gap to the end where the last line has no newline."""

ROOT: Key = ("root", "")
"""What stands under no heading is at home here."""

_Path = tuple[str, ...]


@dataclass(frozen=True)
class Part:
    """A block of a note. `text` ends in a newline and leaves no fence open; `home` is the key of the
    heading it stands under; `says` is its text as far as it matters for being the same."""

    kind: Kind
    text: str
    path: _Path
    home: Key
    says: str
    id: str = ""


@dataclass(frozen=True)
class Version:
    """The parts of a body by their keys, in order; `gaps` are the blank lines between two neighbours."""

    parts: Mapping[Key, Part]
    gaps: Mapping[tuple[Key, Key], str]

    @cached_property
    def after(self) -> Mapping[Key, tuple[Key, str]]:
        """What follows each part, and the gap before that."""
        return {key: (after, gap) for (key, after), gap in self.gaps.items()}

    @cached_property
    def before(self) -> Mapping[Key, tuple[Key, str]]:
        """What stands before each part, and the gap behind that."""
        return {key: (before, gap) for (before, key), gap in self.gaps.items()}


Three = tuple[Version, Version, Version]
"""(base, ours, theirs)"""


def identify(base: str, ours: str, theirs: str) -> Three:
    """Three bodies with their parts so keyed that one thing has one key in all of them."""
    bodies = _Body.read(base), _Body.read(ours), _Body.read(theirs)
    our_paths, their_paths = _same_headings(*bodies)
    not_ids = {name for body in bodies for name, times in body.ids().items() if times > 1}
    was = bodies[0].keyed({path: path for path in bodies[0].sections()}, not_ids)
    us, them = bodies[1].keyed(our_paths, not_ids), bodies[2].keyed(their_paths, not_ids)
    our_edits, their_edits = _edits(was, us, them)
    return was, _rekeyed(us, our_edits), _rekeyed(them, their_edits)


@dataclass(frozen=True)
class _Piece:
    kind: Kind
    text: str
    after: str
    path: _Path


@dataclass(frozen=True)
class _Body:
    lead: str
    pieces: Sequence[_Piece]
    is_bare: bool

    @staticmethod
    def read(body: str) -> _Body:
        is_bare = bool(body) and not body.endswith("\n")
        whole = closed(body + ("\r\n" if "\r\n" in body else "\n") if is_bare else body)
        blocks = split_blocks(whole)
        lead = blocks[0].raw if blocks and blocks[0].kind == "blank" else ""
        pieces = [_Piece(b.kind, b.text, b.after, b.heading) for b in blocks if b.kind != "blank"]
        return _Body(lead, pieces, is_bare)

    def sections(self) -> dict[_Path, Section]:
        """What stands directly under each heading."""
        found: dict[_Path, Counter[str]] = defaultdict(Counter)
        for piece in self.pieces:
            found[piece.path].update([normalised(piece.text)] if piece.kind != "heading" else [])
        return {path: (below,) for path, below in found.items()}

    def titles_twice(self) -> set[str]:
        """Titles that more than one heading has: nobody could tell which of them was renamed."""
        titles = Counter(piece.path[-1] for piece in self.pieces if piece.kind == "heading")
        return {title for title, times in titles.items() if times > 1}

    def ids(self) -> Counter[str]:
        """How often each id that an author gave occurs; twice, it names nothing."""
        return Counter(explicit_id(piece.text) for piece in self.pieces if piece.kind != "heading")

    def keyed(self, paths: Mapping[_Path, _Path], not_ids: Set[str]) -> Version:
        """`paths` says which path in the base each heading path stands for."""
        parts: dict[Key, Part] = {}
        gaps: dict[tuple[Key, Key], str] = {}
        seen: Counter[Key] = Counter()
        heads: list[tuple[_Path, Key]] = []
        before, gap = START, self.lead
        for piece in self.pieces:
            path = paths[piece.path]
            if piece.kind == "heading":
                heads = [(p, k) for p, k in heads if path[: len(p)] == p and len(p) < len(path)]
            home = heads[-1][1] if heads else ROOT
            name = explicit_id(piece.text)
            part = Part(
                piece.kind, piece.text, path, home, normalised(piece.text), "" if name in not_ids else name
            )
            key = _key(part)
            seen[key] += 1
            key = (*key, str(seen[key]))
            if piece.kind == "heading":
                heads.append((path, key))
            parts[key] = part
            gaps[before, key] = gap
            before, gap = key, piece.after
        gaps[before, END] = BARE if self.is_bare else gap
        return Version(parts, gaps)


def _key(part: Part) -> Key:
    if part.kind == "heading":
        return ("heading", "\x1e".join(part.path), "")
    if part.id:
        return ("id", part.id, "")
    return ("entry", "\x1e".join(part.path), part.says, " ".join(part.text.split()))


def _same_headings(base: _Body, ours: _Body, theirs: _Body) -> tuple[dict[_Path, _Path], dict[_Path, _Path]]:
    """For each side: heading path -> the path it had in the base, or would have had."""
    was, us, them = base.sections(), ours.sections(), theirs.sections()
    twice = base.titles_twice() | ours.titles_twice() | theirs.titles_twice()
    our_paths: dict[_Path, _Path] = {(): ()}
    their_paths: dict[_Path, _Path] = {(): ()}
    for depth in range(1, max(map(len, (*was, *us, *them)), default=0) + 1):
        old = {path: below for path, below in was.items() if len(path) == depth}
        here, there = _titles(us, our_paths, depth), _titles(them, their_paths, depth)
        # Where one side renamed a heading and edited below it, the other's section may tell.
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
    """The headings of one depth, under their parents' paths in the base; `paths` learns of them."""
    here = [path for path in sections if len(path) == depth]
    paths |= {path: (*paths[path[:-1]], path[-1]) for path in here}
    return {paths[path]: sections[path] for path in here}


def _edits(was: Version, us: Version, them: Version) -> tuple[dict[Key, Key], dict[Key, Key]]:
    """For each side: its new key -> the key in the base of what it moved or edited.

    What is said twice is left out: nobody could tell which of the two it was.
    """
    said = [Counter(part.says for part in version.parts.values()) for version in (was, us, them)]
    once = {says for count in said for says in count if all(other[says] <= 1 for other in said)}
    # Two things that both sides gave one id are one thing already.
    for key in us.parts.keys() & them.parts.keys() - was.parts.keys():
        if us.parts[key].says != them.parts[key].says:
            once -= {us.parts[key].says, them.parts[key].says}
    our_moves, their_moves = _moves(was, us, them)
    us, them = _rekeyed(us, our_moves), _rekeyed(them, their_moves)
    (our_gone, our_come), (their_gone, their_come) = ours, theirs = (
        _changes(was, us, once),
        _changes(was, them, once),
    )
    is_one_gone = our_gone or their_gone
    common = (
        words_of_many(p.says for p in was.parts.values() if p.kind != "heading") if is_one_gone else set()
    )
    our_pairs, their_pairs = paired(ours, theirs, same_sayings(common))
    return (
        our_moves | {our_come[new].key: our_gone[old].key for new, old in our_pairs.items()},
        their_moves | {their_come[new].key: their_gone[old].key for new, old in their_pairs.items()},
    )


def _moves(was: Version, us: Version, them: Version) -> tuple[dict[Key, Key], dict[Key, Key]]:
    """For each side: its key -> the key in the base of the copy that it moved or wrote in another form.

    What both have at a new place was moved by both, or by neither.
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


def _places(version: Version, other: Version) -> defaultdict[str, set[Key]]:
    """What is said -> the keys of its copies that the other version does not have."""
    found: defaultdict[str, set[Key]] = defaultdict(set)
    for key, part in version.parts.items():
        if part.kind != "heading" and key not in other.parts:
            found[part.says].add(key)
    return found


def _last_first(keys: Set[Key]) -> list[Key]:
    return sorted(keys, reverse=True)


def _changes(was: Version, now: Version, once: Set[str]) -> tuple[dict[str, Saying], dict[str, Saying]]:
    """What has gone from its key and what has come to one."""
    return _sayings(was, now, once), _sayings(now, was, once)


def _sayings(version: Version, other: Version, once: Set[str]) -> dict[str, Saying]:
    return {
        part.says: Saying(key, part.path, part.says, words_of(part.says), part.id, part.kind)
        for key, part in version.parts.items()
        if part.kind != "heading" and part.says in once and key not in other.parts
    }


def _rekeyed(version: Version, edits: Mapping[Key, Key]) -> Version:
    """The version with its edited parts under the keys that they had in the base."""
    return Version(
        {edits.get(key, key): part for key, part in version.parts.items()},
        {(edits.get(a, a), edits.get(b, b)): gap for (a, b), gap in version.gaps.items()},
    )
