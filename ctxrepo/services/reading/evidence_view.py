"""What was said of entries, asked for by what it is about: from the cache what it has, the rest is parsed."""

import json
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Literal, TypeVar

from ctxrepo.domain.git.oid import blob_id
from ctxrepo.domain.note.note import decode
from ctxrepo.domain.project.layout import EVIDENCE
from ctxrepo.domain.records.evidence import Evidence, evidence_of, names_in
from ctxrepo.storage.cache.cache import Cache
from ctxrepo.storage.cache.evidence_rows import (
    EvidenceFiles,
    EvidenceRows,
    RecordFile,
    Row,
    added_to,
    connected,
    keyed,
)
from ctxrepo.storage.worktree.stamps import UNREAD, Stamps, read_folder

if TYPE_CHECKING:
    from ctxrepo.storage.memory import Memory

_T = TypeVar("_T")

_BEHIND = 1 << 40
"""The number of the first record that a file has got since the cache read it."""

_MOST_PARSED = 200
"""So many parsed files are remembered in a process that goes on."""


def evidence_in_view(memory: "Memory") -> "EvidenceView":
    """What was said of entries, as the files have it now. Unreadable when one can't be read."""
    keys: dict[str, str] = {}
    stamps = Stamps(memory.state.stamps)
    for listing in memory.worktree.walk(EVIDENCE):
        folder = read_folder(memory.worktree, listing, stamps.folder(listing.path))
        keys |= {listing.at(name): key for name, key in json.loads(folder.ids).items()}
        for path, why in json.loads(folder.skipped).items():
            if why == UNREAD:
                memory.worktree.read(path)
    return EvidenceView(memory.cache, EvidenceFiles(keys, lambda path: memory.worktree.read(path) or b""))


class EvidenceView:
    """The evidence in some files. Records come in the order of the files' paths and of their lines."""

    def __init__(self, cache: Cache, files: EvidenceFiles) -> None:
        self._cache = cache
        self._files = files

    def about(self, ids: Iterable[str]) -> list[Evidence]:
        """All that bears on what became of these entries: records about them, and about those that they were
        before, moved to, replaced or were replaced by."""
        return self._ask(lambda rows: connected(ids, rows.naming)[1])

    def naming(self, ids: Iterable[str]) -> list[Evidence]:
        """The records that name one of these ids."""
        return self._ask(lambda rows: _in_order(rows.naming({*ids})))

    def beginning(self, start: str) -> list[Evidence]:
        """The records that name an id which begins with these letters."""
        return self._ask(lambda rows: _in_order(rows.beginning(start)))

    def renames(self) -> list[Evidence]:
        """The records about notes that were renamed."""
        return self._ask(lambda rows: _in_order(rows.of_kind("renamed")))

    def replacements(self) -> list[Evidence]:
        """The records about entries that were superseded."""
        return self._ask(lambda rows: _in_order(rows.of_kind("superseded")))

    def keyed(self, keys: Collection[str] | None = None) -> list[Evidence]:
        """All that bears on entries that were stated under one of these keys, in small letters; or any."""
        return self._ask(lambda rows: keyed(rows.with_keys(keys), rows.naming))

    def every(self) -> list[Evidence]:
        """All records."""
        return self._ask(lambda rows: _in_order(rows.every()))

    def _ask(self, question: "Callable[[_Rows], _T]") -> _T:
        return self._cache.ask(lambda db: question(self._rows(EvidenceRows(db))))

    def _rows(self, cached: EvidenceRows) -> "_Rows":
        known, places, rest = cached.files(), dict[int, int](), list[Row]()
        for place, (path, key) in enumerate(sorted(self._files.keys.items())):
            was = known.get(path)
            if was and was.key == key:
                places[was.number] = place
                continue
            continued, records = self._parsed(path, key, was)
            if continued and was:
                places[was.number] = place
            rest += ((place, number, record) for number, record in enumerate(records, _BEHIND))
        return _Rows(cached, places, rest)

    def _parsed(self, path: str, key: str, was: RecordFile | None) -> tuple[bool, list[Evidence]]:
        """The records of a file of which the cache has no rows, or with True those behind the ones it has."""
        pair = (was.key if was else "", key)
        if pair not in self._cache.parsed:
            data = self._files.read(path)
            added = added_to(was, data) if was else None
            parsed = (added is not None, evidence_of(decode(data)) if added is None else added)
            if blob_id(data) != key:  # written since it was looked at
                return parsed
            if len(self._cache.parsed) >= _MOST_PARSED:
                self._cache.parsed.clear()
            self._cache.parsed[pair] = parsed
        return self._cache.parsed[pair]


class _Rows:
    """As EvidenceRows, of the files in `places` and with the records in `rest`; a file is called by the place
    of its path among all paths."""

    def __init__(self, cached: EvidenceRows, places: Mapping[int, int], rest: list[Row]) -> None:
        self._cached, self._places, self._rest = cached, places, rest
        self._named: defaultdict[str, list[Row]] = defaultdict(list)
        for row in rest:
            for name in names_in(row[2]):
                self._named[name].append(row)

    def naming(self, ids: Iterable[str]) -> Iterator[Row]:
        yield from self._those(self._cached.naming(ids))
        yield from (row for name in ids for row in self._named.get(name, ()))

    def beginning(self, start: str) -> Iterator[Row]:
        yield from self._those(self._cached.beginning(start))
        yield from (row for name, rows in self._named.items() if name.startswith(start) for row in rows)

    def of_kind(self, kind: Literal["renamed", "superseded"]) -> Iterator[Row]:
        yield from self._those(self._cached.of_kind(kind))
        yield from (row for row in self._rest if row[2].kind == kind)

    def with_keys(self, keys: Collection[str] | None) -> Iterator[Row]:
        yield from self._those(self._cached.with_keys(keys))
        keyed = (row for row in self._rest if row[2].key)
        yield from (row for row in keyed if keys is None or row[2].key.casefold() in keys)

    def every(self) -> Iterator[Row]:
        yield from self._those(self._cached.every())
        yield from self._rest

    def _those(self, rows: Iterable[Row]) -> Iterator[Row]:
        return ((self._places[file], number, record) for file, number, record in rows if file in self._places)


def _in_order(rows: Iterable[Row]) -> list[Evidence]:
    by_place = {(file, number): record for file, number, record in rows}
    return [by_place[place] for place in sorted(by_place)]
