"""Windows of messages, ranked by how well their words answer a question.

A window is a message in which something was said, with the messages before and after it in its session. A
message with tools and no text belongs to the message before it. A topic that was discussed has its words in
several messages, of the user and of the agent; one that was only mentioned has them in a single message."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from functools import cache
from math import log
from typing import NamedTuple

from ctxrepo.domain.question.message_traits import BY_AGENT, IS_COPY, TELLING_BITS, Posting
from ctxrepo.lazy import dataclass

REACH = 4
"""Messages on either side that count for a window. This figure and those below are measured: `python -m bench
asked` (docs/explanation/asked.md)."""

_SATURATION = 3.0
"""How soon further messages of the same speaker with a word stop adding to the score of a window."""

_TOGETHER, _ANSWERED = 0.2, 0.2
"""Share of the score of the window's best message that is added to that of the window, and of the score of
the other speaker's best message."""

_IN_TOOLS, _SIMILAR = 0.3, 0.5
"""Weight of a word that a tool was given, and of one that only begins like the word of the question."""

_BY_AGENT, _ECHO = 0.85, 0.2
"""Weight of a word in an agent's message, and in a user's message that asks the same question."""

_USUAL_LENGTH, _LENGTH, _K = 300, 0.6, 1.2
"""Characters of an average message, b and k1 of BM25."""

_COMMON_SHARE = 0.001
"""Share of the messages up to which words count as equally rare: a typing error is no topic."""

_WINDOWS = 600
"""Windows whose score is computed."""

_COMPANY = 20
"""Best windows that show in which folders the topic was discussed. If all are in one folder, the score of a
window in it is doubled."""

_TURN_BITS = 24
"""Bits of a key that number the turn; those above them number the session."""


@dataclass(frozen=True)
class TermPostings:
    """The messages that have a term of a question: `spoken`, `in_tools` where a tool was given it, and
    `similar` where something like it was said. `is_word` is False for a condition without a weight, such as a
    file."""

    spoken: Sequence[Posting]
    in_tools: Sequence[Posting] = ()
    similar: Sequence[Posting] = ()
    is_required: bool = False
    is_word: bool = True

    @property
    def is_known(self) -> bool:
        """Whether any message has the term or something like it."""
        return bool(self.spoken or self.in_tools or self.similar)

    def weight(self, messages: int) -> float:
        """Its inverse document frequency in an index of so many messages; 0 for what is no word."""
        found_in = len(self.spoken) or len(self.in_tools) or len(self.similar)
        holders = max(found_in, int(_COMMON_SHARE * messages))
        return log(1 + (messages - holders + 0.5) / (holders + 0.5)) if self.is_word else 0.0


class Window(NamedTuple):
    """A window of the session with this number. `match` is the number of its message that fits best, `at`
    when that was said, in Unix seconds. Bit n of `terms` is set if the window has term n. Scores are
    comparable among the windows of one question."""

    session: int
    match: int
    score: float
    terms: int
    is_copy: bool
    at: int

    @property
    def order(self) -> tuple[float, bool, int]:
        """A key that sorts the best window first, and of equally good ones the newest."""
        return -self.score, self.is_copy, -self.at


class _Match(NamedTuple):
    """A message with terms: term number -> strength, and the weight of each word in it."""

    posting: Posting
    strengths: dict[int, float]
    weight: float


@dataclass
class _Matches:
    """Matches and the bits of their terms, by a key of session and turn."""

    by_turn: dict[int, list[_Match]] = field(default_factory=dict)
    bits: dict[int, int] = field(default_factory=dict)


def ranked_windows(terms: Sequence[TermPostings], messages: int) -> list[Window]:
    """The best window of each session, in order. `messages` is how many the index has."""
    weights = [term.weight(messages) for term in terms]
    required = sum(1 << number for number, term in enumerate(terms) if term.is_required)
    matches = _matches(terms)
    best: dict[int, Window] = {}
    for middle in _likely(matches, weights, required):
        window = _window(matches, middle, weights)
        other = best.get(window.session)
        if other is None or window.order < other.order:
            best[window.session] = window
    return sorted(best.values(), key=lambda window: window.order)


