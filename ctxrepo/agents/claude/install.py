"""Claude Code's installation: hooks in its settings, skills in its folder, our MCP server in its state."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from ctxrepo.agents.claude import FOLDER
from ctxrepo.agents.claude.dialect import DIALECT, LOCAL_SETTINGS
from ctxrepo.agents.hook_groups import HookGroups
from ctxrepo.agents.hook_line import NAME, is_enabled
from ctxrepo.agents.mcp_server import JsonServers
from ctxrepo.agents.permissions import DEFAULTS, LEVELS, TOOLS, InstallOptions
from ctxrepo.agents.protocol import NativeMemory, Plugin, Redirection, named_folder
from ctxrepo.agents.wanted import Document, EditedDocument, GrantedFolder, Line, SkillsFolder, Wanted
from ctxrepo.domain.formats import jsontext
from ctxrepo.lazy import dataclass


@dataclass(frozen=True)
class GrantedItems:
    """The list at `path` of the settings: `items` are to be in it, and nothing else that may be of `ours`."""

    path: Sequence[str]
    items: Sequence[str]
    ours: Sequence[str]

    def put(self, text: str, original: str) -> str:
        """The settings with these items, and without others of ours that `original` hadn't."""
        text = self.cut(text, original, self.items)
        for item in self.items:
            there = self.items_in(text)
            if there is None:
                depth = next(n for n in range(len(self.path)) if _node(text, self.path[: n + 1]) is None)
                value: object = [item]
                for key in reversed(self.path[depth + 1 :]):
                    value = {key: value}
                text = jsontext.append(text, self.path[:depth], value, key=self.path[depth])
            elif item not in there:
                text = jsontext.append(text, self.path, item)
        return text

    def cut(self, text: str, original: str, kept: Sequence[str] = ()) -> str:
        """The settings without items of ours but those `kept`, and without what that leaves empty: as far as
        `original` hadn't them."""
        before, going = text, {*self.ours}.difference(kept, self.items_in(original) or ())
        for number, item in reversed([*enumerate(self.items_in(text) or ())]):
            if item in going:
                text = jsontext.cut(text, (*self.path, number))
        for depth in range(len(self.path), 0, -1) if text != before else ():
            node = _node(text, self.path[:depth])
            if node is not None and not node.items and _node(original, self.path[:depth]) is None:
                text = jsontext.cut(text, self.path[:depth])
        return text

    def items_in(self, text: str) -> Sequence[str] | None:
        """The items in the list, None where there is none; jsontext.Malformed where it is no list."""
        node = _node(text, self.path)
        if node is not None and not isinstance(node.value, list):
            words = f'"{self.path[-1]}" should be a list, in square brackets'
            raise jsontext.Malformed(text, node.start, words)
        return None if node is None else [str(item.node.value) for item in node.items]


@dataclass(frozen=True)
class SettingsWithGrants(HookGroups):
    """The settings with our hooks, and with what we may do among what a person permits."""

    grants: Sequence[GrantedItems] = ()

    def connect(self, text: str, line: Line, original: str | None = None, /) -> str:
        before = text if original is None and not self.lines(text) else original or ""
        text = super().connect(text, line)
        for grant in self.grants:
            text = grant.put(text, before)
        return text

    def disconnect(self, text: str, original: str | None = None) -> str:
        if original is None and not self.lines(text):
            return text  # we never were here: what is permitted is a person's own
        text, before = super().disconnect(text, original), original or ""
        for grant in self.grants:
            text = grant.cut(text, before)
        return text


def _node(text: str, path: Sequence[str]) -> jsontext.Node | None:
    return None if jsontext.is_empty(text) else jsontext.find(jsontext.parse(text), path)


SETTINGS = SettingsWithGrants(
    DIALECT.name,
    DIALECT.event_names(),
    matchers={"PostToolUse": "Read|Edit|MultiEdit|Write|NotebookEdit", "PostToolUseFailure": "Bash"},
)
"""Its hooks name a time even where it is the usual one: without it a session's end would have 1.5 seconds."""


def folder(user_home: Path, environment: Mapping[str, str]) -> Path:
    """The user's folder of Claude Code: CLAUDE_CONFIG_DIR, else ~/.claude."""
    return named_folder(FOLDER, environment) or user_home / ".claude"


