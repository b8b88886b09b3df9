"""Cursor's list of hooks: how ours stand in it.

`hooks.json` holds `{"version": 1, "hooks": {EVENT: [{"command", "matcher", "timeout"}]}}`; ours stand behind
those that are there. Cursor passes over the whole file where it doesn't know an event in it, so only events
of its documentation are here, and nothing but their commands marks our hooks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from ctxrepo.agents.hook_line import is_ours
from ctxrepo.domain.formats import jsontext, jsontree

NAME = "cursor"

VERSION = 1

TIMEOUT = 10
"""Seconds after which Cursor ends a hook."""

MATCHERS: Mapping[str, str] = {
    "sessionStart": "",
    "beforeSubmitPrompt": "",
    "postToolUse": "Read|Write|StrReplace|Edit|ApplyPatch|Delete|Shell",
    "postToolUseFailure": "Shell",
    "afterFileEdit": "",
    "preCompact": "",
    "stop": "",
    "sessionEnd": "",
}
"""The events that get a hook, and the tools an event is about ('' where it is about none)."""

_BLANK = "\ufeff \t\r\n"


def events() -> Sequence[str]:
    """The events that get a hook, in the order of a session."""
    return tuple(MATCHERS)


def hooks(line: Callable[[str], str]) -> dict[str, dict[str, object]]:
    """Our hook for each event; `line` gives an event's command."""
    ours: dict[str, dict[str, object]] = {}
    for event, matcher in MATCHERS.items():
        ours[event] = {"command": line(event), "timeout": TIMEOUT}
        if matcher:
            ours[event]["matcher"] = matcher
    return ours


def connect(text: str, line: Callable[[str], str]) -> str:
    """Put our hook into each event; jsontree.Malformed when this list can't be read.

    A hook of ours is brought up to date where it stands.
    """
    if not text.strip(_BLANK):
        text = "\ufeff{}\n" if text.startswith("\ufeff") else "{}\n"
    _refuse_odd_shapes(text)
    wanted = hooks(line)
    for event in _listed(text):
        if event not in wanted:
            text = _without(text, event, frozenset())
    if "version" not in _settings(text):
        text = jsontext.append(text, (), VERSION, key="version")
    for event, hook in wanted.items():
        text = _with(text, event, hook)
    return text


def disconnect(text: str, original: str | None = None) -> str:
    """Take our hooks out, and the lists and the object that this leaves empty.

    Lists and the object that `original` has are kept; the version goes when it had none. jsontree.Malformed
    when the text can't be read.
    """
    if not text.strip(_BLANK):
        return text
    before = _settings(original or "")
    kept: set[tuple[str, ...]] = set()
    if original is not None and "hooks" in before:
        kept = {("hooks",), *(("hooks", event) for event in _listed(original))}
    had_ours = bool(lines(text))
    for event in _listed(text):
        text = _without(text, event, kept)
    if had_ours and original is not None and "version" not in before and "version" in _settings(text):
        text = jsontext.cut(text, ("version",))
    return text


def lines(text: str) -> dict[str, list[str]]:
    """Our commands in this list, by event."""
    found = {
        event: [_command(listed[at]) for at in _places(listed)] for event, listed in _listed(text).items()
    }
    return {event: commands for event, commands in found.items() if commands}


def obstacle(_text: str) -> str:
    """Nothing in this list switches hooks off."""
    return ""


def is_blank(text: str) -> bool:
    """Whether it says nothing: no text, or an object without hooks."""
    if not text.strip(_BLANK):
        return True
    said = jsontree.parse(text).value
    return said in ({}, {"version": VERSION})


def _with(text: str, event: str, hook: dict[str, object]) -> str:
    """`text` with exactly this hook of ours in `event`."""
    listed = _listed(text).get(event)
    if listed is None:
        if "hooks" not in _settings(text):
            return jsontext.append(text, (), {event: [hook]}, key="hooks")
        return jsontext.append(text, ("hooks",), [hook], key=event)
    first, *extra = [*_places(listed)] or [-1]
    for at in reversed(extra):
        text = jsontext.cut(text, ("hooks", event, at))
    if first < 0:
        return jsontext.append(text, ("hooks", event), hook)
    return text if listed[first] == hook else jsontext.replace(text, ("hooks", event, first), hook)


def _without(text: str, event: str, kept: set[tuple[str, ...]] | frozenset[tuple[str, ...]]) -> str:
    """`text` without any hook of ours in `event`, and without what is left empty and isn't to be kept."""
    places = [*_places(_listed(text)[event])]
    for at in reversed(places):
        text = jsontext.cut(text, ("hooks", event, at))
    for path in (("hooks", event), ("hooks",)) if places else ():
        node = jsontree.find(jsontree.parse(text), path)
        if node is None or node.items or path in kept:
            break
        text = jsontext.cut(text, path)
    return text


def _listed(text: str) -> dict[str, list[object]]:
    """The lists of hooks, by event; whatever has another shape is left out."""
    found = _settings(text).get("hooks")
    if not isinstance(found, dict):
        return {}
    return {event: listed for event, listed in found.items() if isinstance(listed, list)}


def _settings(text: str) -> dict[str, object]:
    """What is in the file; empty when there is nothing, or no object."""
    said = jsontree.parse(text).value if text.strip(_BLANK) else {}
    return said if isinstance(said, dict) else {}


def _places(listed: list[object]) -> Iterator[int]:
    """Where our hooks are in an event's list."""
    return (at for at, hook in enumerate(listed) if is_ours(_command(hook), NAME))


def _command(hook: object) -> str:
    found = hook.get("command") if isinstance(hook, dict) else None
    return found if isinstance(found, str) else ""


def _refuse_odd_shapes(text: str) -> None:
    """What Cursor itself would not take is for a person to mend."""
    root = jsontree.parse(text)
    if not isinstance(root.value, dict):
        raise jsontree.Malformed(text, root.start, "expected an object, with braces")
    found = jsontree.find(root, ("hooks",))
    if found and not isinstance(found.value, dict):
        raise jsontree.Malformed(text, found.start, '"hooks" should be an object, with braces')
    for event in MATCHERS:
        listed = jsontree.find(root, ("hooks", event))
        if listed and not isinstance(listed.value, list):
            raise jsontree.Malformed(text, listed.start, f'"{event}" should be a list, in square brackets')
