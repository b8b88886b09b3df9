"""Merges ctxrepo.toml key by key."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ctxrepo.domain.formats import toml
from ctxrepo.domain.merge.choose import Key, choose
from ctxrepo.domain.records.conflict_copy import ConflictCopy
from ctxrepo.errors import ConfigError

_Values = dict[Key, Any]


def merge_table(path: str, base: str, ours: str, theirs: str) -> tuple[str, list[ConflictCopy]] | None:
    """The merged file with the comments of one side, and conflict copies; None when it can't be merged by
    keys.

    A side that isn't TOML becomes a conflict copy as a whole: the registry must stay readable.
    """
    us, them = _values(ours), _values(theirs)
    if us is None or them is None:
        kept, other = (ours, theirs) if them is None else (theirs, ours)
        return (kept, [ConflictCopy(path, "", "", other)]) if us is not them else None
    was = _values(base) or {}
    merged: _Values = {}
    copies = []
    for key in sorted(us.keys() | them.keys()):
        shown = _shown(was, key), _shown(us, key), _shown(them, key)
        stays, lost = choose(*shown)
        if stays is not None:
            merged[key] = us[key] if stays == shown[1] else them[key]
            if lost is not None:
                copies.append(ConflictCopy(path, shown[0] or "", stays, lost))
    text = _written(merged, {ours: us, theirs: them})
    return (text, copies) if _values(text) == merged else None


def _values(text: str) -> _Values | None:
    """(table, key) -> value; keys outside of a table are in the table ''. A nested table is one value."""
    found: _Values = {}
    try:
        tables = toml.read(text)
    except ConfigError:
        return None
    for name, value in tables.items():
        if isinstance(value, Mapping):
            found |= {(name, key): inner for key, inner in value.items()}
        else:
            found["", name] = value
    return found


def _shown(values: _Values, key: Key) -> str | None:
    if key not in values:
        return None
    name = ".".join(part for part in key if part)
    return f"{name} = {json.dumps(values[key], ensure_ascii=False, sort_keys=True, default=str)}"


def _written(merged: _Values, sides: Mapping[str, _Values]) -> str:
    """The text of the side that needs fewer changes, with these changes; of two such sides the greater one.

    Setting a key parses the whole text again, so keys that stay are not set.
    """
    from ctxrepo.domain.formats.toml_edit import (
        with_value,  # tomlkit costs a start of Python; most merge notes
    )

    missing = {text: _differing(merged, values) for text, values in sides.items()}
    text = min(sides, key=lambda side: len(missing[side]))
    if len({len(keys) for keys in missing.values()}) == 1:
        text = max(sides)
    for table, name in missing[text]:
        text = with_value(text, table, name, merged.get((table, name)))
    return text


def _differing(merged: _Values, values: _Values) -> list[Key]:
    return sorted(k for k in merged.keys() | values.keys() if _shown(merged, k) != _shown(values, k))
