"""Brings notes into the cache: as rows of it, and an empty cache on as many cores as there are."""

import json
import marshal
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any, NamedTuple

from ctxrepo.domain.formats.blocks import texts_beside
from ctxrepo.domain.note.entry import Entry
from ctxrepo.domain.note.links import mentions_of
from ctxrepo.domain.note.note import Note
from ctxrepo.domain.project.layout import CHECKLIST, MEMORY, is_aside, is_note
from ctxrepo.domain.records.evidence import Marks
from ctxrepo.hooks.known.cached import (
    BETWEEN_TITLES,
    DAILY,
    HABITS,
    NOTE_SPAN,
    RULES,
    SCOPE_SPAN,
    SCRATCHPAD,
    box_of,
)
from ctxrepo.lazy import lazy_pattern
from ctxrepo.storage.cache.evidence_rows import EvidenceFiles, EvidenceRows
from ctxrepo.storage.cache.layout import (
    EXPIRED,
    INDEX_OF_IDS,
    SUPERSEDED,
    digest_of,
    hash_of,
    lines_of,
    pinned_at,
    read_entry,
    set_meta,
    spelled_out,
)
from ctxrepo.storage.processes.apart import work_ahead
from ctxrepo.storage.processes.database import give_way, storable, transaction

_SQL = texts_beside(__spec__, "update.sql")
BATCH = 60
"""Notes that are read and laid out at once: few, so that whoever puts them in has never long to wait."""

TOGETHER = 32
"""Batches that are put in and indexed in one transaction, while others wait to write."""

_FORMAT = 2
"""Version of marshal's format; later ones look for repeated objects, which takes longer than writing."""

_DAILY = lazy_pattern(r"daily/\d{4}-\d{2}-\d{2}\.md")

_DAY = lazy_pattern(r"(?<!\d)\d{4}-\d{2}-\d{2}(?!\d)")


_ABOUT_THE_PERSON = ("core/USER.md", "USER.md")
_NAMES_OF_RULES = {"preference", "preferences", "pref", "prefs", "rule", "rules"}
_NAMES_OF_HABITS = {"agent", "agents", "conventions", "guidelines", "habits", "rules", "style", "workflow"}
"""Names and tags of notes, or words in them."""


_ROWID, _TEXT, _PINNED, _STRUCK = 0, 4, 7, 8
"""Where a row of the table `entry` has these columns."""


class Rows(NamedTuple):
    """A note as rows: its own, those of its entries, and (name, entry) for each file that they name."""

    id: int
    note: tuple[object, ...]
    entries: list[tuple[Any, ...]]
    mentions: list[tuple[str, int]]


def rows_of(note: Note, note_id: int, marks: Marks, generation: int) -> Rows:
    """The rows of a note, whose entries have the numbers that follow its own."""
    is_listed, working = not is_aside(note.path), _working(note.path.partition("/")[2])
    numbered = enumerate(note.entries, note_id + 1)
    entries = [_entry_row(rowid, note_id, entry, marks, is_listed, working) for rowid, entry in numbered]
    has_pinned = any(row[_PINNED] and not row[_STRUCK] for row in entries)
    recalled = [row for row in entries if is_recalled(row[_TEXT], is_listed, working)]
    mentions = [(name, row[_ROWID]) for row in recalled for name in mentions_of(row[_TEXT])]
    return Rows(note_id, _note_row(note, note_id, has_pinned, generation), entries, mentions)


def _note_row(note: Note, note_id: int, is_pinned: bool, generation: int) -> tuple[object, ...]:
    head, path = note.head, storable(note.path)
    scope, _, rest = path.partition("/")
    body, first = _memory_body(note) if rest == MEMORY else ("", 0)
    description, tags = storable(head.description), storable(", ".join(head.tags))
    name = rest.removesuffix(MEMORY).removesuffix(".md")
    dated = _DAY.search(path.rpartition("/")[2])
    context = "\n".join((description, tags, name, *map(storable, _other_names(head.fields))))
    updated = head.updated or head.created
    display = (description, tags, updated, is_pinned, rest.startswith("core/"), not is_aside(path))
    hashed = digest_of(storable(note.text))
    content = (body, first, storable(note.problem), hashed, f"{context}\n{spelled_out(context)}")
    day = (dated[0] if dated else updated, dated is not None)
    kind = (_working(rest), _rules(rest, head.tags))
    return (note_id, path, scope, *display, generation, *content, *day, len(note.entries), *kind)


