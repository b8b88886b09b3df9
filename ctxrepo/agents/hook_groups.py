"""Hooks in a document of JSON as Claude Code and, after it, Codex and Gemini CLI lay them out.

It holds `{"hooks": {EVENT: [{"matcher": TOOLS, "hooks": [{"type", "command", "timeout"}]}]}}`; each of our
hooks is a group of its own behind the groups that are there.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import field

from ctxrepo.agents.hook_line import is_ours
from ctxrepo.domain.formats import jsontext, jsontree
from ctxrepo.lazy import dataclass


@dataclass(frozen=True)
class HookGroups:
    """How hooks stand in the document of the agent with this `name`."""

    name: str
    matchers: Mapping[str, str]
    """The events that get a hook, and the tools an event is about ('' where it is about none)."""
    timeout: int
    """The time after which the agent ends a hook, in the unit that it reads."""
    other_timeouts: Mapping[str, int] = field(default_factory=dict)
    """The events for which it is another time."""
    has_comments: bool = False
    """Whether the agent takes a document with comments."""

    def events(self) -> Sequence[str]:
        """The events that get a hook, in the order of a session."""
        return tuple(self.matchers)

    def groups(self, line: Callable[[str], str]) -> dict[str, dict[str, object]]:
        """Our group for each event; `line` gives an event's command."""
        ours: dict[str, dict[str, object]] = {}
        for event, matcher in self.matchers.items():
            ours[event] = {"matcher": matcher} if matcher else {}
            ours[event]["hooks"] = [self.hook(event, line(event))]
        return ours

    def hook(self, event: str, command: str) -> dict[str, object]:
        """Our hook for an event, as the agent writes one."""
        timeout = self.other_timeouts.get(event, self.timeout)
        return {"type": "command", "command": command, "timeout": timeout}

    def connect(self, text: str, line: Callable[[str], str]) -> str:
        """Put our group into each event; jsontree.Malformed when these settings can't be read.

        A group of ours is brought up to date where it stands. Where a person has put our hook into a group of
        theirs, only its command is.
        """
        if not text.strip("\ufeff \t\r\n"):
            text = "\ufeff{}\n" if text.startswith("\ufeff") else "{}\n"
        self._check(text)
        _refuse_odd_shapes(text, self.matchers)
        wanted = self.groups(line)
        for event in _hooks(text):
            if event not in wanted:
                text = _without(text, self.name, event, frozenset())
        for event, group in wanted.items():
            text = _with(text, self.name, event, group)
        return text

    def disconnect(self, text: str, original: str | None = None) -> str:
        """Take our hooks out, and the groups, lists and the object that this leaves empty.

        Lists and the object that `original` has are kept. jsontree.Malformed when the text can't be read.
        """
        self._check(text)
        if not text.strip("\ufeff \t\r\n"):
            return text
        kept: set[tuple[str | int, ...]] = set()
        if original is not None and _has_hooks(original):
            kept = {("hooks",), *(("hooks", event) for event in _hooks(original))}
        for event in _hooks(text):
            text = _without(text, self.name, event, kept)
        return text

    def lines(self, text: str) -> dict[str, list[str]]:
        """Our commands in these settings, by event."""
        self._check(text)
        found: dict[str, list[str]] = {}
        for event, listed in _hooks(text).items():
            for group, hook in _places(listed, self.name):
                found.setdefault(event, []).append(_command(listed, group, hook))
        return found

    def obstacle(self, _text: str) -> str:
        """What in these settings keeps hooks from running, or ''; the default knows of nothing."""
        return ""

    def is_blank(self, text: str) -> bool:
        """Whether these settings say nothing: no text, or an empty object without a comment."""
        self._check(text)
        return not text.strip("\ufeff \t\r\n") or (not jsontree.comments(text) and _parse(text).value == {})

    def settings(self, text: str) -> dict[str, object]:
        """The settings; empty when there are none, or when they are no object."""
        self._check(text)
        return _settings(text)

    def _check(self, text: str) -> None:
        """jsontree.Malformed where there are comments that the agent doesn't take."""
        if not self.has_comments and jsontree.comments(text):
            jsontree.parse(text)  # which says where the first one is


def _with(text: str, agent: str, event: str, group: dict[str, object]) -> str:
    """`text` with exactly this group of ours in `event`."""
    listed = _hooks(text).get(event)
    if listed is None:
        if not _has_hooks(text):
            return jsontext.append(text, (), {event: [group]}, key="hooks")
        return jsontext.append(text, ("hooks",), [group], key=event)
    places = list(_places(listed, agent))
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


def _without(text: str, agent: str, event: str, kept: Set[tuple[str | int, ...]]) -> str:
    """`text` without any hook of ours in `event`."""
    for place in reversed(list(_places(_hooks(text)[event], agent))):
        text = _cut(text, event, *place, kept=kept)
    return text


def _cut(text: str, event: str, group: int, hook: int, kept: Set[tuple[str | int, ...]]) -> str:
    """Cut one hook, and each thing around it that is left empty and isn't to be kept."""
    path: list[str | int] = ["hooks", event, group, "hooks", hook]
    text = jsontext.cut(text, path)
    # What may be empty now, from inside out, and what then goes: a group goes with its matcher.
    for emptied, goes in ((path[:4], path[:3]), (path[:2], path[:2]), (path[:1], path[:1])):
        node = jsontree.find(_parse(text), emptied)
        if node is None or node.items or tuple(goes) in kept:
            return text
        if goes == emptied and jsontree.comments(text[node.start : node.end]):
            return text  # what somebody wrote there outlives our hooks
        text = jsontext.cut(text, goes)
    return text


def _hooks(text: str) -> dict[str, list[object]]:
    """The lists of groups, by event; whatever has another shape is left out."""
    hooks = _settings(text).get("hooks")
    if not isinstance(hooks, dict):
        return {}
    return {event: listed for event, listed in hooks.items() if isinstance(listed, list)}


def _settings(text: str) -> dict[str, object]:
    settings = _parse(text).value if text.strip("\ufeff \t\r\n") else {}
    return settings if isinstance(settings, dict) else {}


def _has_hooks(text: str) -> bool:
    return bool(text.strip("\ufeff \t\r\n")) and jsontree.find(_parse(text), ("hooks",)) is not None


def _parse(text: str) -> jsontree.Node:
    """The root of a document, with comments or without."""
    return jsontree.parse(jsontree.blank_comments(text))


def _places(listed: list[object], agent: str) -> Iterator[tuple[int, int]]:
    """Where our hooks are in an event's list: index of the group, index in the group."""
    for i, group in enumerate(listed):
        inner = group.get("hooks") if isinstance(group, dict) else None
        for j in range(len(inner) if isinstance(inner, list) else 0):
            if is_ours(_command(listed, i, j), agent):
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


def _refuse_odd_shapes(text: str, events: Iterable[str]) -> None:
    """Settings that the agent itself would not take are for a person to mend."""
    root = _parse(text)
    if not isinstance(root.value, dict):
        raise jsontree.Malformed(text, root.start, "expected an object, with braces")
    hooks = jsontree.find(root, ("hooks",))
    if hooks and not isinstance(hooks.value, dict):
        raise jsontree.Malformed(text, hooks.start, '"hooks" should be an object, with braces')
    for event in events:
        listed = jsontree.find(root, ("hooks", event))
        if listed and not isinstance(listed.value, list):
            raise jsontree.Malformed(text, listed.start, f'"{event}" should be a list, in square brackets')
