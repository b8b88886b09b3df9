"""JSON lines merged by their ids."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Any

from ctxrepo.domain.formats.jsonl import TOMBSTONE, canonical, record, text_of
from ctxrepo.domain.merge.choose import Key, choose, plain, said_again
from ctxrepo.domain.records.conflict_copy import ConflictCopy

_FOREVER = 1e18


def merge_lines(path: str, base: str, ours: str, theirs: str) -> tuple[str, list[ConflictCopy]]:
    """The merged file at `path`, and copies of the lines that lost against a line with the same id.

    Lines of the base keep their order, new lines follow in the order of their times. A line is the same if
    only the order of its keys differs. A line that can't be parsed is kept as it is. Every line gets a
    newline, so that nothing is ever appended to a torn one.
    """
    not_ids = _twice(base) | _twice(ours) | _twice(theirs)
    was, us, them = (_keyed(text, not_ids) for text in (base, ours, theirs))
    lines: dict[Key, str] = {}
    copies = []
    again = said_again(was, us, them)
    meaning = cache(canonical)
    for key in sorted(us.keys() | them.keys()):
        is_sure = key not in again or (key in us and key in them)
        line, lost = choose(was.get(key) if is_sure else None, us.get(key), them.get(key), meaning)
        if line is not None:
            lines[key] = line
            if lost is not None:
                copies.append(ConflictCopy(path, plain(was.get(key, "")), plain(line), plain(lost)))
    # A tombstone is deliberate: the line it names does not return, even if the other side edited it.
    dead = {key[1] for key in lines if key[0] == TOMBSTONE}
    stay = {key: line for key, line in lines.items() if key[0] == TOMBSTONE or _id_on(line) not in dead}
    old = [key for key in was if key in stay]
    new = sorted(stay.keys() - was.keys(), key=lambda key: (_moment(stay[key]), stay[key]))
    merged = "".join(stay[key] for key in (*old, *new))
    if merged == base:
        # Both sides changed blank lines only: take a side, or merging with it again would give another text.
        merged = max((ours, theirs), key=lambda text: (text.endswith("\n"), text))
    return merged, [copy for copy in copies if _id_on(copy.kept) not in dead]


def _twice(text: str) -> set[str]:
    """Ids that more than one line of a file has: they identify no line."""
    keys = Counter(_key(line, set()) for line in _lines(text))
    return {key[1] for key, times in keys.items() if key[0] == "id" and times > 1}


def _keyed(text: str, not_ids: set[str]) -> dict[Key, str]:
    """The lines of a file by their ids; a line without an id goes by its content. Each ends in a newline."""
    seen: Counter[Key] = Counter()
    found: dict[Key, str] = {}
    for line in text.split("\n"):
        if line.strip():
            key = _key(line.removesuffix("\r"), not_ids)
            seen[key] += 1
            found[*key, str(seen[key])] = line + "\n"
    return found


def _lines(text: str) -> Iterator[str]:
    """The lines of a text without their newlines; blank lines are left out."""
    return (line.removesuffix("\r") for line in text.split("\n") if line.strip())


def _key(line: str, not_ids: set[str]) -> Key:
    fields = record(line) or {}
    name = _id(fields)
    if name and TOMBSTONE in fields:
        return (TOMBSTONE, name, line)
    return ("id", name) if name and name not in not_ids else ("line", canonical(line))


def _id_on(line: str) -> str:
    return _id(record(line) or {})


def _id(fields: dict[str, Any]) -> str:
    number = fields.get("id")
    is_number = isinstance(number, int) and not isinstance(number, bool)
    return str(number) if is_number else text_of(fields, "id")


def _moment(line: str) -> tuple[float, str]:
    fields = record(line) or {}
    when = fields.get("timestamp", fields.get("ts"))
    if isinstance(when, str):
        return 0.0, when
    if isinstance(when, int | float) and -_FOREVER < when < _FOREVER:
        return float(when), ""
    return 0.0, ""