def _other_names(fields: Mapping[str, object]) -> Iterator[str]:
    """What other programs, such as those for vaults, call a note besides."""
    aliases = fields.get("aliases")
    names = [fields.get("name"), *(aliases if isinstance(aliases, list) else (aliases,))]
    yield from (name for name in names if isinstance(name, str))


def _working(rest: str) -> int:
    """Whether a note, by its path in the scope, is the checklist or a log of the day."""
    if rest == CHECKLIST:
        return SCRATCHPAD
    return DAILY if rest.startswith("daily/") and _DAILY.fullmatch(rest) else 0


def _rules(rest: str, tags: Iterable[str]) -> int:
    """Whether a note, by its path in the scope and its tags, holds the person's rules, or tells of habits."""
    names = [*rest.removesuffix(".md").lower().split("/"), *(tag.lower() for tag in tags)]
    if rest in _ABOUT_THE_PERSON or not _NAMES_OF_RULES.isdisjoint(names):
        return RULES
    words = (word for name in names for word in name.replace("_", "-").split("-"))
    return 0 if _NAMES_OF_HABITS.isdisjoint(words) else HABITS


def _memory_body(note: Note) -> tuple[str, int]:
    """The body of a scope's MEMORY.md without blank lines around it, and the line it begins on."""
    body = lines_of(note.body)
    return body.strip("\n"), note.head.lines + 1 + len(body) - len(body.lstrip("\n"))


def _entry_row(
    rowid: int, note_id: int, entry: Entry, marks: Marks, is_listed: bool, working: int
) -> tuple[Any, ...]:
    text = lines_of(entry.text)
    heading = BETWEEN_TITLES.join(map(storable, entry.heading))
    place = (entry.first_line, entry.last_line)
    is_struck = entry.id in marks.struck
    is_found = is_recalled(text, is_listed, working) and not is_struck
    state = (pinned_at(entry, marks), is_struck, hash_of(entry), is_found)
    # Ten thousand notes are looked at in one go, and most entries have no bracket at all.
    found_by = (spelled_out(f"{heading} {text}"), entry.category if "[" in text else "")
    return (rowid, note_id, entry.id, heading, text, *place, *state, *found_by)


def is_recalled(text: str, is_listed: bool, working: int) -> bool:
    """Whether prompts and edits may bring an entry with this text as long as nothing strikes it."""
    return is_listed and not (working == SCRATCHPAD and box_of(text))


_PUT_NOTE = "insert into note values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_PUT_ENTRY = "insert into entry values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '', '')"
_PUT_MENTION = "insert or ignore into mention values (?, ?)"
_DROP_MENTION = "delete from mention where name = ? and entry = ?"
_INDEX = "insert into words(rowid, text) select id, text from document where id between ? and ?"


def _insert(db: sqlite3.Connection, rows: Sequence[Rows]) -> None:
    """Insert notes and their entries; `_index` must follow."""
    db.executemany(_PUT_NOTE, [row.note for row in rows])
    db.executemany(_PUT_ENTRY, [entry for row in rows for entry in row.entries])
    db.executemany(_PUT_MENTION, [mention for row in rows for mention in row.mentions])


def _index(db: sqlite3.Connection, first: int, last: int) -> None:
    """Add the documents with these numbers to the full-text index. None of them may be in it yet."""
    db.execute(_INDEX, (first, last))


def _recount(db: sqlite3.Connection, scopes: Iterable[int]) -> None:
    """Note how many entries and notes can be found in each of these scopes."""
    db.execute(_SQL["recount"], (SCOPE_SPAN, json.dumps(list(scopes))))


def _new_number(db: sqlite3.Connection, scope: str) -> int:
    """A number for another note of the scope, which is given a range of its own if it has none."""
    db.execute("insert or ignore into scope(name, entries, notes) values (?, 0, 0)", (scope,))
    start = db.execute("select id from scope where name = ?", (scope,)).fetchone()[0] * SCOPE_SPAN
    span = (start, start + SCOPE_SPAN - 1)
    last = db.execute("select max(id) from note where id between ? and ?", span).fetchone()[0]
    return int(start if last is None else last) + NOTE_SPAN


