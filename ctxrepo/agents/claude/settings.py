"""Claude Code's settings: how our hooks stand in them.

`settings.json` holds `{"hooks": {EVENT: [{"matcher": TOOLS, "hooks": [{"type", "command", "timeout"}]}]}}`;
each of our hooks is a group of its own behind the groups that are there.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence, Set

from ctxrepo.agents.hook_line import is_ours
from ctxrepo.domain.formats import jsontext, jsontree

NAME = "claude"
PLUGIN = "ctxrepo"
"""The name of our plugin; a marketplace may follow it behind an @."""

TIMEOUT = 10
"""Seconds after which Claude Code ends a hook; without it a session's end would have 1.5."""

MATCHERS: Mapping[str, str] = {
    "SessionStart": "",
    "UserPromptSubmit": "",
    "PostToolUse": "Read|Edit|MultiEdit|Write|NotebookEdit",
    "SubagentStart": "",
    "Stop": "",
    "PreCompact": "",
    "SessionEnd": "",
}
"""The events that get a hook, and the tools an event is about ('' where it is about none)."""


def events() -> Sequence[str]:
    """The events that get a hook, in the order of a session."""
    return tuple(MATCHERS)


def groups(line: Callable[[str], str]) -> dict[str, dict[str, object]]:
    """Our group for each event; `line` gives an event's command."""
    ours: dict[str, dict[str, object]] = {}
    for event, matcher in MATCHERS.items():
        hook = {"type": "command", "command": line(event), "timeout": TIMEOUT}
        ours[event] = {"matcher": matcher} if matcher else {}
        ours[event]["hooks"] = [hook]
    return ours


def connect(text: str, line: Callable[[str], str]) -> str:
    """Put our group into each event; jsontree.Malformed when these settings can't be read.

    A group of ours is brought up to date where it stands. Where a person has put our hook into a group of
    theirs, only its command is.
    """
    if not text.strip("\ufeff \t\r\n"):
        text = "\ufeff{}\n" if text.startswith("\ufeff") else "{}\n"
    _refuse_odd_shapes(text)
    wanted = groups(line)
    for event in _hooks(text):
        if event not in wanted:
            text = _without(text, event, frozenset())
    for event, group in wanted.items():
        text = _with(text, event, group)
    return text


def disconnect(text: str, original: str | None = None) -> str:
    """Take our hooks out, and the groups, lists and the object that this leaves empty.

    Lists and the object that `original` has are kept. jsontree.Malformed when the text can't be read.
    """
    if not text.strip("\ufeff \t\r\n"):
        return text
    kept: set[tuple[str | int, ...]] = set()
    if original is not None and _has_hooks(original):
        kept = {("hooks",), *(("hooks", event) for event in _hooks(original))}
    for event in _hooks(text):
        text = _without(text, event, kept)
    return text


def lines(text: str) -> dict[str, list[str]]:
    """Our commands in these settings, by event."""
    found: dict[str, list[str]] = {}
    for event, listed in _hooks(text).items():
        for group, hook in _places(listed):
            found.setdefault(event, []).append(_command(listed, group, hook))
    return found


def has_plugin(text: str) -> bool:
    """Whether these settings switch ctxrepo's plugin on, from whatever marketplace."""
    plugins = _settings(text).get("enabledPlugins")
    named = plugins.items() if isinstance(plugins, dict) else ()
    return any(name.partition("@")[0] == PLUGIN and is_on is True for name, is_on in named)


def obstacle(text: str) -> str:
    """What in these settings keeps hooks from running, or ''."""
    return "disableAllHooks is on" if _settings(text).get("disableAllHooks") is True else ""


def is_blank(text: str) -> bool:
    """Whether these settings say nothing: no text, or an empty object."""
    return not text.strip("\ufeff \t\r\n") or jsontree.parse(text).value == {}


def _with(text: str, event: str, group: dict[str, object]) -> str:
    """`text` with exactly this group of ours in `event`."""
    listed = _hooks(text).get(event)
    if listed is None:
        if not _has_hooks(text):
            return jsontext.append(text, (), {event: [group]}, key="hooks")
        return jsontext.append(text, ("hooks",), [group], key=event)
    places = list(_places(listed))
    for extra in reversed(places[1:]):
        text = _cut(text, event, *extra, kept=frozenset())
    if not places:
        return jsontext.append(text, ("hooks", event), group)
    return _renewed(text, event, *places[0], group)


