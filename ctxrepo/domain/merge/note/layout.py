"""Writes the merged parts of a note as text: in which order, and with which blank lines between them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from ctxrepo.domain.merge.choose import Key, either, order
from ctxrepo.domain.merge.note.version import BARE, END, ROOT, START, BodyVersion, Part, Three
from ctxrepo.domain.note.markdown import lines_of, split_blocks

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
    """The gap for two new neighbours: as a side has it between such kinds, else a blank line."""
    (last_key, last), (key, part) = before, after
    found = []
    for version in three[1:]:
        next_key, behind = version.after.get(last_key, (END, ""))
        previous_key, ahead = version.before.get(key, (START, ""))
        if next_key != END and _kind(version, next_key) == part.kind:
            found.append(behind)
        if _kind(version, previous_key) == last.kind:
            found.append(ahead)
    is_list = last.kind == part.kind == "bullet"
    return max(found, default="" if last is _NOTHING or is_list else newline)


def _kind(version: BodyVersion, key: Key) -> str:
    return version.parts[key].kind if key in version.parts else _NOTHING.kind


def _apart(last: Part, gap: str, text: str, newline: str) -> tuple[str, str]:
    """Gap and text so that `text` stays a block of its own behind `last`."""
    if last is _NOTHING or _are_two(last.text + gap, text):
        return gap, text
    gap = gap or newline
    return (gap, text) if _are_two(last.text + gap, text) else (gap, _outdented(text))


def _are_two(before: str, text: str) -> bool:
    first = lines_of(text)[0]
    blocks = split_blocks(before + first)
    return len(blocks) == 2 and blocks[1].text == first


def _outdented(text: str) -> str:
    """`text` without the indent of its first line, which would hang it under the block before."""
    indent = len(text) - len(text.lstrip(" \t"))
    out = "".join(line[min(indent, len(line) - len(line.lstrip(" \t"))) :] for line in lines_of(text))
    return out if len(split_blocks(out)) == 1 else text.lstrip(" \t")
