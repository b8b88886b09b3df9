"""All entries and notes with certain words, a pattern, or tags."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import chain
from typing import Literal, get_args

from ctxrepo.domain.note.note import Note
from ctxrepo.domain.project.layout import CONFLICTS, INBOX, TAPES
from ctxrepo.domain.records.entry_evidence import EntryEvidence
from ctxrepo.domain.words.prompt_terms import fold
from ctxrepo.errors import NotFound, UsageError
from ctxrepo.hooks.known.cached import spans_of
from ctxrepo.hooks.recall.prompt_query import postings, score_by_words, weighted_words
from ctxrepo.lazy import dataclass, lazy_pattern
from ctxrepo.services.locate.identify import Project
from ctxrepo.services.reading.find import kept_notes, read_note, scope_named, search_order, where_else
from ctxrepo.storage.cache.entries import (
    EntryMatch,
    all_scopes,
    entries_by_letters,
    entries_by_text,
    entries_by_words,
    entries_numbered,
    notes_with,
)
from ctxrepo.storage.cache.evidence_rows import entry_evidence
from ctxrepo.storage.cache.layout import CachedEntry, CachedNote
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.state.committed_records import KeptOutFile

MOST = 2000
"""Entries that are put in order; of more nobody sees the end."""

_LARGE = 16 * 1024 * 1024
"""Bytes of the cache from which on a search may take seconds."""

_WORD = lazy_pattern(r'"([^"]+)"|(\S+)')
_NO_NOTES = (f"{CONFLICTS}/", f"{INBOX}/", f"{TAPES}/", ".")
"""Where paths begin that hold no notes: versions, proposals, anchors."""


Mode = Literal["words", "meaning", "both"]
"""By what is looked for: words that are there, what the text means, or the two together."""


@dataclass(frozen=True)
class SearchQuery:
    """What is looked for: words in any of their forms, `"…"` together, or a pattern; and tags, on the entry
    or its note. All must be there, or, where no entry has all words, some words; a category counts as a tag.
    With a `category` only entries of it; an empty `scope` is every scope."""

    text: str
    tags: Sequence[str] = ()
    scope: str = ""
    is_pattern: bool = False
    category: str = ""
    mode: Mode = "words"


@dataclass(frozen=True)
class Hit:
    """An entry, or (without `id`) a note by its path, description or tags; `text` is its text or description.
    `score` is higher for a better one, 0 where nothing tells; `similarity` how near the meaning comes, if
    asked for."""

    id: str
    at: str
    path: str
    heading: str
    text: str
    tags: tuple[str, ...]
    category: str = ""
    score: float = 0.0
    similarity: float | None = None
    pinned: bool = False
    superseded: bool = False
    expired: bool = False
    """Whether its last day is over, so that no session is given it."""
    here_only: bool = False
    """Whether it is in no commit, and stays on this machine."""
    all_words: bool = True
    """Whether it has all words that were asked for."""
    doubt: str = ""
    """Why it may hold no longer, in brackets."""
    evidence: EntryEvidence | None = None
    """Where the entry comes from, and who confirmed it; None where nothing was recorded of it."""


def search(memory: Memory, query: SearchQuery, project: Project | None, limit: int) -> list[Hit]:
    """At most `limit` hits: the project's first, then global, then others, notes before entries; by meaning
    the nearest first, wherever they are. NotFound for none. The cache must be up to date: call `commit`
    first."""
    words = [(a or b) for a, b in _WORD.findall(query.text)]
    tags = {tag.lstrip("#").casefold() for tag in query.tags}
    _check(query, words)
    file = memory.state.cache
    if memory.progress and file.exists() and file.stat().st_size > _LARGE:
        memory.progress("searching all entries")
    only = f"{scope_named(memory, query.scope, project).folder}/" if query.scope else ""
    notes = {note.path: note for note in kept_notes(memory)} if query.mode == "words" else {}
    hits = [hit for hit in _hits(memory, query, words, only) if hit.path not in notes]
    hits += _on_disk(notes.values(), query, [word.casefold() for word in words])
    hits = [hit for hit in hits if _is_wanted(hit, query, tags, only)]
    distance = {folder: n for n, folder in enumerate(search_order(memory, project))}
    if query.mode == "words":
        hits.sort(key=lambda h: (distance.get(h.path.partition("/")[0], len(distance)), bool(h.id), -h.score))
    if not hits and query.mode == "words" and not query.is_pattern and len(words) > 1:
        some = (hit for hit in _by_any_word(memory, query, only) if hit.path not in notes)
        hits = [hit for hit in some if _is_wanted(hit, query, tags, only)]
        hits.sort(key=lambda hit: hit.path.partition("/")[0] not in distance)
    if not hits:
        kind = [f"[{query.category}]"] if query.category else []
        terms = " ".join([query.text, *kind, *(f"#{t}" for t in sorted(tags))]).strip()
        hint = "`--in sessions` searches past sessions instead."
        raise NotFound(f"nothing found for {terms!r}", hint if only else where_else(memory, hint))
    hits = _as_on_disk(memory, hits[:limit])
    known = memory.cache.ask(entry_evidence, (hit.id[1:] for hit in hits if hit.id))
    return [replace(hit, evidence=known.get(hit.id[1:])) for hit in hits]


def _is_wanted(hit: Hit, query: SearchQuery, tags: set[str], only: str) -> bool:
    """Whether a hit is in the scope, below the folder `only`, with all tags and the category."""
    # Those that `read` finds, too: a README beside the scopes is no note.
    is_note = "/" in hit.path and not hit.path.startswith(_NO_NOTES)
    is_of_kind = not query.category or hit.category == query.category.lower()
    groups = {tag.casefold() for tag in (*hit.tags, hit.category) if tag}
    return is_note and is_of_kind and hit.path.startswith(only) and tags <= groups


def _as_on_disk(memory: Memory, hits: Sequence[Hit]) -> list[Hit]:
    """The hits with the lines that their entries have on disk, where a file is held back: the cache has these
    notes as they would be without that. An entry that isn't in the file has the note as its place."""
    paths = {file.refusal.path for file in KeptOutFile(memory.state.held).read().held}
    notes = [
        note for path in paths.intersection(hit.path for hit in hits) if (note := read_note(memory, path))
    ]
    places = {note.path: {f"^{entry.id}": entry.at for entry in note.entries} for note in notes}
    return [
        replace(hit, at=places[hit.path].get(hit.id, hit.path)) if hit.id and hit.path in places else hit
        for hit in hits
    ]


