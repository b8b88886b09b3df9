"""Resolving conflicts: a person decides about a conflict copy, and git's markers are merged by meaning."""

from collections.abc import Iterator
from itertools import product
from typing import Literal

from ctxrepo.domain.merge import merge_file
from ctxrepo.domain.merge.choose import plain
from ctxrepo.domain.note import frontmatter
from ctxrepo.domain.note.entry import without_id
from ctxrepo.domain.note.markdown import Block, fence_after, lines_of, split_blocks
from ctxrepo.domain.note.note import decode_exactly, encode
from ctxrepo.domain.project import registry
from ctxrepo.domain.project.layout import REGISTRY, is_note
from ctxrepo.domain.records.conflict_copy import ConflictCopy
from ctxrepo.errors import Refused
from ctxrepo.lazy import dataclass, lazy_pattern

Keep = Literal["kept", "other", "both"]


def resolve_copy(text: str | None, copy: ConflictCopy, keep: Keep, name: str) -> str | None:
    """Return the file `text` (None: no file) with the version that a person decided to `keep`, or both, if
    it lacks that; the copy is called `name`. Refused unless the version that stands in the file does so
    exactly once."""
    if keep == "kept":
        return text
    if not copy.kept:
        return _whole(copy, keep, name)
    if text is None:
        raise Refused(f"{copy.path} is gone", _by_hand(copy, name, f"make {copy.path} anew with what holds"))
    places, others = list(_places(text, copy, copy.kept)), list(_places(text, copy, copy.other))
    if others and places and keep == "other":
        raise Refused(f"both versions stand in {copy.path} by now", _by_hand(copy, name))
    if others and bool(places) == (keep == "both"):
        return text
    if len(places) != 1:
        how = f"stands {len(places)} times in" if places else "isn't any more in"
        raise Refused(f"the version that was kept {how} {copy.path}", _by_hand(copy, name))
    (place,) = places
    new = (_of_blocks if place.blocks else _of_lines)(text, place, copy, keep, name)
    if new is None:
        raise Refused(f"{copy.path} can't be changed safely here", _by_hand(copy, name))
    return new


def stands(text: str, copy: ConflictCopy, version: str) -> bool:
    """Whether a version of what the copy is about, the one or the other, is in its file `text`."""
    return any(True for _ in _places(text, copy, version))


@dataclass(frozen=True)
class _Place:
    """Where a version stands in a file, in characters; in the body of a note also the number of its block."""

    start: int
    end: int
    blocks: tuple[Block, ...] = ()
    number: int = 0


def _whole(copy: ConflictCopy, keep: Keep, name: str) -> str:
    if keep == "both":
        raise Refused(f"{copy.path} can only be one of the two versions", _choose(name))
    if copy.path == REGISTRY and registry.parse(copy.other).problem:
        raise Refused(f"the other version of {copy.path} can't be read", _by_hand(copy, name))
    return copy.other


def _places(text: str, copy: ConflictCopy, version: str) -> Iterator[_Place]:
    version = _comparable(version)
    if not is_note(copy.path):
        yield from _runs(text, version)
        return
    head, body = frontmatter.split(text)
    yield from _runs(head, version)
    blocks = tuple(split_blocks(body))
    start = len(head)
    for number, block in enumerate(blocks):
        if plain(block.text) == version:
            yield _Place(start, start + len(block.text), blocks, number)
        start += len(block.raw)


def _runs(text: str, version: str) -> Iterator[_Place]:
    """The places where whole lines equal `version`, whatever their line ends are."""
    lines, lines_of_version = lines_of(text), version.split("\n")
    for first in range(len(lines) - len(lines_of_version) + 1):
        if plain("".join(lines[first : first + len(lines_of_version)])) == version:
            start = len("".join(lines[:first]))
            yield _Place(start, start + len("".join(lines[first : first + len(lines_of_version)])))


def _of_lines(text: str, place: _Place, copy: ConflictCopy, keep: Keep, name: str) -> str | None:
    """Replace lines of frontmatter or JSON. Both versions can't stand there, since each line has a name."""
    if keep == "both":
        raise Refused(f"only one of the two versions can stand in {copy.path}", _choose(name))
    newline, end = _ends(text[place.start : place.end])
    new = text[: place.start] + _comparable(copy.other).replace("\n", newline) + end + text[place.end :]
    is_broken = is_note(copy.path) and frontmatter.read(new).problem and not frontmatter.read(text).problem
    return None if is_broken else new


