"""Secrets that only a label gives away: values near a word such as `password`, whatever stands between them.

The other rules say what stands between a label and its secret. Here the value is looked at first, and the
more random it looks, the farther away its label may be: `_NEAR_ENOUGH` is the table of that. Three kinds of
sentences are read:

1. the label comes first: `the root password of web1 is …` (`_announces`);
2. the value comes first: `… is the root password` (`_is_named_after`);
3. the value stands alone on the line below: `root password?` and then `…` (`_value_below`).

Only lines with a label are read, and those that follow one. tests/domain/secrets/test_secrets_near.py has
sentences of each kind, and such as look like one.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from itertools import accumulate
from operator import attrgetter

from ctxrepo.domain.secrets.labels import CODE, IS_PLACE, PASSWORD, SecretWord, label_at
from ctxrepo.domain.secrets.shape.judges import (
    Grade,
    graded,
    is_app_password,
    is_of_test_card,
    is_said_phrase,
)
from ctxrepo.domain.secrets.words import PATTERNS
from ctxrepo.lazy import dataclass, lazy_pattern

Match = tuple[int, int, str]
"""Start and end of a secret, and the rule that its label stands for."""

_LONGEST_LINE = 4096
_FARTHEST_AFTER, _FARTHEST_BEFORE = 120, 80
"""A value after a label is at most so many bytes away, one before it fewer than so many."""

_BEFORE_LABEL = 24
"""Bytes before a label in which another word may say that no secret follows."""

_BEFORE_FIRST_LABEL = 100
"""Bytes before the first label of a line in which a value may stand."""

_QUOTE = r"\xc2\xab|\xc2\xa0|\xe2\x80[\x98-\x9f\xaf]|\xe3\x80[\x80\x8c\x8e]"
"""A quotation mark, or a blank, beyond ASCII: « “ ‘ 「 『, no-break and ideographic spaces."""


def values(data: bytes, lowered: bytes, places: Iterable[tuple[int, bytes]]) -> Iterator[Match]:
    """The secrets near the stems that stand at these places, in order."""
    line_end = -1
    labels: list[SecretWord] = []
    for at, stem in places:
        if at >= line_end and labels:
            yield from _of_line(data, lowered, labels, line_end)
            labels = []
        if at >= line_end:
            end = min(len(data), at + _LONGEST_LINE)
            breaks = [place for mark in (b"\n", b"\r") if (place := data.find(mark, at, end)) >= 0]
            line_end = min(breaks, default=end)
        if (not labels or at >= labels[-1].end) and (label := label_at(data, lowered, at, stem)):
            labels.append(label)
    if labels:
        yield from _of_line(data, lowered, labels, line_end)


def _of_line(data: bytes, lowered: bytes, labels: list[SecretWord], line_end: int) -> Iterator[Match]:
    """What the labels of a line announce: on it, or alone on the next."""
    at = labels[0].start
    start = max(0, at - _BEFORE_FIRST_LABEL)
    start = max(start, data.rfind(b"\n", start, at) + 1)
    candidates = sorted(_candidates(data, start, line_end), key=attrgetter("start"))
    starts = [value.start for value in candidates]
    ends = list(accumulate((value.end for value in candidates), max))
    has_matched = False
    for label in labels:
        if label.kind == PASSWORD and (phrase := is_said_phrase(data, label.end)):
            has_matched = True
            yield *phrase, label.kind
        # A line may hold thousands of labels and of values: only those that are near are paired.
        first = bisect_right(ends, label.start - _FARTHEST_BEFORE)
        for value in candidates[first : bisect_right(starts, label.end + _FARTHEST_AFTER)]:
            if value.grade is Grade.NONE:
                continue
            if 0 <= label.start - value.end < _FARTHEST_BEFORE:
                is_secret = _is_named_after(_Pair(data, lowered, label, value))
            elif 0 <= value.start - label.end <= _FARTHEST_AFTER:
                is_secret = _announces(_Pair(data, lowered, label, value))
            else:
                continue
            if is_secret:
                has_matched = True
                yield value.start, value.end, label.kind
    if not has_matched and (below := _value_below(data, lowered, labels[-1], line_end)):
        yield below.start, below.end, labels[-1].kind


# Values: what may be a secret, by itself.


@dataclass(frozen=True)
class _Value:
    """What may be a secret. It is graded once it stands near enough to a label, as few words of a line do."""

    start: int
    end: int
    text: bytes
    is_app_password: bool = False

    @cached_property
    def grade(self) -> Grade:
        return Grade.CHOSEN if self.is_app_password else graded(self.text)


_CANDIDATE = lazy_pattern(rb"[!#$%&*+\-./0-9:=?@A-Z^_a-z~]{3,512}")
_NAME_BEFORE_VALUE = lazy_pattern(rb"[\w.-]{1,40}[=:]{1,2}(?=[^=])")
"""`MYSQL_PWD=` in front of a value."""

_GROUPS_OF_FOUR = lazy_pattern(PATTERNS["groups-of-four"])
"""`abcd efgh ijkl mnop`: how an application's password is shown."""


