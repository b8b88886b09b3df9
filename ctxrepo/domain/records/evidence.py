"""Evidence: deliberate records about entries, and what follows from them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal, get_args

from ctxrepo.domain.formats.jsonl import records, render, text_of
from ctxrepo.lazy import dataclass

VERSION = 1

Kind = Literal["stated", "reinforced", "pinned", "unpinned", "forgotten", "superseded", "moved", "renamed"]
_ORDER = get_args(Kind)
_KINDS: dict[str, Kind] = {kind: kind for kind in _ORDER}


@dataclass(frozen=True)
class Evidence:
    """What was said of entry `entry`; `to` is the entry that stands for it now (superseded, moved).

    `renamed` is said of the note at `path`, which is at `to` now; `entry` is ''.
    """

    id: str
    ts: str
    kind: Kind
    entry: str
    path: str
    to: str = ""
    host: str = ""
    session: str = ""


@dataclass(frozen=True)
class Marks:
    """Ids of the entries that are pinned, and of those never to be delivered."""

    pinned: frozenset[str] = frozenset()
    struck: frozenset[str] = frozenset()


def to_line(evidence: Evidence) -> str:
    """The record as one line, without a newline."""
    optional = {"to": evidence.to, "host": evidence.host, "session": evidence.session}
    return render(
        {
            "v": VERSION,
            "id": evidence.id,
            "ts": evidence.ts,
            "kind": evidence.kind,
            "entry": evidence.entry,
            "path": evidence.path,
        }
        | {k: v for k, v in optional.items() if v}
    )


def evidence_of(text: str) -> list[Evidence]:
    """The records of a file; lines that are none are passed over."""
    return [e for e in map(_evidence, records(text)) if e is not None]


def marks(evidence: Iterable[Evidence]) -> Marks:
    """What holds by now: records in the order of their time, each id followed through its moves.

    The entry that supersedes a pinned one is pinned in its stead, on each of two machines that replaced it.
    If a superseded entry moves, it stays superseded under its new id, unless somebody stated that entry: a
    value written over an old one looks like an edit of it, and was recorded as a move.
    """
    pinned: set[str] = set()
    struck: set[str] = set()
    stated: set[str] = set()  # and not superseded since
    replaced: set[str] = set()  # while they were pinned
    for record in _in_order(evidence):
        match record.kind:
            case "pinned":
                pinned.add(record.entry)
            case "unpinned" | "forgotten":  # stated again later, it isn't pinned again
                pinned.discard(record.entry)
                replaced.discard(record.entry)
            case "superseded":
                if record.entry in pinned:
                    pinned.remove(record.entry)
                    replaced.add(record.entry)
                if record.entry in replaced and record.to:
                    pinned.add(record.to)
                stated.discard(record.entry)
                struck.add(record.entry)
            case "stated":
                # The same words stated again after they were superseded hold again.
                stated.add(record.entry)
                struck.discard(record.entry)
            case "moved":
                carried = (pinned, stated) if record.to in stated else (pinned, stated, struck)
                for ids in carried:
                    if record.entry in ids:
                        ids.remove(record.entry)
                        ids.add(record.to)
            case "reinforced" | "renamed":
                pass
    return Marks(frozenset(pinned), frozenset(struck))


def fate(evidence: Iterable[Evidence], entry: str) -> tuple[Kind | None, str]:
    """What became of an entry whose id is found no more, and the id that stands for it by now.

    `moved` is one and the same entry; `superseded` is another one, said in its place; `forgotten`. None and
    the id itself when nothing tells.
    """
    kind: Kind | None = None
    names = [entry]  # all that the entry itself was called, in their order
    for record in _in_order(evidence):
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
    """Ids under which no entry holds by now: moved, superseded or forgotten, and not stated since."""
    ids: set[str] = set()
    for record in _in_order(evidence):
        if record.kind == "stated":
            ids.discard(record.entry)
        elif record.kind in ("moved", "superseded", "forgotten"):
            ids.add(record.entry)
    return frozenset(ids)


def latest_successors(evidence: Iterable[Evidence]) -> dict[str, str]:
    """superseded id -> the id that replaces it now, through any number of replacements."""
    to: dict[str, str] = {}
    for record in _in_order(evidence):
        if record.kind == "stated":
            to.pop(record.entry, None)
        elif record.kind == "superseded" and record.to:
            to[record.entry] = record.to
    return {entry: _last(to, entry) for entry in to}


def _last(to: Mapping[str, str], entry: str) -> str:
    seen: set[str] = set()
    while entry in to and entry not in seen:
        seen.add(entry)
        entry = to[entry]
    return entry


def renamed(evidence: Iterable[Evidence]) -> dict[str, list[str]]:
    """path that a note has now -> those it had before, of the notes that commands moved as a whole."""
    former: dict[str, list[str]] = {}
    for record in _in_order(evidence):
        if record.kind == "renamed" and record.to:
            had = [*former.pop(record.path, []), record.path]
            former[record.to] = list(dict.fromkeys([*former.get(record.to, []), *had]))
    return former


def _in_order(evidence: Iterable[Evidence]) -> list[Evidence]:
    """By time; within one moment by kinds: an entry is stated before it is superseded."""
    return sorted(evidence, key=lambda e: (e.ts, _ORDER.index(e.kind), e.id))


def _evidence(fields: Mapping[str, Any]) -> Evidence | None:
    kind = _KINDS.get(text_of(fields, "kind"))
    entry = text_of(fields, "entry")
    if kind is None or bool(entry) == (kind == "renamed"):
        return None
    return Evidence(
        id=text_of(fields, "id"),
        ts=text_of(fields, "ts"),
        kind=kind,
        entry=entry,
        path=text_of(fields, "path"),
        to=text_of(fields, "to"),
        host=text_of(fields, "host"),
        session=text_of(fields, "session"),
    )
