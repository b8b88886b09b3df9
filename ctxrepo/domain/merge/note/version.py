"""A version of a note's body: its blocks as parts with keys, and the blank lines between them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence, Set
from functools import cached_property

from ctxrepo.domain.merge.choose import Key
from ctxrepo.domain.merge.note.pairing import Section
from ctxrepo.domain.note.entry import explicit_id, normalised
from ctxrepo.domain.note.markdown import Kind, closed, split_blocks
from ctxrepo.lazy import dataclass

START: Key = ("start",)
END: Key = ("end",)
BARE = "bare"
"""The gap before END when the last line has no newline."""

ROOT: Key = ("root", "")
"""The home of parts that stand under no heading."""

_Path = tuple[str, ...]


@dataclass(frozen=True)
class Part:
    """A block of a note. `text` ends in a newline and leaves no fence open; `home` is the key of the
    heading it stands under; `says` is its text in the form that is compared."""

    kind: Kind
    text: str
    path: _Path
    home: Key
    says: str
    id: str = ""


@dataclass(frozen=True)
class BodyVersion:
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

    def rekeyed(self, edits: Mapping[Key, Key]) -> BodyVersion:
        """The same version with edited parts under their keys in the base."""
        return BodyVersion(
            {edits.get(key, key): part for key, part in self.parts.items()},
            {(edits.get(a, a), edits.get(b, b)): gap for (a, b), gap in self.gaps.items()},
        )


Three = tuple[BodyVersion, BodyVersion, BodyVersion]
"""(base, ours, theirs)"""


@dataclass(frozen=True)
class _Piece:
    kind: Kind
    text: str
    after: str
    path: _Path


@dataclass(frozen=True)
class Body:
    """A body as it was written; `lead` are the blank lines before its first piece."""

    lead: str
    pieces: Sequence[_Piece]
    is_bare: bool

    @staticmethod
    def read(body: str) -> Body:
        is_bare = bool(body) and not body.endswith("\n")
        whole = closed(body + ("\r\n" if "\r\n" in body else "\n") if is_bare else body)
        blocks = split_blocks(whole)
        lead = blocks[0].raw if blocks and blocks[0].kind == "blank" else ""
        pieces = [_Piece(b.kind, b.text, b.after, b.heading) for b in blocks if b.kind != "blank"]
        return Body(lead, pieces, is_bare)

    def sections(self) -> dict[_Path, Section]:
        """heading path -> the texts directly under it."""
        found: dict[_Path, Counter[str]] = defaultdict(Counter)
        for piece in self.pieces:
            found[piece.path].update([normalised(piece.text)] if piece.kind != "heading" else [])
        return {path: (below,) for path, below in found.items()}

    def titles_twice(self) -> set[str]:
        """Titles that several headings have: nobody could tell which of them was renamed."""
        titles = Counter(piece.path[-1] for piece in self.pieces if piece.kind == "heading")
        return {title for title, times in titles.items() if times > 1}

    def ids(self) -> Counter[str]:
        """How often each explicit id occurs; an id that occurs twice identifies nothing."""
        return Counter(explicit_id(piece.text) for piece in self.pieces if piece.kind != "heading")

    def keyed(self, paths: Mapping[_Path, _Path], not_ids: Set[str]) -> BodyVersion:
        """The body with keys for its parts; `paths` maps each heading path to its path in the base."""
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
        return BodyVersion(parts, gaps)


def _key(part: Part) -> Key:
    if part.kind == "heading":
        return ("heading", "\x1e".join(part.path), "")
    if part.id:
        return ("id", part.id, "")
    return ("entry", "\x1e".join(part.path), part.says, " ".join(part.text.split()))
