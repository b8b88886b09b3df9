"""Why an entry may hold no longer: what shows it, how it is told, and what clears it."""

from collections.abc import Iterable
from typing import Literal, get_args

from ctxrepo.lazy import dataclass

DoubtKind = Literal["gone", "renamed", "changed", "claim", "overtaken", "contradicted", "value", "idle"]
"""gone, renamed, changed: a file or symbol that the entry names. claim: a claim that it was declared to rest
on. overtaken: a newer entry says otherwise. contradicted: a session found it wrong. value: another entry has
its key. idle: it is given and never used. Of several the first in this order is told with the entry."""

_ORDER: tuple[DoubtKind, ...] = get_args(DoubtKind)

MOST_BYTES = 80
"""At most so many bytes of words are given with an entry."""


@dataclass(frozen=True)
class Doubt:
    """A doubt about an entry of the note at `path`."""

    entry: str
    path: str
    kind: DoubtKind
    subject: str
    """What it is about: a path, a symbol, a claim, a key, or the other entry's id."""
    words: str
    """How it is told, in at most MOST_BYTES: `src/pay.py is gone since 2026-10-03`."""
    since: str
    """The moment since which there is this doubt, or its day, in ISO form; '' where that isn't known."""
    by: str = ""
    """What shows it: a commit of the code, or the id of an entry."""
    is_sure: bool = False
    """Of an overtaken entry: whether the newer one says the same of the same thing, but for a value."""

    @property
    def remark(self) -> str:
        """The words in brackets, on one line, that stand behind the entry; '' for `idle`, which nobody has to
        know while they work: it says nothing against the entry."""
        if self.kind == "idle":
            return ""
        line = " ".join(self.words.split())
        data = line.encode("utf-8", "replace")
        if len(data) > MOST_BYTES:
            line = data[: MOST_BYTES - 3].decode("utf-8", "ignore").rstrip() + "…"
        return f"({line})"

    @property
    def by_entry(self) -> str:
        """The id of the entry that shows it; '' where no entry does."""
        return self.by if self.kind in ("overtaken", "value") else ""

    @property
    def name(self) -> str:
        """Its name among the items to decide."""
        return f"{self.entry}-{self.kind}"


def first_told(doubts: Iterable[Doubt]) -> Doubt | None:
    """The doubt that is told with an entry, of all doubts about it; None for none."""
    candidates = (doubt for doubt in doubts if doubt.remark)
    return min(candidates, key=lambda doubt: (_ORDER.index(doubt.kind), doubt.subject), default=None)


def commands(doubt: Doubt) -> tuple[str, ...]:
    """The commands that clear it, the likeliest first."""
    entry = f"^{doubt.entry}"
    holds, goes = f"ctxrepo verify {entry}", f"ctxrepo forget {entry}"
    edit = f"ctxrepo edit {entry} --old A --new B"
    if doubt.by_entry:
        return (f"ctxrepo inbox accept {doubt.name}", holds, edit, goes)
    if doubt.kind == "idle":
        return (holds, f"ctxrepo archive {entry}", goes)
    return (holds, edit, goes)
