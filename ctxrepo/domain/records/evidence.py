"""Records about entries (evidence), and what follows from them."""

import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field, replace
from operator import attrgetter
from typing import Any, Literal, get_args

from ctxrepo.domain.formats.jsonl import TOMBSTONE, objects, records, render, text_of, texts_in
from ctxrepo.lazy import dataclass

VERSION = 1

Kind = Literal[
    "stated", "reinforced", "pinned", "unpinned", "forgotten", "superseded", "moved", "renamed",
    "verified", "contradicted", "enforced",
]  # fmt: skip
_ORDER = get_args(Kind)
_KINDS: dict[str, Kind] = {kind: kind for kind in _ORDER}
_PLACES = {kind: place for place, kind in enumerate(_ORDER)}
_OPTIONAL = ("to", "key", "host", "session", "source", "day", "agent", "code", "rule")
_LISTS = ("cites", "holds")

MOST_CITED = 20
"""So many texts of each list of a record count; records come from other machines, too."""


@dataclass(frozen=True)
class Evidence:
    """A record about the entry `entry`; `to` is the entry that replaced it (superseded, moved), `key` the
    key under which it was stated. The kind `renamed` is about the note at `path`, which moved to `to`;
    `entry` is ''. `source` is the memory program that it was brought from, and `day` of which day it is
    there. `agent` made it in `session` on `host`. `code` is the commit of the project's code at hand, 40 hex
    digits or ''; `cites` are places in that code, `path@commit#L1-L2`, and `holds` claims about it. `rule` is
    what agents are held to from now on (enforced), '' for nothing."""

    id: str
    ts: str
    kind: Kind
    entry: str
    path: str
    to: str = ""
    host: str = ""
    session: str = ""
    key: str = ""
    source: str = ""
    day: str = ""
    agent: str = ""
    code: str = ""
    rule: str = ""
    cites: tuple[str, ...] = ()
    holds: tuple[str, ...] = ()


@dataclass(frozen=True)
class Marks:
    """Ids of the entries that are pinned, and of those never to be delivered; when each was pinned."""

    pinned: frozenset[str] = frozenset()
    struck: frozenset[str] = frozenset()
    pinned_at: Mapping[str, str] = field(default_factory=dict, compare=False)


def to_line(evidence: Evidence) -> str:
    """The record as one line, without a newline."""
    optional = {name: getattr(evidence, name) for name in (*_OPTIONAL, *_LISTS)}
    required = {"v": VERSION, "id": evidence.id, "ts": evidence.ts, "kind": evidence.kind}
    required |= {"entry": evidence.entry, "path": evidence.path}
    return render(required | {k: v for k, v in optional.items() if v})


def evidence_of(text: str) -> list[Evidence]:
    """The records of a file; other lines are skipped."""
    return [e for e in map(_evidence, records(text)) if e is not None]


def evidence_in_part(text: str) -> list[Evidence] | None:
    """The records of some lines of a file; None where one of them deletes another record, which may be on any
    line of the file."""
    lines = objects(text)
    return None if any(TOMBSTONE in fields for fields in lines) else [*filter(None, map(_evidence, lines))]


MOST_HEIRS = 100
"""So many edits of an entry, which a machine hadn't heard of, are followed to what its record is about.
Records come from other machines, too: unbounded, a chain of theirs would cost the square of its length."""


