"""Claude Code's installation: hooks in its settings, and our skills in its folder."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from ctxrepo.agents.claude import FOLDER
from ctxrepo.agents.hook_groups import HookGroups
from ctxrepo.agents.hook_line import is_enabled
from ctxrepo.agents.permissions import LEVELS
from ctxrepo.agents.protocol import (
    EditedDocument,
    Line,
    NativeMemory,
    Plugin,
    SkillsFolder,
    Wanted,
    named_folder,
)
from ctxrepo.domain.formats import jsontext
from ctxrepo.lazy import dataclass

TIMEOUT = 10
"""Seconds after which Claude Code ends a hook; without it a session's end would have 1.5."""


SETTINGS = HookGroups(
    name="claude",
    matchers={
        "SessionStart": "",
        "UserPromptSubmit": "",
        "PostToolUse": "Read|Edit|MultiEdit|Write|NotebookEdit",
        "PostToolUseFailure": "Bash",
        "SubagentStart": "",
        "Stop": "",
        "PreCompact": "",
        "SessionEnd": "",
    },
    timeout=TIMEOUT,
)


def folder(user_home: Path, environment: Mapping[str, str]) -> Path:
    """The user's folder of Claude Code: CLAUDE_CONFIG_DIR, else ~/.claude."""
    return named_folder(FOLDER, environment) or user_home / ".claude"


def files(
    user_home: Path, environment: Mapping[str, str], line: Line, commands: Sequence[str] = ()
) -> Sequence[Wanted]:
    """Our skills, and hooks and rules in the settings."""
    root = folder(user_home, environment)
    hooks = {event: line(event) for event in SETTINGS.events()}
    settings = RuledSettings(tuple(map(rule, commands)))
    return (SkillsFolder(root / "skills"), EditedDocument(root / "settings.json", settings, hooks))


RULES = "permissions in its settings"

_ALLOW = ("permissions", "allow")


def rule(command: str) -> str:
    """The rule by which Claude Code runs commands that begin so without asking."""
    return f"Bash(ctxrepo {command}:*)"


@dataclass(frozen=True)
class RuledSettings:
    """The settings with our hooks, and with these rules of ours among what is allowed."""

    rules: Sequence[str] = ()

    def connect(self, text: str, line: Line) -> str:
        before = SETTINGS.connect(text, line)
        text = self._without(before, self.rules)
        if text != before and not self.rules:
            return _without_empty(text)
        for rule in (rule for rule in self.rules if rule not in _allowed(text)):
            for path, value in ((_ALLOW[:1], {"allow": [rule]}), (_ALLOW, [rule])):
                if _node(text, path) is None:
                    text = jsontext.append(text, path[:-1], value, key=path[-1])
            text = text if rule in _allowed(text) else jsontext.append(text, _ALLOW, rule)
        return text

    def disconnect(self, text: str, original: str | None = None) -> str:
        if original is None and not SETTINGS.lines(text):
            return text  # we never were here: such rules are a person's own
        text, before = SETTINGS.disconnect(text, original), original or ""
        after = self._without(text, _allowed(before))
        return _without_empty(after, before) if after != text else text

    def lines(self, text: str) -> Mapping[str, Sequence[str]]:
        return SETTINGS.lines(text)

    def is_blank(self, text: str) -> bool:
        return SETTINGS.is_blank(text)

    def _without(self, text: str, kept: Sequence[str]) -> str:
        """The settings without our rules but those `kept`."""
        ours = {*map(rule, LEVELS["write"])}.difference(kept)
        for number, allowed in reversed([*enumerate(_allowed(text))]):
            if allowed in ours:
                text = jsontext.cut(text, (*_ALLOW, number))
        return text


def _allowed(text: str) -> Sequence[str]:
    """The rules of what is allowed; jsontext.Malformed where they are in no list."""
    node = _node(text, _ALLOW)
    if node is not None and not isinstance(node.value, list):
        raise jsontext.Malformed(text, node.start, '"allow" should be a list, in square brackets')
    return [str(rule) for rule in node.value] if node is not None and isinstance(node.value, list) else []


def _without_empty(text: str, original: str = "") -> str:
    """The settings without what our rules leave empty, and what `original` hadn't."""
    for path in (_ALLOW, _ALLOW[:1]):
        node = _node(text, path)
        if node is not None and not node.items and _node(original, path) is None:
            text = jsontext.cut(text, path)
    return text


def _node(text: str, path: Sequence[str]) -> jsontext.Node | None:
    return jsontext.find(jsontext.parse(text), path) if text.strip("\ufeff \t\r\n") else None


def _is_memory_on(text: str, environment: Mapping[str, str]) -> bool:
    """Whether its auto memory is on, as it is unless somebody turned it off."""
    if environment.get("CLAUDE_CODE_DISABLE_AUTO_MEMORY", "").lower() in ("1", "true", "yes", "on"):
        return False
    return SETTINGS.settings(text).get("autoMemoryEnabled") is not False


PLUGIN = Plugin("settings.json", is_enabled)

NATIVE_MEMORY = NativeMemory(
    "Claude Code's auto memory", "settings.json", '"autoMemoryEnabled": false', _is_memory_on
)
