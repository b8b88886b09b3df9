"""search --mode meaning and both: entries in the order of how near they come to what a text means."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing

from ctxrepo.errors import CtxrepoError, ModelUnusable
from ctxrepo.hooks.recall.ranking import RecallRequest
from ctxrepo.storage.cache.reading import Found
from ctxrepo.storage.meaning.models import EXTRA, has_libraries
from ctxrepo.storage.memory import Memory

Near = tuple[Found, float, float]
"""(the entry, what it is put in order by, and how near its meaning comes: 1 for the same, 0 for nothing)"""


def near(
    memory: Memory, text: str, scopes: Sequence[str] | None, most: int, *, by_words_too: bool
) -> list[Near]:
    """The entries of some scopes (None: of all) nearest to a text by meaning, or also by words, best first;
    only what prompts may be given. ModelUnusable, with the way on, where no model has read any entry."""
    if not has_libraries():
        raise ModelUnusable(
            "searching by meaning needs libraries that are not installed",
            f"{EXTRA}, then `ctxrepo config set recall.semantic true` and `ctxrepo cache embed`.",
        )
    cache = memory.hook_cache()
    if cache is None:
        raise CtxrepoError("there is no cache that can be read", "`ctxrepo cache rebuild` makes it.")
    with closing(cache):
        scored = _scored(memory, cache, text, scopes, most, by_words_too=by_words_too)
    found = memory.cache.entries_numbered(list(scored))
    return [(found[number], *scored[number]) for number in scored if number in found]


def _scored(
    memory: Memory,
    cache: sqlite3.Connection,
    text: str,
    scopes: Sequence[str] | None,
    most: int,
    *,
    by_words_too: bool,
) -> dict[int, tuple[float, float]]:
    """Number of each entry -> what it is put in order by, and how near its meaning comes; the best first."""
    # Only now: numpy and what runs the model take as long to load as ten interpreters.
    from ctxrepo.services.meaning.meanings import scopes_of
    from ctxrepo.services.meaning.semantic import open_semantic, score_by_meaning, text_of

    wanted = memory.settings.recall.model
    meanings, embedder = open_semantic(wanted, memory.places.models, memory.state.vectors)
    with closing(meanings.vectors):
        asked = RecallRequest(text, [], list(scopes or scopes_of(cache)), most)
        space = meanings.of(cache, asked.scopes)
        if not space.is_known.any():
            raise ModelUnusable(
                "no entry here was read for its meaning yet", "`ctxrepo cache embed` reads them, once."
            )
        numbers, likeness = space.numbers.tolist(), (space.ranked @ embedder.prompt(text_of(asked))).tolist()
        near = {n: near for n, near, known in zip(numbers, likeness, space.is_known, strict=True) if known}
        fused = score_by_meaning(cache, meanings, embedder, asked) if by_words_too else None
        scores = fused.by_number if fused else near
        order = sorted(scores, key=lambda number: (-scores[number], number))[:most]
        return {number: (scores[number], near.get(number, 0.0)) for number in order}
