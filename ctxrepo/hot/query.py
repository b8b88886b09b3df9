"""A prompt turned into a full-text question, and the entries that answer it: best first, or none."""

import _sqlite3

from ctxrepo.hot.cache import NOTE_SPAN, SCOPE_SPAN, spans_of
from ctxrepo.hot.wordlists import STOP

MAX_WORDS = 32
MAX_READ = 8000
"""Characters of a prompt that are looked at: a pasted log says no more after that."""

RARE = 0.2
"""A word that stands in more than this share of what can be found tells it apart no longer."""

SMALL = 10
"""A word in no more entries than this always does."""

MOST = 2000
"""Documents looked at for one word and scope: what is in more of them is common, however many there are."""

CONTEXT = 0.3
"""What a word counts in what an entry's note is about, beside one of the entry's own."""

TYPICAL = 200
STRETCH = 0.15
"""Characters of a typical entry, and how much one as long again loses against it."""

MIN_SCORE = 1.0
MIN_OF_BEST = 0.35
"""An entry is left out below this absolute score, and below this share of the best one's."""

_CANDIDATES = 40
_NOTES = 5
"""Entries with words of their own, and notes with the subject asked for, that are looked at closely."""

_JOINERS = "_-./:"
_LONGEST = 64

_DOCUMENTS = "select rowid from words where words match ? and rowid between ? and ? limit ?"
_ENTRIES = """
    select e.rowid, e.id, n.path, e.heading, e.first_line, e.last_line, n.updated, e.text, e.hash
    from entry e join note n on n.id = e.note
    where e.rowid in (select value from json_each(?)) and e.found"""
_FIRST_ENTRIES = """
    select e.rowid from entry e join note n on n.id = e.note
    where e.rowid in (select value from json_each(?)) order by n.path, e.first_line limit ?"""
_FIRST_NOTES = "select id from note where id in (select value from json_each(?)) order by path limit ?"
_ENTRIES_OF = "select rowid from entry where rowid between ? and ? and found limit ?"


Hit = tuple[str, str, str, int, int, str, str, str, float]
"""(id, path, heading, first line, last line, updated, text, hash, score)"""


def words(prompt: str) -> list[str]:
    """What a prompt is about: at most 32 distinct words in lower case, without stop words.

    An identifier (`foo_bar`, `tests/test_x.py`) stands there whole, followed by its parts.
    """
    found: dict[str, None] = {}
    for run in _runs(prompt[:MAX_READ].lower()):
        parts = _split(run, _JOINERS)
        for word in (run, *parts) if len(parts) > 1 else parts:
            if word not in STOP and (len(word) > 1 or not word.isascii()):
                found[word[:_LONGEST]] = None
        if len(found) >= MAX_WORDS:
            break
    return list(found)[:MAX_WORDS]


def find(cache: _sqlite3.Connection, prompt: str, scopes: list[str], limit: int) -> list[Hit]:
    """At most `limit` entries of `scopes` for `prompt`, best first; none when nothing tells them apart.

    An entry's score is the sum of what its words are worth, the rarer in these scopes the more, and of a part
    of that for the words that its note is about.
    """
    spans = spans_of(cache, scopes)
    total = sum([count for _, count in spans])
    own: dict[int, float] = {}
    around: dict[int, float] = {}
    for word in words(prompt):
        found = _documents(cache, word, spans, max(SMALL, int(total * RARE)))
        worth = _worth(total, len(found))
        for number in found:
            scores = own if number % NOTE_SPAN else around
            scores[number] = scores.get(number, 0.0) + worth
    hits = _hits(cache, own, around) if limit > 0 else []
    least = max(MIN_SCORE, hits[0][-1] * MIN_OF_BEST) if hits and total > SMALL else 0.0
    return [hit for hit in hits[:limit] if hit[-1] >= least]


