"""What holds for every merge of a note: each law tells, for a case made from a seed, how it was broken."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from random import Random

from merging.notes import PATH, Case, alike, clear, wild

from ctxrepo.domain.merge import MergedFile, merge_file
from ctxrepo.domain.note import frontmatter
from ctxrepo.domain.note.entry import normalised
from ctxrepo.domain.note.frontmatter import split
from ctxrepo.domain.note.markdown import closed, split_blocks

Law = Callable[[Random], Iterator[str]]
"""Yields what is wrong with one case made from a seed; nothing where the law holds."""

_MARKER = re.compile(rb"(?m)^(?:<{7}|>{7}|={7}|\|{7})[^\r\n]*")
_TOKEN = re.compile(r"\bk\d+\b")


def merged(base: bytes | None, ours: bytes | None, theirs: bytes | None) -> bytes:
    return merge_file(PATH, base, ours, theirs).data or b""


def said(data: bytes | None) -> Counter[str]:
    """What is said how often, headings aside; a fence that the merge closes counts as closed."""
    body = split((data or b"").decode())[1]
    return Counter(
        normalised(b.text) for b in split_blocks(closed(body)) if b.kind not in ("heading", "blank")
    )


def kept(result: MergedFile) -> Counter[str]:
    """What is in the file or put aside."""
    return said(result.data) + Counter(normalised(copy.other) for copy in result.conflict_copies)


def symmetric(case: Case) -> Iterator[str]:
    """It is the same whichever side is called ours."""
    ours, theirs = case.sides
    if merge_file(PATH, case.base, ours, theirs) != merge_file(PATH, case.base, theirs, ours):
        yield "not symmetric"


def itself(case: Case) -> Iterator[str]:
    """A version merged with itself or with its base is that version."""
    for side in case.sides:
        for ours, theirs in ((side, side), (case.base, side), (side, case.base)):
            if merged(case.base, ours, theirs) != side:
                yield f"not itself: {side!r}"


def lost(case: Case) -> Iterator[str]:
    """What both kept stays as often as both have it; what one added is in the file or put aside.

    Counts are of equal texts wherever they stand; additions of one text by both sides are one addition.
    """
    result = merge_file(PATH, case.base, *case.sides)
    was, (us, them), now = said(case.base), map(said, case.sides), kept(result)
    for text in us | them:
        low, high = sorted((us[text], them[text]))
        least = high if high > was[text] else low
        if now[text] < least:
            yield f"lost {text!r}: {was[text]} -> {us[text]}, {them[text]} = {now[text]}"


def returned(case: Case) -> Iterator[str]:
    """What one removed and the other left as it was does not return, wherever that one moved it."""
    now, was = said(merged(case.base, *case.sides)), written(case.base)
    for mine, other in (case.sides, case.sides[::-1]):
        us, them = written(mine), written(other)
        for text, forms in was.items():
            if them[text] == forms and us[text].total() < forms.total() and now[text] != us[text].total():
                yield f"returned {text!r}: {forms.total()} -> {us[text].total()} = {now[text]}"


def written(data: bytes) -> defaultdict[str, Counter[str]]:
    """What is said -> the forms that it is written in, how often each."""
    by_text: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for block in split_blocks(closed(split(data.decode())[1])):
        if block.kind not in ("heading", "blank"):
            by_text[normalised(block.text)][block.text.replace("\r\n", "\n").rstrip("\n")] += 1
    return by_text


def made_up(case: Case) -> Iterator[str]:
    """Nothing is said that no side says, nor more often than the sides' additions make it; no marker."""
    data = merged(case.base, *case.sides)
    was, (us, them), now = said(case.base), map(said, case.sides), said(data)
    for text in now:
        most = was[text] + max(us[text] - was[text], 0) + max(them[text] - was[text], 0)
        if now[text] > max(most, us[text], them[text]):
            yield f"made up {text!r}: {was[text]} -> {us[text]}, {them[text]} = {now[text]}"
    if not set(_MARKER.findall(data)) <= {m for side in case.sides for m in _MARKER.findall(side)}:
        yield "a marker line"


