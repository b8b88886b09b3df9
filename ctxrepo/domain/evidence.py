"""Evidence: deliberate records about entries, and what follows from them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from ctxrepo.domain.jsonl import records, render, text_of

VERSION = 1

Kind = Literal["stated", "reinforced", "pinned", "unpinned", "forgotten", "superseded", "moved"]
_ORDER = get_args(Kind)
_KINDS: dict[str, Kind] = {kind: kind for kind in _ORDER}


@dataclass(frozen=True)
class Evidence:
    """What was said of entry `entry`; `to` is the entry that stands for it now (superseded, moved)."""

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
    """What holds by now: records in the order of their time, each id followed through its moves."""
    pinned: set[str] = set()
    struck: set[str] = set()
    # Within one moment the order of the kinds decides: an entry is stated before it is superseded.
    for record in sorted(evidence, key=lambda e: (e.ts, _ORDER.index(e.kind), e.id)):
        match record.kind:
            case "pinned":
                pinned.add(record.entry)
            case "unpinned" | "forgotten":  # written again, it was meant to be there
                pinned.discard(record.entry)
            case "superseded":
                struck.add(record.entry)
                pinned.discard(record.entry)
            case "stated":
                # The same words stated again after they were superseded hold again.
                struck.discard(record.entry)
            case "moved":
                for ids in (pinned, struck):
                    if record.entry in ids:
                        ids.remove(record.entry)
                        ids.add(record.to)
            case "reinforced":
                pass
    return Marks(frozenset(pinned), frozenset(struck))


def _evidence(fields: Mapping[str, Any]) -> Evidence | None:
    kind = _KINDS.get(text_of(fields, "kind"))
    entry = text_of(fields, "entry")
    if kind is None or not entry:
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
