"""A version of a note's body, as parts with keys and the blank lines between them, and its text again."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace
from functools import cached_property

from ctxrepo.domain.merge.choose import Key, either, order
from ctxrepo.domain.note.entry import explicit_id, normalised
from ctxrepo.domain.note.markdown import Block, Kind, closed, lines_of, split_blocks
from ctxrepo.lazy import dataclass

START: Key = ("start",)
END: Key = ("end",)
BARE = "bare"
"""The gap before END when the last line has no newline."""

ROOT: Key = ("root", "")
"""The home of parts without a heading."""

Path = tuple[str, ...]
"""The titles above a part, the outermost first."""

Section = tuple[Counter[str], ...]
"""The texts directly below a heading, in one version of a note or several."""


@dataclass(frozen=True)
class Part:
    """A block of a note. `text` ends in a newline and leaves no fence open; `home` is the key of the
    heading it stands under; `says` is its text in the form that is compared."""

    kind: Kind
    text: str
    path: Path
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
        """The part after each part, and the gap between them."""
        return {key: (after, gap) for (key, after), gap in self.gaps.items()}

    @cached_property
    def before(self) -> Mapping[Key, tuple[Key, str]]:
        """The part before each part, and the gap between them."""
        return {key: (before, gap) for (before, key), gap in self.gaps.items()}

    def rekeyed(self, edits: Mapping[Key, Key]) -> "BodyVersion":
        """The same version with edited parts under their keys in the base."""
        return BodyVersion(
            {edits.get(key, key): part for key, part in self.parts.items()},
            {(edits.get(a, a), edits.get(b, b)): gap for (a, b), gap in self.gaps.items()},
        )


Three = tuple[BodyVersion, BodyVersion, BodyVersion]
"""(base, ours, theirs)"""


@dataclass(frozen=True)
class Body:
    """A body as it was written; `lead` are the blank lines before its first piece."""

    lead: str
    pieces: Sequence[Block]
    is_bare: bool

    @staticmethod
    def read(body: str) -> "Body":
        is_bare = bool(body) and not body.endswith("\n")
        whole = closed(body + ("\r\n" if "\r\n" in body else "\n") if is_bare else body)
        blocks = split_blocks(whole)
        lead = blocks[0].raw if blocks and blocks[0].kind == "blank" else ""
        return Body(lead, [block for block in blocks if block.kind != "blank"], is_bare)

    def sections(self) -> dict[Path, Section]:
        """heading path -> the texts directly under it."""
        texts: dict[Path, Counter[str]] = defaultdict(Counter)
        for piece in self.pieces:
            texts[piece.heading].update([normalised(piece.text)] if piece.kind != "heading" else [])
        return {path: (below,) for path, below in texts.items()}

    def titles_twice(self) -> set[str]:
        """Titles that several headings have: it would be unclear which of them was renamed."""
        titles = Counter(piece.heading[-1] for piece in self.pieces if piece.kind == "heading")
        return {title for title, times in titles.items() if times > 1}

    def ids(self) -> Counter[str]:
        """How often each explicit id occurs; an id that occurs twice identifies nothing."""
        return Counter(explicit_id(piece.text) for piece in self.pieces if piece.kind != "heading")

    def keyed(self, paths: Mapping[Path, Path], not_ids: Set[str]) -> BodyVersion:
        """The body with keys for its parts; `paths` maps each heading path to its path in the base."""
        parts: dict[Key, Part] = {}
        gaps: dict[tuple[Key, Key], str] = {}
        counts: Counter[Key] = Counter()
        heads: list[tuple[Path, Key]] = []
        before, gap = START, self.lead
        for piece in self.pieces:
            path = paths[piece.heading]
            if piece.kind == "heading":
                heads = [(p, k) for p, k in heads if path[: len(p)] == p and len(p) < len(path)]
            home = heads[-1][1] if heads else ROOT
            name = explicit_id(piece.text)
            name = "" if name in not_ids else name
            part = Part(piece.kind, piece.text, path, home, normalised(piece.text), name)
            key = _key(part)
            counts[key] += 1
            key = (*key, str(counts[key]))
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


_NOTHING = Part("blank", "", (), ROOT, "")


def written_out(parts: Mapping[Key, Part], three: Three) -> str:
    """The body made of `parts`; order and gaps come from base, ours and theirs."""
    parts = {**parts, **_deepened(parts)}
    newline = "\r\n" if any("\r\n" in part.text for part in parts.values()) else "\n"
    out: list[str] = []
    before, last = START, _NOTHING
    for key in _in_order(parts, three):
        gap = _gap(before, key, three)
        if gap is None:
            gap = _usual_gap((before, last), (key, parts[key]), three, newline)
        gap, text = _apart(last, gap, parts[key].text, newline)
        out += [gap, text]
        before, last = key, replace(parts[key], text=text)
    end = _gap(before, END, three)
    body = "".join(out)
    return body.removesuffix("\n").removesuffix("\r") if end == BARE else body + (end or "")


def _deepened(parts: Mapping[Key, Part]) -> dict[Key, Part]:
    """The headings that must become deeper, because a side made the heading above them deeper."""
    deeper: dict[Key, Part] = {}
    for key in sorted((k for k, p in parts.items() if p.kind == "heading"), key=lambda k: len(parts[k].path)):
        part, above = parts[key], deeper.get(parts[key].home) or parts.get(parts[key].home)
        missing = _level(above) + 1 - _level(part) if above else 0
        deeper[key] = replace(part, text="#" * max(missing, 0) + part.text)
    return deeper


def _in_order(parts: Mapping[Key, Part], three: Three) -> list[Key]:
    """All keys in the order of the note: the entries of a heading come before its subheadings."""
    entries, headings = (
        [_below(version, parts, is_heading) for version in three] for is_heading in (False, True)
    )

    def walk(home: Key) -> Iterator[Key]:
        yield from order(*(below[home] for below in entries))
        # Deeper headings first: behind a shallower one they would become a part of it.
        titles = _copies_in_order(order(*(below[home] for below in headings)))
        for key in sorted(titles, key=lambda k: -_level(parts[k])):
            yield key
            yield from walk(key)

    return list(walk(ROOT))


def _copies_in_order(keys: Sequence[Key]) -> list[Key]:
    """The keys with equal headings in the order of their numbers, as a reader would number them."""
    copies: dict[Key, list[Key]] = defaultdict(list)
    for key in sorted(keys, reverse=True):
        copies[key[:-1]].append(key)
    return [copies[key[:-1]].pop() for key in keys]


def _below(version: BodyVersion, parts: Mapping[Key, Part], is_heading: bool) -> Mapping[Key, list[Key]]:
    """heading -> the parts of `version` that stay under it; a part that was moved away is left out."""
    below: dict[Key, list[Key]] = defaultdict(list)
    for key, part in version.parts.items():
        if key in parts and part.home == parts[key].home and (part.kind == "heading") == is_heading:
            below[part.home].append(key)
    return below


def _level(heading: Part) -> int:
    return len(heading.text) - len(heading.text.lstrip("#"))


def _gap(before: Key, key: Key, three: Three) -> str | None:
    """The blank lines that a side has between two neighbours; None when no side has these neighbours."""
    was, us, them = (version.gaps.get((before, key)) for version in three)
    if us is not None and them is not None:
        return either(was, us, them)
    return them if us is None else us


def _usual_gap(before: tuple[Key, Part], after: tuple[Key, Part], three: Three, newline: str) -> str:
    """The gap between two new neighbours: as a side has it between such kinds, otherwise a blank line."""
    (last_key, last), (key, part) = before, after
    gaps = []
    for version in three[1:]:
        next_key, behind = version.after.get(last_key, (END, ""))
        previous_key, ahead = version.before.get(key, (START, ""))
        if next_key != END and _kind(version, next_key) == part.kind:
            gaps.append(behind)
        if _kind(version, previous_key) == last.kind:
            gaps.append(ahead)
    is_list = last.kind == part.kind == "bullet"
    return max(gaps, default="" if last is _NOTHING or is_list else newline)


def _kind(version: BodyVersion, key: Key) -> str:
    return version.parts[key].kind if key in version.parts else _NOTHING.kind


def _apart(last: Part, gap: str, text: str, newline: str) -> tuple[str, str]:
    """The gap and the text with which `text` stays a separate block after `last`."""
    if last is _NOTHING or _are_two(last.text + gap, text):
        return gap, text
    gap = gap or newline
    return (gap, text) if _are_two(last.text + gap, text) else (gap, _outdented(text))


def _are_two(before: str, text: str) -> bool:
    first = lines_of(text)[0]
    blocks = split_blocks(before + first)
    return len(blocks) == 2 and blocks[1].text == first


def _outdented(text: str) -> str:
    """`text` without the indentation of its first line, which would nest it in the block before."""
    indent = len(text) - len(text.lstrip(" \t"))
    out = "".join(line[min(indent, len(line) - len(line.lstrip(" \t"))) :] for line in lines_of(text))
    return out if len(split_blocks(out)) == 1 else text.lstrip(" \t")