def tags(case: Case) -> Iterator[str]:
    """Tags are a set: kept by both or added by one they are there, removed by one they are not."""
    heads = [frontmatter.read(data.decode()) for data in (case.base, *case.sides)]
    if any(head.problem or not head.fields for head in heads):
        return
    was, us, them = (set(head.tags) for head in heads)
    now = set(frontmatter.read(merged(case.base, *case.sides).decode()).tags)
    if now != (us & them) | ((us | them) - was):
        yield f"tags {was} -> {us}, {them} = {now}"


def tokens(case: Case) -> Iterator[str]:
    """The same, as one who knows nothing of entries sees it: by the words that name one entry each."""
    result = merge_file(PATH, case.base, *case.sides)
    text = (result.data or b"").decode()
    everything = "\n".join([text, *(copy.other for copy in result.conflict_copies)])
    was, us, them = (_TOKEN.findall(data.decode()) for data in (case.base, *case.sides))
    for token in {*was, *us, *them}:
        sides = token in us, token in them
        is_there = bool(re.search(rf"\b{token}\b", everything))
        if (all(sides) or (any(sides) and token not in was)) and not is_there:
            yield f"lost {token}"
        if token in was and not all(sides):
            before, *after = (_line(data, token) for data in (case.base, *case.sides))
            is_untouched = all(line in (None, before) for line in after)
            if is_untouched and re.search(rf"\b{token}\b", text):
                yield f"returned {token}"
            if not is_untouched and any(sides) and not is_there:
                yield f"lost the edit of {token}"


def _line(data: bytes, token: str) -> str | None:
    """The blocks that name it as they are written, None where it is not named."""
    blocks = split_blocks(closed(split(data.decode())[1]))
    named = [b.text.replace("\r\n", "\n").rstrip("\n") for b in blocks if re.search(rf"\b{token}\b", b.text)]
    return "\n\n".join(named) if named else None


def again(case: Case) -> Iterator[str]:
    """A merged version that meets one of its sides again stays, byte for byte."""
    result = merged(case.base, *case.sides)
    for side in case.sides:
        if (now := merged(side, result, side)) != result:
            yield f"moved again over a side: {result!r} -> {now!r}"
        if (now := merged(case.base, result, side)) != result:
            yield f"not settled: {result!r} with {side!r} -> {now!r}"


def settled(case: Case) -> Iterator[str]:
    """A merged version that meets one of its sides again says the same as before.

    Only a new text that the two have under different headings may be there once more: it can't be told from
    one that two machines said each under a heading of their own, and then neither may be lost.
    """
    result = merged(case.base, *case.sides)
    before = said(result)
    for side in case.sides:
        moved = {
            text for text, places in _places(side).items() if places != _places(result).get(text, places)
        }
        for base in (case.base, side):
            now = said(merged(base, result, side))
            more = {text for text in now - before if text not in moved}
            if before - now or more or any(now[text] > before[text] + said(side)[text] for text in now):
                yield f"{result!r} with {side!r}: lost {before - now}, new {now - before}"


def _places(data: bytes) -> dict[str, list[tuple[str, ...]]]:
    """What is said -> the headings that its copies stand under."""
    by_text: dict[str, list[tuple[str, ...]]] = defaultdict(list)
    for block in split_blocks(closed(split(data.decode())[1])):
        by_text[normalised(block.text)].append(block.heading)
    return {text: sorted(places) for text, places in by_text.items()}


def laws_of(
    what: str, make: Callable[[Random], Case], *checks: Callable[[Case], Iterator[str]]
) -> dict[str, Law]:
    """The checks by their names, each of a case that `make` makes."""

    def law(check: Callable[[Case], Iterator[str]]) -> Law:
        def broken(rng: Random) -> Iterator[str]:
            case = make(rng)
            for wrong in check(case):
                yield f"{wrong}\n{case}"

        return broken

    return {f"{what}: {check.__name__}": law(check) for check in checks}


ALWAYS = (symmetric, itself, lost, returned, made_up, tags)

CLEAR = laws_of("clear notes", clear, *ALWAYS, tokens, settled, again)
ALIKE = laws_of("alike notes", alike, *ALWAYS, tokens, settled)
WILD = laws_of("wild notes", wild, *ALWAYS, settled)
