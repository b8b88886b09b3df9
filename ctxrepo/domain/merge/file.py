"""Merges one file by its kind: note, JSON lines, registry; any other file is taken whole (ADR 6)."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any

from ctxrepo.domain.formats import toml
from ctxrepo.domain.formats.jsonl import TOMBSTONE, canonical, record, text_of
from ctxrepo.domain.merge.choose import Key, choose, plain, said_again
from ctxrepo.domain.merge.note.halves import merge_note
from ctxrepo.domain.note.note import decode_exactly, encode
from ctxrepo.domain.project.layout import ANCHORS_FILE, REGISTRY
from ctxrepo.domain.records.conflict_copy import ConflictCopy
from ctxrepo.domain.records.evidence import Evidence
from ctxrepo.errors import ConfigError
from ctxrepo.lazy import dataclass, lazy_pattern

_UNDECODABLE = lazy_pattern("[\udc80-\udcff]")

MAX_BYTES = 2 * 1024 * 1024
"""Larger files are taken whole."""


@dataclass(frozen=True)
class MergedFile:
    """The merged `data` (None: no file), and the versions that lost, to be stored elsewhere."""

    data: bytes | None
    conflict_copies: tuple[ConflictCopy, ...] = ()


def merge_file(
    path: str,
    base: bytes | None,
    ours: bytes | None,
    theirs: bytes | None,
    *,
    evidence: Callable[[], Iterable[Evidence]] = tuple,
) -> MergedFile:
    """Merge both sides' changes to `base` (None: no file) in the file at `path`, whichever side is `ours`;
    `evidence` is asked which entry was edited to which, where one is gone from both.
    An edit wins over a deletion; only pi-memory-md's tape is deleted with its last line, and merged as if
    it were empty. There are never conflict markers: of two edits of one thing one stays, and the other
    becomes a conflict copy."""
    if ours in (theirs, base):
        return MergedFile(theirs)
    if theirs == base:
        return MergedFile(ours)
    is_gone = ours is None or theirs is None
    if is_gone and not (path.endswith(ANCHORS_FILE) and base):
        return MergedFile(theirs if ours is None else ours)
    ours, theirs = ours or b"", theirs or b""
    merged = _by_meaning(path, base or b"", ours, theirs, evidence)
    if merged is None:
        winner, loser = max(ours, theirs), min(ours, theirs)
        return MergedFile(winner, (ConflictCopy(path, "", "", decode_exactly(loser)),))
    text, copies = merged
    data = encode(text)
    return MergedFile((data or None) if is_gone else data, tuple(dict.fromkeys(copies)))


def _by_meaning(
    path: str, base: bytes, ours: bytes, theirs: bytes, evidence: Callable[[], Iterable[Evidence]]
) -> tuple[str, list[ConflictCopy]] | None:
    if max(map(len, (base, ours, theirs))) > MAX_BYTES:
        return None
    texts = decode_exactly(base), decode_exactly(ours), decode_exactly(theirs)
    if path.lower().endswith(".jsonl"):
        return merge_lines(path, *texts)
    if any(_UNDECODABLE.search(text) for text in texts):
        return None
    if path.lower().endswith(".md"):
        return merge_note(path, *texts, evidence)
    return merge_table(path, *texts) if path == REGISTRY else None


_FOREVER = 1e18


def merge_lines(path: str, base: str, ours: str, theirs: str) -> tuple[str, list[ConflictCopy]]:
    """Merge JSON lines; returns the text, and copies of lines that lost against a line with the same id.
    Lines of the base keep their order, new ones follow by their times; the order of keys makes no other
    line. What can't be parsed stays. Every line gets a newline: nothing is ever appended to a torn one."""
    not_ids = _twice(base) | _twice(ours) | _twice(theirs)
    was, us, them = (_keyed(text, not_ids) for text in (base, ours, theirs))
    lines: dict[Key, str] = {}
    copies = []
    again = said_again(*([key[:-1] for key in keys] for keys in (was, us, them)))
    meaning = cache(canonical)
    for key in sorted(us.keys() | them.keys()):
        is_sure = key[:-1] not in again or (key in us and key in them)
        line, other = choose(was.get(key) if is_sure else None, us.get(key), them.get(key), meaning)
        if line is not None:
            lines[key] = line
            if other is not None:
                copies.append(ConflictCopy(path, plain(was.get(key, "")), plain(line), plain(other)))
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
    """Ids that several lines of a file have: they identify no line."""
    lines = (line.removesuffix("\r") for line in text.split("\n") if line.strip())
    keys = Counter(_key(line, set()) for line in lines)
    return {key[1] for key, times in keys.items() if key[0] == "id" and times > 1}


def _keyed(text: str, not_ids: set[str]) -> dict[Key, str]:
    """The lines of a file by their ids, or by their content if they have none. Each ends in a newline."""
    counts: Counter[Key] = Counter()
    lines: dict[Key, str] = {}
    for line in text.split("\n"):
        if line.strip():
            key = _key(line.removesuffix("\r"), not_ids)
            counts[key] += 1
            lines[*key, str(counts[key])] = line + "\n"
    return lines


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


_Values = dict[Key, Any]


def merge_table(path: str, base: str, ours: str, theirs: str) -> tuple[str, list[ConflictCopy]] | None:
    """Merge TOML by keys; returns the text, with the comments of one side, and conflict copies; None when
    that can't be. A side that isn't TOML becomes a copy as a whole: the registry must stay readable."""
    us, them = _values(ours), _values(theirs)
    if us is None or them is None:
        winner, loser = (ours, theirs) if them is None else (theirs, ours)
        return (winner, [ConflictCopy(path, "", "", loser)]) if us is not them else None
    was = _values(base) or {}
    merged: _Values = {}
    copies = []
    for key in sorted(us.keys() | them.keys()):
        texts = _shown(was, key), _shown(us, key), _shown(them, key)
        stays, other = choose(*texts)
        if stays is not None:
            merged[key] = us[key] if stays == texts[1] else them[key]
            if other is not None:
                copies.append(ConflictCopy(path, texts[0] or "", stays, other))
    text = _written(merged, {ours: us, theirs: them})
    return (text, copies) if _values(text) == merged else None


def _values(text: str) -> _Values | None:
    """(table, key) -> value; keys outside of a table are in the table ''. A nested table is one value."""
    values: _Values = {}
    try:
        tables = toml.read(text)
    except ConfigError:
        return None
    for name, value in tables.items():
        if isinstance(value, Mapping):
            values |= {(name, key): inner for key, inner in value.items()}
        else:
            values["", name] = value
    return values


def _shown(values: _Values, key: Key) -> str | None:
    if key not in values:
        return None
    name = ".".join(part for part in key if part)
    return f"{name} = {json.dumps(values[key], ensure_ascii=False, sort_keys=True, default=str)}"


def _written(merged: _Values, sides: Mapping[str, _Values]) -> str:
    """The text of the side that needs fewer changes, with these made; of equal ones the greater. Setting a
    key parses the whole text again, so unchanged keys are not set."""
    from ctxrepo.domain.formats.toml_edit import with_value  # tomlkit costs a start of Python; most are notes

    missing = {
        text: sorted(k for k in merged.keys() | values.keys() if _shown(merged, k) != _shown(values, k))
        for text, values in sides.items()
    }
    text = min(sides, key=lambda side: len(missing[side]))
    if len({len(keys) for keys in missing.values()}) == 1:
        text = max(sides)
    for table, name in missing[text]:
        text = with_value(text, table, name, merged.get((table, name)))
    return text
