"""What a prompt asks for in words, and where the cache has these."""

import _sqlite3

from ctxrepo.domain.words.prompt_terms import Day, days_in, numbered_items, words
from ctxrepo.hooks.known.cached import NOTE_SPAN, EntryHit, ScopeSpan, hits_at, spans_of

AROUND = 1.0
"""How much an entry's note counts beside the entry's own words."""

SATURATION = 2.0
LENGTH = 0.75
"""k1 and b of BM25, for the entries of a note: how soon further entries with a word stop adding to the note's
worth, and how much a long note loses because it is long."""

ABOVE, BELOW = 0.5, 0.375
"""How much the entries before and after an entry count in a log, where several entries tell one thing."""

VAGUE = 5
"""A prompt of at most so many words is searched together with the prompts before it."""

ABOUT_AN_ITEM = 8
"""A prompt of at most so many words that names an item by its number, as INC-45, is about that item; in a
longer one the number may be no more than a label."""

EARLIER_WEIGHT = 0.5
"""What a word of the last prompt counts then; a word of the prompt before that counts half as much."""

_EARLIER_WORDS = 24
"""The most words of an earlier prompt that are searched for."""

CANDIDATES = 60
_WITH_NEIGHBOURS = 20
_NOTES = 5
_OF_NOTE = 40
"""Entries that are looked at closely: the CANDIDATES best by their words, the neighbours of the
_WITH_NEIGHBOURS best of these, and up to _OF_NOTE entries of each of the _NOTES best notes."""

_CLOSEST = 20
"""How many of the best entries are searched for one that contains much of the prompt by itself."""

_FACTS = "select id, entries, is_log from note where id in (select value from json_each(?))"
_FOUND = "select rowid from entry where rowid in (select value from json_each(?)) and found"
_FIRST_ENTRIES = """
    select e.rowid from entry e join note n on n.id = e.note
    where e.rowid in (select value from json_each(?)) order by n.path, e.first_line limit ?"""
_FIRST_NOTES = "select id from note where id in (select value from json_each(?)) order by path limit ?"
_ENTRIES_OF = "select rowid from entry where rowid between ? and ? and found limit ?"


Term = tuple[float, dict[int, int]]
"""A word: (what it is worth by how few notes have it, note → how many of the note's documents have it)."""


def find(
    cache: _sqlite3.Connection, prompt: str, scopes: list[str], limit: int, before: list[str] | None = None
) -> list[EntryHit]:
    """At most `limit` entries of `scopes` for `prompt`, best first."""
    scores, _ = score_by_words(cache, prompt, before or [], scopes)
    return hits_of(cache, scores, limit)


def weighted_words(prompt: str, before: list[str]) -> dict[str, float]:
    """The words to look for, with weights; `before` are the session's earlier prompts, oldest first."""
    weights = dict.fromkeys(words(prompt), 1.0)
    if len(weights) <= VAGUE:
        for ago, earlier in enumerate(reversed(before), 1):
            for word in words(earlier)[:_EARLIER_WORDS]:
                weights.setdefault(word, EARLIER_WEIGHT / ago)
    return weights


def score_by_words(
    cache: _sqlite3.Connection,
    prompt: str,
    before: list[str],
    scopes: list[str],
    candidates: int = CANDIDATES,
) -> tuple[dict[int, float], float]:
    """Scores of about `candidates` best entries of `scopes` (number → score), and the largest weight of the
    prompt's words that a single one of them contains."""
    spans = spans_of(cache, scopes)
    entries, notes = sum([span.entries for span in spans]), sum([span.notes for span in spans])
    entry_scores: dict[int, float] = {}
    note_scores: dict[int, float] = {}
    terms: list[Term] = []
    weights = weighted_words(prompt, before)
    items = numbered_items(prompt) if len(words(prompt)) <= ABOUT_AN_ITEM else []
    posted = postings(cache, weights, spans, items)
    for weight, numbers in posted:
        counts: dict[int, int] = {}
        worth = weight * worth_of(entries, len(numbers))
        for number in numbers:
            note = number - number % NOTE_SPAN
            counts[note] = counts.get(note, 0) + 1
            if number != note:
                entry_scores[number] = entry_scores.get(number, 0.0) + worth
        rare = weight * worth_of(notes, len(counts))
        terms.append((rare, counts))
        for note, count in counts.items():
            worth = rare * (SATURATION + 1) * count / (count + SATURATION)
            note_scores[note] = note_scores.get(note, 0.0) + worth
    on_day = on_days(cache, days_in(prompt), spans, notes)
    for note, worth in on_day.items():
        note_scores[note] = note_scores.get(note, 0.0) + worth
    likely = _candidates(cache, entry_scores, note_scores, candidates)
    scores = _scored(cache, likely, entry_scores, terms, on_day, max(entries, 1) / max(notes, 1))
    return scores, _most_words_in_one(scores, posted)


