"""How well a ranking fits evidence, by recall, rank and what fits into a budget."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log2

from ctxrepo.domain.text import place

RANKS = (1, 3, 5, 10)
BUDGETS = (2500, 8000)
DEEPEST = 100
"""How many pieces of an answer are evaluated."""

HEADER = 30
"""Characters for naming a note, besides its path, before its first line."""

MEASURES = (
    *(f"recall@{rank}" for rank in RANKS),
    "ndcg@10",
    "mrr",
    "hit@5",
    *(f"evidence@{budget}" for budget in BUDGETS),
)

Line = tuple[str, int]
"""(path of a note, 1-based line of its file)."""

Texts = Mapping[str, Sequence[str]]
"""path -> the lines of the file."""

_PLACE = re.compile(r"(.*?)#L([0-9]{1,9})(?:-L([0-9]{1,9}))?\Z", re.DOTALL)
_WHOLE = 10**9


@dataclass(frozen=True)
class DeliveredBlock:
    """The block for a prompt: `pieces` of notes, in `size` bytes."""

    pieces: Sequence[Piece]
    size: int


@dataclass(frozen=True)
class Piece:
    """Lines `first` to `last` of the note at `path`; a whole note ends beyond all its lines."""

    path: str
    first: int = 1
    last: int = _WHOLE

    @property
    def is_whole(self) -> bool:
        return self.last == _WHOLE

    def __str__(self) -> str:
        return place(self.path, self.first, self.last)

    def holds(self, line: Line) -> bool:
        return line[0] == self.path and self.first <= line[1] <= self.last


def piece(place: str) -> Piece:
    """Read `path#L10-L12`, `path#L10` or `path` (a whole note)."""
    match = _PLACE.match(place)
    return Piece(match[1], int(match[2]), int(match[3] or match[2])) if match else Piece(place)


def measured(answer: Sequence[Piece], evidence: frozenset[Line], texts: Texts) -> dict[str, float]:
    """All `MEASURES` of one answer, from 0 to 1; `evidence` must not be empty.

    recall@k: the share of the evidence lines in the first k pieces. ndcg@10: each of the first 10 pieces with
    new evidence counts 1/log2(rank + 1); the sum is divided by that of an answer with one new line in each
    piece, and is 1 at most. mrr: 1/rank of the first piece with evidence, 0 beyond the tenth. hit@5: whether
    the first 5 have any. evidence@n: the share of the characters of the evidence that is `given_within` n
    characters."""
    answer = answer[:DEEPEST]
    news = _news(answer, evidence)
    total = sum(_length(texts, line) for line in evidence)
    figures = {f"recall@{rank}": sum(news[:rank]) / len(evidence) for rank in RANKS}
    figures["ndcg@10"] = _ndcg(news[:10], _most_gains(answer, evidence))
    figures["mrr"] = next((1 / rank for rank, new in enumerate(news[:10], 1) if new), 0.0)
    figures["hit@5"] = float(any(news[:5]))
    for budget in BUDGETS:
        given = given_within(answer, budget, texts)
        characters = sum(count for line, count in given if line in evidence)
        figures[f"evidence@{budget}"] = characters / total if total else 0.0
    return figures


def delivered(delivery: DeliveredBlock, evidence: frozenset[Line], texts: Texts) -> tuple[float, int]:
    """(the share of the evidence's characters that was given, the bytes given besides evidence). The latter
    are other entries, titles and places."""
    lines = {line for line in evidence if any(part.holds(line) for part in delivery.pieces)}
    total = sum(_length(texts, line) for line in evidence)
    share = sum(_length(texts, line) for line in lines) / total if total else 0.0
    return share, max(delivery.size - sum(_size(texts, line) for line in lines), 0)


def delivery_within(answer: Sequence[Piece], budget: int, texts: Texts) -> DeliveredBlock:
    """The block of a program of which only the ranking is known, cut as by `given_within`."""
    given = given_within(answer, budget, texts)
    heads = sum(len(path) + HEADER for path in {path for (path, _), _ in given})
    pieces = [Piece(path, number, number) for (path, number), count in given if count]
    return DeliveredBlock(pieces, heads + sum(count + 1 for _, count in given))


def given_within(answer: Iterable[Piece], budget: int, texts: Texts) -> list[tuple[Line, int]]:
    """The lines of an answer that fit into the budget, each with how many of its characters.

    In order. A line costs its characters and its end, the first line of a note also the path and `HEADER`; a
    line that was given costs nothing again. The last line is cut at the budget."""
    used = 0
    given: dict[Line, int] = {}
    begun: set[str] = set()
    for part in answer:
        if part.path not in begun:
            used += len(part.path) + HEADER
            begun.add(part.path)
        for number in range(max(part.first, 1), min(part.last, len(texts.get(part.path, ()))) + 1):
            if used >= budget:
                return list(given.items())
            line = (part.path, number)
            if line not in given:
                length = _length(texts, line)
                given[line] = min(length, budget - used)
                used += length + 1
    return list(given.items())


def mean(values: Iterable[float]) -> float | None:
    """The mean, None of no values."""
    numbers = list(values)
    return sum(numbers) / len(numbers) if numbers else None


def _news(answer: Sequence[Piece], evidence: frozenset[Line]) -> list[int]:
    """For each piece, how many evidence lines it has that no piece before it has."""
    missing = set(evidence)
    news = []
    for part in answer:
        brought = {line for line in missing if part.holds(line)}
        missing -= brought
        news.append(len(brought))
    return news


def _most_gains(answer: Sequence[Piece], evidence: frozenset[Line]) -> int:
    """How many pieces could bring evidence: notes, if the answer names only notes."""
    is_of_notes = bool(answer) and all(part.is_whole for part in answer[:10])
    return len({path for path, _ in evidence}) if is_of_notes else len(evidence)


def _ndcg(news: Sequence[int], most: int) -> float:
    gains = sum(1 / log2(rank + 1) for rank, new in enumerate(news, 1) if new)
    ideal = sum(1 / log2(rank + 1) for rank in range(1, min(most, 10) + 1))
    return min(1.0, gains / ideal)


def _length(texts: Texts, line: Line) -> int:
    return len(_text(texts, line))


def _size(texts: Texts, line: Line) -> int:
    """The bytes of a line, with its end."""
    return len(_text(texts, line).encode("utf-8", "surrogatepass")) + 1


def _text(texts: Texts, line: Line) -> str:
    path, number = line
    lines = texts.get(path, ())
    return lines[number - 1] if 1 <= number <= len(lines) else ""
