"""search: the notes and entries that hold some words, or match a pattern."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ctxrepo.errors import NotFound, UsageError
from ctxrepo.services.find import scope_named, search_order
from ctxrepo.services.pattern import matcher
from ctxrepo.services.project import Project
from ctxrepo.storage.cacherows import CachedNote
from ctxrepo.storage.cachesearch import Found
from ctxrepo.storage.memory import Memory

MOST = 2000
"""Entries that are put in order; of more nobody sees the end."""

_WORD = re.compile(r'"([^"]+)"|(\S+)')
_NO_NOTES = ("conflicts/", "inbox/", "TAPE/", ".")
"""Where paths begin that hold no notes: versions, proposals, anchors."""


@dataclass(frozen=True)
class Question:
    """What is looked for: words, each in any of its forms and `"…"` together, or a pattern; and tags.

    All of them must be there, the tags on the entry or on its note. An empty `scope` is every scope.
    """

    text: str
    tags: Sequence[str] = ()
    scope: str = ""
    is_pattern: bool = False


@dataclass(frozen=True)
class Hit:
    """An entry, or (with the `id` '') a note whose path, description or tags are what was asked for.

    `text` is the entry or the note's description; `score` is higher for a better one, 0 where nothing tells.
    """

    id: str
    at: str
    path: str
    heading: str
    text: str
    tags: tuple[str, ...]
    score: float = 0.0
    superseded: bool = False


def search(memory: Memory, asked: Question, project: Project | None, limit: int) -> list[Hit]:
    """At most `limit` hits: those of the project first, then global, then all others; notes before entries.

    The cache must be up to date: call `commit` first. NotFound when nothing is found.
    """
    words = [(a or b) for a, b in _WORD.findall(asked.text)]
    if not words and not asked.tags:
        raise UsageError("there is nothing to search for", "Give a word, or --tag.")
    only = f"{scope_named(memory, asked.scope, project).folder}/" if asked.scope else ""
    tags = {tag.lstrip("#").casefold() for tag in asked.tags}
    find = _by_pattern(memory, asked.text) if asked.is_pattern and words else _by_words(memory, words)
    hits = [hit for hit in find if hit.path.startswith(only) and _is_in_scope(hit.path)]
    hits = [hit for hit in hits if tags <= {tag.casefold() for tag in hit.tags}]
    near = [f"{folder}/" for folder in search_order(memory, project)]
    hits.sort(key=lambda h: (_distance(h.path, near), bool(h.id), -h.score))
    if not hits:
        raise NotFound(
            f"nothing found for {' '.join([asked.text, *(f'#{t}' for t in sorted(tags))]).strip()!r}"
        )
    return hits[:limit]


def _is_in_scope(path: str) -> bool:
    """Whether `read` finds it, too: a README beside the scopes is no note."""
    return "/" in path and not path.startswith(_NO_NOTES)


def _distance(path: str, near: Sequence[str]) -> int:
    return next((n for n, folder in enumerate(near) if path.startswith(folder)), len(near))


def _by_words(memory: Memory, words: Sequence[str]) -> Iterator[Hit]:
    """First what is found by forms of words, then by letters: no word is told apart in 漢字 and in parts."""
    cache = memory.cache
    yield from map(_of_note, cache.notes_with(words))
    if not words:  # every entry; the tags tell
        yield from map(_of_entry, cache.entries_by_text(lambda _: True))
        return
    hits = [_of_entry(found) for found in cache.entries_by_words(words, MOST)]
    yield from hits
    known = {hit.at for hit in hits}
    others = map(_of_entry, cache.entries_by_letters(words, MOST))
    yield from (hit for hit in others if hit.at not in known)


def _by_pattern(memory: Memory, pattern: str) -> Iterator[Hit]:
    holds, cache = matcher(pattern), memory.cache
    yield from (_of_note(n) for n in cache.notes_with(()) if holds(n.path) or holds(n.description))
    yield from map(_of_entry, cache.entries_by_text(holds, MOST))


def _of_note(note: CachedNote) -> Hit:
    return Hit("", note.path, note.path, "", note.description, _split(note.tags))


def _of_entry(found: Found) -> Hit:
    (cached, told, score), entry = found, found[0].entry
    tags = tuple(dict.fromkeys((*_split(told), *(entry.tags if "#" in entry.text else ()))))
    at = (f"^{entry.id}", entry.at, entry.path)
    return Hit(*at, " > ".join(entry.heading), entry.text, tags, round(score, 3), cached.is_struck)


def _split(tags: str) -> tuple[str, ...]:
    return tuple(tags.split(", ")) if tags else ()