def _check(query: SearchQuery, words: Sequence[str]) -> None:
    """UsageError for a question that asks nothing, or what can't be asked together."""
    if query.mode not in get_args(Mode):
        raise UsageError(f"there is no mode {query.mode!r}", f"There are {', '.join(get_args(Mode))}.")
    if not words and not ((query.tags or query.category) and query.mode == "words"):
        hint = "Give a word, --tag or --category." if query.mode == "words" else "Say what it is to mean."
        raise UsageError("there is nothing to search for", hint)
    if len(words) > 200:
        raise UsageError(f"the search has {len(words)} words, and may have 200", "Name a few of them.")
    if query.is_pattern and query.mode != "words":
        raise UsageError(f"--regex doesn't go with --mode {query.mode}", "One of the two.")


def _hits(memory: Memory, query: SearchQuery, words: Sequence[str], only: str) -> Iterator[Hit]:
    if query.mode != "words":
        from ctxrepo.services.meaning.ready import near  # most searches are for words

        scopes = [only.rstrip("/")] if only else None
        neighbours = near(memory, query.text, scopes, MOST, by_words_too=query.mode == "both")
        return (
            replace(_of_entry(entry), score=round(score, 3), similarity=round(likeness, 3))
            for entry, score, likeness in neighbours
        )
    if not (query.is_pattern and words):
        return _by_words(memory, words)
    holds, cache = matcher(query.text), memory.cache
    notes = (_of_note(n) for n in cache.ask(notes_with, ()) if holds(n.path) or holds(n.description))
    return chain(notes, map(_of_entry, cache.ask(entries_by_text, holds, MOST)))


