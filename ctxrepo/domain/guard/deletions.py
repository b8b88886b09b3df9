"""Which deletions look like an accident: nobody asked for them by a command, and they are many."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from ctxrepo.domain.guard.write import Refusal
from ctxrepo.domain.note.entry import entries_of, normalised
from ctxrepo.domain.note.likeness import moved
from ctxrepo.domain.note.note import decode
from ctxrepo.domain.note.units import units_of
from ctxrepo.domain.project.paths import is_note
from ctxrepo.lazy import dataclass

RULE = "deletions"

MANY_FILES = 10
FEW_FILES, SHARE_OF_FILES = 5, 0.2
FEW_ENTRIES, SHARE_OF_ENTRIES = 10, 0.3


@dataclass(frozen=True)
class HandEdit:
    """What a file was before somebody changed it without a command, and what it is now (None: not there)."""

    before: bytes | None
    after: bytes | None


def mass_deletions(edits: Mapping[str, HandEdit], files: Callable[[], int]) -> list[Refusal]:
    """The files to hold back until a person confirms them.

    More than 10 files gone, or more than a fifth of all and at least 5; more than 30 % of the entries of
    one note and at least 10. What was moved to another file of `edits` is not gone. `files` tells how many
    there were.
    """
    gone = [p for p, e in edits.items() if e.before is not None and e.after is None]
    shrunk = {p: left for p, e in edits.items() if _is_many(*(left := _left_out(p, e)))}
    if len(gone) < FEW_FILES and not shrunk:
        return []
    elsewhere: Counter[str] = Counter()
    for path, edit in edits.items():
        elsewhere.update(units_of(path, edit.after) - units_of(path, edit.before))
    gone = [p for p in gone if not _is_moved(p, edits, elsewhere)]
    held = []
    if len(gone) > MANY_FILES or (len(gone) >= FEW_FILES and len(gone) > SHARE_OF_FILES * files()):
        held += [Refusal(p, RULE, f"one of {len(gone)} files that are gone") for p in gone]
    for path, (missing, were) in shrunk.items():
        lost = missing - elsewhere
        edited = _edited(path, edits[path]) if _is_many(lost, were) else 0
        if _is_many(lost, were, edited):
            held.append(Refusal(path, RULE, f"{lost.total() - edited} of its {were} entries are gone"))
    return held


def told(refusals: Sequence[Refusal]) -> list[str]:
    """One line for what is held back as a mass deletion, and one for each other refusal."""
    lines = [f"{r.at} is held back: {r.message}" for r in refusals if r.rule != RULE]
    held = [r for r in refusals if r.rule == RULE]
    if held:
        first, more = held[0], f" and {len(held) - 1} more" if len(held) > 1 else ""
        lines.append(
            f"{first.at}{more} held back, because so much is rarely deleted on purpose ({first.message}): "
            "`ctxrepo sync --accept deletions` confirms it, `ctxrepo doctor --fix` brings it back"
        )
    return lines


def _is_moved(path: str, edits: Mapping[str, HandEdit], elsewhere: Counter[str]) -> bool:
    data = edits[path].before
    units = units_of(path, data)
    return units <= elsewhere if units else any(e.after == data for e in edits.values())


def _left_out(path: str, edit: HandEdit) -> tuple[Counter[str], int]:
    """(entries of a note that it doesn't hold any more in these words, how many it had)"""
    if edit.before is None or edit.after is None or not is_note(path):
        return Counter(), 0
    if edit.before.count(b"\n") + 1 < FEW_ENTRIES or edit.after.startswith(edit.before.rstrip()):
        return Counter(), 0  # told without reading them: most edits add to a note
    before = units_of(path, edit.before)
    return before - units_of(path, edit.after), before.total()


def _is_many(lost: Counter[str], were: int, edited: int = 0) -> bool:
    number = lost.total() - edited
    return number >= FEW_ENTRIES and number > SHARE_OF_ENTRIES * were


def _edited(path: str, edit: HandEdit) -> int:
    """How many entries were put in other words rather than taken out."""
    before, after = (entries_of(path, decode(data or b"")) for data in (edit.before, edit.after))
    return sum(1 for old, new in moved(before, after) if normalised(old.text) != normalised(new.text))
