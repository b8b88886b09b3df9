"""How well recall answers prompts whose right answers are known, in one way of asking or several."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from recall.datasets import DataSet, Label, read_answers
from recall.measures import (
    BUDGETS,
    MEASURES,
    DeliveredBlock,
    Piece,
    delivered,
    delivery_within,
    mean,
    measured,
    piece,
)
from recall.start import started

from ctxrepo.domain.settings.keys import key_named, understood
from ctxrepo.errors import UsageError
from ctxrepo.services.recall.queries import QueryAnswer
from ctxrepo.services.recall.recall_folder import Way, answers
from ctxrepo.storage.cache.folder import folder_cache

_TRIED: dict[str, Callable[[Way, Any], Way]] = {
    "recall.limit": lambda way, value: replace(way, limit=value, most=value),
    "recall.budget_bytes": lambda way, value: replace(way, budget=value),
    "recall.gate": lambda way, value: replace(way, is_gated=value),
    "recall.model": lambda way, value: replace(way, model=value),
}
"""The settings that affect an answer."""

_SWITCH = {"on": "true", "off": "false"}


@dataclass(frozen=True)
class Figures:
    """Means over prompts of one kind. `measures` is of those that deserve an answer, and empty without any;
    of the same, `delivered` is the share of the evidence that is in what they were given, `waste` how many
    bytes they were given beside it. `false_injection` is the share of those that deserve silence and were
    given something, `noise` how many bytes they were given."""

    answerable: int
    silent: int
    measures: Mapping[str, float]
    delivered: float | None
    waste: float | None
    false_injection: float | None
    noise: float | None


@dataclass(frozen=True)
class Run:
    """What came of one way of asking; `ms` is the mean time of a prompt where it is known."""

    name: str
    whole: Figures
    categories: Mapping[str, Figures]
    ms: float | None


@dataclass(frozen=True)
class _Scored:
    """One prompt: what it deserved, what it was given."""

    label: Label
    measures: Mapping[str, float]
    delivered: float
    waste: int
    size: int
    """Bytes that it was given."""
    is_answered: bool
    ms: float | None


Before = Mapping[str, Sequence[Piece]]
"""Id of a prompt -> what its session was given of the memory before it."""


def evaluate(sets: Sequence[DataSet], ways: Mapping[str, Way], session: int = 0) -> list[Run]:
    """A run for each way of asking, by its name; each memory is read once for all of them.

    With `session` so many prompts of a memory, in an order that is drawn once, are those of one session: its
    start and the prompts before gave what is not given again. 1: each prompt is the first of its session."""
    answers_by_way: dict[str, dict[str, QueryAnswer]] = {name: {} for name in ways}
    before: dict[str, dict[str, Sequence[Piece]]] = {name: {} for name in ways}
    for data in sets:
        start = started(data) if session else []
        queries = random.Random(data.name).sample(data.queries, len(data.queries))
        with folder_cache(data.memory) as cache:
            for name, way in ways.items():
                given: list[Piece] = []
                known: set[str] = set()
                replies = answers(cache, queries, replace(way, known=known))
                for number in range(len(queries)):
                    if session and number % session == 0:
                        given = [*start]
                        known.clear()
                        known.update(map(str, given))
                    answer = next(replies)
                    answers_by_way[name][answer.id], before[name][answer.id] = answer, [*given]
                    if session:
                        given += [piece(place) for place in answer.given or ()]
                        known.update(answer.given or ())
    return [score(name, sets, by_id, before[name]) for name, by_id in answers_by_way.items()]


def score_file(file: Path, sets: Sequence[DataSet]) -> Run:
    """The run of another program; a prompt that isn't in its file was answered with silence."""
    return score(file.name, sets, read_answers(file))


def score(
    name: str, sets: Iterable[DataSet], answers: Mapping[str, QueryAnswer], before: Before | None = None
) -> Run:
    """How well answers, by the id of their prompt, fit what is known."""
    scored = [
        _scored(data, label, answers.get(prompt, QueryAnswer(prompt)), (before or {}).get(prompt, ()))
        for data in sets
        for prompt, label in data.labels.items()
    ]
    kinds = sorted(
        {row.label.category for row in scored}, key=lambda kind: (Label(kind, frozenset()).is_silent, kind)
    )
    by_kind = {kind: _figures([row for row in scored if row.label.category == kind]) for kind in kinds}
    whole = _figures([row for row in scored if row.label.counts or row.label.is_silent])
    return Run(name, whole, by_kind, mean(row.ms for row in scored if row.ms is not None))


def way_of(words: Iterable[str], way: Way) -> Way:
    """`way` with settings changed by KEY=VALUE, several with commas between; `recall.` may be left out, `on`
    and `off` stand for true and false."""
    for word in ",".join(words).split(","):
        name, equals, value = word.strip().partition("=")
        key = key_named(name if "." in name else f"recall.{name}")
        if not equals or key.name not in _TRIED:
            raise UsageError(
                f"{word.strip()!r} can't be set here", f"It takes KEY=VALUE, with {' or '.join(_TRIED)}."
            )
        way = _TRIED[key.name](way, understood(_SWITCH.get(value, value), key))
    return way


def _scored(data: DataSet, label: Label, answer: QueryAnswer, before: Sequence[Piece]) -> _Scored:
    pieces = [piece(place) for place, _ in answer.results]
    given = (
        delivery_within(pieces, BUDGETS[0], data.texts)
        if answer.given is None
        else DeliveredBlock([piece(place) for place in answer.given], answer.size)
    )
    if not label.evidence or label.is_silent:
        return _Scored(label, {}, 0.0, 0, given.size, bool(pieces), answer.ms)
    _, waste = delivered(given, label.evidence, data.texts)
    share, _ = delivered(DeliveredBlock([*before, *given.pieces], 0), label.evidence, data.texts)
    figures = measured(pieces, label.evidence, data.texts)
    return _Scored(label, figures, share, waste, given.size, bool(pieces), answer.ms)


def _figures(scored: Sequence[_Scored]) -> Figures:
    answerable = [row for row in scored if row.measures]
    silent = [row for row in scored if row.label.is_silent]
    measures = {name: mean(row.measures[name] for row in answerable) for name in MEASURES}
    known = {name: value for name, value in measures.items() if value is not None}
    return Figures(
        len(answerable),
        len(silent),
        known,
        delivered=mean(row.delivered for row in answerable),
        waste=mean(row.waste for row in answerable),
        false_injection=mean(float(row.is_answered) for row in silent),
        noise=mean(row.size for row in silent),
    )
