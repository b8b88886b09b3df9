"""What all records about an entry amount to."""

from collections.abc import Iterable
from typing import Literal

from ctxrepo.domain.records.evidence import MOST_CITED, MOST_HEIRS, Evidence, Marks, closure, in_order, marks
from ctxrepo.lazy import dataclass

Cue = Literal["explicit", "structural", "behavioral"]
"""How an entry came here: somebody stated it, another memory program had it, or it was just written."""


@dataclass(frozen=True)
class EntryEvidence:
    """What is known of the entry `entry`. Moments are as in records, '' for never; commits are of the
    project's code, '' where unknown.

    `stated` is when it was first stated, by `agent` in `session` on `host`, or brought from `source`; `last`
    when somebody last stated, reinforced or verified it; `worded` since when, or which day, it says what it
    says. `reinforced` counts how often it was said again, `contradicted` how often the contrary since it was
    last verified. `code`, `cites` and `holds` are the newest ones that a record has; `rule` is what agents
    are held to, '' for nothing. `derived` are the entries that it replaced. `is_pinned`, `pinned_at` and
    `is_struck` are its marks."""

    entry: str
    stated: str = ""
    worded: str = ""
    cue: Cue = "behavioral"
    reinforced: int = 0
    last: str = ""
    verified: str = ""
    verified_code: str = ""
    contradicted: int = 0
    contradicted_at: str = ""
    code: str = ""
    rule: str = ""
    cites: tuple[str, ...] = ()
    holds: tuple[str, ...] = ()
    agent: str = ""
    session: str = ""
    host: str = ""
    source: str = ""
    derived: tuple[str, ...] = ()
    is_pinned: bool = False
    pinned_at: str = ""
    is_struck: bool = False


def by_entry(evidence: Iterable[Evidence]) -> dict[str, EntryEvidence]:
    """id -> what the records amount to, for each entry that they know and that was neither forgotten nor
    moved since. What was said of an entry before it moved counts for it as it is now, also on a machine that
    didn't know of the move. Stated anew after it was superseded or forgotten, it begins anew."""
    records = in_order(evidence)
    marked = marks(records)
    histories = _Histories()
    for record in records:
        histories.add(record)
    known = (histories.standing | marked.pinned | marked.struck) - {""}
    return {entry: _amount(entry, histories.of(entry), marked) for entry in sorted(known)}


class _Histories:
    """The records about each entry, those about what it was before included."""

    def __init__(self) -> None:
        self._own: dict[str, list[Evidence]] = {}
        self._former: dict[str, dict[str, None]] = {}  # what it was before it moved
        self._heirs: dict[str, dict[str, None]] = {}  # what it moved to
        self._ended: set[str] = set()  # superseded or forgotten, and not stated since
        self._inherited: set[str] = set()  # these have records of what they were before
        self.standing: set[str] = set()
        """The entries that were neither forgotten nor moved since."""

    def add(self, record: Evidence) -> None:
        """Take one more record; the earlier ones come first."""
        entry = record.entry
        match record.kind:
            case "moved":
                self._move(record)
            case "renamed":
                return
            case "forgotten":
                self._end(entry)
                self.standing.discard(entry)
            case "superseded":
                self._ended.add(entry)
                self._note(entry, record)
                if record.to:
                    self._note(record.to, record)
            case "stated":
                if entry in self._ended or entry in self._heirs:
                    self._end(entry)
                self._ended.discard(entry)
                self._note(entry, record)
            case _:
                self._note(entry, record)

    def of(self, entry: str) -> list[Evidence]:
        """All records about an entry and what it was before, each once, the oldest first."""
        if entry not in self._former and entry not in self._inherited:
            return [*dict.fromkeys(self._own.get(entry, ()))]
        names = {entry} | closure(self._former, entry, MOST_HEIRS)
        return in_order({record for name in names for record in self._own.get(name, ())})

    def _note(self, entry: str, record: Evidence) -> None:
        self._own.setdefault(entry, []).append(record)
        if entry not in self._heirs:
            self.standing.add(entry)

    def _move(self, record: Evidence) -> None:
        old, new = record.entry, record.to
        is_another = old in self._ended and new in self._own  # a value that was written over an old one
        self.standing.discard(old)
        self._heirs.pop(new, None)
        self._heirs.setdefault(old, {})[new] = None
        self._note(new, record)
        if not is_another:
            self._former.setdefault(new, {})[old] = None

    def _end(self, entry: str) -> None:
        """What is known of an entry stays with what it moved to, and no longer counts for the entry."""
        known = self.of(entry)[-MOST_HEIRS:]
        for heir in [*self._heirs.pop(entry, ())][:MOST_HEIRS]:
            if entry in self._former.get(heir, ()):
                del self._former[heir][entry]
                self._own[heir] = [*known, *self._own.get(heir, ())]
                self._inherited.add(heir)
        self._own.pop(entry, None)
        self._former.pop(entry, None)


def _amount(entry: str, records: list[Evidence], marked: Marks) -> EntryEvidence:
    about = [record for record in records if record.kind != "superseded"]
    stated = [record for record in about if record.kind == "stated"]
    again = [record for record in about if record.kind == "reinforced"]
    verified = [record for record in about if record.kind == "verified"]
    first = stated[0] if stated else None
    checked = verified[-1] if verified else None
    disputed = [record for record in about if record.kind == "contradicted"]
    disputed = [record for record in disputed if checked is None or record.ts > checked.ts]
    derived = (record.entry for record in records if record.kind == "superseded" and record.to == entry)
    return EntryEvidence(
        entry=entry,
        stated=first.ts if first else "",
        worded=_worded(entry, about),
        cue="behavioral" if first is None else "structural" if first.source else "explicit",
        reinforced=len(again) + max(0, len(stated) - 1),
        last=max((record.ts for record in (*stated, *again, *verified)), default=""),
        verified=checked.ts if checked else "",
        verified_code=checked.code if checked else "",
        contradicted=len(disputed),
        contradicted_at=disputed[-1].ts if disputed else "",
        code=next((record.code for record in reversed(about) if record.code), ""),
        rule=next((record.rule for record in reversed(about) if record.kind == "enforced"), ""),
        cites=next((record.cites for record in reversed(about) if record.cites), ()),
        holds=next((record.holds for record in reversed(about) if record.holds), ()),
        agent=first.agent if first else "",
        session=first.session if first else "",
        host=first.host if first else "",
        source=first.source if first else "",
        derived=tuple(dict.fromkeys(derived))[:MOST_CITED],
        is_pinned=entry in marked.pinned,
        pinned_at=marked.pinned_at.get(entry, ""),
        is_struck=entry in marked.struck,
    )


def _worded(entry: str, records: Iterable[Evidence]) -> str:
    """When an entry was last stated or edited. One that moves to another note is as old as before."""
    known: dict[str, tuple[str, str]] = {}  # id -> since when it says what it says, and its note
    for record in records:
        since, path = known.get(record.entry, ("", ""))
        if record.kind == "stated":
            known[record.entry] = (max(since, record.day or record.ts), record.path)
        elif record.kind == "moved":
            known[record.to] = (record.ts if path in ("", record.path) else since, record.path)
    return known.get(entry, ("", ""))[0]