def hits_of(
    cache: _sqlite3.Connection, scores: dict[int, float], limit: int, own: dict[int, float] | None = None
) -> list[EntryHit]:
    """The `limit` entries with the best scores, best first; `own` says how far each stands out by itself."""
    if limit <= 0 or not scores:
        return []
    hits = hits_at(cache, _best(cache, scores, limit, _FIRST_ENTRIES))
    for number, hit in hits.items():
        hit.score = scores[number]
        hit.own = own[number] if own else hit.own
    return sorted(hits.values(), key=lambda hit: (-hit.score, hit.path, hit.first_line))


def _candidates(
    cache: _sqlite3.Connection, entry_scores: dict[int, float], note_scores: dict[int, float], most: int
) -> list[int]:
    """The numbers of the entries that are looked at closely."""
    likely = {
        number: score + AROUND * note_scores.get(number - number % NOTE_SPAN, 0.0)
        for number, score in entry_scores.items()
    }
    best = _best(cache, likely, most, _FIRST_ENTRIES)
    numbers = dict.fromkeys(best)
    for number in best[:_WITH_NEIGHBOURS]:
        numbers.update(dict.fromkeys((number - 1, number + 1)))
    for note in _best(cache, note_scores, _NOTES, _FIRST_NOTES):
        rows = cache.execute(_ENTRIES_OF, (note, note + NOTE_SPAN - 1, _OF_NOTE)).fetchall()
        numbers.update(dict.fromkeys([number for (number,) in rows]))
    return [number for (number,) in cache.execute(_FOUND, (_list(list(numbers)),))]


def _scored(
    cache: _sqlite3.Connection,
    candidates: list[int],
    entry_scores: dict[int, float],
    terms: list[Term],
    on_day: dict[int, float],
    entries_per_note: float,
) -> dict[int, float]:
    """The scores of the candidates; `entries_per_note` is the average."""
    notes = list(dict.fromkeys([number - number % NOTE_SPAN for number in candidates]))
    about: dict[int, float] = {}
    logs = set()
    for note, entries, is_log in cache.execute(_FACTS, (_list(notes),)):
        slow = SATURATION * (1 - LENGTH + LENGTH * entries / entries_per_note)
        worth = sum([rare * (SATURATION + 1) * n[note] / (n[note] + slow) for rare, n in terms if note in n])
        about[note] = AROUND * (worth + on_day.get(note, 0.0))
        if is_log:
            logs.add(note)
    scores = {}
    for number in candidates:
        note = number - number % NOTE_SPAN
        scores[number] = entry_scores.get(number, 0.0) + about.get(note, 0.0)
        if note in logs:
            above, below = entry_scores.get(number - 1, 0.0), entry_scores.get(number + 1, 0.0)
            scores[number] += ABOVE * above + BELOW * below
    return scores


def _most_words_in_one(scores: dict[int, float], posted: list[tuple[float, list[int]]]) -> float:
    """The largest weight of the prompt's words that a single one of the best entries contains."""
    if not scores:
        return 0.0
    edge = sorted(scores.values(), reverse=True)[:_CLOSEST][-1]
    weights = {number: 0.0 for number, score in scores.items() if score >= edge}
    for weight, numbers in posted:
        for number in weights.keys() & numbers:
            weights[number] += weight
    return max(weights.values())


def _best(cache: _sqlite3.Connection, scores: dict[int, float], most: int, by_path: str) -> list[int]:
    """The `most` numbers with the best scores, best first. Of those that tie for the last place, the query
    `by_path` takes the first: the numbers decide nothing, because a rebuilt cache has others."""
    ranked = sorted(scores, key=scores.__getitem__, reverse=True)
    if len(ranked) <= most:
        return ranked
    edge = scores[ranked[most - 1]]
    sure = [number for number in ranked[:most] if scores[number] > edge]
    tied = [number for number in ranked if scores[number] == edge]
    return sure + [number for (number,) in cache.execute(by_path, (_list(tied), most - len(sure)))]


