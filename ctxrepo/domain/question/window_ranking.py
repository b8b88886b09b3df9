"""Where in sessions the words of a question stand close together: windows of messages, ranked by them.

A window is a message in which something was said, with what was said before and after it in its session.
Messages with nothing but tools count beside the one before them. What was talked about has its words in
several messages, by the user and by the agent; what was only mentioned has them in one."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from functools import cache
from math import log
from typing import NamedTuple

from ctxrepo.domain.question.message_traits import BY_AGENT, IS_COPY, TOLD_BITS, Posting
from ctxrepo.lazy import dataclass

REACH = 4
"""Messages on either side that count for a window. This figure and those below are measured: `python -m bench
asked` (docs/explanation/asked.md)."""

_SATURATION = 3.0
"""How soon further messages of a speaker with a word stop to add to a window."""

_TOGETHER, _ANSWERED = 0.2, 0.2
"""What the message with most of the words counts again beside the window, and what that of the other speaker
does."""

_GIVEN, _LOOSE = 0.3, 0.5
"""What a word counts that a tool was given, and one that only begins like the one asked for."""

_BY_AGENT, _ECHO = 0.85, 0.2
"""What a word counts in an agent's message, and in a user's that asks the same question."""

_USUAL_LENGTH, _LENGTH, _K = 300, 0.6, 1.2
"""Characters of a usual message, how much the length of one matters, and k1 of BM25."""

_COMMON_SHARE = 0.001
"""Share of the messages up to which words count as equally rare: a slip of a key is no topic."""

_WINDOWS = 600
"""Windows that are looked at closely."""

_COMPANY = 20
"""Windows that tell in which folder the matter is talked about: one in a folder that has all of them counts
twice."""

_TURN_BITS = 24
"""Bits of a key that number the turn; those above them the session."""


@dataclass(frozen=True)
class HeldTerm:
    """A term of a question with the messages in which it was said, in which a tool was given it, and in which
    something like it was said; `is_word` is False for what is only demanded, such as a file."""

    said: Sequence[Posting]
    given: Sequence[Posting] = ()
    alike: Sequence[Posting] = ()
    is_required: bool = False
    is_word: bool = True

    @property
    def is_known(self) -> bool:
        """Whether it, or something like it, stands in any message."""
        return bool(self.said or self.given or self.alike)

    def weight(self, messages: int) -> float:
        """What it counts: the more, the fewer of so many messages have it."""
        holders = max(len(self.said) or len(self.given) or len(self.alike), int(_COMMON_SHARE * messages))
        return log(1 + (messages - holders + 0.5) / (holders + 0.5)) if self.is_word else 0.0


class Window(NamedTuple):
    """The best window of a session: the message of it that has most of the words, and the bits of the terms
    that stand in it. `score` compares with those of the same question; `at` is the match's moment."""

    session: int
    match: int
    score: float
    terms: int
    is_copy: bool
    at: int

    @property
    def order(self) -> tuple[float, bool, int]:
        """What windows are sorted by, the best first."""
        return -self.score, self.is_copy, -self.at


class _Cell(NamedTuple):
    """A message with terms: how much of each is there, and what a word of it counts."""

    posting: Posting
    strengths: dict[int, float]
    counts: float


@dataclass
class _Cells:
    """Cells and the bits of their terms, by session and turn."""

    by_turn: dict[int, list[_Cell]] = field(default_factory=dict)
    bits: dict[int, int] = field(default_factory=dict)


def ranked_windows(terms: Sequence[HeldTerm], messages: int) -> list[Window]:
    """The best window of each session, the best first, then the newest. `messages` counts those in the
    index."""
    weights = [term.weight(messages) for term in terms]
    required = sum(1 << number for number, term in enumerate(terms) if term.is_required)
    cells = _cells(terms)
    best: dict[int, Window] = {}
    for middle in _likely(cells, weights, required):
        window = _window(cells, middle, weights)
        other = best.get(window.session)
        if other is None or window.order < other.order:
            best[window.session] = window
    return sorted(best.values(), key=lambda window: window.order)


