"""What the memory answers to a person's query, and what a prompt would be given, or why nothing."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Literal

from ctxrepo.domain.project.layout import INVISIBLE
from ctxrepo.domain.text.block import age_mark, day_of, place
from ctxrepo.errors import CtxrepoError
from ctxrepo.hooks.known.cache import BETWEEN_TITLES, EntryHit, open_cache
from ctxrepo.hooks.known.compiled import RECALL_BYTES, RECALL_LIMIT, open_hooks, world_of
from ctxrepo.hooks.known.pi_switch import why_silent
from ctxrepo.hooks.moments.prompt_parts import not_given, why_recall_is_off
from ctxrepo.hooks.packet.recalled import recall_block
from ctxrepo.hooks.recall.choice import (
    SOCIAL,
    RecallAnswer,
    choose,
    choose_all,
    choose_for_query,
    is_social,
    silent_answer,
)
from ctxrepo.hooks.recall.ranking import RecallRequest
from ctxrepo.hooks.session.trace import Subject, note_trace
from ctxrepo.lazy import dataclass
from ctxrepo.services.recall.explain import explanation
from ctxrepo.services.recall.ranker import Ranker, by_words, ranker_of
from ctxrepo.services.recall.unrecalled import items_that_fit
from ctxrepo.storage.memory import Memory

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
    """What is asked after the prompts of `before`, oldest first, and what for. `budget` is in bytes of what
    is delivered."""

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


@dataclass(frozen=True)
class LeftOut:
    """An entry that came near, and why it is no hit."""

    entry: RecalledEntry
    why: str


@dataclass(frozen=True)
class RecallResult:
    """`reason` says why there are no hits, `hint` what helps; '' where there are some.

    `silence` says why a prompt would be given nothing, where a person is answered all the same.
    """

    status: Status
    reason: str = ""
    hint: str = ""
    hits: tuple[RecalledEntry, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    trace_id: str = ""
    silence: str = ""


@dataclass(frozen=True)
class Asker:
    """Where a question comes from: the folder, the environment, and the (agent, session), '' for none."""

    folder: Path
    env: Mapping[str, str]
    session: tuple[str, str] = ("", "")


def recall(
    memory: Memory, asked: Question, scopes: Sequence[str], asker: Asker, now: datetime
) -> RecallResult:
    """What the folders `scopes` of the memory have for a query or a prompt; a trace of it is left.

    The cache must be up to date: call `commit` first.
    """
    if why := malformed(asked.text):
        return RecallResult("malformed", why, "Ask with a few words.")
    state = str(memory.places.state)
    hooks = open_hooks(state)
    world = world_of(hooks, state) if hooks else None
    cache = open_cache(str(memory.state.cache))
    if hooks is None or world is None or cache is None:
        return RecallResult(
            "unavailable", "there is no cache that can be read", "`ctxrepo cache rebuild` makes it."
        )
    agent, session = asker.session
    subject = Subject(agent, session, asked.text, by="recall")
    with closing(hooks), closing(cache):
        if why := why_recall_is_off(world, dict(asker.env)) or why_silent(hooks, str(asker.folder)):
            trace = note_trace(cache, world.repo, subject, why, [], [])
            return RecallResult("denied", why, "The hooks recall nothing here either.", trace_id=trace)
        with ranker_of(memory) as rank:
            found, silence = _answer(cache, asked, scopes, rank, world.is_gated)
        if found.why != SOCIAL:
            items = items_that_fit(memory.cache, cache, asked.text[:MAX_TEXT], asked.before, scopes)
            found.left_out = items + found.left_out
        trace = note_trace(cache, world.repo, subject, found.why, found.hits, found.left_out)
        return _result(asked, now, found, silence, trace)


def answered(
    cache: sqlite3.Connection,
    asked: Question,
    scopes: Sequence[str],
    path_of: Callable[[str], str],
    now: datetime,
    rank: Ranker = by_words,
) -> RecallResult:
    """What any cache has for a prompt; `path_of` makes of a path in it the one that is shown."""
    if why := malformed(asked.text):
        return RecallResult("malformed", why, "Ask with a few words.")
    found, silence = _answer(cache, asked, scopes, rank)
    for hit in (*found.hits, *(hit for hit, _ in found.left_out)):
        hit.path = path_of(hit.path)
    return _result(asked, now, found, silence)


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
    cache: sqlite3.Connection,
    asked: Question,
    scopes: Sequence[str],
    rank: Ranker,
    is_gated: bool = True,
) -> tuple[RecallAnswer, str]:
    """The answer within the budget; and why a prompt would be given nothing, '' where it would be given
    something, and where it is a prompt that asks. `is_gated`: whether prompts are answered by the gate."""
    request = RecallRequest(asked.text[:MAX_TEXT], list(asked.before), list(scopes), asked.limit)
    is_left_alone = is_gated and is_social(request)
    if is_left_alone and asked.purpose == "prompt":
        return silent_answer(SOCIAL), ""
    ranking = rank(cache, request)
    as_prompt = silent_answer(SOCIAL) if is_left_alone else choose(ranking, is_gated)
    if asked.purpose == "prompt":
        found, silence = as_prompt, ""
    else:
        found = choose_for_query(ranking) if asked.purpose == "query" else choose_all(ranking)
        silence = as_prompt.why
    _, given = recall_block(found.hits, 0, "", asked.budget)
    why = f"no entry has room within {asked.budget} bytes" if found.hits and not given else found.why
    left = not_given(found.hits, given, {}, asked.budget) + found.left_out
    return RecallAnswer(why, given, left), silence if given else ""


def _result(
    asked: Question, now: datetime, found: RecallAnswer, silence: str, trace: str = ""
) -> RecallResult:
    today = day_of(now.astimezone().date().isoformat()) or 0
    best = max((hit.score for hit in found.hits), default=0.0)
    hits = tuple(_recalled(hit, today, explanation(asked.text, hit, best)) for hit in found.hits)
    out = tuple(LeftOut(_recalled(hit, today), reason) for hit, reason in found.left_out)
    return RecallResult("ok" if hits else "no_match", found.why, "", hits, out, trace, silence)


def _recalled(hit: EntryHit, today: int, explained: tuple[tuple[str, str], ...] = ()) -> RecalledEntry:
    at = place(hit.path, hit.first_line, hit.last_line)
    titles = hit.heading.replace(BETWEEN_TITLES, " > ")
    age = age_mark(hit.updated, today)
    score = round(hit.score, 3)
    return RecalledEntry(f"^{hit.id}", at, hit.path, titles, hit.updated, age, hit.text, score, explained)