def marks(evidence: Iterable[Evidence]) -> Marks:
    """The current marks: records apply in the order of their times, and ids are followed through moves, also
    through one that another machine made before it knew the record.

    The entry that supersedes a pinned one is pinned too, on both of two machines that replaced it. A
    superseded entry that moves stays superseded under its new id, unless somebody stated that entry: a value
    written over an old one looks like an edit of it, and was recorded as a move. What another machine made
    of the same entry is superseded with it. Of entries that machines let supersede each other the one that
    was last to replace another holds."""
    pinned: set[str] = set()
    struck: set[str] = set()
    statements: set[str] = set()  # stated under this id, and neither superseded nor moved since
    stated: set[str] = set()  # the same, and what these moved to
    replaced: set[str] = set()  # while they were pinned
    pinned_at: dict[str, str] = {}
    left: dict[str, list[set[str]]] = {}  # the marks of what moved, when it did
    heirs: dict[str, dict[str, None]] = {}  # what it moved to, in order
    later: dict[str, dict[str, None]] = {}  # what it moved to or was replaced by
    former: dict[str, str] = {}  # what it was before it moved
    for record in in_order(evidence):
        names = {record.entry} | (closure(heirs, record.entry, MOST_HEIRS) - statements - {record.to})
        match record.kind:
            case "pinned":
                pinned |= names
                pinned_at |= dict.fromkeys(names, record.ts)
            case "unpinned":  # stated again later, it isn't pinned again
                pinned -= names
                replaced -= names
            case "forgotten":
                pinned.discard(record.entry)
                replaced.discard(record.entry)
            case "superseded":
                first = end_of(former, record.entry)
                names |= closure(heirs, first, MOST_HEIRS) - statements - {record.to}
                for name in {first, *names} & left.keys():  # also what one makes of it that didn't know
                    left[name] = [struck]
                replaced |= pinned & names
                pinned -= names
                if record.to and replaced & names:
                    pinned.add(record.to)
                    pinned_at[record.to] = record.ts
                statements.discard(record.entry)
                stated -= names
                struck |= names
                if record.entry in closure(later, record.to, MOST_HEIRS):
                    struck.discard(record.to)
                    later.pop(record.to)
                later.setdefault(record.entry, {})[record.to] = None
            case "stated":
                # The same words stated again after they were superseded hold again.
                statements.add(record.entry)
                stated.add(record.entry)
                left.pop(record.entry, None)
                former.pop(record.entry, None)
                for heir in heirs.pop(record.entry, ()):
                    former.pop(heir, None)
                later.pop(record.entry, None)
                struck.discard(record.entry)
            case "moved":
                if record.entry not in left:  # else two machines edited it, and both hold
                    left[record.entry] = [ids for ids in (pinned, stated, struck) if record.entry in ids]
                statements.discard(record.entry)
                left.pop(record.to, None)
                heirs.pop(record.to, None)
                heirs.setdefault(record.entry, {})[record.to] = None
                later.setdefault(record.entry, {})[record.to] = None
                former[record.to] = record.entry
                pinned_at[record.to] = pinned_at.get(record.entry, record.ts)
                for ids in left[record.entry]:
                    if ids is not struck or record.to not in stated:
                        ids.discard(record.entry)
                        ids.add(record.to)
            case "reinforced" | "renamed" | "verified" | "contradicted":
                pass
    times = {entry: at for entry, at in pinned_at.items() if entry in pinned}
    return Marks(frozenset(pinned), frozenset(struck), times)


_ALL_ELSE = attrgetter(*(name for name in Evidence.__annotations__ if name not in ("ts", "kind", "id")))


def in_order(evidence: Iterable[Evidence]) -> list[Evidence]:
    """Sort by time, and at the same time by kind: an entry is stated before it is superseded. The order of
    the lines doesn't matter."""
    return sorted(evidence, key=lambda e: (e.ts, _PLACES[e.kind], e.id, _ALL_ELSE(e)))


def names_in(record: Evidence) -> tuple[str, ...]:
    """The ids of the entries that a record is about."""
    return () if record.kind == "renamed" else (record.entry, record.to) if record.to else (record.entry,)


def edits_in(evidence: Iterable[Evidence]) -> dict[str, dict[str, None]]:
    """id -> what the entry was edited or moved to, in order."""
    edits: dict[str, dict[str, None]] = {}
    for record in evidence:
        if record.kind == "moved" and record.to:
            edits.setdefault(record.entry, {})[record.to] = None
    return edits


def closure(edits: Mapping[str, Iterable[str]], entry: str, most: int = sys.maxsize) -> set[str]:
    """All that an entry was edited to, and these were; of more than `most` the nearest."""
    reached: set[str] = set()
    names = deque([entry])
    while names:
        for heir in edits.get(names.popleft(), ()):
            if len(reached) == most:
                return reached
            if heir not in reached:
                reached.add(heir)
                names.append(heir)
    return reached


def fate(evidence: Iterable[Evidence], entry: str) -> tuple[Kind | None, str]:
    """What happened to an entry whose id no longer exists, and the id that replaced it.

    `moved`: the same entry under another id. `superseded`: another entry replaced it. `forgotten`: it was
    deleted. None and the id itself when there is no record."""
    kind: Kind | None = None
    names = [entry]  # all that the entry itself was called, in their order
    for record in in_order(evidence):
        if record.kind == "stated" and record.entry in names:
            # Said again it holds again, where it was said: what became of it since is undone.
            names = names[: names.index(record.entry) + 1]
            kind, entry = "moved" if len(names) > 1 else None, record.entry
        elif record.entry == entry and record.kind in ("moved", "superseded", "forgotten"):
            entry = record.to or entry
            kind = kind if kind == "superseded" and record.kind == "moved" else record.kind
            names += [entry] if kind == "moved" else []
    return kind, entry


def gone(evidence: Iterable[Evidence]) -> frozenset[str]:
    """Ids that no longer apply: moved, superseded or forgotten, and not stated since."""
    ids: set[str] = set()
    for record in in_order(evidence):
        if record.kind == "stated":
            ids.discard(record.entry)
        elif record.kind in ("moved", "superseded", "forgotten"):
            ids.add(record.entry)
    return frozenset(ids)


