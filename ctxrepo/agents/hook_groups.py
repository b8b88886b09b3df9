"""Hooks in a document of JSON: how ours stand in it, beside those of others.

Most agents read `{"hooks": {EVENT: [{"matcher": TOOLS, "hooks": [HOOK, ...]}]}}`: each hook of ours is a
group of its own behind the groups that are there. Without groups it is `{"version": 1, "hooks": {EVENT:
[HOOK, ...]}}`, and the matcher stands in the hook. Where each program's hooks stand apart, its name takes the
place of `hooks` at the top."""

import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import field

from ctxrepo.agents.hook_line import is_ours
from ctxrepo.domain.formats import jsontext
from ctxrepo.lazy import dataclass

Path = tuple[str | int, ...]
"""Where something stands in the document: the keys and indexes that lead to it."""


@dataclass(frozen=True)
class HookGroups:
    """How hooks stand in the document of the agent with this `name`."""

    name: str
    events: Sequence[str]
    """Those that get a hook, as the agent writes them, in the order of a session."""
    matchers: Mapping[str, str]
    """The events that are about tools, and these tools, as the agent writes them."""
    timeout: int = 10
    """The time after which the agent ends a hook, in the unit that it reads, which is mostly seconds."""
    other_timeouts: Mapping[str, int] = field(default_factory=dict)
    """The events for which it is another time."""
    has_comments: bool = False
    """Whether the agent takes a document with comments."""
    has_groups: bool = True
    """Whether hooks with one matcher form a group; else a hook stands in its event's list itself."""
    groups_tools_only: bool = False
    """Whether that is so for the events alone that are about tools."""
    key: str = "hooks"
    """Where the lists of the events stand in the document."""
    version: int | None = None
    """The version that the document has to name; None where it names none."""

    def entries(self, line: Callable[[str], str]) -> dict[str, dict[str, object]]:
        """Our entry in the list of each event; `line` gives an event's command."""
        return {event: self._entry(event, self.hook(event, line(event))) for event in self.events}

    def hook(self, event: str, command: str) -> dict[str, object]:
        """Our hook for an event, as the agent writes one."""
        timeout = self.other_timeouts.get(event, self.timeout)
        kind = {"type": "command"} if self.has_groups else {}
        return {**kind, "command": command, "timeout": timeout}

    def connect(self, text: str, line: Callable[[str], str], _original: str | None = None, /) -> str:
        """Put our hook into each event, or bring it up to date: its entry, or its command in a group of a
        person's. jsontree.Malformed when this document can't be read."""
        text = jsontext.or_object(text)
        self._check(text)
        self._refuse_odd_shapes(text)
        entries = self.entries(line)
        for event in self._lists(text):
            if event not in entries:
                text = self._without(text, event, frozenset())
        if self.version is not None and "version" not in jsontext.members(text):
            text = jsontext.append(text, (), self.version, key="version")
        for event, entry in entries.items():
            text = self._with(text, event, entry)
        return text

    def disconnect(self, text: str, original: str | None = None) -> str:
        """Take our hooks out, and the groups, lists and the object that this leaves empty.

        Lists and the object that `original` has stay; the version goes when `original` had none.
        jsontree.Malformed when the text can't be read."""
        self._check(text)
        if jsontext.is_empty(text):
            return text
        protected: set[Path] = set()
        if original is not None and self._has_hooks(original):
            protected = {(self.key,), *((self.key, event) for event in self._lists(original))}
        had_ours = bool(self.lines(text))
        for event in self._lists(text):
            text = self._without(text, event, protected)
        had_version = "version" in jsontext.members(original or "")
        is_our_version = self.version is not None and had_ours and original is not None and not had_version
        if is_our_version and "version" in jsontext.members(text):
            text = jsontext.cut(text, ("version",))
        return text

    def lines(self, text: str) -> dict[str, list[str]]:
        """Our commands in this document, by event."""
        self._check(text)
        commands: dict[str, list[str]] = {}
        for event, listed in self._lists(text).items():
            for _, hook in self._ours(event, listed):
                commands.setdefault(event, []).append(_command(hook))
        return commands

    def is_blank(self, text: str) -> bool:
        """Whether it says nothing: no text, or an object without comments that names the version at most."""
        self._check(text)
        if jsontext.is_empty(text):
            return True
        blank = {} if self.version is None else {"version": self.version}
        return not jsontext.comments(text) and jsontext.parse_commented(text).value in ({}, blank)

    def settings(self, text: str) -> dict[str, object]:
        """The settings; empty when there are none, or when they are no object."""
        self._check(text)
        return jsontext.members(text)

    def _entry(self, event: str, hook: dict[str, object]) -> dict[str, object]:
        matcher: dict[str, object] = {"matcher": self.matchers[event]} if event in self.matchers else {}
        return {**matcher, "hooks": [hook]} if self._is_grouped(event) else {**hook, **matcher}

    def _is_grouped(self, event: str) -> bool:
        return self.has_groups and (event in self.matchers or not self.groups_tools_only)

    def _check(self, text: str) -> None:
        """jsontree.Malformed where there are comments that the agent doesn't take."""
        if not self.has_comments and jsontext.comments(text):
            jsontext.parse(text)  # which says where the first one is

    def _ours(self, event: str, listed: list[object]) -> Iterator[tuple[Path, dict[str, object]]]:
        """Our hooks in an event's list, each with its path in that list."""
        for index, entry in enumerate(listed):
            hooks = entry.get("hooks") if self._is_grouped(event) and isinstance(entry, dict) else None
            inner = [((index, "hooks", at), hook) for at, hook in enumerate(_items(hooks))]
            for path, hook in inner if self._is_grouped(event) else [((index,), entry)]:
                if isinstance(hook, dict) and is_ours(_command(hook), self.name):
                    yield path, hook

    def _with(self, text: str, event: str, entry: dict[str, object]) -> str:
        """`text` with exactly this entry of ours in `event`."""
        listed = self._lists(text).get(event)
        if listed is None:
            if not self._has_hooks(text):
                return jsontext.append(text, (), {event: [entry]}, key=self.key)
            return jsontext.append(text, (self.key,), [entry], key=event)
        paths = [path for path, _ in self._ours(event, listed)]
        for extra in reversed(paths[1:]):
            text = _cut(text, (self.key, event, *extra), frozenset())
        if not paths:
            return jsontext.append(text, (self.key, event), entry)
        return self._renewed(text, event, paths[0], entry)

    def _renewed(self, text: str, event: str, path: Path, entry: dict[str, object]) -> str:
        """Bring the hook of ours at this path up to date, or return `text` as it is when it is."""
        index = path[0]
        assert isinstance(index, int)
        current = self._lists(text)[event][index]
        if not isinstance(current, dict):
            return text
        if not self._is_grouped(event) or len(current["hooks"]) == 1:
            return text if current == entry else jsontext.replace(text, (self.key, event, index), entry)
        hook = dict(self._ours(event, self._lists(text)[event]))[path]
        ours = _items(entry["hooks"])[0]
        if _command(hook) == ours["command"]:
            return text
        if "args" in hook:  # a line for a shell can't have them
            return jsontext.replace(text, (self.key, event, *path), ours)
        return jsontext.replace(text, (self.key, event, *path, "command"), ours["command"])

    def _without(self, text: str, event: str, protected: Set[Path]) -> str:
        """`text` without any hook of ours in `event`."""
        for path in reversed([path for path, _ in self._ours(event, self._lists(text)[event])]):
            text = _cut(text, (self.key, event, *path), protected)
        return text

    def _lists(self, text: str) -> dict[str, list[object]]:
        """The lists of hooks or of groups, by event; whatever has another shape is left out."""
        hooks = jsontext.members(text).get(self.key)
        if not isinstance(hooks, dict):
            return {}
        return {event: listed for event, listed in hooks.items() if isinstance(listed, list)}

    def _has_hooks(self, text: str) -> bool:
        return self.key in jsontext.members(text)

    def _refuse_odd_shapes(self, text: str) -> None:
        """Settings that the agent itself would not take are for a person to mend."""
        root = jsontext.parse_commented(text)
        if not isinstance(root.value, dict):
            raise jsontext.Malformed(text, root.start, "expected an object, with braces")
        hooks = jsontext.find(root, (self.key,))
        if hooks and not isinstance(hooks.value, dict):
            raise jsontext.Malformed(text, hooks.start, f'"{self.key}" should be an object, with braces')
        for event in self.events:
            listed = jsontext.find(root, (self.key, event))
            if listed and not isinstance(listed.value, list):
                raise jsontext.Malformed(
                    text, listed.start, f'"{event}" should be a list, in square brackets'
                )


def _cut(text: str, hook: Path, protected: Set[Path]) -> str:
    """Cut one hook, and each thing around it that is left empty and isn't protected."""
    text = jsontext.cut(text, hook)
    group = [(hook[:4], hook[:3])] if len(hook) > 3 else []
    # What may be empty now, from inside out, and what then goes: a group goes with its matcher.
    for emptied, goes in (*group, (hook[:2], hook[:2]), (hook[:1], hook[:1])):
        node = jsontext.find(jsontext.parse_commented(text), emptied)
        if node is None or node.items or goes in protected:
            return text
        if goes == emptied and jsontext.comments(text[node.start : node.end]):
            return text  # what somebody wrote there outlives our hooks
        text = jsontext.cut(text, goes)
    return text


def _items(node: object) -> list[dict[str, object]]:
    return node if isinstance(node, list) else []


def _command(hook: Mapping[str, object]) -> str:
    """The command line of a hook, '' when it has none; one without a shell as a shell would be told it."""
    command, args = hook.get("command"), hook.get("args")
    if not isinstance(command, str):
        return ""
    return shlex.join([command, *map(str, args)]) if isinstance(args, list) and args else command
