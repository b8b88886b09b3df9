"""Evidence in the cache: the records of each file, by the id of its content, and what they amount to.

The rows of a file are what its content says, whoever wrote it and whatever became of the file since. Whoever
reads them names the content that is meant, and parses that of which there are no rows."""

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sized
from operator import attrgetter
from typing import Any, Literal, NamedTuple, TypeGuard

from ctxrepo.domain.git.oid import blob_id
from ctxrepo.domain.note.note import decode
from ctxrepo.domain.records.entry_evidence import EntryEvidence, by_entry
from ctxrepo.domain.records.evidence import Evidence, Marks, evidence_in_part, evidence_of, names_in

_AT_ONCE = 500
"""So many ids are asked for in one statement."""

_MANY = 2000
"""If records about more entries came or went, all are added up: to follow each would take longer."""

_LISTS = ("cites", "holds", "derived")
_FLAGS = ("is_pinned", "is_struck")

_UTF16 = (b"\xff\xfe", b"\xfe\xff")

Row = tuple[int, int, Evidence]
"""The number of an evidence file, that of a record in it, and the record."""


class RecordFile(NamedTuple):
    """A file whose records are in the cache: the number that stands for it, the id and size in bytes of its
    content, and whether it `continues` line by line, so that what comes behind it changes none of them."""

    number: int
    key: str
    size: int
    continues: bool


class EvidenceFiles(NamedTuple):
    """path -> blob id of all evidence files of a moment, and what gives the bytes of one."""

    keys: Mapping[str, str]
    read: Callable[[str], bytes]


class EvidenceRows:
    """The rows of an open cache; whoever asks twice does so in one transaction."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def files(self) -> dict[str, RecordFile]:
        """path -> the content of which the cache has the records."""
        rows = self._db.execute("select path, id, key, size, continues from evidence_file")
        return {_text(path): RecordFile(*row) for path, *row in rows}

    def naming(self, ids: Iterable[str]) -> Iterator[Row]:
        """Each record about an entry that has one of these ids, or gets it."""
        for some in _parts(ids):
            yield from self._where(_among("entry", some), some)
            yield from self._where(f"{_among('target', some)} and {_HAS_TARGET}", some)

    def beginning(self, start: str) -> Iterator[Row]:
        """The same of each id that begins with these letters."""
        ends = (start, f"{start}\U0010ffff")
        yield from self._where("entry between ? and ?", ends)
        yield from self._where(f"target between ? and ? and {_HAS_TARGET}", ends)

    def of_kind(self, kind: Literal["renamed", "superseded"]) -> Iterator[Row]:
        """The same of each record of one of the kinds that are few."""
        return self._where(f"{_IS_FEW} and kind = ?", (kind,))

    def with_keys(self, keys: Iterable[str] | None) -> Iterator[Row]:
        """The same of each statement under one of these keys, in small letters; under any for None."""
        if keys is None:
            yield from self._where(_HAS_KEY, ())
        for some in _parts(keys or ()):
            yield from self._where(f"{_among('key', some)} and {_HAS_KEY}", some)

    def every(self) -> Iterator[Row]:
        """The same of all records."""
        return self._where("true", ())

    def marks(self) -> Marks:
        """The marks that they have."""
        rows = self._db.execute(_MARKED).fetchall()
        pinned_at = {_text(entry): _text(at) for entry, pinned, at, _ in rows if pinned}
        return Marks(frozenset(pinned_at), frozenset(_text(row[0]) for row in rows if row[-1]), pinned_at)

    def take(self, evidence: EvidenceFiles) -> None:
        """Bring the rows up to these files, inside the caller's transaction; only what differs is read."""
        known = self.files()
        touched, come = set[str](), list[Evidence]()
        for path, file in known.items():
            if path not in evidence.keys:
                touched |= _named(self._clear(file))
                self._db.execute("delete from evidence_file where id = ?", (file.number,))
        for path, key in sorted(evidence.keys.items()):
            if path not in known or known[path].key != key:
                new, gone = self._put(path, key, evidence.read(path), known.get(path))
                touched |= _named(gone.symmetric_difference(new))
                come += new
        if len(touched) > _MANY:
            self._db.execute("delete from evidence")
            self._add_up((record for *_, record in self.every()) if known else come)
        elif touched:
            ids, records = connected(touched, self.naming)
            self._db.executemany("delete from evidence where entry = ?", ((_stored(entry),) for entry in ids))
            self._add_up(records)

    def _put(
        self, path: str, key: str, data: bytes, was: RecordFile | None
    ) -> tuple[list[Evidence], set[Evidence]]:
        """Put a file's content in the place of that before; returns the records that come, and that went."""
        come = added_to(was, data) if was else None
        if was and come is not None:
            gone, first, is_plain = set[Evidence](), self._number(_NEXT_LINE, was.number), True
        else:
            text = decode(data)
            come, gone, first = evidence_in_part(text), self._clear(was) if was else set(), 0
            is_plain = come is not None and bool(data) and data[:2] not in _UTF16
            come = evidence_of(text) if come is None else come
        number = was.number if was else self._number(_NEXT_FILE)
        row = (number, _stored(path), key, len(data), is_plain and data.endswith(b"\n"))
        self._db.execute(_PUT_FILE, row)
        rows = (_record_row(number, line, record) for line, record in enumerate(come, first))
        self._db.executemany(_PUT_RECORD, rows)
        return come, gone

    def _number(self, query: str, *values: int) -> int:
        return int(self._db.execute(query, values).fetchone()[0])

    def _clear(self, file: RecordFile) -> set[Evidence]:
        """Take a file's records out; returns them."""
        records = {record for *_, record in self._where("file = ?", (file.number,))}
        self._db.execute("delete from record where file = ?", (file.number,))
        return records

    def _add_up(self, records: Iterable[Evidence]) -> None:
        rows = map(_amount_row, by_entry(records).values())
        self._db.executemany(_PUT_AMOUNT, rows)

    def _where(self, condition: str, values: Iterable[str | bytes | int]) -> Iterator[Row]:
        for file, line, data in self._db.execute(_RECORDS + condition, tuple(values)).fetchall():
            yield file, line, _record(data)