def withheld(evidence: Iterable[Evidence], lives: Callable[[str], bool]) -> frozenset[str]:
    """Ids of entries that an import is not to bring again: superseded or forgotten, and not stated since, or
    moved, through any number of moves, to one that was, that `lives`, or that moved no further. Moves that
    only lead round to where they began, as undo takes them back, are no reason."""
    taken: set[str] = set()
    heirs: dict[str, dict[str, None]] = {}
    for record in in_order(evidence):
        if record.kind == "stated":
            taken.discard(record.entry)
            heirs.pop(record.entry, None)
        elif record.kind == "moved" and record.to:
            heirs.setdefault(record.entry, {})[record.to] = None
        elif record.kind in ("moved", "superseded", "forgotten"):
            taken.add(record.entry)
    former: dict[str, list[str]] = {}
    for entry, became in heirs.items():
        for heir in became:
            former.setdefault(heir, []).append(entry)
    ends = (heir for heir in former if heir not in heirs or lives(heir))
    return frozenset(taken | _all_before(former, [*taken, *ends]))


def _all_before(former: Mapping[str, Iterable[str]], ends: Iterable[str]) -> set[str]:
    """All that led to one of these ends."""
    reached: set[str] = set()
    names = [*ends]
    while names:
        ancestors = {*former.get(names.pop(), ())} - reached
        reached |= ancestors
        names += ancestors
    return reached


def moved_away(evidence: Iterable[Evidence]) -> dict[str, str]:
    """id -> the id that the last moves lead to from it."""
    to: dict[str, str] = {}
    for record in in_order(evidence):
        if record.kind == "stated":
            to.pop(record.entry, None)
        elif record.kind == "moved" and record.to:
            to.pop(record.to, None)
            to[record.entry] = record.to
    return {entry: end_of(to, entry) for entry in to}


def latest_successors(evidence: Iterable[Evidence]) -> dict[str, str]:
    """superseded id -> the id that replaces it now, through any number of replacements."""
    to: dict[str, str] = {}
    for record in in_order(evidence):
        if record.kind == "stated":
            to.pop(record.entry, None)
        elif record.kind == "superseded" and record.to:
            to.pop(record.entry, None)
            if end_of(to, record.to) == record.entry:  # the other way round until now
                to.pop(record.to, None)
            to[record.entry] = record.to
    return {entry: end_of(to, entry) for entry in to}


def end_of(to: Mapping[str, str], entry: str) -> str:
    """Where a chain ends that begins with the entry; the last before it would come again."""
    seen: set[str] = set()
    while entry in to and entry not in seen:
        seen.add(entry)
        entry = to[entry]
    return entry


def renamed(evidence: Iterable[Evidence]) -> dict[str, list[str]]:
    """current path -> former paths, of notes that commands moved as a whole."""
    former: dict[str, list[str]] = {}
    for record in in_order(evidence):
        if record.kind == "renamed" and record.to:
            had = [*former.pop(record.path, []), record.path]
            former[record.to] = list(dict.fromkeys([*former.get(record.to, []), *had]))
    return former


def places_of_keys(evidence: Iterable[Evidence]) -> Iterator[tuple[str, str]]:
    """(path, key in small letters) of each value that a command gave a key, where the entry is by now."""
    evidence = [*evidence]
    moves = {record.entry: record for record in evidence if record.kind == "moved" and record.to}
    heirs = {name: move.to for name, move in moves.items()}
    places = {move.to: move.path for move in moves.values()}
    for record in evidence:
        if record.key:
            yield places.get(end_of(heirs, record.entry), record.path), record.key.casefold()


def in_folders(evidence: Iterable[Evidence], folders: Mapping[str, str]) -> Iterator[Evidence]:
    """The records with the paths that notes have once their projects' folders, by old name, have these."""

    def below(path: str) -> str:
        folder, _, rest = path.partition("/")
        return f"{folders[folder]}/{rest}" if folder in folders else path

    for record in evidence:
        to = below(record.to) if record.kind == "renamed" else record.to
        yield replace(record, path=below(record.path), to=to)


def moved_on(evidence: Iterable[Evidence], paths: Iterable[str]) -> dict[str, str]:
    """Each of these paths, which notes had before any of this was recorded -> the note's path by now."""
    names = {path: [path] for path in paths}
    for record in in_order(evidence):
        if record.kind == "renamed" and record.to and record.path in names:
            origins = names.pop(record.path)
            names[record.to] = [*names.get(record.to, []), *origins]
    return {path: now for now, former in names.items() for path in former}


def _evidence(fields: Mapping[str, Any]) -> Evidence | None:
    kind = _KINDS.get(text_of(fields, "kind"))
    entry = text_of(fields, "entry")
    if kind is None or bool(entry) == (kind == "renamed") or (entry and text_of(fields, "to") == entry):
        return None
    texts: dict[str, Any] = {key: text_of(fields, key) for key in ("id", "ts", "path", *_OPTIONAL)}
    lists: dict[str, Any] = {
        key: tuple(texts_in(fields[key])[:MOST_CITED]) for key in _LISTS if key in fields
    }
    return Evidence(kind=kind, entry=entry, **texts, **lists)
