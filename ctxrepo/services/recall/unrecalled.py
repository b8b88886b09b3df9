"""Checklist items that match a prompt. Recall never gives them; `ctxrepo recall` lists them as left out, with
the reason."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from ctxrepo.hooks.known.cache import BETWEEN_TITLES, EntryHit, spans_of
from ctxrepo.hooks.recall.choice import BY_WORDS
from ctxrepo.hooks.recall.postings import postings, worth_of
from ctxrepo.hooks.recall.query import weighted_words
from ctxrepo.hooks.recall.ranking import bonus, min_score, more_by_chance
from ctxrepo.storage.cache.reading import CacheReading
from ctxrepo.storage.cache.search import ChecklistHit

CHECKLIST = "checklist items are never recalled; the open ones are given when a session starts"

_MOST = 5


def items_that_fit(
    reading: CacheReading,
    cache: sqlite3.Connection,
    prompt: str,
    before: Sequence[str],
    scopes: Sequence[str],
) -> list[tuple[EntryHit, str]]:
    """The few items that would stand out by their own words, best first, each with why it isn't given.

    `reading` and `cache` are two views of one cache: what is asked for by words, and what prompts look into.
    """
    weights = weighted_words(prompt, list(before))
    items = reading.checklist_items(scopes, list(weights))
    if not items:
        return []
    spans = spans_of(cache, list(scopes))
    entries = sum(span.entries for span in spans)
    worth = {
        word: weights[word] * worth_of(entries, sum(len(n) for _, n in postings(cache, {word: 1.0}, spans)))
        for word in {word for item in items for word in item.words}
    }
    hits = [(_hit(item, sum(worth[word] for word in item.words)), len(item.words)) for item in items]
    enough = min_score(cache, list(scopes)) * more_by_chance(prompt)
    best = max(hit.score for hit, _ in hits)
    near = [hit for hit, matched in hits if hit.score + bonus(matched) >= enough * BY_WORDS.least]
    fitting = [hit for hit in near if hit.score >= BY_WORDS.share * best]
    fitting.sort(key=lambda hit: (-hit.score, hit.path, hit.first_line))
    return [(hit, CHECKLIST) for hit in fitting[:_MOST]]


def _hit(item: ChecklistHit, score: float) -> EntryHit:
    entry, heading = item.entry.entry, BETWEEN_TITLES.join(item.entry.entry.heading)
    place = (entry.path, heading, entry.first_line, entry.last_line)
    return EntryHit((entry.id, *place, item.updated, entry.text, item.entry.hash), score)
