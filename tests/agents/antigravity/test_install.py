"""What connects Antigravity: a list of hooks under our name, in the form that it wants of each event."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ctxrepo.agents.antigravity import install
from ctxrepo.agents.antigravity.install import HOOKS
from ctxrepo.agents.hook_line import HookLine
from ctxrepo.agents.known import AGENTS
from ctxrepo.agents.wanted import EditedDocument, SkillsFolder
from ctxrepo.domain.formats import jsontext
from ctxrepo.storage.user import assets

HOME = Path("/home/ada")
LINE = HookLine(Path("/usr/bin/python3"), Path("/opt/ctxrepo/hook.py"), Path("/var/state"))


def command(event: str) -> str:
    return LINE("antigravity", event)


OTHERS = """{
  "lint": {
    "PostToolUse": [
      { "matcher": "run_command", "hooks": [ { "type": "command", "command": "./lint.sh", "timeout": 10 } ] }
    ]
  },
  "hooks": { "enabled": false, "Stop": [ { "command": "say done" } ] }
}
"""

LISTS = {
    "others": OTHERS,
    "windows": "\ufeff" + OTHERS.replace("\n", "\r\n").rstrip("\r\n"),
    "minified": json.dumps(json.loads(OTHERS), separators=(",", ":")),
    "empty object": "{}",
    "switched off": '{"ctxrepo": {"enabled": false}}',
    "ours and theirs": '{"ctxrepo": {"Stop": [{"command": "say done"}], "PreToolUse": []}}',
}


@pytest.mark.parametrize("text", LISTS.values(), ids=LISTS)
def test_ours_stand_under_our_name_and_go_again_to_the_byte(text: str) -> None:
    before = json.loads(text.removeprefix("\ufeff"))
    connected = HOOKS.connect(text, command)
    after = json.loads(connected.removeprefix("\ufeff"))
    theirs, ours = before.pop("ctxrepo", {}), after.pop("ctxrepo")
    assert after == before
    for event, hook in HOOKS.entries(command).items():
        assert ours.pop(event) == [*theirs.pop(event, []), hook]
    assert ours == theirs
    assert HOOKS.connect(connected, command) == connected
    assert HOOKS.lines(connected) == {event: [command(event)] for event in HOOKS.events}
    assert HOOKS.disconnect(connected, text) == text
    assert HOOKS.disconnect(text, text) == text


@pytest.mark.parametrize("text", ["", "\ufeff", " \n"])
def test_a_list_that_we_made_says_nothing_without_us(text: str) -> None:
    connected = HOOKS.connect(text, command)
    assert not HOOKS.is_blank(connected)
    assert HOOKS.is_blank(HOOKS.disconnect(connected))


def test_only_the_form_is_written_that_it_documents() -> None:
    """It drops the whole file for one hook of another form: groups for tools, and for nothing else."""
    ours: dict[str, list[dict[str, Any]]] = json.loads(HOOKS.connect("", command))["ctxrepo"]
    assert {*ours} <= {"PreToolUse", "PostToolUse", "PreInvocation", "PostInvocation", "Stop"}
    for event, (entry,) in ours.items():
        (handler,) = entry.pop("hooks") if "ToolUse" in event else [entry]
        assert {*handler} == {"type", "command", "timeout"}
        assert (handler["type"], handler["timeout"]) == ("command", 10)
        assert "ToolUse" not in event or {*entry} == {"matcher"}


def test_hooks_of_an_older_installation_are_renewed_where_they_stand() -> None:
    past = HookLine(Path("/old/py"), LINE.hook, LINE.state)
    older = json.loads(HOOKS.connect(OTHERS, lambda event: past("antigravity", event)))
    older["ctxrepo"]["Stop"] = [*older["ctxrepo"]["Stop"] * 2, {"command": "mine"}]
    older["ctxrepo"]["PostInvocation"] = older["ctxrepo"].pop("PreInvocation")
    renewed = json.loads(HOOKS.connect(json.dumps(older, indent=2), command))
    wanted = HOOKS.entries(command)
    assert "/old/py" not in json.dumps(renewed)
    assert renewed["ctxrepo"] == {
        "PostToolUse": [wanted["PostToolUse"]],
        "Stop": [wanted["Stop"], {"command": "mine"}],
        "PreInvocation": [wanted["PreInvocation"]],
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{\n  // mine\n  "lint": {}\n}', "line 2, column 3: a comment"),
        ("[]", "expected an object"),
        ('{"ctxrepo": []}', '"ctxrepo" should be an object'),
        ('{"ctxrepo": {"Stop": {}}}', '"Stop" should be a list'),
        ('{"ctxrepo": 1', "but the file ends"),
    ],
)
def test_a_list_that_cannot_be_read_is_refused_with_its_place(text: str, message: str) -> None:
    with pytest.raises(jsontext.Malformed, match=message):
        HOOKS.connect(text, command)


def test_files_are_where_antigravity_looks() -> None:
    document, servers, skills = install.files(HOME, {}, lambda event: f"run {event}")
    assert isinstance(document, EditedDocument)
    assert isinstance(skills, SkillsFolder)
    folder = HOME / ".gemini/config"
    assert (document.path, skills.path) == (folder / "hooks.json", folder / "skills")
    assert servers.path == folder / "mcp_config.json"
    assert document.hooks == {event: f"run {event}" for event in HOOKS.events}


def test_what_switches_them_off_is_seen() -> None:
    (switch,) = AGENTS["antigravity"].switches
    (layer,) = switch.layers(HOME / ".gemini/config", None, {})
    assert layer.path == HOME / ".gemini/config/hooks.json"
    connected = HOOKS.connect(LISTS["switched off"], command)
    assert switch.is_off(connected)
    assert not switch.is_off(HOOKS.connect("", command))


def test_the_fragment_people_read_is_what_setup_writes() -> None:
    fragment = json.loads(assets.files("hooks")["antigravity/hooks.json"])
    words = HookLine(Path("{python}"), Path("{package}/hook.py"), Path("{state}"))
    wanted = HOOKS.entries(lambda event: words("antigravity", event))
    assert fragment == {"ctxrepo": {event: [hook] for event, hook in wanted.items()}}