def _candidates(data: bytes, start: int, end: int) -> Iterator[_Value]:
    """The words of a stretch that may be values, without a name before them and signs around them."""
    for word in _CANDIDATE.finditer(data, start, end):
        at = word.start()
        text = word[0].rstrip(b".,:;")
        if name := _NAME_BEFORE_VALUE.match(text):
            at += name.end()
            text = text[name.end() :]
        stripped = text.lstrip(b"=:-.>")
        at += len(text) - len(stripped)
        if stripped[:1] != b"@":
            yield _Value(at, at + len(stripped), stripped)
    for groups in _GROUPS_OF_FOUR.finditer(data, start, end):
        if is_app_password(groups):
            yield _Value(*groups.span(), groups[0], is_app_password=True)


# Sentences 1 and 2: a label and a value on one line.

_ONLY_MARKS = lazy_pattern(rf"[\s\"'*_)(\]\[}}>,=:]{{0,6}}(?:{_QUOTE}|\s)*\Z".encode())
"""Nothing but marks and blanks: `password: "…`."""

_INTRODUCES = lazy_pattern(PATTERNS["introduces"], re.VERBOSE)
"""The gap ends with what introduces a value: `the token for staging is "…`."""

_OPENS_ARGUMENT = lazy_pattern(rb"[(\[{,:=][ ]?[bruf]?[\"']\Z")
"""The gap ends with a quoted argument: `login(token, "…`."""

_NAMES_SOMETHING_ELSE = lazy_pattern(PATTERNS["names-something-else"], re.VERBOSE)
"""Beside a label or between it and the value: what follows is public, an example, or where something is."""

_NAMES_A_PROJECT = lazy_pattern(PATTERNS["names-a-project"], re.VERBOSE)
"""Before a value that is what a project is called by: `login by password, project …`."""

_NAME_IN_JSON = lazy_pattern(rb"\"([\w.-]{1,60})\"[ ]?:[ ]?[\"\[]{0,2}\Z")
_NAMES_OF_VALUES = frozenset(b"value val data default content text plain stringvalue".split())
_IS_AN_ID = lazy_pattern(rb"[\s(]{1,3}(?:the |an? |is )?(?:id|uuid|guid)\b")
_LONG_HEX = lazy_pattern(rb"[0-9a-f]{20,31}\Z")
_NAME_OF_PLACE = lazy_pattern(rb"[^0-9.,;:!?\r\n]{4,39} \Z")

_NAMES_WHAT_WAS_BEFORE = lazy_pattern(PATTERNS["names-what-was-before"], re.VERBOSE)


@dataclass(frozen=True)
class _Pair:
    """A label and a value on its line."""

    data: bytes
    lowered: bytes
    label: SecretWord
    value: _Value

    @cached_property
    def word(self) -> bytes:
        """The label, in lower case."""
        return self.lowered[self.label.start : self.label.end]

    @cached_property
    def gap(self) -> bytes:
        """What stands between the label and a value after it, in lower case."""
        return self.lowered[self.label.end : self.value.start]

    @cached_property
    def is_beside(self) -> bool:
        """`password: "…"`"""
        return bool(_ONLY_MARKS.match(self.gap))

    @cached_property
    def is_introduced(self) -> bool:
        """`the password of the router is …`"""
        return bool(_INTRODUCES.search(self.gap) or _OPENS_ARGUMENT.search(self.gap))

    def names_something_else(self, start: int, end: int) -> bool:
        """Whether the text from 24 bytes before `start` to `end` says that this is no secret."""
        before = max(0, self.value.start - _BEFORE_LABEL)
        return bool(
            _NAMES_SOMETHING_ELSE.search(self.lowered, max(0, start - _BEFORE_LABEL), end)
            or _NAMES_A_PROJECT.search(self.lowered, before, self.value.start)
        )


def _announces(pair: _Pair) -> bool:
    """Whether the value stands near enough behind the label for what it looks like."""
    label, value = pair.label, pair.value
    if pair.data[value.end : value.end + 1] in (b"(", b"[", b"{"):
        return False  # `password_for(`: what looks like a value is a function's name
    if (name := _NAME_IN_JSON.search(pair.gap)) and name[1] not in _NAMES_OF_VALUES:
        return False  # `{"token": true, "commit": "…`: the value follows another name
    if label.kind == CODE:
        is_near = value.grade is Grade.NUMBER and _is_code_near(pair)
    elif pair.word == b"pass" and not (pair.is_beside or (pair.is_introduced and len(pair.gap) < 16)):
        return False  # also what a test does, a card that opens doors, and a keyword of Python
    else:
        is_near = value.grade in _NEAR_ENOUGH and _NEAR_ENOUGH[value.grade](pair)
    return is_near and not pair.names_something_else(label.start, value.start)


