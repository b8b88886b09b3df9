"""Builders for tests of recall by words: a memory about things, and what a prompt is given of one."""

from __future__ import annotations

import _sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import combinations
from pathlib import Path

from ctxrepo.domain.note.note import Note
from ctxrepo.domain.records.evidence import Marks
from ctxrepo.hooks.known.cached import open_cache
from ctxrepo.hooks.recall.choice import SOCIAL, RecallAnswer, choose, is_social, silent_answer
from ctxrepo.hooks.recall.ranking import RecallRequest, rank_by_words
from ctxrepo.storage.cache.cache import Cache

THINGS = ["river", "mountain", "window", "paper", "garden", "bottle", "orange", "silver", "candle", "button"]
PAIRS = [Note(f"shop/n{n}.md", f"- the {a} {b}\n") for n, (a, b) in enumerate(combinations(THINGS, 2))]


@contextmanager
def cache_of(notes: list[Note], path: Path) -> Iterator[_sqlite3.Connection]:
    owner = Cache.open(path)
    owner.apply("c1", notes, [], Marks())
    cache = open_cache(str(path))
    assert cache is not None
    yield cache
    cache.close()
    owner.close()


@contextmanager
def cache_of_things(path: Path) -> Iterator[_sqlite3.Connection]:
    """Many notes that say much the same, and one on a database."""
    lines = [
        f"- the {thing} beside the {other} was painted"
        for thing in THINGS
        for other in THINGS
        if thing != other
    ]
    notes = [Note(f"shop/n{n}.md", f"{line}\n\n- nothing else happened\n") for n, line in enumerate(lines)]
    port = "- The staging port of pgbouncer is 5433\n\n- Staging has pgbouncer behind haproxy\n"
    with cache_of([*notes, Note("shop/db.md", f"---\ndescription: pgbouncer\n---\n{port}")], path) as cache:
        yield cache


def recall(cache: _sqlite3.Connection, request: RecallRequest, is_gated: bool = True) -> RecallAnswer:
    """What a hook gives for a prompt by its words."""
    if is_gated and is_social(request):
        return silent_answer(SOCIAL)
    return choose(rank_by_words(cache, request), is_gated)
