from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxrepo.agents.claude.install import SETTINGS
from ctxrepo.agents.hook_line import HookLine
from ctxrepo.storage.user import assets

EVENTS = [
    "SessionStart",
    "UserPromptSubmit",
    "PostToolUse",
    "PostToolUseFailure",
    "SubagentStart",
    "Stop",
    "PreCompact",
    "SessionEnd",
]


def line(event: str, python: str = "/usr/bin/python3") -> str:
    return HookLine(Path(python), Path("/opt/ctxrepo/hook.py"), Path("/var/state"))("claude", event)


def newer(event: str) -> str:
    return line(event, "/usr/bin/python4")


def hooks(text: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(text.removeprefix("\ufeff"))["hooks"]
    return document


@pytest.mark.parametrize("text", ["", " \n", "{}", '{"hooks": {}}', '{"hooks": {"Stop": []}, "model": "x"}'])
def test_every_event_gets_one_group(text: str) -> None:
    groups = hooks(SETTINGS.connect(text, line))
    assert sorted(groups) == sorted(EVENTS)
    for event in EVENTS:
        (group,) = groups[event]
        assert group["hooks"] == [{"type": "command", "command": line(event), "timeout": 10}]
        matchers = {"PostToolUse": "Read|Edit|MultiEdit|Write|NotebookEdit", "PostToolUseFailure": "Bash"}
        assert group.get("matcher") == matchers.get(event)


def test_connecting_twice_changes_nothing() -> None:
    once = SETTINGS.connect('{"a": 1}', line)
    assert SETTINGS.connect(once, line) == once


def test_a_new_place_replaces_our_groups_where_they_stand() -> None:
    text = SETTINGS.connect('{\n  "hooks": {\n    "Stop": [{"hooks": []}]\n  }\n}', line)
    theirs = text.replace('"SessionStart": [', '"Setup": [],\n    "SessionStart": [')
    assert SETTINGS.connect(theirs, newer) == theirs.replace("python3", "python4")


def test_a_group_of_another_version_is_brought_up_to_date() -> None:
    old = (
        SETTINGS.connect("{}", line).replace("|NotebookEdit", "").replace('"timeout": 10', '"timeout": 5', 1)
    )
    assert SETTINGS.connect(old, line) == SETTINGS.connect("{}", line)


def test_an_event_we_no_longer_want_loses_our_hook() -> None:
    text = SETTINGS.connect("{}", line)
    older = text.replace('"SessionEnd"', '"Notification"')
    groups = hooks(SETTINGS.connect(older, line))
    assert sorted(groups) == sorted(EVENTS)


def test_hooks_of_ours_that_stand_twice_become_one() -> None:
    settings = {"hooks": SETTINGS.entries(line)}
    doubled = {event: [group, group, group] for event, group in settings["hooks"].items()}
    groups = hooks(SETTINGS.connect(json.dumps({"hooks": doubled}), newer))
    assert groups == {event: [group] for event, group in SETTINGS.entries(newer).items()}


def test_our_hook_in_a_group_of_theirs_changes_its_command_only() -> None:
    theirs = {"type": "command", "command": "say done"}
    ours = {"type": "command", "command": line("Stop"), "timeout": 3}
    text = json.dumps({"hooks": {"Stop": [{"hooks": [theirs, ours]}]}})
    connected = SETTINGS.connect(text, newer)
    (group,) = hooks(connected)["Stop"]
    assert group["hooks"][1] == {"type": "command", "command": newer("Stop"), "timeout": 3}
    (group,) = hooks(SETTINGS.disconnect(connected))["Stop"]
    assert group == {"hooks": [theirs]}


def test_disconnecting_leaves_a_hook_that_was_added_later() -> None:
    text = '{\n  "model": "x"\n}\n'
    connected = SETTINGS.connect(text, line)
    theirs = {"hooks": [{"type": "command", "command": "say done"}]}
    settings = json.loads(connected)
    settings["hooks"]["Stop"].append(theirs)
    cut = SETTINGS.disconnect(json.dumps(settings, indent=2) + "\n", text)
    assert cut == json.dumps({"model": "x", "hooks": {"Stop": [theirs]}}, indent=2) + "\n"


def test_what_was_empty_before_is_empty_after() -> None:
    text = '{"hooks": {"Stop": [], "Setup": [ ]}}'
    assert SETTINGS.disconnect(SETTINGS.connect(text, line), text) == text
    # Without knowing how it was, what we leave empty goes; what we never touched stays.
    assert SETTINGS.disconnect(SETTINGS.connect(text, line)) == '{"hooks": {"Setup": [ ]}}'


def test_lines_are_ours_only() -> None:
    text = '{"hooks": {"Stop": [{"hooks": [{"command": "say done"}]}, 3, {"hooks": 4}], "Setup": 5}}'
    assert SETTINGS.lines(text) == {}
    assert SETTINGS.lines("") == {}
    connected = SETTINGS.connect(text, line)
    assert SETTINGS.lines(connected) == {event: [line(event)] for event in EVENTS}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[]", "line 1, column 1: expected an object"),
        ('{"hooks": []}', 'line 1, column 11: "hooks" should be an object'),
        ('{"hooks": null}', 'line 1, column 11: "hooks" should be an object'),
        ('{\n "hooks": {"Stop": {}}}', 'line 2, column 20: "Stop" should be a list'),
        ('{"a": 1,}', "line 1, column 9: a comma"),
        ('{\n // mine\n "a": 1}', "line 2, column 2: a comment"),
    ],
)
def test_odd_settings_are_refused_by_their_place(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        SETTINGS.connect(text, line)


def test_the_fragment_people_read_is_what_setup_writes() -> None:
    fragment = json.loads(assets.files("hooks")["claude/settings.json"])
    words = HookLine(Path("{python}"), Path("{package}/hook.py"), Path("{state}"))
    expected = {event: [group] for event, group in SETTINGS.entries(lambda e: words("claude", e)).items()}
    assert fragment == {"hooks": expected}
    assert list(fragment["hooks"]) == list(SETTINGS.events)


_COMMANDS = st.fixed_dictionaries({"type": st.just("command"), "command": st.text(max_size=8)})
_GROUPS = st.fixed_dictionaries({"hooks": st.lists(_COMMANDS, max_size=2)}, optional={"matcher": st.text()})
# An event's list or the object may be missing; when it was there and empty, only the original can tell.
_HOOKS = st.dictionaries(
    st.sampled_from([*EVENTS, "Notification"]),
    st.lists(_GROUPS, min_size=1, max_size=2),
    min_size=1,
    max_size=4,
)
_OTHER = st.dictionaries(
    st.text().filter(lambda k: k != "hooks"), st.integers() | st.text() | st.none(), max_size=3
)


@pytest.mark.slow
@given(
    other=_OTHER,
    ours=st.none() | _HOOKS,
    indent=st.sampled_from([None, 0, 1, 2, 4, "\t"]),
    separators=st.sampled_from([None, (",", ":"), (" , ", " : "), (",  ", ":  ")]),
    newline=st.sampled_from(["\n", "\r\n"]),
    ends=st.sampled_from([("", ""), ("", "\n"), ("\ufeff", "\n\n"), ("\n", "")]),
)
def test_disconnect_undoes_connect_to_the_byte_without_knowing_how_it_was(
    other: dict[str, Any],
    ours: dict[str, Any] | None,
    indent: int | str | None,
    separators: tuple[str, str] | None,
    newline: str,
    ends: tuple[str, str],
) -> None:
    value = other if ours is None else {**other, "hooks": ours}
    text = ends[0] + json.dumps(value, indent=indent, separators=separators) + ends[1]
    text = text.replace("\n", newline)
    connected = SETTINGS.connect(text, line)
    groups = hooks(connected)
    for event, group in SETTINGS.entries(line).items():
        assert groups[event] == [*(ours or {}).get(event, []), group]
    assert SETTINGS.connect(connected, line) == connected
    assert SETTINGS.disconnect(connected) == text
    assert SETTINGS.disconnect(SETTINGS.connect(connected, newer)) == text