_CARD_CODE = lazy_pattern(rb"cv[vc]2?\Z")


def _is_code_near(pair: _Pair) -> bool:
    """`the code of the garage door is 3…`, `PIN 3…`: a number needs a place that it opens."""
    gap = pair.gap
    if _CARD_CODE.match(pair.word) and is_of_test_card(pair.lowered, pair.label.start, pair.value.end):
        return False
    is_announced = (
        pair.is_beside
        or (len(gap) < 40 and bool(_NAME_OF_PLACE.match(gap)) and bool(IS_PLACE.search(gap)))
        or (pair.is_introduced and len(gap) < 50 and not gap.rstrip().endswith(b">"))
    )
    around = max(0, pair.label.start - 40), pair.label.end + min(len(gap), 40)
    return is_announced and bool(IS_PLACE.search(pair.lowered, *around))


def _is_uuid_near(pair: _Pair) -> bool:
    """`VAULT_SECRET_ID=7d44…`, but neither `session 7d44…` nor `token 7d44… is the id`."""
    is_id = b"session" in pair.word or _IS_AN_ID.match(pair.lowered, pair.value.end)
    return (pair.is_beside or pair.is_introduced) and not is_id


def _is_chosen_near(pair: _Pair) -> bool:
    """`password for the printer Kestrel!42x`."""
    return len(pair.gap) < (60 if pair.label.kind == PASSWORD else 30) or pair.is_beside or pair.is_introduced


def _is_likely_near(pair: _Pair) -> bool:
    """`the password of db1 is now kestrel42x`; after another label only hexadecimal digits: `token: 9f8…`."""
    is_expected = pair.label.kind == PASSWORD or (
        pair.is_beside and bool(_LONG_HEX.match(pair.data, pair.value.start, pair.value.end))
    )
    return is_expected and len(pair.gap) < 60 and (pair.is_beside or pair.is_introduced)


_NEAR_ENOUGH: dict[Grade, Callable[[_Pair], bool]] = {
    Grade.RANDOM: lambda _: True,  # `the token for staging: 9f8…`, as far as a label reaches
    Grade.UUID: _is_uuid_near,
    Grade.CHOSEN: _is_chosen_near,
    Grade.LIKELY: _is_likely_near,
}
"""By what a value looks like, when it is near enough to a label before it that announces no number."""


def _is_named_after(pair: _Pair) -> bool:
    """`… is the root password`, `… # the password of the database`."""
    label, value = pair.label, pair.value
    if value.grade < Grade.CHOSEN:
        return False
    gap = pair.lowered[value.end : label.start]
    return bool(_NAMES_WHAT_WAS_BEFORE.match(gap)) and not pair.names_something_else(value.start, label.end)


# Sentence 3: a label that ends its line, and a value alone on the next.

_ALONE_BELOW = lazy_pattern(PATTERNS["alone-below"], re.VERBOSE)
"""What stands between a label and a value below it; the group is the value."""

_SHORT_REST = 60
"""Bytes between a label and the end of its line that don't part it from the line below."""

_IN_A_SUBSTITUTION = lazy_pattern(rb"(?:=[\"']?\$\(|\{\{)[^(){}\r\n]{0,200}\Z")
"""`TOKEN=$(gh auth token` prints nothing, and `{{ secrets.TOKEN` is filled in by others, so the line below
them is no answer."""


def _value_below(data: bytes, lowered: bytes, label: SecretWord, line_end: int) -> _Value | None:
    """The value that stands alone on the line below a label that ends its own, or in an answer to it."""
    rest = data[label.end : line_end]
    if lowered[label.start : label.end] == b"pass" or b"=" in rest or b"{{" in rest:
        return None
    if data[max(0, label.start - 1) : label.start] in (b"$", b"{", b"%"):
        return None  # a variable: what it stands for is kept elsewhere
    starts = (label.end, line_end) if len(rest) < _SHORT_REST else (line_end,)
    match = next(filter(None, (_ALONE_BELOW.match(data, start) for start in starts)), None)
    if match is None:
        return None
    text = match[1].strip(b"\"'*,;")
    value = _Value(match.start(1), match.start(1) + len(text), text)
    pair = _Pair(data, lowered, label, value)
    is_none = (
        value.grade < (Grade.LIKELY if label.kind == PASSWORD else Grade.CHOSEN)
        or _NAME_BEFORE_VALUE.match(text)
        or pair.names_something_else(label.start, value.start)
        or _IN_A_SUBSTITUTION.search(data, max(0, label.start - _LONGEST_LINE), label.start)
    )
    return None if is_none else value
