"""Settles what two machines stated while apart in two places, and one of which can hold: the same key in two
notes of a scope, what supersedes the same entry, or what that became where it was edited or moved."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence, Set
from functools import partial
from itertools import chain

from ctxrepo.domain.merge.choose import plain, rank
from ctxrepo.domain.merge.resolve import stands
from ctxrepo.domain.merge.tree.clashes import ClaimedTrees
from ctxrepo.domain.merge.tree.surroundings import Blobs, Content, Contents, is_plain
from ctxrepo.domain.note import compose, frontmatter
from ctxrepo.domain.note.entry import Entry, entries_of, explicit_id, moved, same_texts
from ctxrepo.domain.note.note import decode_exactly, encode
from ctxrepo.domain.project.layout import (
    is_archived,
    is_aside,
    is_conflict_copy,
    is_evidence,
    is_note,
    scope_of,
)
from ctxrepo.domain.records.conflict_copy import ConflictCopy, read_copy
from ctxrepo.domain.records.evidence import (
    MOST_HEIRS,
    Evidence,
    closure,
    edits_in,
    end_of,
    evidence_of,
    gone,
    in_folders,
    latest_successors,
    places_of_keys,
)

_Places = Mapping[tuple[str, str], Collection[str]]
"""(scope, key in small letters) -> the notes where a side stated it anew"""

_Heirs = Mapping[str, Set[str]]


def settle_rivals(
    merged: dict[str, Content], trees: ClaimedTrees, moves: Mapping[str, str], blobs: Blobs
) -> Iterator[ConflictCopy]:
    """Take out of `merged` each entry that lost its place to one in another note; yields copies of them.
    `moves` has the paths that files of a side have in `merged`."""
    base, ours, theirs = trees.base, trees.ours, trees.theirs
    known = {record.id for record in _records(base, blobs)}
    new = ((record for record in _records(side, blobs) if record.id not in known) for side in (ours, theirs))
    us, them = ([*in_folders(side, trees.folders)] for side in new)
    sides = (ours, theirs)
    # Files that both sides changed, or one removed: an entry may have gone from these to another note.
    sources = [
        p for p in base if any(p not in each for each in sides) or all(each[p] != base[p] for each in sides)
    ]
    old = [e for path in filter(is_note, sources) for e in entries_of(path, _text(base, path, blobs))]
    was = {plain(entry.text) for entry in old}
    versions = (
        _versions(us, them, _edits_by_hand(old, ours, us, them, blobs)),
        _versions(them, us, _edits_by_hand(old, theirs, them, us, blobs)),
    )
    by_now = partial(_by_now, merged, sides, moves, blobs)
    all_rivals = (
        _with_one_key(merged, _stated(us, moves), _stated(them, moves), blobs),
        _of_one_entry(merged, _successors(us), _successors(them), by_now, blobs),
        _of_one_entry(merged, *versions, by_now, blobs),
        _with_one_id(merged, [entry.id for entry in old if explicit_id(entry.text)], blobs),
    )
    for rivals in chain(*all_rivals):
        unedited = {e for e in rivals if {e.id} in (side.get(e.id) for side in versions)}
        older = unedited | {entry for entry in rivals if plain(entry.text) in was}
        ranks = {entry: (entry not in older, rank(entry.text), entry.path) for entry in rivals}
        winner, *losers = sorted(rivals, key=lambda entry: ranks[entry], reverse=True)
        for entry in losers:
            text = compose.replace(_text(merged, entry.path, blobs), entry, "")
            if is_archived(entry.path) and entry.path not in base and not frontmatter.split(text)[1].strip():
                del merged[entry.path]  # it came with the entry
            else:
                merged[entry.path] = encode(text)
            if plain(entry.text) != plain(winner.text) and entry not in older:
                yield ConflictCopy(winner.path, "", plain(winner.text), plain(entry.text))


def copies_of_rival_resolutions(
    merged: Contents, base: Contents, ours: Contents, theirs: Contents, moves: Mapping[str, str], blobs: Blobs
) -> Iterator[ConflictCopy]:
    """Where both sides resolved a conflict of the base, one for a version and the other against it: a copy of
    that version, if the merge lacks it. Where a side edited or forgot it further, no more is known of it."""
    for file in (path for path in base if is_conflict_copy(path) and path not in {*ours, *theirs}):
        copy = read_copy(file, encode(_text(base, file, blobs)))
        was = copy and (copy.kept or _text(base, copy.path, blobs))
        if copy is None or not was or was == copy.other:
            continue
        path = moves.get(copy.path, copy.path)
        us, them, now = (
            {version for version in (was, copy.other) if _has(side, {copy.path, path}, copy, version, blobs)}
            for side in (ours, theirs, merged)
        )
        for stays, version in ((copy.other, was), (was, copy.other)):
            is_rival = any(version in side and other == {stays} for side, other in ((us, them), (them, us)))
            if is_rival and version not in now:
                yield ConflictCopy(path, copy.base, stays if copy.kept else "", version)


def _has(side: Contents, paths: Set[str], copy: ConflictCopy, version: str, blobs: Blobs) -> bool:
    """Whether one of these files of a side has a version of what the copy is about, or is that as a whole."""
    texts = (_text(side, path, blobs) for path in paths)
    return any(stands(text, copy, version) if copy.kept else text == version for text in texts)


def _with_one_key(merged: Contents, us: _Places, them: _Places, blobs: Blobs) -> Iterator[list[Entry]]:
    for scope, key in sorted(us.keys() & them.keys()):
        if us[scope, key] == them[scope, key] and len(us[scope, key]) > 1:
            continue  # somebody wants several
        notes = [p for p in sorted(merged) if scope_of(p) == scope and is_note(p) and not is_aside(p)]
        entries = (entry for path in notes for entry in entries_of(path, _text(merged, path, blobs)))
        rivals = [entry for entry in entries if entry.key.casefold() == key]
        if len({entry.path for entry in rivals}) == len(rivals) > 1:  # else somebody wants several
            yield rivals


def _of_one_entry(
    merged: Contents, us: _Heirs, them: _Heirs, by_now: Callable[[], dict[str, str]], blobs: Blobs
) -> Iterator[list[Entry]]:
    twice = [old for old in sorted(us.keys() & them.keys()) if us[old].isdisjoint(them[old])]
    notes = [path for path in merged if is_note(path)] if twice else []
    paths = {e.id: e.path for path in notes for e in entries_of(path, _text(merged, path, blobs))}
    names = by_now() if twice else {}
    for old in twice:
        ours, theirs = ({names.get(name, name) for name in side[old]} for side in (us, them))
        near = sorted({paths[name] for name in ours | theirs if name in paths})
        entries = [e for path in near for e in entries_of(path, _text(merged, path, blobs))]
        our_rivals, their_rivals = ([e for e in entries if e.id in side] for side in (ours, theirs))
        if len(our_rivals) == len(their_rivals) == 1 and our_rivals != their_rivals:
            yield [*our_rivals, *their_rivals]


def _by_now(
    merged: Contents, sides: Sequence[Contents], moves: Mapping[str, str], blobs: Blobs
) -> dict[str, str]:
    """The id that an entry of a side has -> the one that it has in `merged`, of entries whose note moved, if
    only with its project's folder: then the side has it at the new path already."""
    names: dict[str, str] = {}
    for side in sides:
        for path, to in moves.items():
            if is_note(path) and (place := next((name for name in (path, to) if name in side), "")):
                before = entries_of(path, _text(side, place, blobs))
                after = entries_of(to, _text(merged, to, blobs))
                names |= {old.id: new.id for old, new in same_texts(before, after)}
    return names