_MEMORY_KIB = 64 * 1024
_TUNE = "insert into words(words, rank) values (?, ?)"
_WHILE_FILLING = {"hashsize": _MEMORY_KIB * 1024, "automerge": 0}
_USUAL = {"hashsize": 1024 * 1024, "automerge": 4}
"""FTS5 options while filling, and its defaults, which are set again afterwards. hashsize: bytes of words that
are kept in memory; automerge: from how many segments of one level FTS5 merges them (0: never)."""


@contextmanager
def _much_to_write(db: sqlite3.Connection) -> Iterator[None]:
    """Settings for a large write: more memory, fewer syncs; ids come in random order: their index last."""
    db.execute(f"pragma cache_size = -{_MEMORY_KIB}")
    db.execute("pragma wal_autocheckpoint = 10000")  # pages
    db.executemany(_TUNE, _WHILE_FILLING.items())
    db.execute("drop index if exists entry_id")
    try:
        yield
    finally:
        db.execute(INDEX_OF_IDS)  # when it broke off before
        db.executemany(_TUNE, _USUAL.items())
        db.execute("pragma cache_size = -2000")
        db.execute("pragma wal_autocheckpoint = 1000")


def _numbered(paths: Sequence[str]) -> tuple[list[tuple[int, str]], list[str]]:
    """(number, path) of each note, those of a scope in the range that is the scope's; and the scopes."""
    counts: dict[str, int] = {}
    notes = []
    for path in paths:
        scope = storable(path.partition("/")[0])
        counts[scope] = counts.get(scope, 0) + 1
        notes.append((len(counts) * SCOPE_SPAN + counts[scope] * NOTE_SPAN, path))
    return notes, list(counts)


_SHOW = "update entry set pinned = ?, struck = ?, found = ? where rowid = ?"


_SHOWN_ID, _SHOWN_PINNED, _SHOWN_STRUCK = 3, 9, 10
"""Where a row of `marked` has these; what `read_entry` takes begins with the id."""


def apply(
    db: sqlite3.Connection,
    generation: int,
    changed: Iterable[Note],
    removed: Iterable[str],
    evidence: Marks | EvidenceFiles,
) -> bool:
    """Bring notes, evidence and marks up to date, as of this generation, inside the caller's transaction;
    whether anything changed of notes or marks."""
    marks = _marks_of(db, evidence)
    scopes = {scope for path in removed if (scope := _drop(db, storable(path)))}
    scopes |= {scope for note in changed if (scope := _put(db, note, generation, marks))}
    scopes |= _mark(db, marks, generation)
    if scopes:
        set_meta(db, generation=str(generation))
        _recount(db, scopes)
    return bool(scopes)


def _marks_of(db: sqlite3.Connection, evidence: Marks | EvidenceFiles) -> Marks:
    if isinstance(evidence, Marks):
        return evidence
    rows = EvidenceRows(db)
    rows.take(evidence)
    return rows.marks()


