"""An entry: one fact in a note, the id by which everything refers to it, and how alike two entries are."""

import re
import sys
import unicodedata
from collections import Counter, defaultdict, deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Set
from typing import NamedTuple, TypeVar

from ctxrepo.domain.note.frontmatter import split
from ctxrepo.domain.note.markdown import split_blocks
from ctxrepo.domain.text import blake2b, place
from ctxrepo.lazy import lazy_pattern

_EXPLICIT = lazy_pattern(r"<!--\s*\^([0-9a-z][0-9a-z_-]{0,63})\s*-->[ \t]*\r?$", re.MULTILINE)
_MARKER = lazy_pattern(r"\A\s*(?:[-*+]|\d{1,9}[.)])(?:[ \t]+|$)(?:\[[ xX]\][ \t]+)?")
_CATEGORY = lazy_pattern(r"\[([A-Za-z][\w-]{0,39})\](?![(\[])")
_TAG = lazy_pattern(r"(?<![\w#&/])(?<!\[\[)(?<!\]\()#([A-Za-z][\w/-]{0,63})")
_KEY = lazy_pattern(r"([A-Za-z][\w.-]{0,39}):[ \t]+\S")
_PINNED = lazy_pattern(r"\*\(pinned\)\*", re.IGNORECASE)
_CODE = lazy_pattern(r"`[^`\n]*`")

_K = TypeVar("_K")


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
        return place(self.path, self.first_line, self.last_line)

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
    def key(self) -> str:
        return key_of(self.plain)

    @property
    def is_pinned(self) -> bool:
        return bool(_PINNED.search(self.plain))


def key_of(plain: str) -> str:
    """The K of an entry whose text is `K: value`, after its category if it has one; NFC."""
    text = plain if plain.isascii() else unicodedata.normalize("NFC", plain)
    match = _KEY.match(_CATEGORY.sub("", text, count=1).lstrip())
    return match[1] if match else ""


def entries_of(path: str, text: str) -> list[Entry]:
    """The entries of the note `text` at `path`, in order; equal ones differ by their number."""
    head, body = split(text)
    offset = head.count("\n")
    counts: dict[tuple[tuple[str, ...], str], int] = {}
    entries = []
    for block in split_blocks(body):
        if block.kind not in ("bullet", "paragraph"):
            continue
        words = normalised(block.text)
        if not words.strip("-*_=|: "):  # a thematic break or a bare marker is layout, not an entry
            continue
        same = (block.heading, words)
        nth = counts[same] = counts.get(same, 0) + 1
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


_SIGNS = str.maketrans("", "", "`\"'“”„‘’«»")


def gist(text: str) -> str:
    """What two entries have in common that say the same: the text without case, tags, signs of markup and
    quotation, and what ends a sentence."""
    plain = normalised(text)
    without_tags = _TAG.sub("", plain) if "#" in plain else plain
    return (
        " ".join(without_tags.replace("**", "").translate(_SIGNS).casefold().rstrip(" .!;。").split())
        or plain.casefold()
    )


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

NEAREST = 5
"""How many others an entry is compared with, those that share most of the words that tell it from others."""

MANY = 100
"""A word that more of the new entries have tells none of them."""

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


def words_of_many(texts: Iterable[str]) -> set[str]:
    """The words that more than one of the texts has."""
    times = Counter(word for text in texts for word in words_of(text))
    return {word for word in times if times[word] > 1}


def moved(before: list[Entry], after: list[Entry]) -> Iterator[tuple[Entry, Entry]]:
    """Pairs (old, new) of entries whose id changed by an edit or a move, the most similar first. An edit has
    a word that tells the old one from its neighbours, or stands where that stood: of entries that are much
    alike, one that went and one that came elsewhere are two facts."""
    stay = {e.id for e in before} & {e.id for e in after}
    gone, come = ([e for e in entries if e.id not in stay] for entries in (before, after))
    same = list(same_texts(gone, come))
    yield from same
    paired = {id(entry) for pair in same for entry in pair}
    olds, news = ({e.id: e for e in entries if id(e) not in paired} for entries in (gone, come))
    pairs = {*in_place([e.id for e in before], [e.id for e in after]), *_telling(before, olds, news)}
    scored = sorted(
        (-_likeness(olds[old].text, news[new].text), olds[old].first_line, news[new].first_line, old, new)
        for old, new in pairs
        if old in olds and new in news
    )
    for score, _, _, old, new in scored:
        if -score >= SIMILAR and old in olds and new in news:
            yield olds.pop(old), news.pop(new)


