"""The ranking by words and meaning together, in one process: what the helper answers and commands ask."""

import sqlite3
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ctxrepo.domain.words.prompt_terms import is_wide, runs
from ctxrepo.errors import ModelUnusable
from ctxrepo.hooks.recall.ask_helper import ranking_of
from ctxrepo.hooks.recall.prompt_query import score_by_words
from ctxrepo.hooks.recall.ranking import LEFT_OUT, Ranking, RecallRequest, is_vague, rank_by_words
from ctxrepo.services.meaning.fusion import FUSION, Array, above_usual, fused, margin
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

LOOKED_AT = 20
"""The best entries, one of which must stand out for any to be given."""


def open_semantic(model: str, models: Path, vectors: Path) -> tuple[Meanings, Embedder]:
    """What `rank_by_meaning` wants; ModelUnusable where the model is missing or can't be loaded."""
    found = find_model(model, models)
    if found is None:
        raise ModelUnusable(
            f"the model {model} isn't on this machine",
            "`ctxrepo cache embed` brings what recall.model names; a folder is named by its whole path.",
        )
    embedder = Embedder(found)
    return Meanings(Vectors(vectors, found.key), embedder), embedder


def rank_by_meaning(
    cache: sqlite3.Connection, vectors: Meanings, embedder: Embedder, asked: RecallRequest
) -> Ranking:
    """The entries ordered by words and meaning; an entry without vectors has only words, and so have all
    where most do."""
    scores = score_by_meaning(cache, vectors, embedder, asked)
    if scores is None:
        return rank_by_words(cache, asked)
    ranking = ranking_of(cache, scores.by_number, scores.margin, scores.alone, asked)
    if not can_read(embedder, asked.prompt):
        ranking.by_words = rank_by_words(cache, asked)
    return ranking


class Scores(NamedTuple):
    """`margin` is how far the best entry stands out, `alone` how far one does without the prompts before this
    one; `by_number` has the scores of the best entries."""

    margin: float
    alone: float
    by_number: dict[int, float]


def score_by_meaning(
    cache: sqlite3.Connection, vectors: Meanings, embedder: Embedder, asked: RecallRequest
) -> Scores | None:
    """The best entries for a request; None while most have no vectors: those with some would stand out."""
    space = vectors.of(cache, asked.scopes)
    if 2 * int(space.is_known.sum()) <= len(space.numbers):
        return None
    reached, scores = _weighed(cache, vectors, space, embedder, asked)
    alone = reached
    if is_vague(asked):
        by_itself = RecallRequest(asked.prompt, [], asked.scopes)
        alone, _ = _weighed(cache, vectors, space, embedder, by_itself)
    best = np.argsort(-scores, kind="stable")[: max(asked.limit, 0) + LEFT_OUT]
    return Scores(reached, alone, {int(space.numbers[place]): float(scores[place]) for place in best})


def _weighed(
    cache: sqlite3.Connection, vectors: Meanings, space: Space, embedder: Embedder, asked: RecallRequest
) -> tuple[float, Array]:
    """(how far the best entry stands out, what each entry of the space scores)"""
    scored, _ = score_by_words(cache, asked.prompt, asked.before, asked.scopes, CANDIDATES)
    words = np.array([scored.get(number, 0.0) for number in space.numbers.tolist()])
    prompt = embedder.prompt(text_of(asked))
    scores = fused(words, space.ranked @ prompt, space.is_known, space.is_log, FUSION)
    first = np.argsort(-scores, kind="stable")[:LOOKED_AT]
    rows = space.gated[first]
    above = above_usual(rows @ prompt, vectors.usual(rows), vectors.spread)
    return margin(words, above, space.is_known[first], FUSION), scores


def can_read(embedder: Embedder, prompt: str) -> bool:
    """Whether the model knows the prompt's language. Names of code tell nothing: all models see pieces."""
    words = filter(str.isalpha, runs(prompt[:_LANGUAGE]))
    said = [word for word in words if word.islower() or word.istitle() or not word.isascii()]
    wide = sum(map(is_wide, "".join(said)))
    spoken = sum(not is_wide(run) for run in said) + wide / 2
    return spoken < _FEWEST or embedder.pieces(" ".join(said)) < MOST_PIECES * spoken


def text_of(asked: RecallRequest) -> str:
    """What is looked for by its meaning: a short prompt together with what came before it."""
    earlier = [*asked.before[-_BEFORE:]] if len(asked.prompt) < _SHORT else []
    is_long = len(asked.prompt) > _HEAD + _TAIL
    ends = f"{asked.prompt[:_HEAD]}\n{asked.prompt[-_TAIL:]}" if is_long else asked.prompt
    return " ".join([*earlier, ends])
