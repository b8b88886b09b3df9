"""An entry: one fact in a note, the id by which everything refers to it, and how alike two entries are."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator
from functools import partial
from heapq import nsmallest
from itertools import product
from typing import NamedTuple

from ctxrepo.domain.note.frontmatter import split
from ctxrepo.domain.note.markdown import split_blocks
from ctxrepo.domain.text import blake2b
from ctxrepo.lazy import lazy_pattern

_EXPLICIT = lazy_pattern(r"<!--\s*\^([0-9a-z][0-9a-z_-]{0,63})\s*-->[ \t]*\r?$", re.MULTILINE)
_MARKER = lazy_pattern(r"\A\s*(?:[-*+]|\d{1,9}[.)])(?:[ \t]+|$)(?:\[[ xX]\][ \t]+)?")
_CATEGORY = lazy_pattern(r"\[([A-Za-z][\w-]{0,39})\](?![(\[])")
_TAG = lazy_pattern(r"(?<![\w#&/])#([A-Za-z][\w/-]{0,63})")
_LINK = lazy_pattern(r"\[\[([^\[\]\n]{1,200})\]\]")
_KEY = lazy_pattern(r"([A-Za-z][\w.-]{0,39}):[ \t]+\S")
_PINNED = lazy_pattern(r"\*\(pinned\)\*", re.IGNORECASE)
_CODE = lazy_pattern(r"`[^`\n]*`")


class Entry(NamedTuple):
    """A top-level bullet with what is nested below it, or a paragraph, of the note at `path`, as written
    but for its final newline. `first_line` and `last_line` are 1-based lines of the file."""

    id: str
    path: str
    text: str
    heading: tuple[str, ...]
    first_line: int
    last_line: int

    @property
    def at(self) -> str:
        """The place to show, `path#L10` or `path#L10-L12`."""
        end = f"-L{self.last_line}" if self.last_line > self.first_line else ""
        return f"{self.path}#L{self.first_line}{end}"

    @property
    def plain(self) -> str:
        """The text without bullet marker and id comment."""
        return _MARKER.sub("", _EXPLICIT.sub("", self.text), count=1).strip()

    @property
    def category(self) -> str:
        match = _CATEGORY.match(self.plain)
        return match[1].lower() if match else ""

    @property
    def tags(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(_TAG.findall(_CODE.sub("", self.plain))))

    @property
    def links(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(_LINK.findall(_CODE.sub("", self.plain))))

    @property
    def key(self) -> str:
        """The K of an entry written as `K: value`, after its category if it has one."""
        match = _KEY.match(_CATEGORY.sub("", self.plain, count=1).lstrip())
        return match[1] if match else ""

    @property
    def is_pinned(self) -> bool:
        return bool(_PINNED.search(self.plain))


def entries_of(path: str, text: str) -> list[Entry]:
    """The entries of the note `text` at `path`, in order; equal ones differ by their number."""
    head, body = split(text)
    offset = head.count("\n")
    seen: dict[tuple[tuple[str, ...], str], int] = {}
    entries = []
    for block in split_blocks(body):
        if block.kind not in ("bullet", "paragraph"):
            continue
        words = normalised(block.text)
        if not words.strip("-*_=|: "):  # a thematic break or a bare marker is layout, not an entry
            continue
        same = (block.heading, words)
        nth = seen[same] = seen.get(same, 0) + 1
        entries.append(
            Entry(
                id=explicit_id(block.text) or derived_id(path, *same, nth=nth),
                path=path,
                text=block.text.rstrip("\r\n"),
                heading=block.heading,
                first_line=block.line + offset,
                last_line=block.last_line + offset,
            )
        )
    return entries


def added(before: list[Entry], after: list[Entry]) -> Entry:
    """The entry that is new in `after`; of equal ids, which a person may write, the last."""
    ids_before = Counter(entry.id for entry in before)
    for entry in after:
        if not ids_before[entry.id]:
            return entry
        ids_before[entry.id] -= 1
    raise ValueError("no entry was added")


def normalised(text: str) -> str:
    """The text by which entries are compared: NFC, single spaces, without bullet marker and id."""
    bare = _EXPLICIT.sub("", text) if "<!--" in text else text
    if marker := _MARKER.match(bare):
        bare = bare[marker.end() :]
    return " ".join((bare if bare.isascii() else unicodedata.normalize("NFC", bare)).split())


def explicit_id(text: str) -> str:
    """The id that an entry's author gave it at the end of its first or last line, or ''."""
    if "<!--" not in text:
        return ""
    first = text.split("\n", 1)[0].rstrip("\r")
    match = _EXPLICIT.search(first) or _EXPLICIT.search(text.rstrip("\r\n"))
    return match[1] if match else ""


