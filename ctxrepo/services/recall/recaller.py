"""The ways to recall: by words, and by words and meaning where a model is at hand."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager as Context
from contextlib import contextmanager, nullcontext
from pathlib import Path

from ctxrepo.hooks.recall.recall import RecallAnswer, RecallRequest, recall
from ctxrepo.storage.meaning.models import find_model, has_libraries
from ctxrepo.storage.memory import Memory

Recaller = Callable[[sqlite3.Connection, RecallRequest], RecallAnswer]
"""What answers a request from a cache, as `hooks/recall/recall.recall` does."""

by_words: Recaller = recall


def recaller_of(memory: Memory) -> Context[Recaller]:
    """What answers prompts of this memory as its hooks do, though with all the time there is."""
    wanted, models = memory.settings.recall, memory.places.models
    if not (wanted.semantic and has_libraries() and find_model(wanted.model, models)):
        return nullcontext(by_words)
    return by_meaning(wanted.model, models, memory.state.vectors)


@contextmanager
def by_meaning(
    model: str, models: Path, vectors: Path, embed_first: sqlite3.Connection | None = None
) -> Iterator[Recaller]:
    """Recall with a model; ModelUnusable without. All entries of the cache `embed_first` are embedded before
    the first question."""
    # Only now: numpy and what runs the model take as long to load as ten interpreters.
    from ctxrepo.services.meaning.embed import embed, pending
    from ctxrepo.services.meaning.semantic import open_semantic, recall_hybrid

    meanings, embedder = open_semantic(model, models, vectors)
    try:
        if embed_first is not None:
            embed(meanings.vectors, embedder, pending(embed_first, meanings.vectors), lambda *_: True)
        yield lambda cache, asked: recall_hybrid(cache, meanings, embedder, asked)
    finally:
        meanings.vectors.close()
