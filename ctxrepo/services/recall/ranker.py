"""The ways to rank: by words, and by words and meaning where a model is at hand."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager as Context
from contextlib import contextmanager, nullcontext
from pathlib import Path

from ctxrepo.hooks.recall.ranking import Ranking, RecallRequest, rank_by_words
from ctxrepo.storage.meaning.models import find_model, has_libraries
from ctxrepo.storage.memory import Memory

Ranker = Callable[[sqlite3.Connection, RecallRequest], Ranking]
"""What ranks the entries of a cache for a request, as `hooks/recall/ranking.rank_by_words` does."""

by_words: Ranker = rank_by_words


def ranker_of(memory: Memory) -> Context[Ranker]:
    """What ranks for prompts to this memory as its hooks do, though with all the time there is."""
    wanted, models = memory.settings.recall, memory.places.models
    if not (wanted.semantic and has_libraries() and find_model(wanted.model, models)):
        return nullcontext(by_words)
    return by_meaning(wanted.model, models, memory.state.vectors)


@contextmanager
def by_meaning(
    model: str, models: Path, vectors: Path, embed_first: sqlite3.Connection | None = None
) -> Iterator[Ranker]:
    """Rank with a model; ModelUnusable without. All entries of the cache `embed_first` are embedded before
    the first question."""
    # Only now: numpy and what runs the model take as long to load as ten interpreters.
    from ctxrepo.services.meaning.embed import embed, pending
    from ctxrepo.services.meaning.semantic import open_semantic, rank_by_meaning

    meanings, embedder = open_semantic(model, models, vectors)
    try:
        if embed_first is not None:
            embed(meanings.vectors, embedder, pending(embed_first, meanings.vectors), lambda *_: True)
        yield lambda cache, asked: rank_by_meaning(cache, meanings, embedder, asked)
    finally:
        meanings.vectors.close()
