"""search: the notes and entries that hold some words, or match a pattern."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ctxrepo.domain.target import GLOBAL
from ctxrepo.errors import NotFound, UsageError
from ctxrepo.services.find import scope_named
from ctxrepo.services.pattern import matcher
from ctxrepo.services.project import Project
from ctxrepo.storage.cache import CachedEntry, CachedNote
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
    hits = [hit for hit in find if hit.path.startswith(only) and not hit.path.startswith(_NO_NOTES)]
    hits = [hit for hit in hits if tags <= {tag.casefold() for tag in hit.tags}]
    near = [f"{project.folder}/", f"{GLOBAL}/"] if project else [f"{GLOBAL}/"]
    hits.sort(key=lambda h: (_distance(h.path, near), bool(h.id), -h.score))
    if not hits:
        raise NotFound(
            f"nothing found for {' '.join([asked.text, *(f'#{t}' for t in sorted(tags))]).strip()!r}"
        )
    return hits[:limit]


def _distance(path: str, near: Sequence[str]) -> int:
    return next((n for n, folder in enumerate(near) if path.startswith(folder)), len(near))


def _by_words(memory: Memory, words: Sequence[str]) -> Iterator[Hit]:
    """First what is found by forms of words, then by letters: no word is told apart in 漢字 and in parts."""
    cache, told = memory.cache, _tags(memory)
    yield from (_of_note(note) for note in cache.notes_with(words))
    seen = set()
    for entry, score in cache.entries_by_words(words, MOST):
        seen.add(entry.entry.at)
        yield _of_entry(entry, told, score)
    for entry in cache.entries_by_letters(words, MOST):
        if entry.entry.at not in seen:
            yield _of_entry(entry, told)


def _by_pattern(memory: Memory, pattern: str) -> Iterator[Hit]:
    matches, told = matcher(pattern), _tags(memory)
    for note in memory.cache.notes_with(()):
        if matches(note.path) or matches(note.description):
            yield _of_note(note)
    for entry in memory.cache.entries_by_letters(()):
        if matches(entry.entry.text) or any(map(matches, entry.entry.heading)):
            yield _of_entry(entry, told)


def _tags(memory: Memory) -> dict[str, tuple[str, ...]]:
    return {note.path: _split(note.tags) for note in memory.cache.notes_with(())}


def _of_note(note: CachedNote) -> Hit:
    return Hit("", note.path, note.path, "", note.description, _split(note.tags))


def _of_entry(found: CachedEntry, told: dict[str, tuple[str, ...]], score: float = 0.0) -> Hit:
    entry = found.entry
    tags = tuple(dict.fromkeys((*told.get(entry.path, ()), *(entry.tags if "#" in entry.text else ()))))
    heading = " > ".join(entry.heading)
    at = (f"^{entry.id}", entry.at, entry.path)
    return Hit(*at, heading, entry.text, tags, round(score, 3), found.is_struck)


def _split(tags: str) -> tuple[str, ...]:
    return tuple(tags.split(", ")) if tags else ()