def _list(numbers: list[int]) -> str:
    return f"[{','.join(map(str, numbers))}]"


MAX_DOCUMENTS = 2000
"""A word that more documents of one scope hold is too common to tell anything, and is skipped."""

WORDS_IN_FULL = 16
"""Up to so many words have MAX_DOCUMENTS each; more share them, so that a long prompt reads no more."""

MAX_IN_ALL = 4000
"""The most documents that are read for all words; the commonest words are left out first."""

ON_THE_DAY = 2.0
"""How much more a day or month that the prompt names counts than a word, for the notes of that time."""

_DOCUMENTS = "select rowid from words where words match ? and rowid between ? and ? limit ?"
_OF_DAY = """
    select id from note where id between ? and ? and listed and day like ? and day <> '' limit ?"""


def worth_of(total: int, holders: int) -> float:
    """The inverse document frequency of BM25; the logarithm is a straight line between powers of 2."""
    scaled = int((1 + (max(total - holders, 0) + 0.5) / (holders + 0.5)) * 65536)
    power = scaled.bit_length() - 1
    return 0.6931 * (power - 16 + scaled / (1 << power) - 1)


def postings(
    cache: _sqlite3.Connection,
    weights: dict[str, float],
    spans: list[ScopeSpan],
    items: list[tuple[str, str]] | None = None,
) -> list[tuple[float, list[int]]]:
    """(weight, numbers of its documents) of each word that any document holds, the rarest first.

    The two words of an item (`numbered_items`) count only where some document holds both: who asks for INC-45
    isn't told of INC-41, nor of 45 days."""
    most = MAX_DOCUMENTS * WORDS_IN_FULL // max(WORDS_IN_FULL, len(weights))
    holders = {word: _documents(cache, word, spans, most) for word in weights}
    for kind, number in items or []:
        if {kind, number} <= holders.keys() and not _is_held(cache, f'"{kind}" "{number}"', spans):
            holders[kind] = holders[number] = []
    rarest = []
    read = 0
    for word in sorted(weights, key=lambda word: len(holders[word])):
        read += len(holders[word])
        if read > MAX_IN_ALL:
            break
        if holders[word]:
            rarest.append((weights[word], holders[word]))
    return rarest


def _is_held(cache: _sqlite3.Connection, query: str, spans: list[ScopeSpan]) -> bool:
    """Whether some document matches a query of the index."""
    try:
        return any(cache.execute(_DOCUMENTS, (query, s.first, s.last, 1)).fetchone() for s in spans)
    except _sqlite3.OperationalError:
        return True  # SQLite splits a word at a letter that it doesn't know


def _documents(cache: _sqlite3.Connection, word: str, spans: list[ScopeSpan], most: int) -> list[int]:
    """The numbers of the documents that hold `word`, without scopes in which more than `most` do."""
    numbers: list[int] = []
    query = f'"{word}"*' if len(word) == 1 else f'"{word}"'  # of a pair, whose first character it is
    for span in spans:
        try:
            rows = cache.execute(_DOCUMENTS, (query, span.first, span.last, most + 1)).fetchall()
        except _sqlite3.OperationalError:
            return []  # SQLite doesn't know a newer letter and splits the word at it
        if len(rows) <= most:
            numbers += [number for (number,) in rows]
    return numbers


def on_days(
    cache: _sqlite3.Connection, days: list[Day], spans: list[ScopeSpan], notes: int
) -> dict[int, float]:
    """Note → what it is worth that the prompt names its day or month."""
    worths: dict[int, float] = {}
    for year, month, day in days:
        start = f"{year or '____'}-{month}-"
        for pattern in dict.fromkeys((f"{start}{day or '__'}", f"{start}__")):
            rows = []
            for span in spans:
                rows += cache.execute(_OF_DAY, (span.first, span.last, pattern, MAX_DOCUMENTS + 1)).fetchall()
            if len(rows) <= MAX_DOCUMENTS:
                worth = ON_THE_DAY * worth_of(notes, len(rows))
                for (note,) in rows:
                    worths[note] = worths.get(note, 0.0) + worth
    return worths