def _likeness(old: str, new: str) -> float:
    """How similar two entries are. One whose first line stayed is the same, whatever stands below that."""
    first_lines = {normalised(text.partition("\n")[0]) for text in (old, new)}
    return max(similarity(old, new), SIMILAR if len(first_lines) == 1 else 0.0)


def in_place(
    before: Collection[_K], after: Collection[_K], most: int = sys.maxsize
) -> Iterator[tuple[_K, _K]]:
    """Pairs (old, new), in order, of what went and came where between two that stay as many came as went,
    and not more than `most`."""
    stay = {*before} & {*after}
    olds, news = _gaps(before, stay), _gaps(after, stay)
    for gap in olds.keys() & news.keys():
        if len(olds[gap]) == len(news[gap]) <= most:
            yield from zip(olds[gap], news[gap], strict=True)


def in_place_of(before: Collection[_K], after: Collection[_K]) -> int:
    """How many of those that went have one that came in their place."""
    stay = {*before} & {*after}
    olds, news = _gaps(before, stay), _gaps(after, stay)
    return sum(min(len(olds[gap]), len(news[gap])) for gap in olds.keys() & news.keys())


def _gaps(keys: Iterable[_K], stay: Set[_K]) -> dict[tuple[_K | None, _K | None], list[_K]]:
    """(one that stays, the next that does) -> what is between them; None is an end."""
    gaps: defaultdict[tuple[_K | None, _K | None], list[_K]] = defaultdict(list)
    last: _K | None = None
    between: list[_K] = []
    for key in (*keys, None):
        if key is None or key in stay:
            gaps[last, key] += between
            last, between = key, []
        else:
            between.append(key)
    return gaps


def _telling(
    before: list[Entry], olds: Mapping[str, Entry], news: Mapping[str, Entry]
) -> Iterator[tuple[str, str]]:
    """Pairs of old and new that share a word which no other old one has, or any where there is none."""
    common = words_of_many(normalised(entry.text) for entry in before)
    by_word: defaultdict[str, list[str]] = defaultdict(list)
    for new in news.values():
        for word in words_of(normalised(new.text)):
            by_word[word].append(new.id)
    for old in olds.values():
        words = words_of(normalised(old.text))
        telling = [by_word[word] for word in words - common or words if len(by_word[word]) <= MANY]
        shared = Counter(new for having in telling for new in having)
        yield from ((old.id, new) for new in sorted(shared, key=lambda new: (-shared[new], new))[:NEAREST])


def reworded(before: list[Entry], after: list[Entry]) -> list[tuple[Entry, Entry]]:
    """Pairs (old, new) of entries that one change of a note gave another text and so another id. Where just
    one is gone and just one is new, that is it, whatever it says now."""
    stay = {e.id for e in before} & {e.id for e in after}
    gone, come = ([e for e in entries if e.id not in stay] for entries in (before, after))
    pairs = zip(gone, come, strict=True) if len(gone) == len(come) == 1 else moved(before, after)
    return [(old, new) for old, new in pairs if normalised(old.text) != normalised(new.text)]


def same_texts(gone: list[Entry], come: list[Entry]) -> Iterator[tuple[Entry, Entry]]:
    """Pairs of entries with the same text in different places, in order."""
    waiting: dict[str, deque[Entry]] = defaultdict(deque)
    for entry in come:
        waiting[normalised(entry.text)].append(entry)
    for entry in gone:
        if equals := waiting[normalised(entry.text)]:
            yield entry, equals.popleft()
