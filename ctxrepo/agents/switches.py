"""What switches an agent's hooks off, ours with them: `switches.tsv` in its folder, a switch a line.

The columns are the key in its settings, parted by points; the value, as JSON, that switches hooks off, or
where the key has a list, the member that does; the format of the files; and the files, from the one that
yields to all others to the one that none overrules. `{user}` is the user's folder of the agent, `{project}`
the checkout. A file after `?` is read only where the user trusts the checkout. Of files with a `|` between
them each may be there; if the variable after a `$` is set, it alone names the file. `*` stands for any
name."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from ctxrepo.domain.formats import jsontext, toml
from ctxrepo.lazy import dataclass

_PARSERS: Mapping[str, Callable[[str], object]] = {
    "json": lambda text: jsontext.parse(text).value if text.strip("\ufeff \t\r\n") else {},
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
