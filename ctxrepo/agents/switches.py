"""What in an agent's settings switches hooks off, ours with them, and how long it keeps its transcripts:
`switches.tsv` and `retention.tsv` in its folder, a setting a line.

Of a switch the columns are the key in its settings, parted by points; the value, as JSON, that switches hooks
off, or where the key has a list, the member that does; the format of the files; and the files, from the one
that yields to all others to the one that none overrules. `{user}` is the user's folder of the agent,
`{project}` the checkout. A file after `?` is read only where the user trusts the checkout. Of files with a
`|` between them each may be there; if the variable after a `$` is set, it alone names the file. `*` stands
for any name.

Of how long transcripts are kept they are the kind of the limit, the key, the default as JSON (`null`: there
is none), and format and files as above. The kinds: `on`, whether it deletes at all; `days`, a number; `age`,
such as "30d"; `count`, how many sessions it keeps. A line `change` has what to write into which of the user's
files so that nothing is deleted for years."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from ctxrepo.domain.formats import jsontext, toml
from ctxrepo.lazy import dataclass, lazy_pattern

_PARSERS: Mapping[str, Callable[[str], object]] = {
    "json": lambda text: {} if jsontext.is_empty(text) else jsontext.parse(text).value,
    "jsonc": lambda text: _PARSERS["json"](jsontext.blank_comments(text)),
    "toml": lambda text: toml.read(text.removeprefix("\ufeff")),
}


@dataclass(frozen=True)
class Layer:
    """A file of settings; `needs_trust`: the agent reads it only where its user trusts the checkout."""

    path: Path
    needs_trust: bool


@dataclass(frozen=True)
class AgentSetting:
    """A key of an agent's settings, and the files that may have it."""

    key: str
    format: str
    files: Sequence[str]

    def layers(self, user: Path, project: Path | None, environment: Mapping[str, str]) -> Iterator[Layer]:
        """The files that may have the key, the strongest last; without a `project` none of its files."""
        for files in self.files:
            names = files.removeprefix("?").split("|")
            by_variable = [environment.get(name[1:], "") for name in names if name.startswith("$")]
            for name in [*filter(None, by_variable)] or names:
                if not name.startswith("$") and (project or "{project}" not in name):
                    path = name.replace("{user}", str(user)).replace("{project}", str(project))
                    yield Layer(Path(path), files.startswith("?"))

    def value(self, text: str) -> object:
        """What these settings say; None where they don't. ValueError or ConfigError when they can't be
        read."""
        value = _PARSERS[self.format](text)
        for step in self.key.split("."):
            value = value.get(step) if isinstance(value, dict) else None
        return value


@dataclass(frozen=True)
class Switch(AgentSetting):
    """A key of an agent's settings that can switch its hooks off."""

    off: object

    def is_off(self, text: str) -> bool | None:
        """Whether these settings switch hooks off; None where they don't say. ValueError or
        ConfigError when they can't be read."""
        value = self.value(text)
        if isinstance(value, list):  # the lists of all files count
            return self.off in value or None
        return None if value is None else value == self.off and type(value) is type(self.off)

    @property
    def words(self) -> str:
        """The key and its value as a person would say them."""
        return f"{self.key} {'names' if isinstance(self.off, str) else 'is'} {str(self.off).lower()}"


def read_switches(table: str) -> list[Switch]:
    """The switches of such a table."""
    return [Switch(key, form, files, json.loads(off)) for key, off, form, *files in rows_of_table(table)]


def rows_of_table(table: str) -> list[list[str]]:
    """The rows of a table of settings, without its comments."""
    return [line.split("\t") for line in table.splitlines() if line and not line.startswith("#")]


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
            setting = value(limit)
            setting = limit.default if setting is None else setting
            if limit.kind == "on":
                if setting is False:
                    return ""
            elif setting is not None:
                parts.append(_words(limit, setting))
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