def lexical(
    cache: _sqlite3.Connection,
    prompt: str,
    before: list[str],  # noqa: ARG001 - for the ranking that comes next
    scopes: list[str],
) -> dict[int, float]:
    """Number of an entry -> what it scores for `prompt`; all others score 0."""
    spans = spans_of(cache, scopes)
    total = sum([count for _, count in spans])
    own: dict[int, float] = {}
    around: dict[int, float] = {}
    for word in words(prompt):
        found = _documents(cache, word, spans, max(SMALL, int(total * RARE)))
        worth = _worth(total, len(found))
        for number in found:
            scores = own if number % NOTE_SPAN else around
            scores[number] = scores.get(number, 0.0) + worth
    for note, score in around.items():
        for row in cache.execute(_ENTRIES_OF, (note, note + NOTE_SPAN - 1, _CANDIDATES)):
            own[row[0]] = own.get(row[0], 0.0) + CONTEXT * score
    return own


def hits_of(cache: _sqlite3.Connection, scores: dict[int, float]) -> list[Hit]:
    """The entries with these numbers, best first."""
    rows = cache.execute(_ENTRIES, (_list(list(scores)),))
    hits = [(*hit, scores[number]) for number, *hit in rows]
    hits.sort(key=_order)
    return hits


def _documents(cache: _sqlite3.Connection, word: str, spans: list[tuple[int, int]], most: int) -> list[int]:
    """The numbers of the documents that hold `word`, or all its parts; none when that are over `most`."""
    asked = " AND ".join([f'"{part}"' for part in _split(word, _JOINERS)])
    numbers: list[int] = []
    for first, _ in spans:
        try:
            rows = cache.execute(_DOCUMENTS, (asked, first, first + SCOPE_SPAN - 1, MOST + 1)).fetchall()
        except _sqlite3.OperationalError:
            return []  # a letter younger than SQLite makes two words of it
        if len(rows) > MOST:
            return []
        numbers += [row[0] for row in rows]
    return numbers if len(numbers) <= most else []


def _hits(cache: _sqlite3.Connection, own: dict[int, float], around: dict[int, float]) -> list[Hit]:
    """The entries worth looking at, best first."""
    numbers = _best(cache, own, _CANDIDATES, _FIRST_ENTRIES)
    for note in _best(cache, around, _NOTES, _FIRST_NOTES):
        rows = cache.execute(_ENTRIES_OF, (note, note + NOTE_SPAN - 1, _CANDIDATES)).fetchall()
        numbers += [row[0] for row in rows if row[0] not in own]
    hits = []
    for number, *hit in cache.execute(_ENTRIES, (_list(numbers),)):
        score = own.get(number, 0.0) + CONTEXT * around.get(number - number % NOTE_SPAN, 0.0)
        hits.append((*hit, score / (1 + STRETCH * len(hit[6]) / TYPICAL)))
    hits.sort(key=_order)
    return hits


def _best(cache: _sqlite3.Connection, scores: dict[int, float], most: int, first: str) -> list[int]:
    """The numbers with the best scores. Of those that share the last place the `first` are taken by path:
    the numbers themselves are other ones in a cache that is made anew."""
    ranked = sorted(scores, key=scores.__getitem__, reverse=True)
    if len(ranked) <= most:
        return ranked
    edge = scores[ranked[most - 1]]
    sure = [number for number in ranked[:most] if scores[number] > edge]
    tied = [number for number in ranked if scores[number] == edge]
    return sure + [row[0] for row in cache.execute(first, (_list(tied), most - len(sure)))]


def _list(numbers: list[int]) -> str:
    return f"[{','.join(map(str, numbers))}]"


def _order(hit: Hit) -> tuple[float, str, int]:
    return (-hit[8], hit[1], hit[3])


def _worth(total: int, holders: int) -> float:
    """The inverse document frequency of BM25; the logarithm is a straight line between powers of 2."""
    scaled = int((1 + (max(total - holders, 0) + 0.5) / (holders + 0.5)) * 65536)
    power = scaled.bit_length() - 1
    return 0.6931 * (power - 16 + scaled / (1 << power) - 1)


def _runs(text: str) -> list[str]:
    """Runs of letters and digits, held together by what holds identifiers and paths together."""
    runs = []
    run = ""
    for char in text + " ":
        if char.isalnum() or char in _JOINERS:
            run += char
        elif run:
            runs.append(run.strip(_JOINERS))
            run = ""
    return [run for run in runs if run]


def _split(run: str, separators: str) -> list[str]:
    for separator in separators:
        run = run.replace(separator, " ")
    return run.split()