def _renewed(text: str, event: str, index: int, hook: int, group: dict[str, object]) -> str:
    """Bring the hook of ours at this place up to date, or return `text` as it is when it is."""
    listed = _hooks(text)[event]
    there, wanted = listed[index], group["hooks"]
    if not (isinstance(there, dict) and isinstance(wanted, list)):
        return text
    if len(there["hooks"]) == 1:
        return text if there == group else jsontext.replace(text, ("hooks", event, index), group)
    ours = wanted[0]
    if _command(listed, index, hook) == ours["command"]:
        return text
    path = ("hooks", event, index, "hooks", hook)
    if "args" in there["hooks"][hook]:  # a line for a shell can't have them
        return jsontext.replace(text, path, ours)
    return jsontext.replace(text, (*path, "command"), ours["command"])


def _without(text: str, event: str, kept: Set[tuple[str | int, ...]]) -> str:
    """`text` without any hook of ours in `event`."""
    for place in reversed(list(_places(_hooks(text)[event]))):
        text = _cut(text, event, *place, kept=kept)
    return text


def _cut(text: str, event: str, group: int, hook: int, kept: Set[tuple[str | int, ...]]) -> str:
    """Cut one hook, and each thing around it that is left empty and isn't to be kept."""
    path: list[str | int] = ["hooks", event, group, "hooks", hook]
    text = jsontext.cut(text, path)
    # What may be empty now, from inside out, and what then goes: a group goes with its matcher.
    for emptied, goes in ((path[:4], path[:3]), (path[:2], path[:2]), (path[:1], path[:1])):
        node = jsontree.find(jsontree.parse(text), emptied)
        if node is None or node.items or tuple(goes) in kept:
            return text
        text = jsontext.cut(text, goes)
    return text


def _hooks(text: str) -> dict[str, list[object]]:
    """The lists of groups, by event; whatever has another shape is left out."""
    hooks = _settings(text).get("hooks")
    if not isinstance(hooks, dict):
        return {}
    return {event: listed for event, listed in hooks.items() if isinstance(listed, list)}


def _settings(text: str) -> dict[str, object]:
    """The settings; empty when there are none, or when they are no object."""
    settings = jsontree.parse(text).value if text.strip("\ufeff \t\r\n") else {}
    return settings if isinstance(settings, dict) else {}


def _has_hooks(text: str) -> bool:
    return bool(text.strip("\ufeff \t\r\n")) and jsontree.find(jsontree.parse(text), ("hooks",)) is not None


def _places(listed: list[object]) -> Iterator[tuple[int, int]]:
    """Where our hooks are in an event's list: index of the group, index in the group."""
    for i, group in enumerate(listed):
        inner = group.get("hooks") if isinstance(group, dict) else None
        for j in range(len(inner) if isinstance(inner, list) else 0):
            if is_ours(_command(listed, i, j), NAME):
                yield i, j


def _command(listed: list[object], group: int, hook: int) -> str:
    """The command line of a hook, '' when it has none; one without a shell as a shell would be told it."""
    there = listed[group]
    found = there["hooks"][hook] if isinstance(there, dict) else None
    command = found.get("command") if isinstance(found, dict) else None
    args = found.get("args") if isinstance(found, dict) else None
    if not isinstance(command, str):
        return ""
    return shlex.join([command, *map(str, args)]) if isinstance(args, list) and args else command


def _refuse_odd_shapes(text: str) -> None:
    """Settings that Claude Code itself would not take are for a person to mend."""
    root = jsontree.parse(text)
    if not isinstance(root.value, dict):
        raise jsontree.Malformed(text, root.start, "expected an object, with braces")
    hooks = jsontree.find(root, ("hooks",))
    if hooks and not isinstance(hooks.value, dict):
        raise jsontree.Malformed(text, hooks.start, '"hooks" should be an object, with braces')
    for event in MATCHERS:
        listed = jsontree.find(root, ("hooks", event))
        if listed and not isinstance(listed.value, list):
            raise jsontree.Malformed(text, listed.start, f'"{event}" should be a list, in square brackets')
