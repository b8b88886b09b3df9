"""What the memory has for a query or a prompt, ranked, with reasons."""

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager as Context
from contextlib import closing, contextmanager, nullcontext
from datetime import datetime
from pathlib import Path
from typing import Literal

from ctxrepo.domain.project.layout import INVISIBLE
from ctxrepo.domain.text import age_mark, day_of, place
from ctxrepo.domain.words.prompt_terms import STOP, fold
from ctxrepo.errors import CtxrepoError
from ctxrepo.hooks.known.cached import BETWEEN_TITLES, EntryHit, spans_of
from ctxrepo.hooks.known.silence import why_silent
from ctxrepo.hooks.known.world import RECALL_BYTES, RECALL_LIMIT, open_hooks, world_of
from ctxrepo.hooks.moments.prompt_parts import not_given, why_recall_is_off
from ctxrepo.hooks.packet.sections import recall_block
from ctxrepo.hooks.recall import choice, ranking
from ctxrepo.hooks.recall.choice import RecallAnswer
from ctxrepo.hooks.recall.prompt_query import postings, weighted_words, worth_of
from ctxrepo.hooks.recall.ranking import Ranking, RecallRequest
from ctxrepo.hooks.session.traces import Subject, note_trace
from ctxrepo.lazy import dataclass, lazy_pattern
from ctxrepo.services.delivery.sessions import Caller
from ctxrepo.storage.cache.entries import ChecklistHit, checklist_items
from ctxrepo.storage.meaning.models import find_model, has_libraries
from ctxrepo.storage.memory import Memory

Ranker = Callable[[sqlite3.Connection, RecallRequest], Ranking]
"""What ranks the entries of a cache for a request, as `hooks/recall/ranking.rank_by_words` does."""

by_words: Ranker = ranking.rank_by_words


def ranker_of(memory: Memory) -> Context[Ranker]:
    """What ranks for prompts to this memory as its hooks do, though with all the time there is."""
    settings, models = memory.settings.recall, memory.places.models
    if not (settings.semantic and has_libraries() and find_model(settings.model, models)):
        return nullcontext(by_words)
    return by_meaning(settings.model, models, memory.state.vectors)


@contextmanager
def by_meaning(
    model: str, models: Path, vectors: Path, embed_first: sqlite3.Connection | None = None
) -> Iterator[Ranker]:
    """Rank with a model, after all entries of the cache `embed_first` are embedded; ModelUnusable without."""
    # Only now: numpy and what runs the model take as long to load as ten interpreters.
    from ctxrepo.services.meaning.meanings import embed, pending
    from ctxrepo.services.meaning.semantic import open_semantic, rank_by_meaning

    meanings, embedder = open_semantic(model, models, vectors)
    with closing(meanings.vectors):
        if embed_first is not None:
            embed(meanings.vectors, embedder, pending(embed_first, meanings.vectors), lambda *_: True)
        yield lambda cache, request: rank_by_meaning(cache, meanings, embedder, request)


_WORD = lazy_pattern(r"\w{2,}")
_MOST = 12
_STEM = 4
"""Letters that two forms of a word share at least."""


def explanation(prompt: str, hit: EntryHit, best: float) -> tuple[tuple[str, str], ...]:
    """Pairs of a name and a text: the score beside the best one's, and the words in common. Without any it
    was found by what its note is about, or by another form of a word."""
    share = f"{hit.score / best:.0%} of the best" if best > 0 and hit.score < best else "the best"
    shared = _shared(prompt, f"{hit.path} {hit.heading} {hit.text}")
    return (("score", f"{hit.score:.2f}, {share}"), ("words", ", ".join(shared[:_MOST]) or "none of its own"))


def _shared(prompt: str, text: str) -> list[str]:
    """Words of the prompt that stand in the text, in this form or another, in their order."""
    known = _words(text)
    words = _words(prompt).items()
    return [word for folded, word in words if folded in known or any(_is_form(folded, o) for o in known)]


def _words(text: str) -> dict[str, str]:
    """The words of a text, in small letters, by what they are compared by."""
    spellings = {fold(word): word for word in _WORD.findall(text.lower())}
    return {folded: word for folded, word in spellings.items() if folded not in STOP}


def _is_form(word: str, other: str) -> bool:
    short, long = sorted((word, other), key=len)
    return len(short) >= _STEM and long.startswith(short) and len(long) - len(short) <= 3


CHECKLIST = "checklist items are never recalled; the open ones are given when a session starts"