def entry_evidence(db: sqlite3.Connection, ids: Iterable[str] | None = None) -> dict[str, EntryEvidence]:
    """id -> what is said of these entries, as of the cache's tree, of others nothing was; of all for None."""
    parts = ((_among("entry", some), some) for some in _parts(ids or ()))
    queries = (("true", []),) if ids is None else parts
    rows = (row for term, values in queries for row in db.execute(f"{_AMOUNTS} where {term}", values))
    return {evidence.entry: evidence for evidence in map(_amount, rows)}


def connected(
    ids: Iterable[str], naming: Callable[[set[str]], Iterable[Row]]
) -> tuple[set[str], list[Evidence]]:
    """All ids that records connect with these, and the records about them in their order; `naming` gives
    those that name one of some ids. Nothing else bears on what becomes of an entry."""
    names, fresh = set[str](), {*ids}
    records: dict[tuple[int, int], Evidence] = {}
    while fresh:
        names |= fresh
        come = {(file, number): record for file, number, record in naming(fresh)}
        records |= come
        fresh = _named(come.values()) - names
    return names, [records[place] for place in sorted(records)]


def keyed(stated: Iterable[Row], naming: Callable[[set[str]], Iterable[Row]]) -> list[Evidence]:
    """All that bears on the entries of these statements, which have a key."""
    return connected({record.entry for *_, record in stated}, naming)[1]


def keyed_evidence(db: sqlite3.Connection, keys: Iterable[str]) -> list[Evidence]:
    """The same of the statements under one of these keys, in small letters."""
    rows = EvidenceRows(db)
    return keyed(rows.with_keys(keys), rows.naming)


def evidence_files(db: sqlite3.Connection) -> dict[str, RecordFile]:
    """path -> the content of which the cache has the records."""
    return EvidenceRows(db).files()


def added_to(was: RecordFile, data: bytes) -> list[Evidence] | None:
    """The records that a file has got since the cache read it; None where more may have changed."""
    if not was.continues or len(data) < was.size or blob_id(data[: was.size]) != was.key:
        return None
    return evidence_in_part(data[was.size :].decode("utf-8", "replace"))


def _named(records: Iterable[Evidence]) -> set[str]:
    return {name for record in records for name in names_in(record)}


def _parts(ids: Iterable[str]) -> Iterator[list[str | bytes]]:
    values = [_stored(entry) for entry in ids]
    return (values[first : first + _AT_ONCE] for first in range(0, len(values), _AT_ONCE))


def _among(column: str, values: Sized) -> str:
    return f"{column} in ({', '.join('?' * len(values))})"


def _stored(text: str) -> str | bytes:
    """A text as SQLite keeps it, which has no half surrogates: such a one is kept as bytes."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
    return text


def _is_text(value: object) -> TypeGuard[str]:
    return isinstance(value, str)


def _text(stored: str | bytes) -> str:
    return stored if isinstance(stored, str) else stored.decode("utf-8", "surrogatepass")


_JSON = json.JSONEncoder(separators=(",", ":"))
_FIELDS = attrgetter(*Evidence.__annotations__)


def _record_row(number: int, line: int, record: Evidence) -> tuple[object, ...]:
    target = "" if record.kind == "renamed" else record.to
    names = map(_stored, (record.entry, target, record.key.casefold()))
    values = [*_FIELDS(record)]
    while not values[-1]:  # most records have few fields
        values.pop()
    return (number, line, record.kind, *names, _JSON.encode(values))


def _record(data: str) -> Evidence:
    values: Iterator[Any] = (tuple(value) if isinstance(value, list) else value for value in json.loads(data))
    return Evidence(*values)


_HAS_TARGET, _HAS_KEY, _IS_FEW = "target != ''", "key != ''", "kind in ('renamed', 'superseded')"
"""The terms of the partial indexes: SQLite uses one only where a statement has its very term."""

_RECORDS = "select file, line, data from record where "
_AMOUNTS = "select * from evidence"
_MARKED = "select entry, pinned, pinned_at, struck from evidence where pinned or struck"
_PUT_FILE = "insert or replace into evidence_file values (?, ?, ?, ?, ?)"
_PUT_RECORD = "insert into record values (?, ?, ?, ?, ?, ?, ?)"
_PUT_AMOUNT = """
    insert or replace into evidence
    values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""
_NEXT_LINE = "select coalesce(max(line), -1) + 1 from record where file = ?"
_NEXT_FILE = "select coalesce(max(id), 0) + 1 from evidence_file"


def _amount_row(evidence: EntryEvidence) -> tuple[object, ...]:
    values = vars(evidence) | {name: _JSON.encode(getattr(evidence, name)) for name in _LISTS}
    row = tuple(values.values())
    if "".join(filter(_is_text, row)).isascii():  # nearly always
        return row
    return tuple(_stored(value) if isinstance(value, str) else value for value in row)


def _amount(row: Iterable[Any]) -> EntryEvidence:
    values = dict(zip(EntryEvidence.__annotations__, row, strict=True))
    texts = {name: _text(value) for name, value in values.items() if isinstance(value, bytes)}
    lists = {name: tuple(json.loads(values[name])) for name in _LISTS}
    flags = {name: bool(values[name]) for name in _FLAGS}
    return EntryEvidence(**values | texts | lists | flags)
