"""Settles a key that two machines gave while apart, in two notes of a scope: one of the entries stays."""

from collections import defaultdict
from collections.abc import Iterator, Set

from ctxrepo.domain.merge.choose import plain, rank
from ctxrepo.domain.merge.tree.surroundings import Blobs, Content, Contents, is_plain
from ctxrepo.domain.note import compose
from ctxrepo.domain.note.entry import entries_of
from ctxrepo.domain.note.note import decode_exactly, encode
from ctxrepo.domain.project.layout import is_evidence, is_note, scope_of
from ctxrepo.domain.records.conflict_copy import ConflictCopy
from ctxrepo.domain.records.evidence import Evidence, evidence_of

_Places = dict[tuple[str, str], set[str]]
"""(scope, key in small letters) -> the notes where a side stated it anew"""


def settle_keys(
    merged: dict[str, Content], base: Contents, ours: Contents, theirs: Contents, blobs: Blobs
) -> Iterator[ConflictCopy]:
    """Take out of `merged` each entry that lost its key to one in another note; yields copies of them."""
    known = {record.id for record in _records(base, blobs)}
    us, them = (_stated(side, known, blobs) for side in (ours, theirs))
    for scope, key in sorted(us.keys() & them.keys()):
        paths = us[scope, key] | them[scope, key]
        if len(paths) < 2 or us[scope, key] == them[scope, key] == paths:
            continue
        entries = (e for path in sorted(paths) for e in entries_of(path, _text(merged, path, blobs)))
        rivals = [entry for entry in entries if entry.key.casefold() == key]
        if len({entry.path for entry in rivals}) < len(rivals):  # somebody wants several
            continue
        ranked = sorted(rivals, key=lambda entry: rank(entry.text), reverse=True)
        for entry in ranked[1:]:
            merged[entry.path] = encode(compose.replace(_text(merged, entry.path, blobs), entry, ""))
            yield ConflictCopy(ranked[0].path, "", plain(ranked[0].text), plain(entry.text))


def _stated(side: Contents, known: Set[str], blobs: Blobs) -> _Places:
    places: _Places = defaultdict(set)
    for record in _records(side, blobs):
        if record.kind == "stated" and record.key and record.id not in known and is_note(record.path):
            places[scope_of(record.path), record.key.casefold()].add(record.path)
    return places


def _records(side: Contents, blobs: Blobs) -> Iterator[Evidence]:
    for path in sorted(filter(is_evidence, side)):
        yield from evidence_of(_text(side, path, blobs))


def _text(side: Contents, path: str, blobs: Blobs) -> str:
    content = side.get(path)
    return decode_exactly((blobs.bytes_of(content) or b"") if content and is_plain(content) else b"")