_MOST_ITEMS = 5


def items_that_fit(
    cache: sqlite3.Connection, prompt: str, before: Sequence[str], scopes: Sequence[str]
) -> list[tuple[EntryHit, str]]:
    """The few items that would stand out by their own words, best first, each with why it isn't given."""
    weights = weighted_words(prompt, list(before))
    items = checklist_items(cache, scopes, list(weights))
    if not items:
        return []
    spans = spans_of(cache, list(scopes))
    entries = sum(span.entries for span in spans)
    worth = {
        word: weights[word] * worth_of(entries, sum(len(n) for _, n in postings(cache, {word: 1.0}, spans)))
        for word in {word for item in items for word in item.words}
    }
    hits = [(_hit(item, sum(worth[word] for word in item.words)), len(item.words)) for item in items]
    enough = ranking.min_score(cache, list(scopes))
    best = max(hit.score for hit, _ in hits)
    margins = [
        ranking.margin_by_words(hit.score + ranking.bonus(matched), enough, prompt) for hit, matched in hits
    ]
    near = [hit for (hit, _), margin in zip(hits, margins, strict=True) if margin >= ranking.BY_WORDS.least]
    fitting = [hit for hit in near if hit.score >= ranking.BY_WORDS.share * best]
    fitting.sort(key=lambda hit: (-hit.score, hit.path, hit.first_line))
    return [(hit, CHECKLIST) for hit in fitting[:_MOST_ITEMS]]


def _hit(item: ChecklistHit, score: float) -> EntryHit:
    entry, heading = item.entry.entry, BETWEEN_TITLES.join(item.entry.entry.heading)
    place = (entry.path, heading, entry.first_line, entry.last_line)
    return EntryHit((entry.id, *place, item.updated, entry.text, item.entry.hash), score)


LIMIT, BUDGET = RECALL_LIMIT, RECALL_BYTES

MAX_TEXT = 1024 * 1024
"""Characters of a prompt that are looked at; those behind tell nothing more."""

Purpose = Literal[
    "query",  # a person asks: what comes near the best entry, and never silence where anything fits
    "prompt",  # what a session would be given for it: the gate and the dose decide
    "all",  # whatever there is, however far below the best
]

Status = Literal[
    "ok",  # there are entries
    "no_match",  # there are none
    "denied",  # recall is off here
    "malformed",  # not a prompt
    "unavailable",  # no memory, or no cache
    "backend_error",  # SQLite or the disk failed
]


@dataclass(frozen=True)
class Question:
    """What is asked after the prompts of `before`, oldest first, and what for; `budget` in bytes of what is
    delivered."""

    text: str
    before: tuple[str, ...] = ()
    limit: int = LIMIT
    budget: int = BUDGET
    purpose: Purpose = "query"


@dataclass(frozen=True)
class RecalledEntry:
    """An entry. `age` is '' or how old its note is at least; `explanation` are pairs of a name and a text."""

    id: str
    at: str
    path: str
    heading: str
    updated: str
    age: str
    text: str
    score: float
    explanation: tuple[tuple[str, str], ...] = ()
    doubt: str = ""
    """Why it may hold no longer, in brackets."""


@dataclass(frozen=True)
class LeftOut:
    """An entry that came near, and why it is no hit."""

    entry: RecalledEntry
    why: str


