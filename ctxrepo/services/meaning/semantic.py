"""The ranking by words and meaning together, in one process: what the helper answers and commands ask."""

import sqlite3
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ctxrepo.domain.words.prompt_terms import is_wide, runs
from ctxrepo.errors import ModelUnusable
from ctxrepo.hooks.recall.ask_helper import ranking_of
from ctxrepo.hooks.recall.prompt_query import score_by_words
from ctxrepo.hooks.recall.ranking import (
    LEFT_OUT,
    Ranking,
    RecallRequest,
    is_vague,
    more_by_chance,
    rank_by_words,
    telling,
)
from ctxrepo.services.meaning.fusion import FUSION, Array, above_usual, fused, margin, own_margins
from ctxrepo.services.meaning.meanings import Meanings, Space
from ctxrepo.storage.meaning.models import find_model
from ctxrepo.storage.meaning.vectors import Embedder, Vectors

_BEFORE = 2
"""Earlier prompts that are read together with one that is short."""
_SHORT = 60
"""Characters of a prompt that may mean nothing without those before it."""
_HEAD, _TAIL = 400, 200
"""Characters of a longer prompt that are read, where an order stands around a log: a model takes as long as
a text is, and a hook doesn't wait for all of it."""

CANDIDATES = 1000
"""Entries whose words are weighed against their meaning."""

MOST_PIECES = 1.6
"""A model whose tokenizer takes the words of a prompt into more pieces than this, on average, doesn't know
their language: it knows letters, and would weigh them as if they meant something. English comes to 1.1 where
English was learned, and French, German, Japanese or Russian to 1.6 and more."""

_LANGUAGE = 150
"""Characters of a prompt that tell its language: few enough that no model cuts their end off."""

_FEWEST = 3
"""Of fewer words nothing is said by an average."""

UNREAD_COUNTS = 0.65
"""What is left of the margin of a prompt that the model can't read and words don't answer either."""

LOOKED_AT = 20
"""The best entries, one of which must stand out for any to be given."""


def open_semantic(name: str, models: Path, vectors: Path) -> tuple[Meanings, Embedder]:
    """What `rank_by_meaning` wants; ModelUnusable if the model is missing, can't be loaded or tells no texts
    apart."""
    model = find_model(name, models)
    if model is None:
        raise ModelUnusable(
            f"the model {name} isn't on this machine",
            "`ctxrepo cache embed` brings what recall.model names; a folder is named by its whole path.",
        )
    embedder = Embedder(model)
    meanings = Meanings(Vectors(vectors, model.key), embedder)
    if not meanings.is_sane():
        meanings.vectors.close()
        raise ModelUnusable(
            f"the model {name} doesn't tell texts apart on this machine",
            "Weights of 8 bits need a processor with VNNI, or a scale of 63 instead of 127 (reduce_range): "
            "make the model anew so, or take one that isn't quantized.",
        )
    return meanings, embedder


def rank_by_meaning(
    cache: sqlite3.Connection, vectors: Meanings, embedder: Embedder, request: RecallRequest
) -> Ranking:
    """The entries ordered by words and meaning; an entry without vectors has only words, and so have all
    where most do."""
    scores = score_by_meaning(cache, vectors, embedder, request)
    if scores is None:
        return rank_by_words(cache, request)
    ranking = ranking_of(cache, scores.by_number, scores.own, scores.margins, request)
    if not can_read(embedder, request.prompt):
        ranking.by_words = rank_by_words(cache, request)
    return ranking


class Scores(NamedTuple):
    """`margins` say how far the best entry stands out: beside this prompt, at an edit with this text, and
    without the prompts before this one. `by_number` has the scores of the best entries, `own` how far each
    stands out by itself."""

    margins: tuple[float, float, float]
    by_number: dict[int, float]
    own: dict[int, float]


class _Weighed(NamedTuple):
    """How far the best entry stands out beside the prompt, and where the text only tells what an edit is of;
    what each entry of the space scores, and how far the best ones stand out by themselves."""

    margin: float
    at_edit: float
    scores: Array
    best: Array
    own: Array


def score_by_meaning(
    cache: sqlite3.Connection, vectors: Meanings, embedder: Embedder, request: RecallRequest
) -> Scores | None:
    """The best entries for a request; None while most have no vectors: those with some would stand out."""
    space = vectors.of(cache, request.scopes)
    if 2 * int(space.is_known.sum()) <= len(space.numbers):
        return None
    ranking = _weighed(cache, vectors, space, embedder, request)
    alone = ranking.at_edit
    if is_vague(request):
        by_itself = RecallRequest(request.prompt, [], request.scopes)
        alone = _weighed(cache, vectors, space, embedder, by_itself).margin
    numbers = space.numbers[ranking.best].tolist()
    by_number = dict(zip(numbers, ranking.scores[ranking.best].tolist(), strict=True))
    own = dict(zip(numbers, ranking.own.tolist(), strict=True))
    return Scores((ranking.margin, ranking.at_edit, alone), by_number, own)


def _weighed(
    cache: sqlite3.Connection, vectors: Meanings, space: Space, embedder: Embedder, request: RecallRequest
) -> _Weighed:
    scored, _ = score_by_words(cache, request.prompt, request.before, request.scopes, CANDIDATES)
    words = np.array([scored.get(number, 0.0) for number in space.numbers.tolist()])
    prompt = embedder.prompt(text_of(request))
    scores = fused(words, space.ranked @ prompt, space.is_known, space.is_log, FUSION)
    best = np.argsort(-scores, kind="stable")[: max(request.limit, 0) + LEFT_OUT]
    rows, is_known = space.gated[best], space.is_known[best]
    above = np.where(is_known, above_usual(rows @ prompt, vectors.usual(rows), vectors.spread), 0.0)
    first, longer = slice(LOOKED_AT), more_by_chance(request.prompt)
    beside = margin(words, above[first], is_known[first], longer) * telling(request.prompt)
    if not can_read(embedder, request.prompt):
        beside *= UNREAD_COUNTS
    at_edit = margin(words, above[first], is_known[first])
    return _Weighed(beside, at_edit, scores, best, own_margins(words[best], above, len(words), longer))


def can_read(embedder: Embedder, prompt: str) -> bool:
    """Whether the model knows the prompt's language. Names of code tell nothing: all models see pieces."""
    words = filter(str.isalpha, runs(prompt[:_LANGUAGE]))
    prose = [word for word in words if word.islower() or word.istitle() or not word.isascii()]
    wide = sum(map(is_wide, "".join(prose)))
    count = sum(not is_wide(run) for run in prose) + wide / 2
    return count < _FEWEST or embedder.pieces(" ".join(prose)) < MOST_PIECES * count


def text_of(request: RecallRequest) -> str:
    """What is looked for by its meaning: a short prompt together with what came before it."""
    earlier = [*request.before[-_BEFORE:]] if len(request.prompt) < _SHORT else []
    is_long = len(request.prompt) > _HEAD + _TAIL
    ends = f"{request.prompt[:_HEAD]}\n{request.prompt[-_TAIL:]}" if is_long else request.prompt
    return " ".join([*earlier, ends])