def files(
    user_home: Path, environment: Mapping[str, str], line: Line, options: InstallOptions = DEFAULTS
) -> Sequence[Wanted]:
    """Our skills, in the settings hooks, rules and the folder that a sandbox may write to, and our server."""
    root = folder(user_home, environment)
    events = DIALECT.event_names(options.enforces)
    hooks = {event: line(event) for event in events}
    rules = [*map(rule, options.commands), *map(tool_rule, options.tools)]
    rules_of_any_level = [*map(rule, LEVELS["write"]), *map(tool_rule, TOOLS["write"])]
    settings = root / "settings.json"
    folders = [GrantedFolder(path, spelled(path, user_home), settings) for path in options.folders]
    of_any_level = [spelled(path, user_home) for path in options.folders_of_any_level]
    grants = (
        GrantedItems(("permissions", "allow"), rules, rules_of_any_level),
        GrantedItems(_SANDBOX, [place.spelling for place in folders], of_any_level),
    )
    document = EditedDocument(settings, replace(SETTINGS, events=events, grants=grants), hooks)
    servers = JsonServers("mcpServers", options.server)
    state = (named_folder(FOLDER, environment) or user_home) / SERVERS
    listed = EditedDocument(state, servers, servers=servers, outline=servers.outline)
    return (SkillsFolder(root / "skills"), document, listed, *folders)


SERVERS = ".claude.json"
"""What Claude Code keeps of its sessions and accounts, with the servers of its user: beside its folder, or in
it where a variable names the folder."""


RULES = "permissions in its settings"

_SANDBOX = ("sandbox", "filesystem", "allowWrite")
"""Where the settings have what its sandbox may write to; it turns no sandbox on."""


def rule(command: str) -> str:
    """The rule by which Claude Code runs commands that begin so without asking."""
    return f"Bash(ctxrepo {command}:*)"


def tool_rule(tool: str) -> str:
    """The rule by which it calls a tool of our MCP server without asking."""
    return f"mcp__{NAME}__{tool}"


def spelled(folder: Path, user_home: Path) -> str:
    """A folder as the settings of the sandbox have it, in older versions too: one slash at the beginning was
    seen from the folder of the settings in these."""
    return f"~/{folder.relative_to(user_home)}" if folder.is_relative_to(user_home) else f"/{folder}"


def _is_memory_on(text: str, environment: Mapping[str, str]) -> bool:
    """Whether its auto memory is on, as it is unless somebody turned it off."""
    if environment.get("CLAUDE_CODE_DISABLE_AUTO_MEMORY", "").lower() in ("1", "true", "yes", "on"):
        return False
    return SETTINGS.settings(text).get("autoMemoryEnabled") is not False


@dataclass(frozen=True)
class MemoryFolder(Document):
    """The settings of a checkout, by which auto memory is kept in this `folder`."""

    folder: str

    def connect(self, text: str, _line: Line, original: str | None = None, /) -> str:
        there = _node(text, _MEMORY_FOLDER)
        if there is None:
            (key,) = _MEMORY_FOLDER
            return jsontext.append(jsontext.or_object(text), (), self.folder, key=key)
        if there.value != self.folder and (original is None or _node(original, _MEMORY_FOLDER)):
            raise jsontext.Malformed(text, there.start, "auto memory is kept in another folder already")
        return jsontext.replace(text, _MEMORY_FOLDER, self.folder)

    def disconnect(self, text: str, original: str | None = None) -> str:
        there = _node(text, _MEMORY_FOLDER)
        was_there = original is None or _node(original, _MEMORY_FOLDER) is not None
        is_ours = there is not None and there.value == self.folder and not was_there
        return jsontext.cut(text, _MEMORY_FOLDER) if is_ours else text

    def is_blank(self, text: str) -> bool:
        return SETTINGS.is_blank(text)


_MEMORY_FOLDER = ("autoMemoryDirectory",)


def _named_folder(text: str) -> str:
    node = _node(text, _MEMORY_FOLDER)
    return node.value if node is not None and isinstance(node.value, str) else ""


PLUGIN = Plugin("settings.json", is_enabled)

NATIVE_MEMORY = NativeMemory(
    "Claude Code's auto memory",
    "settings.json",
    '"autoMemoryEnabled": false',
    _is_memory_on,
    Redirection(LOCAL_SETTINGS, MemoryFolder, _named_folder),
)
