"""What was done to one file, taken back: records of JSON lines, the registry, and whether it worked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from ctxrepo.domain.formats.jsonl import TOMBSTONE, record, render, text_of
from ctxrepo.domain.note import frontmatter
from ctxrepo.domain.note.note import decode_exactly, encode, units_of
from ctxrepo.domain.project.layout import is_note
from ctxrepo.domain.project.registry import parse

_DATES = ("created", "updated")
"""Fields that a merge sets by a rule of their own."""


UNDO, REDO = "undo", "redo"


def way_back_of(operation: str) -> str:
    """What taking `operation` back is called: `undo remember`, and of that `redo remember`."""
    way, _, what = operation.partition(" ")
    return f"{REDO if way == UNDO else UNDO} {what}" if is_way_back(operation) else f"{UNDO} {operation}"


def is_way_back(operation: str) -> bool:
    """Whether an operation took another one back."""
    way, _, what = operation.partition(" ")
    return way in (UNDO, REDO) and bool(what)


def without_records(now: str, before: str, after: str) -> str:
    """`now` without the records that came between `before` and `after`, and with those that went then.

    A record is taken back by a tombstone and a tombstone by its removal: so other machines merge it, whatever
    they have added since.
    """
    was, became, here = (dict.fromkeys(_lines(text)) for text in (before, after, now))
    added = [line for line in became if line not in was and line in here]
    drop = {line for line in added if not _may_be_named(line)}
    back = [render({"id": _id(line), TOMBSTONE: True}) for line in added if line not in drop]
    gone = [line for line in was if line not in became]
    lines = [line for line in _lines(now) if line not in drop]
    lines += [line for line in (*gone, *back) if line not in here or line in drop]
    return "".join(f"{line}\n" for line in lines)


def keeping_claims(before: str, after: str) -> str:
    """The registry as it was `before`; when all that came `after` were projects, they stay.

    A project is registered along with the first write for it. By now others may write for it too.
    """
    was, became = parse(before), parse(after)
    if not (
        was.projects.items() <= became.projects.items() and was.aliases.items() <= became.aliases.items()
    ):
        return before
    return after


def emptied(text: str) -> str:
    """The note without its entries: what is left of one that came with them, while others are in it."""
    head = frontmatter.split(text)[0]
    return f"{head}\n" if head else ""


def units(path: str, data: bytes | None) -> Counter[str]:
    """What a file says, as `said`, and each field of a note's head; dates are not counted."""
    counts = units_of(path, data)
    if data is not None and is_note(path):
        for key, value in frontmatter.read(decode_exactly(data)).fields.items():
            if key not in _DATES:
                values = value if isinstance(value, list) else [value]
                counts.update(f"{key}: {item}" for item in values)
    return counts


def difference(actual: Counter[str], expected: Counter[str]) -> list[str]:
    """What is in one and not in the other, sorted."""
    gap = Counter(actual)
    gap.subtract(expected)
    return sorted(unit for unit, count in gap.items() if count)


def total(files: Mapping[str, bytes | None]) -> Counter[str]:
    """What several files say together."""
    counts: Counter[str] = Counter()
    for path, data in files.items():
        counts.update(units(path, data))
    return counts


def encoded(text: str | None) -> bytes | None:
    return None if text is None else encode(text)


def _may_be_named(line: str) -> bool:
    """Whether a tombstone can name the record on this line."""
    fields = record(line)
    return fields is not None and TOMBSTONE not in fields and bool(text_of(fields, "id"))


def _id(line: str) -> str:
    return text_of(record(line) or {}, "id")


def _lines(text: str) -> list[str]:
    return [line.removesuffix("\r") for line in text.split("\n") if line.strip()]
