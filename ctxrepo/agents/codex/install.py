"""Codex' installation: hooks in a file of their own beside its config, and our skills."""

import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from ctxrepo.agents.codex import FOLDER
from ctxrepo.agents.codex.dialect import DIALECT
from ctxrepo.agents.hook_groups import HookGroups
from ctxrepo.agents.hook_line import is_among
from ctxrepo.agents.install_options import DEFAULTS, InstallOptions
from ctxrepo.agents.protocol import NativeMemory, Plugin, named_folder
from ctxrepo.agents.wanted import (
    RULES_HEAD,
    EditedDocument,
    GrantedFolder,
    Line,
    OwnFile,
    SkillsFolder,
    Wanted,
)
from ctxrepo.lazy import dataclass

END_TIMEOUT = 3
"""The most that it grants at a session's end; for more it complains to its user."""


HOOKS = HookGroups(
    DIALECT.name,
    DIALECT.event_names(),
    matchers={"PostToolUse": "Bash|apply_patch"},
    other_timeouts={"SessionEnd": END_TIMEOUT},
)


def folder(user_home: Path, environment: Mapping[str, str]) -> Path:
    """The user's folder of Codex: CODEX_HOME, else ~/.codex."""
    return named_folder(FOLDER, environment) or user_home / ".codex"


def files(
    user_home: Path, environment: Mapping[str, str], line: Line, options: InstallOptions = DEFAULTS
) -> Sequence[Wanted]:
    """Our hooks, the rules, the folder that its sandbox may write to, and the skills in the folder that other
    agents read too."""
    events = DIALECT.event_names(options.enforces)
    hooks = {event: line(event) for event in events}
    root = folder(user_home, environment)
    config = root / "config.toml"
    return (
        EditedDocument(root / "hooks.json", replace(HOOKS, events=events), hooks),
        EditedDocument(config, ConfigWithRoots(options)),
        OwnFile(root / "rules" / "ctxrepo.rules", _rules(options.commands)),
        SkillsFolder(user_home / ".agents" / "skills"),
        *(GrantedFolder(each, str(each), config) for each in options.folders),
    )


RULES = "its rules for commands, by which they also run outside of its sandbox"


def _rules(commands: Sequence[str]) -> bytes | None:
    """What Codex may run without asking, and outside of its sandbox: a rule for each, as Starlark has it."""
    words = [json.dumps(["ctxrepo", *command.split()]) for command in commands]
    rules = [f'prefix_rule(pattern = {pattern}, decision = "allow")\n' for pattern in words]
    return "".join([RULES_HEAD, *rules]).encode() if rules else None


_SANDBOX, _ROOTS = "sandbox_workspace_write", "writable_roots"
"""The table and the key with the folders that its sandbox may write to, beside that of the session."""


@dataclass(frozen=True)
class ConfigWithRoots:
    """Its configuration, in which the sandbox may write to the folders of these options."""

    options: InstallOptions

    def connect(self, text: str, _line: Line, original: str | None = None, /) -> str:
        if not self.options.folders:
            return self.disconnect(text, original)
        roots = _roots(text) or []
        missing = [str(each) for each in self.options.folders if str(each) not in roots]
        return _edited(text, [*roots, *missing]) if missing else text

    def disconnect(self, text: str, original: str | None = None) -> str:
        ours = self.options.folders_of_any_level
        if original is None or not any(each.name in text for each in ours):
            return text  # if it is there, it is a person's own
        before, roots = _roots(original), _roots(text) or []
        going = {*map(str, ours)}.difference(before or ())
        left = [root for root in roots if root not in going]
        if left == roots:
            return text
        kept = left if left or before is not None else None
        return _ended_as(original, _edited(text, kept, keeps_table=_table(original) is not None))

    def lines(self, _text: str, /) -> Mapping[str, Sequence[str]]:
        return {}

    def is_blank(self, text: str) -> bool:
        return not text.removeprefix("\ufeff").strip()


def _parsed(text: str) -> Mapping[str, object]:
    """A configuration, which may begin with a byte order mark; ValueError where it is no TOML."""
    return tomllib.loads(text.removeprefix("\ufeff"))


def _table(text: str) -> Mapping[str, object] | None:
    """The table of its sandbox, None where there is none; ValueError for what Codex would not take."""
    table = _parsed(text).get(_SANDBOX)
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


def _is_plugin_on(text: str) -> bool:
    """Whether this configuration says that our plugin is on."""
    plugins = _parsed(text).get("plugins")
    named = plugins.items() if isinstance(plugins, dict) else ()
    return is_among(name for name, item in named if isinstance(item, dict) and item.get("enabled") is True)


def _is_memory_on(text: str, _environment: Mapping[str, str]) -> bool:
    """Whether its memories are on, as they are only where somebody turned them on."""
    features = _parsed(text).get("features")
    return isinstance(features, dict) and features.get("memories") is True


PLUGIN = Plugin("config.toml", _is_plugin_on)

NATIVE_MEMORY = NativeMemory(
    "Codex' memories", "config.toml", "memories = false under [features]", _is_memory_on
)