def ranked_by_folder(windows: Sequence[Window], folders: Mapping[int, str]) -> list[Window]:
    """Windows as they are ranked once it counts in which folders (by session, '': unknown) the matter is
    talked about: a word for it that only one session has is told by the company of others that have more."""
    first = sorted(windows, key=lambda window: window.order)[:_COMPANY]
    total = sum(window.score**2 for window in first)
    shares: dict[str, float] = {}
    for window in first:
        folder = folders.get(window.session, "")
        shares[folder] = shares.get(folder, 0.0) + (window.score**2 / total if folder else 0.0)
    of = (shares.get(folders.get(window.session, ""), 0.0) for window in windows)
    weighed = [w._replace(score=w.score * (1 + share)) for w, share in zip(windows, of, strict=True)]
    return sorted(weighed, key=lambda window: window.order)


def _cells(terms: Sequence[HeldTerm]) -> _Cells:
    strengths: dict[Posting, dict[int, float]] = {}
    for number, term in enumerate(terms):
        for strength, postings in ((1.0, term.said), (_LOOSE, term.alike), (_GIVEN, term.given)):
            for row in postings:
                own = strengths.get(row)
                if own is None:
                    strengths[row] = {number: strength}
                elif number not in own:
                    own[number] = strength
    cells = _Cells()
    for row, own in strengths.items():
        is_echo = len(own) > 1 and 0 < row.traits >> TOLD_BITS <= len(own)
        counts = _ECHO if is_echo else _BY_AGENT if row.traits & BY_AGENT else 1.0
        key = row.session << _TURN_BITS | row.turn
        cells.by_turn.setdefault(key, []).append(_Cell(row, own, counts * _presence(row.length)))
        cells.bits[key] = cells.bits.get(key, 0) | sum([1 << number for number in own])
    return cells


@cache
def _presence(length: int) -> float:
    """What a word counts in a message of so many characters: in a long one less."""
    return (_K + 1) / (1 + _K * (1 - _LENGTH + _LENGTH * length / _USUAL_LENGTH))


def _likely(cells: _Cells, weights: Sequence[float], required: int) -> Iterable[int]:
    """The middles of the windows whose terms weigh most."""
    worth: dict[int, float] = {}
    bounds: list[tuple[float, int]] = []
    for middle in cells.bits:
        terms = 0
        for key in range(middle - REACH, middle + REACH + 1):
            terms |= cells.bits.get(key, 0)
        if terms & required == required:
            if terms not in worth:
                worth[terms] = sum(weight for number, weight in enumerate(weights) if terms >> number & 1)
            bounds.append((worth[terms], middle))
    bounds.sort(reverse=True)
    return [middle for _, middle in bounds[:_WINDOWS]]


def _window(cells: _Cells, middle: int, weights: Sequence[float]) -> Window:
    sums: dict[tuple[int, int], float] = {}
    most = {0: 0.0, BY_AGENT: 0.0}
    terms = 0
    match = cells.by_turn[middle][0].posting
    for key in range(middle - REACH, middle + REACH + 1):
        terms |= cells.bits.get(key, 0)
        for cell in cells.by_turn.get(key, ()):
            own, speaker = 0.0, cell.posting.traits & BY_AGENT
            for number, strength in cell.strengths.items():
                place = number, speaker
                sums[place] = sums.get(place, 0.0) + strength * cell.counts
                own += weights[number] * strength * cell.counts
            match = cell.posting if own > max(most.values()) else match
            most[speaker] = max(most[speaker], own)
    spread = sum(weights[number] * total / (total + _SATURATION) for (number, _), total in sums.items())
    score = spread + _TOGETHER * max(most.values()) + _ANSWERED * min(most.values())
    return Window(match.session, match.number, score, terms, bool(match.traits & IS_COPY), match.at)