@dataclass(frozen=True)
class RecallResult:
    """`reason` says why there are no hits and `hint` what helps, else ''; `silence` why a prompt would be
    given nothing."""

    status: Status
    reason: str = ""
    hint: str = ""
    hits: tuple[RecalledEntry, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    trace_id: str = ""
    silence: str = ""


def recall(
    memory: Memory, question: Question, scopes: Sequence[str], asker: Caller, now: datetime
) -> RecallResult:
    """What the folders `scopes` have for a query or a prompt; a trace of it is left. The cache must be up to
    date: call `commit` first."""
    if why := malformed(question.text):
        return RecallResult("malformed", why, "Ask with a few words.")
    state = str(memory.places.state)
    hooks = open_hooks(state)
    world = world_of(hooks, state) if hooks else None
    cache = memory.hook_cache()
    if hooks is None or world is None or cache is None:
        return RecallResult(
            "unavailable", "there is no cache that can be read", "`ctxrepo cache rebuild` makes it."
        )
    agent, session = asker.session
    subject = Subject(agent, session, question.text, by="recall")
    with closing(hooks), closing(cache):
        switches = world.switches_in(str(asker.folder))
        if why := why_recall_is_off(world, dict(asker.env)) or why_silent(hooks, switches):
            trace = note_trace(cache, world.repo, subject, why, [], [])
            return RecallResult("denied", why, "The hooks recall nothing here either.", trace_id=trace)
        with ranker_of(memory) as rank:
            answer, silence = _answer(cache, question, scopes, rank, world.is_gated)
        if answer.why != choice.SOCIAL:
            items = items_that_fit(cache, question.text[:MAX_TEXT], question.before, scopes)
            answer.left_out = items + answer.left_out
        trace = note_trace(cache, world.repo, subject, answer.why, answer.hits, answer.left_out)
        return _result(question, now, answer, silence, trace)


def answered(
    cache: sqlite3.Connection,
    question: Question,
    scopes: Sequence[str],
    path_of: Callable[[str], str],
    now: datetime,
    rank: Ranker = by_words,
) -> RecallResult:
    """What any cache has for a prompt; `path_of` makes of a path in it the one that is shown."""
    if why := malformed(question.text):
        return RecallResult("malformed", why, "Ask with a few words.")
    answer, silence = _answer(cache, question, scopes, rank)
    for hit in (*answer.hits, *(hit for hit, _ in answer.left_out)):
        hit.path = path_of(hit.path)
    return _result(question, now, answer, silence)


def failed(error: Exception, log: str) -> RecallResult:
    """What an error means for whoever asked; `log` says where the details are."""
    if isinstance(error, CtxrepoError):
        return RecallResult("unavailable", error.message, error.hint)
    return RecallResult("backend_error", f"{type(error).__name__}: {error}", log)


def malformed(text: str) -> str:
    """Why a text is no prompt; '' for one that is."""
    if any("\ud800" <= char <= "\udfff" for char in text):
        return "that is no text: it has bytes that are no UTF-8"
    if not text.strip():
        return "there is nothing to look for: the text is empty"
    if not INVISIBLE.sub("", text[:MAX_TEXT]).strip():
        return "there is nothing to look for: nothing in the text can be seen"
    return ""


def _answer(
    cache: sqlite3.Connection, question: Question, scopes: Sequence[str], rank: Ranker, is_gated: bool = True
) -> tuple[RecallAnswer, str]:
    """The answer within the budget, by the gate if `is_gated`; and why a prompt would be given nothing, ''
    where it would be given something, or a prompt asks."""
    request = RecallRequest(question.text[:MAX_TEXT], list(question.before), list(scopes), question.limit)
    is_left_alone = is_gated and choice.is_social(request)
    if is_left_alone and question.purpose == "prompt":
        return choice.silent_answer(choice.SOCIAL), ""
    ranked = rank(cache, request)
    as_prompt = choice.silent_answer(choice.SOCIAL) if is_left_alone else choice.choose(ranked, is_gated)
    if question.purpose == "prompt":
        answer, silence = as_prompt, ""
    else:
        answer = choice.choose_for_query(ranked) if question.purpose == "query" else choice.choose_all(ranked)
        silence = as_prompt.why
    _, hits = recall_block(answer.hits, 0, "", question.budget)
    why = f"no entry has room within {question.budget} bytes" if answer.hits and not hits else answer.why
    left_out = not_given(answer.hits, hits, {}, question.budget) + answer.left_out
    return RecallAnswer(why, hits, left_out), silence if hits else ""


def _result(
    question: Question, now: datetime, answer: RecallAnswer, silence: str, trace: str = ""
) -> RecallResult:
    today = day_of(now.astimezone().date().isoformat()) or 0
    best = max((hit.score for hit in answer.hits), default=0.0)
    hits = tuple(_recalled(hit, today, explanation(question.text, hit, best)) for hit in answer.hits)
    out = tuple(LeftOut(_recalled(hit, today), reason) for hit, reason in answer.left_out)
    return RecallResult("ok" if hits else "no_match", answer.why, "", hits, out, trace, silence)


def _recalled(hit: EntryHit, today: int, explained: tuple[tuple[str, str], ...] = ()) -> RecalledEntry:
    at = place(hit.path, hit.first_line, hit.last_line)
    titles = hit.heading.replace(BETWEEN_TITLES, " > ")
    age = age_mark(hit.updated, today)
    score = round(hit.score, 3)
    about = (f"^{hit.id}", at, hit.path, titles, hit.updated, age)
    return RecalledEntry(*about, hit.text, score, explained, hit.doubt)
