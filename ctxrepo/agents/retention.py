"""How long an agent keeps its transcripts: `retention.tsv` in its folder, a limit a line.

The columns are the kind of the limit, the key in its settings, the default as JSON (`null`: there is none),
and as in `switches.tsv` the format and the files, from the one that yields to all others to the one that none
overrules. The kinds: `on`, whether it deletes at all; `days`, a number; `age`, such as "30d"; `count`, how
many sessions it keeps. A line `change` has what to write into which of the user's files so that nothing is
deleted for years."""

import json
from collections.abc import Callable, Sequence

from ctxrepo.agents.switches import AgentSetting, rows_of_table
from ctxrepo.lazy import dataclass, lazy_pattern

_AGE = lazy_pattern(r"([1-9]\d{0,6})([hdwm])")
_DAYS = {"h": 1 / 24, "d": 1, "w": 7, "m": 30}

FOR_EVER = 3650
"""Days that are as good as for ever."""


@dataclass(frozen=True)
class Limit(AgentSetting):
    """A setting by which an agent deletes sessions."""

    kind: str
    default: object


@dataclass(frozen=True)
class Retention:
    """How long an agent keeps its transcripts: the settings that say so, and what to write (`change`) into a
    `file` of the user's so that it keeps them."""

    limits: Sequence[Limit]
    change: str
    file: str

    def words(self, value: Callable[[Limit], object]) -> str:
        """What the agent deletes, as the end of a sentence that begins with its name, by the `value` of each
        limit (None: unset); '' where it deletes nothing. ValueError for a value that says nothing."""
        parts = []
        for limit in self.limits:
            held = value(limit)
            held = limit.default if held is None else held
            if limit.kind == "on":
                if held is False:
                    return ""
            elif held is not None:
                parts.append(_words(limit, held))
        return " and ".join(filter(None, parts))


def read_retention(table: str) -> Retention:
    """What such a table says."""
    rows = rows_of_table(table)
    change, file = next((row[1], row[2]) for row in rows if row[0] == "change")
    limits = [
        Limit(key, form, files, kind, json.loads(default))
        for kind, key, default, form, *files in (row for row in rows if row[0] != "change")
    ]
    return Retention(limits, change, file)


def _words(limit: Limit, value: object) -> str:
    match limit.kind, value:
        case "count", int(number) if type(value) is int:
            return f"beyond the newest {number:,}"
        case "days", int(number) | float(number) if type(value) is not bool:
            return _after(number)
        case "age", str(text) if match := _AGE.fullmatch(text):
            return _after(int(match[1]) * _DAYS[match[2]])
    raise ValueError(f"{limit.key} is {value!r}")


def _after(days: float) -> str:
    if days >= FOR_EVER:
        return ""
    if days < 1:
        return f"after {days * 24:.0f} hours"
    return f"after {days:g} day{'s' if days != 1 else ''}"