def ranked_by_folder(windows: Sequence[Window], folders: Mapping[int, str]) -> list[Window]:
    """The windows, ranked by the folders of their sessions (session -> folder, '' if unknown) too: a session
    that has only one word of a topic is found by the folder in which others discussed it."""
    best = sorted(windows, key=lambda window: window.order)[:_COMPANY]
    total = sum(window.score**2 for window in best)
    shares: dict[str, float] = {}
    for window in best:
        if folder := folders.get(window.session, ""):
            shares[folder] = shares.get(folder, 0.0) + window.score**2 / total
    rescored = [
        window._replace(score=window.score * (1 + shares.get(folders.get(window.session, ""), 0.0)))
        for window in windows
    ]
    return sorted(rescored, key=lambda window: window.order)


def _matches(terms: Sequence[TermPostings]) -> _Matches:
    strengths: dict[Posting, dict[int, float]] = {}
    for number, term in enumerate(terms):
        for strength, postings in ((1.0, term.spoken), (_SIMILAR, term.similar), (_IN_TOOLS, term.in_tools)):
            for posting in postings:
                by_term = strengths.get(posting)
                if by_term is None:
                    strengths[posting] = {number: strength}
                elif number not in by_term:
                    by_term[number] = strength
    matches = _Matches()
    for posting, by_term in strengths.items():
        is_echo = len(by_term) > 1 and 0 < posting.traits >> TELLING_BITS <= len(by_term)
        weight = _ECHO if is_echo else _BY_AGENT if posting.traits & BY_AGENT else 1.0
        match = _Match(posting, by_term, weight * _length_weight(posting.length))
        key = posting.session << _TURN_BITS | posting.turn
        matches.by_turn.setdefault(key, []).append(match)
        matches.bits[key] = matches.bits.get(key, 0) | sum([1 << number for number in by_term])
    return matches


@cache
def _length_weight(length: int) -> float:
    """The weight of a word in a message of so many characters: less in a long one."""
    return (_K + 1) / (1 + _K * (1 - _LENGTH + _LENGTH * length / _USUAL_LENGTH))


def _likely(matches: _Matches, weights: Sequence[float], required: int) -> Iterable[int]:
    """The keys of the middles of those windows with all required terms whose terms weigh most."""
    worth: dict[int, float] = {}
    bounds: list[tuple[float, int]] = []
    for middle in matches.bits:
        terms = 0
        for key in range(middle - REACH, middle + REACH + 1):
            terms |= matches.bits.get(key, 0)
        if terms & required == required:
            if terms not in worth:
                worth[terms] = sum(weight for number, weight in enumerate(weights) if terms >> number & 1)
            bounds.append((worth[terms], middle))
    bounds.sort(reverse=True)
    return [middle for _, middle in bounds[:_WINDOWS]]


def _window(matches: _Matches, middle: int, weights: Sequence[float]) -> Window:
    sums: dict[tuple[int, int], float] = {}
    best_scores = {0: 0.0, BY_AGENT: 0.0}
    terms = 0
    best = matches.by_turn[middle][0].posting
    for key in range(middle - REACH, middle + REACH + 1):
        terms |= matches.bits.get(key, 0)
        for match in matches.by_turn.get(key, ()):
            score, speaker = 0.0, match.posting.traits & BY_AGENT
            for number, strength in match.strengths.items():
                place = number, speaker
                sums[place] = sums.get(place, 0.0) + strength * match.weight
                score += weights[number] * strength * match.weight
            best = match.posting if score > max(best_scores.values()) else best
            best_scores[speaker] = max(best_scores[speaker], score)
    spread = sum(weights[number] * total / (total + _SATURATION) for (number, _), total in sums.items())
    score = spread + _TOGETHER * max(best_scores.values()) + _ANSWERED * min(best_scores.values())
    return Window(best.session, best.number, score, terms, bool(best.traits & IS_COPY), best.at)