def fill(
    db: sqlite3.Connection,
    paths: Iterable[str],
    read: Callable[[str], str | None],
    evidence: Marks | EvidenceFiles,
    progress: Callable[[int], None],
) -> None:
    """Fill an empty cache; `read` gives a note's text, None for none. Notes are read and laid out ahead by
    other processes; this one puts them in, and tells `progress` how many are."""
    with transaction(db):
        marks = _marks_of(db, evidence)
    notes, scopes = _numbered(sorted(path for path in paths if is_note(storable(path))))
    batches = [notes[n : n + BATCH] for n in range(0, len(notes), BATCH)]

    def rows(number: int) -> bytes:
        texts = ((note_id, path, read(path)) for note_id, path in batches[number])
        readable = ((n, Note(path, text)) for n, path, text in texts if text is not None)
        return marshal.dumps([tuple(rows_of(note, n, marks, generation=1)) for n, note in readable], _FORMAT)

    with _much_to_write(db):
        db.executemany("insert into scope values (?, ?, 0, 0)", enumerate(scopes, 1))
        laid_out = work_ahead(rows, len(batches))
        for first in range(0, len(batches), TOGETHER):
            group = batches[first : first + TOGETHER]
            with transaction(db):
                for number, batch in enumerate(islice(laid_out, len(group)), first):
                    progress(number * BATCH)
                    _insert(db, [Rows(*row) for row in marshal.loads(batch)])
                numbers = [number for batch in group for number, _ in batch]
                _index(db, numbers[0], numbers[-1] + NOTE_SPAN - 1)
                _recount(db, {number // SCOPE_SPAN for number in numbers})
            give_way(db)


def _put(db: sqlite3.Connection, note: Note, generation: int, marks: Marks) -> int:
    """Put a note in the place of its earlier version; returns the number of the changed scope, or 0."""
    path = storable(note.path)
    if not is_note(path):
        return 0
    old = db.execute("select hash from note where path = ?", (path,)).fetchone()
    if old and old[0] == digest_of(storable(note.text)):
        return 0
    _drop(db, path)
    number = _new_number(db, storable(note.scope_folder))
    _insert(db, [rows_of(note, number, marks, generation)])
    _index(db, number, number + NOTE_SPAN - 1)
    return number // SCOPE_SPAN


def _drop(db: sqlite3.Connection, path: str) -> int:
    """Take a note and its entries out. Returns the number of the scope that changed, 0 for none."""
    row = db.execute("select id from note where path = ?", (path,)).fetchone()
    if row is None:
        return 0
    span = (row[0], row[0] + NOTE_SPAN - 1)
    db.execute(_SQL["unindex"], span)
    texts = db.execute("select rowid, text from entry where rowid between ? and ?", span).fetchall()
    db.executemany(_DROP_MENTION, [(name, number) for number, text in texts for name in mentions_of(text)])
    db.execute("delete from entry where rowid between ? and ?", span)
    db.execute("delete from note where id = ?", row)
    return int(row[0] // SCOPE_SPAN)


def _mark(db: sqlite3.Connection, marks: Marks, generation: int) -> set[int]:
    """Bring `pinned` and `struck` of entries up to the marks; returns the numbers of changed scopes."""
    expired = _expired(db)
    ids = json.dumps(sorted(marks.pinned | marks.struck | expired))
    due = []
    for row in db.execute(_SQL["marked"], (ids,)).fetchall():
        entry = read_entry(row[3:]).entry
        struck = SUPERSEDED if entry.id in marks.struck else EXPIRED if entry.id in expired else 0
        if (pinned := pinned_at(entry, marks)) != row[_SHOWN_PINNED] or struck != row[_SHOWN_STRUCK]:
            due.append((row, pinned, struck))
    scopes = _show(db, due)
    db.executemany(_SQL["touch_note"], [(generation, row[0]) for row, *_ in due])
    return scopes


def expire(db: sqlite3.Connection) -> None:
    """Take what has expired by the table `score` out of what is delivered, and bring back what no longer
    has, inside the caller's transaction. Sessions aren't told that these notes changed: no text did."""
    expired = _expired(db)
    rows = db.execute(_SQL["marked"], (json.dumps(sorted(expired)),)).fetchall()
    due = []
    for row in rows:
        struck = EXPIRED if row[_SHOWN_ID] in expired else 0
        if row[_SHOWN_STRUCK] not in (SUPERSEDED, struck):
            due.append((row, row[_SHOWN_PINNED], struck))
    _recount(db, _show(db, due))


def _expired(db: sqlite3.Connection) -> set[str]:
    return {name for (name,) in db.execute("select entry from score where lifecycle = 'expired'")}


def _show(db: sqlite3.Connection, due: Sequence[tuple[Sequence[Any], int, int]]) -> set[int]:
    """Give the entries of these rows of `marked` new values of `pinned` and `struck`, and index them or not;
    returns the numbers of their scopes."""
    for (rowid, is_listed, working, *row), pinned, struck in due:
        entry, was_struck = read_entry(row).entry, row[_SHOWN_STRUCK - 3]
        may_be = is_recalled(entry.text, bool(is_listed), working)
        if may_be and struck and not was_struck:
            db.execute("delete from words where rowid = ?", (rowid,))
        db.execute(_SHOW, (pinned, struck, may_be and not struck, rowid))
        if may_be and was_struck and not struck:
            _index(db, rowid, rowid)
    return {int(row[0] // SCOPE_SPAN) for row, *_ in due}
