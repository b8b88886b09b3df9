"""recall in any folder of markdown: one question, or as many as a program asks."""

from collections.abc import Iterator, Sequence, Set
from contextlib import AbstractContextManager as Context
from contextlib import nullcontext
from datetime import datetime
from pathlib import Path
from time import perf_counter

from ctxrepo.domain.text import place
from ctxrepo.hooks.known.cached import EntryHit
from ctxrepo.hooks.known.world import RECALL_BYTES, RECALL_LIMIT
from ctxrepo.hooks.packet.sections import recall_block
from ctxrepo.hooks.recall.choice import choose, is_social
from ctxrepo.hooks.recall.ranking import RecallRequest
from ctxrepo.lazy import dataclass
from ctxrepo.services.recall.queries import Query, QueryAnswer, read_queries, render_answers
from ctxrepo.services.recall.recall import Question, Ranker, RecallResult, answered, by_meaning, by_words
from ctxrepo.storage.cache.folder import SCOPE, FolderCache, folder_cache
from ctxrepo.storage.disk.folders import require_place, write_whole

LIMIT = 50
"""Results for each query of a batch: a caller that measures takes as many as it needs."""


@dataclass(frozen=True)
class Way:
    """How a folder is asked: `model` is a folder, a name in `models`, or '' for words. Of at most `limit`
    results a prompt is given the first `most`, as far as they fit into `budget` bytes; without those of the
    places `known`, which the session was given before and which may become more between two prompts."""

    limit: int = LIMIT
    is_gated: bool = True
    model: str = ""
    models: Path = Path()
    most: int = RECALL_LIMIT
    budget: int = RECALL_BYTES
    known: Set[str] = frozenset()


def recall_in(
    folder: Path, question: Question, now: datetime, way: Way
) -> tuple[RecallResult, dict[str, str]]:
    """What the notes below `folder` have for a prompt, and path -> why of those that weren't read."""
    with folder_cache(folder) as cache, _ranker(cache, way) as rank:
        return answered(cache.db, question, [SCOPE], cache.path_of, now, rank), cache.skipped


def answers(cache: FolderCache, queries: Sequence[Query], way: Way) -> Iterator[QueryAnswer]:
    """The answer to each query as it comes; one that is no question is answered with silence."""
    with _ranker(cache, way) as rank:
        for query in queries:
            began = perf_counter()
            hits = _hits(cache, query, way, rank)
            took = (perf_counter() - began) * 1000
            for hit in hits:
                hit.path = cache.path_of(hit.path)
            fresh = [hit for hit in hits[: way.most] if _place_of(hit) not in way.known]
            block, given = recall_block(fresh, 0, "", way.budget)
            yield QueryAnswer(
                query.id,
                tuple((_place_of(hit), round(hit.score, 4)) for hit in hits),
                round(took, 3),
                tuple(_place_of(hit) for hit in given),
                len(block.encode()),
            )


def _place_of(hit: EntryHit) -> str:
    return place(hit.path, hit.first_line, hit.last_line)


def _hits(cache: FolderCache, query: Query, way: Way, rank: Ranker) -> list[EntryHit]:
    """What a prompt is given, within the limit; without the gate whatever there is."""
    request = RecallRequest(query.text, list(query.before), [SCOPE], way.limit)
    if way.is_gated and is_social(request):
        return []
    return choose(rank(cache.db, request), way.is_gated).hits


def _ranker(cache: FolderCache, way: Way) -> Context[Ranker]:
    if not way.model:
        return nullcontext(by_words)
    return by_meaning(way.model, way.models, cache.vectors, cache.db)


@dataclass(frozen=True)
class Batch:
    """How a batch went: queries, those answered with silence, mean time of one, notes that weren't read."""

    queries: int
    silent: int
    ms: float
    skipped: dict[str, str]


def recall_batch(folder: Path, queries: Path, out: Path, way: Way) -> Batch:
    """Answer every query of a file into another one, written when all are answered. BadLines, and nothing
    done, when a line is no query."""
    questions = read_queries(queries)
    require_place(out)
    with folder_cache(folder) as cache:
        query_answers = list(answers(cache, questions, way))
        skipped = cache.skipped
    write_whole(out, render_answers(query_answers).encode())
    silent = sum(not answer.results for answer in query_answers)
    total = sum(answer.ms or 0.0 for answer in query_answers)
    return Batch(len(query_answers), silent, round(total / max(len(query_answers), 1), 3), skipped)
