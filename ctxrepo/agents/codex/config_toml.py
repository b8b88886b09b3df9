"""What of ours stands in Codex' configuration: folders that its sandbox may write to, and our MCP server."""

import tomllib
from collections.abc import Mapping, Sequence
from contextlib import suppress

from ctxrepo.agents.hook_line import NAME
from ctxrepo.agents.mcp_server import NOT_OURS, VARIABLES, McpServer, command_of
from ctxrepo.agents.permissions import InstallOptions
from ctxrepo.agents.wanted import Document, Line
from ctxrepo.lazy import dataclass

_SANDBOX, _ROOTS = "sandbox_workspace_write", "writable_roots"
"""The table and the key with the folders that its sandbox may write to, beside that of the session."""


@dataclass(frozen=True)
class _Config(Document):
    options: InstallOptions

    def is_blank(self, text: str) -> bool:
        return not text.removeprefix("\ufeff").strip()


class ConfigWithRoots(_Config):
    """Its configuration, in which the sandbox may write to the folders of these options."""

    def connect(self, text: str, _line: Line, original: str | None = None, /) -> str:
        if not self.options.folders:
            return self.disconnect(text, original)
        roots = _roots(text) or []
        missing = [str(folder) for folder in self.options.folders if str(folder) not in roots]
        return _edited(text, [*roots, *missing]) if missing else text

    def disconnect(self, text: str, original: str | None = None) -> str:
        ours = self.options.folders_of_any_level
        if original is None or not any(folder.name in text for folder in ours):
            return text  # if it is there, it is a person's own
        before, roots = _roots(original), _roots(text) or []
        going = {*map(str, ours)}.difference(before or ())
        rest = [root for root in roots if root not in going]
        if rest == roots:
            return text
        new_roots = rest if rest or before is not None else None
        return _ended_as(original, _edited(text, new_roots, keeps_table=_table(original) is not None))


_SERVER = ("mcp_servers", NAME)
_APPROVAL = "default_tools_approval_mode"
"""Whether Codex asks before it calls the tools of the server. Without the key it asks before those that say
they change something, and not before those that only read."""


class ConfigWithServer(_Config):
    """The configuration, in which the server of these options is listed."""

    def connect(self, text: str, _line: Line, original: str | None = None, /) -> str:
        """Put our server into it, or bring it up to date, and leave other keys of it as they are. ValueError
        when the configuration can't be read, or another server has the name of ours."""
        if self.options.server is None:
            return self.disconnect(text, original)
        there = self.server(text)
        if there is not None and not command_of(there):
            raise ValueError(NOT_OURS)
        known = there if isinstance(there, Mapping) else {}
        values = self._values(self.options.server, known)
        return text if _has(known, values) else _with(text, values)

    def _values(self, server: McpServer, known: Mapping[str, object]) -> Mapping[str, object]:
        """What the table is to say, where these values are `known`; None for a key that it hasn't."""
        there = known.get("env")
        theirs = there.items() if isinstance(there, Mapping) else ()
        env = {key: value for key, value in theirs if key not in VARIABLES} | {**server.environment}
        values = server.renewed({**server.entry, "env": env if env or env == there else None}, known)
        if self.options.level == "write":
            return {**values, _APPROVAL: "approve"}
        return {**values, _APPROVAL: None} if known.get(_APPROVAL) == "approve" else values

    def disconnect(self, text: str, original: str | None = None) -> str:
        """Take our server out, with the tables below it."""
        if not all(name in text for name in _SERVER) or not command_of(self.server(text)):
            return text
        from ctxrepo.domain.formats.toml_edit import without_table  # tomlkit costs a start of Python

        mark = "\ufeff" if text.startswith("\ufeff") else ""
        return _ended_as(original or "", mark + without_table(text.removeprefix(mark), _SERVER))

    def server(self, text: str) -> object:
        """The table that has the name of our server; None where there is none."""
        servers = parsed(text).get(_SERVER[0])
        if servers is not None and not isinstance(servers, dict):
            raise ValueError(f"{_SERVER[0]} should be a table of tables")
        return servers.get(NAME) if servers else None


def _with(text: str, values: Mapping[str, object]) -> str:
    """The configuration with these values in the table of our server; ValueError where none can be added."""
    from ctxrepo.domain.formats.toml_edit import with_table  # tomlkit costs a start of Python

    mark = "\ufeff" if text.startswith("\ufeff") else ""
    config = mark + with_table(text.removeprefix(mark), _SERVER, values)
    with suppress(ValueError):
        servers = parsed(config)[_SERVER[0]]
        if isinstance(servers, dict) and _has(servers[NAME], values):
            return config
    raise ValueError("mcp_servers is written so that no server can be added; make it tables with headers")


def _has(known: Mapping[str, object], values: Mapping[str, object]) -> bool:
    return all(known.get(key) == value for key, value in values.items())


def parsed(text: str) -> Mapping[str, object]:
    """A configuration, which may begin with a byte order mark; ValueError where it is no TOML."""
    return tomllib.loads(text.removeprefix("\ufeff"))


def _table(text: str) -> Mapping[str, object] | None:
    """The table of its sandbox, None where there is none; ValueError for what Codex would not take."""
    table = parsed(text).get(_SANDBOX)
    if table is not None and not isinstance(table, dict):
        raise ValueError(f"{_SANDBOX} should be a table, in single square brackets")
    return table


def _roots(text: str) -> list[str] | None:
    """The folders that its sandbox may write to, None where no list names any; ValueError for no list."""
    roots = (_table(text) or {}).get(_ROOTS)
    if roots is not None and not isinstance(roots, list):
        raise ValueError(f"{_ROOTS} of {_SANDBOX} should be a list, in square brackets")
    return roots


def _edited(text: str, roots: Sequence[str] | None, keeps_table: bool = True) -> str:
    """The configuration with these roots; None: without the key, and without a table in which nothing is left
    unless that is kept."""
    from ctxrepo.domain.formats.toml_edit import with_value, without_empty  # tomlkit costs a start of Python

    mark = "\ufeff" if text.startswith("\ufeff") else ""
    toml = with_value(text.removeprefix(mark), _SANDBOX, _ROOTS, roots)
    return mark + (toml if keeps_table else without_empty(toml, _SANDBOX))


def _ended_as(original: str, text: str) -> str:
    """The text without a line break behind its last line, if `original` has that line last, and none."""
    last, bare = original.rpartition("\n")[2], text.rstrip("\r\n")
    return bare if last and bare.rpartition("\n")[2] == last else text
