"""Searching bytes for secrets. Each rule is tried only where one of its anchors is, which are found fast."""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cache, cached_property
from itertools import count

from ctxrepo.domain.secrets import labels, near
from ctxrepo.domain.secrets.rule_files import FILES, SHORTEST_TOKEN, Rule, rules
from ctxrepo.domain.secrets.shape import shape
from ctxrepo.domain.secrets.shape.judges import Grade, graded
from ctxrepo.domain.secrets.words import PATTERNS
from ctxrepo.lazy import dataclass, lazy_pattern

_FURTHER = 96
"""Bytes after an anchor that a rule with `back` may read."""

Hit = tuple[int, int, int, str]
"""Start, end, order of the rule, its name."""


@dataclass(frozen=True)
class Span:
    """The place of a secret; overlapping matches extend to `covered`."""

    start: int
    end: int
    covered: int
    rule: str


@dataclass(frozen=True)
class _Text:
    """The text to search, also in lower case."""

    data: bytes
    lowered: bytes

    @cached_property
    def words(self) -> set[bytes]:
        """Its words, in lower case."""
        return set(self.lowered.translate(_BLANKS).split())


def spans(data: bytes) -> list[Span]:
    """The secrets in order; of overlapping ones the first, then that of the more special rule.

    Values near a label count only where no rule matched."""
    texts = _Text(data, data.lower())
    by_rules = _merged(sorted({*_of_tokens(data), *_of_texts(texts)}))
    values = near.values(data, texts.lowered, labels.places(texts.lowered, texts.words))
    hits = {(start, end, len(RULES) + 1, name) for start, end, name in values}
    by_labels = _merged(sorted(hit for hit in hits if not _touches(hit, by_rules)))
    return sorted([*by_rules, *by_labels], key=lambda span: span.start)


def _merged(hits: Iterable[Hit]) -> list[Span]:
    merged: list[Span] = []
    for start, end, _, name in hits:
        if merged and start < merged[-1].covered:
            last = merged.pop()
            merged.append(Span(last.start, last.end, max(last.covered, end), last.rule))
        else:
            merged.append(Span(start, end, end, name))
    return merged


def _touches(hit: Hit, spans_in_order: list[Span]) -> bool:
    """Whether a hit overlaps with one of these spans."""
    at = bisect_right(spans_in_order, hit[0], key=lambda span: span.start)
    return (at > 0 and spans_in_order[at - 1].covered > hit[0]) or (
        at < len(spans_in_order) and spans_in_order[at].start < hit[1]
    )


def _of_tokens(data: bytes) -> Iterator[Hit]:
    """Matches of the rules for one word."""
    long_words = b" ".join([word for word in data.split() if len(word) >= SHORTEST_TOKEN])
    rules, _ = _tokens()
    at_start, within = _patterns_for(long_words)
    present = {match[0] for match in at_start.finditer(long_words)}
    match = within.search(long_words)
    while match:
        present.add(match[0])
        match = within.search(long_words, match.start() + 1)
    for anchor in {
        shorter for anchor_text in present for shorter in rules if anchor_text.startswith(shorter)
    }:
        for order, rule in rules[anchor]:
            yield from _hits(order, rule, data, _places(anchor, data))


def _of_texts(text: _Text) -> Iterator[Hit]:
    """Matches of the other rules, and of tables with a label in a heading."""
    anchors, rules = _texts()
    labels: list[int] = []
    candidates = [
        anchor
        for word in anchors.keys() & text.words
        for anchor in anchors[word]
        if text.words.issuperset(anchor.translate(_BLANKS).split())
    ] + anchors[b""]
    if not text.data.isascii():
        candidates += anchors[_FOREIGN]
    for anchor in candidates:
        places = list(_places(anchor, text.lowered))
        for order, rule in rules[anchor] if places else ():
            yield from _hits(order, rule, text.data, places)
            if rule.is_label:
                labels += places
    for start, end, name in cells(text.data, sorted(labels)):
        yield start, end, len(RULES), name


_BLANKS = bytes(c if chr(c).isalnum() or c > 127 else 32 for c in range(256))
_AT_START = b"(?<![A-Za-z0-9])"
_SHORT = 4096
"""In bytes; in a text of at most this length, each anchor is first searched for by itself."""

_FEW_SEARCHES = 20
"""After this many searches, compiling the pattern for all anchors has paid for itself."""

_searches = count()

_FOREIGN = b"\x80"
"""The key of anchors beyond ASCII, which may stand anywhere in a word."""


def _patterns_for(text: bytes) -> tuple[re.Pattern[bytes], re.Pattern[bytes]]:
    """Patterns that find the anchors in this text: those that begin words, and the others.

    The pattern for all anchors takes about as long to compile as Python takes to start. Most commands search
    only a few short texts, for which a pattern of the anchors that occur in the text at all finds the same.
    """
    rules, within = _tokens()
    if len(text) > _SHORT or next(_searches) >= _FEW_SEARCHES:
        return _patterns()
    present = {anchor for anchor in rules if anchor in text}
    return _pattern_of(_AT_START, present - within), _pattern_of(b"", present & within)


@cache
def _patterns() -> tuple[re.Pattern[bytes], re.Pattern[bytes]]:
    rules, within = _tokens()
    return _pattern_of(_AT_START, rules.keys() - within), _pattern_of(b"", within)


def _pattern_of(before: bytes, anchors: Iterable[bytes]) -> re.Pattern[bytes]:
    """A pattern for any of these anchors after `before`; it matches nothing if there are none."""
    branches = _branching(anchors)
    return re.compile(before + branches if branches else rb"(?!)")