def _by_words(memory: Memory, words: Sequence[str]) -> Iterator[Hit]:
    """First what is found by forms of words, then by letters: no word is told apart in 漢字 and in parts."""
    cache = memory.cache
    yield from map(_of_note, cache.ask(notes_with, words))
    if not words:  # every entry; the tags tell
        yield from map(_of_entry, cache.ask(entries_by_text, lambda _: True))
        return
    hits = [_of_entry(match) for match in cache.ask(entries_by_words, words, MOST)]
    yield from hits
    known = {hit.at for hit in hits}
    others = map(_of_entry, cache.ask(entries_by_letters, words, MOST))
    yield from (hit for hit in others if hit.at not in known)


def _by_any_word(memory: Memory, query: SearchQuery, only: str) -> Iterator[Hit]:
    """Entries with some of the words, the best first, ranked as those beside a prompt are; `"…"` must be
    there."""
    cache = memory.hook_cache()
    if cache is None:
        return
    phrases = [fold(phrase) for phrase, _ in _WORD.findall(query.text) if phrase]
    with closing(cache):
        scopes = [only.rstrip("/")] if only else all_scopes(cache)
        scores, _ = score_by_words(cache, query.text, [], scopes)
        posting_lists = postings(cache, weighted_words(query.text, []), spans_of(cache, scopes))
    holders = {number for _, numbers in posting_lists for number in numbers}
    order = sorted(holders.intersection(scores), key=lambda number: (-scores[number], number))
    entries = memory.cache.ask(entries_numbered, order)
    for number in order:
        hit = replace(_of_entry(entries[number]), score=round(scores[number], 3), all_words=False)
        if all(phrase in fold(f"{hit.heading}\n{hit.text}") for phrase in phrases):
            yield hit


def _on_disk(notes: Iterable[Note], query: SearchQuery, words: Sequence[str]) -> Iterator[Hit]:
    """The entries of these notes, which the cache doesn't have."""
    holds = matcher(query.text) if query.is_pattern and words else lambda t: all(w in t for w in words)
    for note, entry in ((n, e) for n in notes for e in n.entries):
        if holds(entry.text if query.is_pattern else entry.text.casefold()):
            cached = CachedEntry(entry, entry.is_pinned, is_struck=False, hash="")
            yield replace(_of_entry((cached, ", ".join(note.head.tags), 0.0)), here_only=True)


def _of_note(note: CachedNote) -> Hit:
    return Hit("", note.path, note.path, "", note.description, _split(note.tags))


def _of_entry(match: EntryMatch) -> Hit:
    (cached, note_tags, score), entry = match, match[0].entry
    tags = tuple(dict.fromkeys((*_split(note_tags), *(entry.tags if "#" in entry.text else ()))))
    at = (f"^{entry.id}", entry.at, entry.path)
    return Hit(
        *at,
        heading=" > ".join(entry.heading),
        text=entry.text,
        tags=tags,
        category=entry.category if "[" in entry.text else "",
        score=round(score, 3),
        pinned=cached.is_pinned,
        superseded=cached.is_struck,
        expired=cached.is_expired,
        doubt=cached.doubt,
    )


def _split(tags: str) -> tuple[str, ...]:
    return tuple(tags.split(", ")) if tags else ()


MAX_CHARS = 1000

SEARCH_SECONDS = 2.0
"""Seconds that all of one search may take."""


def matcher(pattern: str, patience: float = SEARCH_SECONDS) -> Callable[[str], bool]:
    """Whether a text holds the pattern, in any case of letters unless it says `(?-i:…)`. UsageError for what
    is no pattern, and once matching has taken longer than `patience` seconds."""
    if len(pattern) > MAX_CHARS:
        raise UsageError(f"the pattern is longer than {MAX_CHARS} characters", "Search for less at once.")
    import regex  # most searches are for words

    try:
        compiled = regex.compile(pattern, regex.IGNORECASE | regex.MULTILINE | regex.VERSION0)
    except (regex.error, RecursionError, OverflowError) as error:
        raise UsageError(f"{pattern[:80]!r} is not a regular expression: {error}") from error
    end = time.monotonic() + patience

    def matches(text: str) -> bool:
        try:
            return compiled.search(text, timeout=max(0.001, end - time.monotonic())) is not None
        except TimeoutError:
            raise UsageError(
                f"the pattern takes longer than {patience:g} seconds",
                "Repetitions within repetitions, such as (a+)+, do; say it with fewer.",
            ) from None
        except MemoryError:
            raise UsageError("the pattern contains itself without an end", "Write it out.") from None

    return matches