def _with_one_id(merged: Contents, ids: Sequence[str], blobs: Blobs) -> Iterator[list[Entry]]:
    """Entries to which their author gave one of these ids, in more notes than there were."""
    places: dict[str, list[Entry]] = {name: [] for name in ids if ids.count(name) == 1}
    for path in filter(is_note, merged if places else ()):
        for entry in entries_of(path, _text(merged, path, blobs)):
            if entry.id in places:
                places[entry.id].append(entry)
    yield from (rivals for _, rivals in sorted(places.items()) if len(rivals) > 1)


def _versions(records: Sequence[Evidence], others: Sequence[Evidence], by_hand: Mapping[str, str]) -> _Heirs:
    """id -> the ids that the entry had after it was edited or moved. Where the other side alone recorded
    that, and didn't state it again, it has the id that a hand's edit gave it, or its own: this side may have
    brought it back."""
    edits, edited_there = edits_in(records), edits_in(others).keys() & gone(others)
    ids = edits.keys() | edited_there
    return {old: closure(edits, old, MOST_HEIRS) if old in edits else {by_hand.get(old, old)} for old in ids}


def _edits_by_hand(
    entries: Sequence[Entry],
    side: Contents,
    records: Sequence[Evidence],
    others: Sequence[Evidence],
    blobs: Blobs,
) -> dict[str, str]:
    """old id -> new id of those of these entries of the base that the other side recorded to have moved, and
    that this side edited where they stood, without a record."""
    named = {record.entry for record in records}
    candidates = edits_in(others).keys() - named
    notes: defaultdict[str, list[Entry]] = defaultdict(list)
    for entry in entries:
        notes[entry.path].append(entry)
    edits = [
        pair
        for path, before in notes.items()
        if path in side and not candidates.isdisjoint(entry.id for entry in before)
        for pair in moved(before, entries_of(path, _text(side, path, blobs)))
    ]
    return {old.id: new.id for old, new in edits if old.id in candidates and new.id not in named}


def _successors(records: Sequence[Evidence]) -> _Heirs:
    """superseded id -> the ids of what supersedes it: the one that it had then, and those after its edits. An
    entry that this side edited before has the id from before that, which the other side knows."""
    edits = edits_in(records)
    former = {new: old for old, heirs in edits.items() for new in heirs}
    latest = latest_successors(records).items()
    return {end_of(former, old): {new} | closure(edits, new, MOST_HEIRS) for old, new in latest}


def _stated(records: Sequence[Evidence], moves: Mapping[str, str]) -> _Places:
    places: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for name, key in places_of_keys(records):
        path = moves.get(name, name)
        if is_note(path):
            places[scope_of(path), key].add(path)
    return places


def _records(side: Contents, blobs: Blobs) -> Iterator[Evidence]:
    for path in sorted(filter(is_evidence, side)):
        yield from evidence_of(_text(side, path, blobs))


def _text(side: Contents, path: str, blobs: Blobs) -> str:
    content = side.get(path)
    return decode_exactly((blobs.bytes_of(content) or b"") if content and is_plain(content) else b"")
