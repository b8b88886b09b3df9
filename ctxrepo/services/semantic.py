"""recall by words and meaning together, in one process: what the warm helper answers and commands ask."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ctxrepo.errors import ModelUnusable
from ctxrepo.hot.gate import is_silent
from ctxrepo.hot.query import Hit, hits_of, lexical
from ctxrepo.hot.recall import SOCIAL, Answer
from ctxrepo.services.fusion import FUSION, Fusion, fused, strength
from ctxrepo.services.meanings import Meanings
from ctxrepo.storage.embedder import Embedder
from ctxrepo.storage.models import find_model
from ctxrepo.storage.vectors import Vectors

NOTHING = "no entry stands out, neither by its words nor by its meaning"

_BEFORE = 2
"""Earlier prompts that are read together with one that is short."""
_SHORT = 60
"""Characters of a prompt that may mean nothing without those before it."""
_MOST = 2000


def open_semantic(model: str, models: Path, vectors: Path) -> tuple[Meanings, Embedder]:
    """What `recall_hybrid` wants; ModelUnusable where the model is missing or can't be loaded."""
    found = find_model(model, models)
    if found is None:
        raise ModelUnusable(f"the model {model} isn't on this machine", "`ctxrepo cache embed` brings it.")
    embedder = Embedder(found)
    return Meanings(Vectors(vectors, found.key), embedder), embedder


def recall_hybrid(
    cache: sqlite3.Connection,
    vectors: Meanings,
    embedder: Embedder,
    prompt: str,
    before: Sequence[str],
    scopes: Sequence[str],
    limit: int,
    gated: bool = True,
    how: Fusion = FUSION,
) -> Answer:
    """As `hot/recall.recall`; an entry without vectors is found by its words alone."""
    if gated and is_silent(prompt):
        return SOCIAL, [], []
    space = vectors.of(cache, scopes)
    if not len(space.numbers):
        return NOTHING, [], []
    scored = lexical(cache, prompt, list(before), list(scopes))
    words = np.array([scored.get(number, 0.0) for number in space.numbers.tolist()])
    meaning = space.rows @ embedder.prompt(_asked(prompt, before))
    scores = fused(words, meaning, space.is_known, how)
    hits = _best(cache, space.numbers, scores, limit)
    if gated and strength(words, meaning, space.usual, space.is_known, how) < how.enough:
        return NOTHING, [], [(hit, NOTHING) for hit in hits]
    return ("" if hits else NOTHING), hits, []


def _asked(prompt: str, before: Sequence[str]) -> str:
    """The text whose meaning is looked for: a short prompt together with what came before it."""
    earlier = [*before[-_BEFORE:]] if len(prompt) < _SHORT else []
    return " ".join([*earlier, prompt[:_MOST]])


def _best(cache: sqlite3.Connection, numbers: np.ndarray, scores: np.ndarray, limit: int) -> list[Hit]:
    order = np.argsort(-scores, kind="stable")[: max(limit, 0)]
    return hits_of(cache, {int(numbers[place]): float(scores[place]) for place in order})
