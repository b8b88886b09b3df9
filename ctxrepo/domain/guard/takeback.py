"""Undoing a change of one file: records of JSON lines, the registry, and whether the undo worked."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from ctxrepo.domain.formats.jsonl import TOMBSTONE, record, render, text_of
from ctxrepo.domain.git.commit import FileChange
from ctxrepo.domain.note import frontmatter
from ctxrepo.domain.note.note import decode_exactly, units_of
from ctxrepo.domain.project.layout import is_note
from ctxrepo.domain.project.registry import parse

_DATES = ("created", "updated")
"""Fields that a merge sets by its own rules."""


UNDO, REDO = "undo", "redo"


def way_back_of(operation: str) -> str:
    """The name of undoing `operation`: `undo remember`, and for that `redo remember`."""
    way, _, what = operation.partition(" ")
    return f"{REDO if way == UNDO else UNDO} {what}" if is_way_back(operation) else f"{UNDO} {operation}"


def is_way_back(operation: str) -> bool:
    """Whether an operation undid another one."""
    way, _, what = operation.partition(" ")
    return way in (UNDO, REDO) and bool(what)


def named(operation: str, saying: str) -> str:
    """What an operation did or took back, as people read it: `remember: the port is 6380`, `anchor begin`."""
    what = operation.partition(" ")[2] if is_way_back(operation) else operation
    return ": ".join(filter(None, ("" if f"{saying} ".startswith(f"{what} ") else what, saying)))


def told_back(changes: Sequence[FileChange], operation: str) -> Iterator[str]:
    """What taking an operation back did, a line an entry, an anchor, or a note of which no entry changed; of
    what moved only where it is now."""
    verb = "moved" if operation.startswith(f"{UNDO} ") else "moved back"
    whole = {"add": "+", "edit": "~", "remove": "-"}
    lines = [line if line[1:2] == " " else f"+ {line}" for c in changes for line in c.lines]
    lines += [f"{whole[c.verb]} {c.path}" for c in changes if is_note(c.path) and not (c.was or c.lines)]
    moves = {line[2:] for line in lines if line[0] == "+"} & {line[2:] for line in lines if line[0] == "-"}
    yield from (f"* {verb}: {c.was} to {c.path}" for c in changes if c.was and is_note(c.path))
    yield from (f"* {verb}: {text}" for text in sorted(moves))
    yield from (line for line in lines if line[2:] not in moves)


def without_records(now: str, before: str, after: str) -> str:
    """Undo the change from `before` to `after` in `now`: remove added records by a tombstone, restore
    removed ones: so the undo merges on other machines, whatever they have added since."""
    was, became, here = (dict.fromkeys(_lines(text)) for text in (before, after, now))
    added = {line: record(line) or {} for line in became if line not in was and line in here}
    ids = {line: "" if TOMBSTONE in fields else text_of(fields, "id") for line, fields in added.items()}
    drop = {line for line, name in ids.items() if not name}  # no tombstone can name these
    back = [render({"id": name, TOMBSTONE: True}) for name in ids.values() if name]
    removals = [line for line in was if line not in became]
    lines = [line for line in _lines(now) if line not in drop]
    lines += [line for line in (*removals, *back) if line not in here or line in drop]
    return "".join(f"{line}\n" for line in lines)


def keeping_claims(before: str, after: str, now: str) -> str:
    """Undo a change of the registry; if it only added projects, these stay: one is registered along with
    its first write, and others may have written for it since. So does all if it only took away what is there
    again, for the same reason."""
    was, became, here = parse(before), parse(after), parse(now)
    has_projects = was.projects.items() <= became.projects.items()
    if has_projects and was.aliases.items() <= became.aliases.items():
        return after
    is_back = was.projects.items() <= here.projects.items() and was.aliases.items() <= here.aliases.items()
    return after if is_back else before


def emptied(text: str) -> str:
    """The note without its entries, for undoing a write that created it."""
    head = frontmatter.split(text)[0]
    return f"{head}\n" if head else ""


def units(path: str, data: bytes | None) -> Counter[str]:
    """The contents of a file in units, with each field of a note's head; dates are not counted."""
    counts = units_of(path, data)
    if data is not None and is_note(path):
        for key, value in frontmatter.read(decode_exactly(data)).fields.items():
            if key not in _DATES:
                values = value if isinstance(value, list) else [value]
                counts.update(f"{key}: {item}" for item in values)
    return counts


def difference(actual: Counter[str], expected: Counter[str]) -> list[str]:
    """The units in which two contents differ, sorted."""
    return sorted(unit for unit in actual.keys() | expected.keys() if actual[unit] != expected[unit])


def total(files: Mapping[str, bytes | None]) -> Counter[str]:
    """The units of several files together."""
    counts = Counter[str]()
    for path, data in files.items():
        counts.update(units(path, data))  # adding counters makes a new one for each file
    return counts


def _lines(text: str) -> list[str]:
    return [line.removesuffix("\r") for line in text.split("\n") if line.strip()]