def without_id(text: str) -> str:
    """The text of an entry without the id that its author gave it."""
    return re.sub(rf"(?m)(?<![ \t])[ \t]*+{_EXPLICIT.pattern}", "", text)


def with_id(text: str, new: str) -> str:
    """The text of an entry with `new` in the place of the id that its author gave it."""
    return _EXPLICIT.sub(lambda match: match[0].replace(f"^{match[1]}", f"^{new}"), text, count=1)


def derived_id(path: str, heading: tuple[str, ...], text: str, nth: int) -> str:
    """12 hex digits from place and text (the scope is the first part of `path`)."""
    parts = "\x1f".join([path, "\x1e".join(heading), text, str(nth)])
    return blake2b(parts.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()


SIMILAR = 0.6
"""Share of equal text from which an edited entry is still the same entry."""

MAX_LETTERS = 1_000_000
"""Above this product of lengths two texts are compared by their words only."""

FEW_PAIRS = 400
"""Up to so many pairs of entries are all compared."""

MAX_PAIRS = 250_000
"""With more pairs than FEW_PAIRS, up to this many, each entry is compared with the NEAREST that share most
words with it; beyond that, with those at about the same position."""

NEAREST = 5
"""How many others an entry is compared with, if not with all."""

_WORD = lazy_pattern(r"[A-Za-z0-9_]+|\w")


def similarity(first: str, second: str) -> float:
    """0 to 1: how much of two entries' normalised text is the same; by words, whatever their order, where
    comparing letters would take minutes."""
    first, second = normalised(first), normalised(second)
    if first == second:
        return 1.0
    from difflib import SequenceMatcher  # every command loads this module, and few compare entries

    if len(first) * len(second) > MAX_LETTERS:
        return SequenceMatcher(None, first.split(), second.split()).quick_ratio()
    matcher = SequenceMatcher(None, first, second, autojunk=False)
    # The two bounds are cheap; most pairs fail them.
    if matcher.real_quick_ratio() < SIMILAR or matcher.quick_ratio() < SIMILAR:
        return 0.0
    return matcher.ratio()


def words_of(text: str) -> frozenset[str]:
    """The words of a text; each letter that isn't Latin is one: not every script separates words."""
    return frozenset(_WORD.findall(text))


def moved(before: list[Entry], after: list[Entry]) -> Iterator[tuple[Entry, Entry]]:
    """Pairs (old, new) of entries whose id changed by an edit or a move, the most similar first; of many
    entries those with most words in common are compared, of very many those at about the same position."""
    ids_in_both = {e.id for e in before} & {e.id for e in after}
    gone = [e for e in before if e.id not in ids_in_both]
    come = [e for e in after if e.id not in ids_in_both]
    same = list(_same(gone, come))
    yield from same
    olds, news = {id(old) for old, _ in same}, {id(new) for _, new in same}
    gone = [e for e in gone if id(e) not in olds]
    come = [e for e in come if id(e) not in news]
    scored = sorted(
        ((similarity(gone[i].text, come[j].text), i, j) for i, j in _comparable(gone, come)),
        key=lambda s: (-s[0], s[1], s[2]),
    )
    paired: set[tuple[str, int]] = set()
    for score, i, j in scored:
        if score >= SIMILAR and ("gone", i) not in paired and ("come", j) not in paired:
            paired |= {("gone", i), ("come", j)}
            yield gone[i], come[j]


def _same(gone: list[Entry], come: list[Entry]) -> Iterator[tuple[Entry, Entry]]:
    """Pairs of entries with the same text in different places, in order."""
    waiting: dict[str, deque[Entry]] = defaultdict(deque)
    for entry in come:
        waiting[normalised(entry.text)].append(entry)
    for entry in gone:
        if equals := waiting[normalised(entry.text)]:
            yield entry, equals.popleft()


def _comparable(gone: list[Entry], come: list[Entry]) -> Iterable[tuple[int, int]]:
    """Indices of old and new entries that are worth comparing letter by letter."""
    if len(gone) * len(come) <= FEW_PAIRS:
        return product(range(len(gone)), range(len(come)))
    if len(gone) * len(come) > MAX_PAIRS:
        around = range(-(NEAREST // 2), NEAREST // 2 + 1)
        return ((i, i + far) for i in range(len(gone)) for far in around if 0 <= i + far < len(come))
    words, theirs = ([words_of(e.text) for e in entries] for entries in (gone, come))

    def distance(i: int, j: int) -> tuple[int, int]:
        return -len(words[i] & theirs[j]), abs(i - j)

    return (
        (i, j)
        for i in range(len(gone))
        for j in nsmallest(NEAREST, range(len(come)), key=partial(distance, i))
    )