@cache
def _tokens() -> tuple[dict[bytes, list[tuple[int, Rule]]], set[bytes]]:
    """The rules for one word by anchor, and the anchors that may stand within a word."""
    rules: dict[bytes, list[tuple[int, Rule]]] = defaultdict(list)
    for order, rule in enumerate(RULES):
        for anchor in rule.anchors if rule.is_one_word else ():
            rules[anchor].append((order, rule))
    within = {a for a, pairs in rules.items() if not all(rule.begins_word for _, rule in pairs)}
    return dict(rules), within


@cache
def _texts() -> tuple[dict[bytes, list[bytes]], dict[bytes, list[tuple[int, Rule]]]]:
    """The anchors by a word that a text with them must have, and the rules by anchor."""
    rules: dict[bytes, list[tuple[int, Rule]]] = defaultdict(list)
    for order, rule in enumerate(RULES):
        for anchor in () if rule.is_one_word else rule.anchors:
            rules[anchor].append((order, rule))
    anchors: dict[bytes, list[bytes]] = defaultdict(list)
    for anchor, pairs in rules.items():
        inside = any(anchor in rule.inner for _, rule in pairs)
        words = [*{rule.needs for _, rule in pairs if rule.needs}, *anchor.translate(_BLANKS).split()]
        anchors[(b"" if anchor.isascii() else _FOREIGN) if inside or not words else words[0]].append(anchor)
    return {b"": [], _FOREIGN: [], **anchors}, dict(rules)


def begins_as_token(word: bytes) -> bool:
    """Whether a word begins with what begins the tokens of some rule."""
    return word.startswith(_beginnings())


@cache
def _beginnings() -> tuple[bytes, ...]:
    return tuple(_tokens()[0])


def _branching(words: Iterable[bytes]) -> bytes:
    """A pattern that matches the longest of these words, deciding letter by letter."""
    tails: dict[bytes, list[bytes]] = defaultdict(list)
    for word in words:
        tails[word[:1]].append(word[1:])
    ends = tails.pop(b"", None) is not None
    if not tails:
        return b""
    branches = b"|".join(re.escape(first) + _branching(rest) for first, rest in sorted(tails.items()))
    return b"(?:" + branches + b")" + (b"?" if ends else b"")


def _places(anchor: bytes, data: bytes) -> Iterator[int]:
    # bytes.find is ten times as fast as the search of a regular expression.
    at = data.find(anchor)
    while at >= 0:
        yield at
        at = data.find(anchor, at + len(anchor))


def _hits(order: int, rule: Rule, data: bytes, places: Iterable[int]) -> Iterator[Hit]:
    after = 0
    for at in places:
        if at >= after:
            if rule.back:
                match = rule.pattern.search(data, max(0, at - rule.back), at + _FURTHER)
            else:
                match = rule.pattern.match(data, at)
            if match and _is_secret(rule, match):
                after = match.end()
                yield (*match.span(match.lastindex or 0), order, rule.name)


def _is_secret(rule: Rule, match: re.Match[bytes]) -> bool:
    return bool(spans(rule.decode(match))) if rule.decode else rule.is_real(match)


RULES: tuple[Rule, ...] = rules(FILES)
"""All rules; if two find the same secret, the first names it."""


_HEADING = lazy_pattern(PATTERNS["heading"], re.IGNORECASE)
_CELL = lazy_pattern(rb"[^\s\"'*]{6,512}")
_RULE = "password"
_WIDEST = 24
_LONGEST_LINE = 2048
_MOST_ROWS = 1000


def cells(data: bytes, words: Iterable[int]) -> Iterator[tuple[int, int, str]]:
    """(start, end, rule) of each secret in a table column with a heading such as `password`; `words` are the
    positions of labels."""
    read = 0
    for at in words:
        if at < read:
            continue
        start = max(data.rfind(mark, max(0, at - _LONGEST_LINE), at) for mark in (b"\n", b"\r")) + 1
        line = _line(data, start)
        read = max(at, start + len(line))
        if heading := _heading(line):
            separator, columns, width = heading
            for _ in range(_MOST_ROWS):
                row = _line(data, read)
                parts = row.rstrip(b"\r\n").split(separator)
                if len(parts) < 2 or (separator != b"|" and len(parts) != width):
                    break
                yield from _secrets(parts, columns, read)
                read += len(row)


def _line(data: bytes, start: int) -> bytes:
    """The line that begins at `start`, with its line break."""
    match = _LINE.match(data, start)
    return match[0] if match else b""


_LINE = lazy_pattern(rb"[^\r\n]{0,%d}+(?:\r\n?|\n)?" % _LONGEST_LINE)


def _secrets(parts: list[bytes], columns: frozenset[int], start: int) -> Iterator[tuple[int, int, str]]:
    for number, part in enumerate(parts):
        if (
            number in columns
            and (cell := _CELL.search(part))
            and (shape.is_password(cell) or graded(cell[0]) > Grade.NUMBER)
        ):
            yield start + cell.start(), start + cell.end(), _RULE
        start += len(part) + 1


def _heading(line: bytes) -> tuple[bytes, frozenset[int], int] | None:
    """(a table's separator, the columns that hold secrets, the number of columns)."""
    for separator in (b"|", b"\t", b",", b";"):
        parts = line.rstrip(b"\r\n").split(separator, _WIDEST + 1)
        if 2 < len(parts) <= _WIDEST or (separator == b"|" and len(parts) == 2):
            columns = frozenset(n for n, part in enumerate(parts) if _HEADING.match(part))
            if columns:
                return separator, columns, len(parts)
    return None
