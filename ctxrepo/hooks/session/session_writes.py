"""What a session wrote itself is no news to it: its ledger says of each note what it made of it last."""

import _blake2
import _sqlite3

from ctxrepo.hooks.files.logs import lines_of
from ctxrepo.hooks.known.cache import Row
from ctxrepo.hooks.session.ledger import MAX_BYTES

WROTE, MOVED = "wrote", "moved"
"""First words of such a line; `moved` where what the note says stayed: it went elsewhere, or was pinned."""

_SEEN = "-"
"""In place of a hash: what the session made of the note is in the cache, and whatever comes now is news."""

_FLAWED = "select path, problem from note where problem != '' and path in"
_HASHES = "select path, hash from note where path in (select value from json_each(?))"


def wrote_lines(path: str, data: bytes | None, word: str = WROTE) -> list[str]:
    """The ledger's lines for a note that a session has made `data`, or taken away; none for what the cache
    doesn't hold."""
    if not path.endswith(".md") or "\n" in path:
        return []
    text = (data or b"").decode("utf-8", "replace")  # as the cache reads it
    digest = _SEEN if data is None else _blake2.blake2b(text.encode(), digest_size=8).hexdigest()
    return [f"{word} {path} {digest}"]


def others(cache: _sqlite3.Connection, rows: list[Row], ledger: str, lines: list[str]) -> list[Row]:
    """Those of the changed notes that are not as the session whose `ledger` it is left them.

    What its ledger is to note goes to `lines`.
    """
    wrote = _wrote(ledger) if rows else {}
    if not wrote:
        return rows
    names = cache.execute(f"select json_array({', '.join('?' * len(wrote))})", list(wrote)).fetchone()[0]
    there = dict(cache.execute(_HASHES, (names,)))
    own = {row[0] for row in rows if wrote.get(row[0]) == there.get(row[0], _SEEN)}
    lines += [f"{MOVED} {path} {_SEEN}" for path in sorted(own)]
    return [row for row in rows if row[0] not in own]


def flawed(cache: _sqlite3.Connection, paths: list[str]) -> list[str]:
    """What is wrong with the heads of the notes at `paths`, a line each."""
    if not paths:
        return []
    rows = cache.execute(f"{_FLAWED} ({', '.join('?' * len(paths))}) order by path", paths)
    return [
        f"{path}, which this session wrote: {problem}. `ctxrepo check` tells more." for path, problem in rows
    ]


def _wrote(ledger: str) -> dict[str, str]:
    """Path -> the hash of what the session made of it last."""
    lines = lines_of(ledger, MAX_BYTES) if ledger else []
    parts = [line[6:].rpartition(" ") for line in lines if line[:6] in (WROTE + " ", MOVED + " ")]
    return {path: digest for path, _, digest in parts if path}
