"""A prompt turned into a full-text question, and the entries that answer it: best first, or none."""

import _sqlite3

from ctxrepo.hot.cache import meta, scope_token
from ctxrepo.hot.wordlists import STOP

MAX_WORDS = 32
MAX_READ = 8000
"""Characters of a prompt that are looked at: a pasted log says no more after that."""

LIMIT = 4
"""Entries beside one prompt."""

RARE = 0.2
"""A word that stands in more than this share of the entries tells them apart no longer."""

SMALL = 10
"""Up to so many entries shares say nothing: any word will do."""

MIN_SCORE = 1.0
MIN_OF_BEST = 0.35
"""An entry is left out below this absolute score, and below this share of the best one's."""

# Columns text, heading, context, scope: what a note is called helps, which scope it is in mustn't.
_WEIGHTS = "bm25(1.0, 0.3, 0.3, 0.0)"
_JOINERS = "_-./:"
_LONGEST = 64

_ENTRIES = """
    select e.id, n.path, e.heading, e.first_line, e.last_line, n.updated, e.text, e.hash, -found.rank
    from (select rowid, rank from entry_fts where entry_fts match ? and rank match ?
          order by rank limit ?) found
    join entry e on e.rowid = found.rowid join note n on n.id = e.note
    order by found.rank, n.path, e.first_line"""


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
    """At most `limit` entries of `scopes` for `prompt`, best first; none when nothing tells them apart."""
    total = int(meta(cache).get("entries", "0"))
    asked = words(prompt)
    if total > SMALL:
        asked = [word for word in asked if _is_rare(cache, word, int(total * RARE))]
    if not asked or not scopes or limit < 1:
        return []
    hits = cache.execute(_ENTRIES, (_match(asked, scopes), _WEIGHTS, limit)).fetchall()
    least = max(MIN_SCORE, hits[0][-1] * MIN_OF_BEST) if hits and total > SMALL else 0.0
    return [hit for hit in hits if hit[-1] >= least]


def _is_rare(cache: _sqlite3.Connection, word: str, most: int) -> bool:
    """Whether some entries hold the word, but no more than `most`."""
    counted = "select count(*) from (select 1 from entry_fts where entry_fts match ? limit ?)"
    return 0 < int(cache.execute(counted, (_quoted(word), most + 1)).fetchone()[0]) <= most


def _match(asked: list[str], scopes: list[str]) -> str:
    anywhere = " OR ".join([_quoted(word) for word in asked])
    where = " OR ".join([scope_token(scope) for scope in scopes])
    return f"scope : ({where}) AND {{text heading context}} : ({anywhere})"


def _quoted(word: str) -> str:
    return '"' + word.replace('"', '""') + '"'


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