def _of_blocks(text: str, place: _Place, copy: ConflictCopy, keep: Keep, name: str) -> str | None:
    """Write the other version with the first spacing that leaves every block intact; None if none does."""
    block = place.blocks[place.number]
    if keep == "both" and block.kind == "heading":
        raise Refused(f"what stands below a heading of {copy.path} can't have two", _choose(name))
    newline, end = _ends(block.text)
    other = _comparable(without_id(copy.other) if keep == "both" else copy.other)
    stays = [plain(block.text)] if keep == "both" else []
    expected = [plain(b.text) for b in place.blocks]
    expected[place.number : place.number + 1] = [*stays, other]
    gaps = ("", newline) if block.kind == "bullet" else (newline, "")
    for before, behind in product(gaps if keep == "both" else ("", newline), ("", newline)):
        current = block.text.removesuffix(end) + newline if keep == "both" else ""
        new = current + before + other.replace("\n", newline) + (end or newline * bool(behind)) + behind
        whole = text[: place.start] + new + text[place.end :]
        if [plain(b.text) for b in split_blocks(frontmatter.split(whole)[1])] == expected:
            return whole
    return None


def _comparable(version: str) -> str:
    """A version in the form that is compared: without line ends, which a JSON line may have lost in part."""
    return plain(f"{version}\n")


def _ends(text: str) -> tuple[str, str]:
    """(the line end of a text, the end of its last line: '' when the file ends there)"""
    newline = "\r\n" if "\r\n" in text else "\n"
    return newline, newline if text.endswith(newline) else ""


def _by_hand(copy: ConflictCopy, name: str, what: str = "") -> str:
    what = what or f"put into {copy.path} what holds"
    return f"{what[0].upper()}{what[1:]}, then run `ctxrepo conflicts resolve {name} --keep kept`."


def _choose(name: str) -> str:
    return f"`ctxrepo conflicts resolve {name} --keep kept` or `--keep other`."


_MARKER = lazy_pattern(r"(?:(<{7}|\|{7}|>{7})(?: .*)?|(={7}))\r?\n?\Z")

_NEXT = {("", "<"): "ours", ("ours", "|"): "base", ("ours", "="): "theirs", ("base", "="): "theirs"}
_NEXT |= {("theirs", ">"): ""}
"""(side of the current line, marker) -> side of the next line; '' is outside of a conflict."""


def is_marker(line: str) -> bool:
    """Whether a line can only be a conflict marker of git's."""
    match = _MARKER.match(line)
    return bool(match and match[1])


def resolve_markers(path: str, text: str) -> tuple[str, tuple[ConflictCopy, ...]] | None:
    """Merge the sides of git's conflict markers; returns the text without markers, and copies of what
    lost. The base is what git wrote between its markers, else the text around the conflict, so that both
    sides stay. None without markers, or when it is unclear which line belongs to which side."""
    sides = _sides(text, has_fences=not path.lower().endswith(".jsonl"))
    if sides is None:
        return None
    merged = merge_file(path, *(encode(side) for side in sides))
    return decode_exactly(merged.data or b""), merged.conflict_copies


def _sides(text: str, *, has_fences: bool) -> tuple[str, str, str] | None:
    """(base, ours, theirs) of a file with markers. None when they are unclear: those in fenced code may be
    an example, and seven `=` may underline a title."""
    sides: dict[str, list[str]] = {"base": [], "ours": [], "theirs": []}
    where, fence, conflicts = "", "", 0
    for line in lines_of(text):
        match = _MARKER.match(line)
        marker = (match[1] or match[2])[0] if match else ""
        if marker and not (marker == "=" and not where):
            if fence and not where:
                return None
            if (where, marker) not in _NEXT:
                return None
            where = _NEXT[where, marker]
            conflicts += not where
            continue
        for name in [where] if where else sides:
            sides[name].append(line)
        if has_fences and where in ("", "ours"):
            fence = fence_after(line, fence)
    if where or not conflicts:
        return None
    base, ours, theirs = ("".join(sides[name]) for name in ("base", "ours", "theirs"))
    return base, ours, theirs
