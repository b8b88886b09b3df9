"""What connects Cursor: our hooks in its list behind those of others, and every byte back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ctxrepo.agents.cursor import install
from ctxrepo.agents.cursor.install import HOOKS
from ctxrepo.agents.hook_line import HookLine
from ctxrepo.agents.wanted import EditedDocument, SkillsFolder
from ctxrepo.domain.formats import jsontext
from ctxrepo.storage.user import assets

HOME = Path("/home/ada")
LINE = HookLine(Path("/usr/bin/python3"), Path("/opt/ctxrepo/hook.py"), Path("/var/state"))


def command(event: str) -> str:
    return LINE("cursor", event)


OTHERS = """{
  "version": 1,
  "hooks": {
    "afterFileEdit": [
      { "command": "hooks/format.sh", "timeout": 30 }
    ],
    "beforeShellExecution": [
      { "command": "./hooks/audit.sh", "matcher": "curl|wget" },
      { "command": "python3 ~/x/ctxrepo/hook.py claude Stop" }
    ],
    "stop": []
  }
}
"""

LISTS = {
    "others": OTHERS,
    "windows": "\ufeff" + OTHERS.replace("\n", "\r\n").rstrip("\r\n"),
    "tabs": OTHERS.replace("  ", "\t"),
    "minified": json.dumps(json.loads(OTHERS), separators=(",", ":")),
    "no version": '{\n    "hooks": {}\n}',
    "version last": '{ "hooks": { "stop": [ { "command": "say done" } ] }, "version": 1 }\n',
    "schema": '{"$schema": "https://unpkg.com/cursor-hooks", "version": 1, "hooks": {"Stop": 7}}',
    "only a version": '{"version": 1}\n',
    "empty object": "{}",
}


@pytest.mark.parametrize("text", LISTS.values(), ids=LISTS)
def test_ours_come_behind_theirs_and_go_again_to_the_byte(text: str) -> None:
    before = json.loads(text.removeprefix("\ufeff"))
    connected = HOOKS.connect(text, command)
    after = json.loads(connected.removeprefix("\ufeff"))
    assert after.pop("version") == before.pop("version", 1)
    theirs, ours = before.pop("hooks", {}), after.pop("hooks")
    assert after == before
    for event, hook in HOOKS.entries(command).items():
        assert ours.pop(event) == [*theirs.pop(event, []), hook]
    assert ours == theirs
    assert HOOKS.connect(connected, command) == connected
    assert HOOKS.lines(connected) == {event: [command(event)] for event in HOOKS.events}
    assert HOOKS.lines(text) == {}
    assert HOOKS.disconnect(connected, text) == text
    assert HOOKS.disconnect(text, text) == text


@pytest.mark.parametrize("name", ["others", "windows", "tabs", "minified", "version last"])
def test_without_the_text_from_before_only_what_is_empty_goes(name: str) -> None:
    text = LISTS[name]
    cut = HOOKS.disconnect(HOOKS.connect(text, command))
    left = json.loads(cut.removeprefix("\ufeff"))
    wanted = json.loads(text.removeprefix("\ufeff"))
    wanted["hooks"] = {event: listed for event, listed in wanted["hooks"].items() if listed}
    assert left == wanted


@pytest.mark.parametrize("text", ["", "\ufeff", " \n"])
def test_a_list_that_we_made_says_nothing_without_us(text: str) -> None:
    connected = HOOKS.connect(text, command)
    assert connected.startswith("\ufeff") == text.startswith("\ufeff")
    assert not HOOKS.is_blank(connected)
    assert HOOKS.is_blank(HOOKS.disconnect(connected, text))
    assert HOOKS.is_blank(HOOKS.disconnect(connected))
    assert HOOKS.disconnect(text) == text


def test_hooks_of_an_older_installation_are_renewed_where_they_stand() -> None:
    past = HookLine(Path("/old/py"), LINE.hook, LINE.state)
    older = HOOKS.connect(OTHERS, lambda event: past("cursor", event))
    older = older.replace('"preCompact"', '"subagentStart"')  # an event that gets no hook any more
    twice = json.loads(older)
    twice["hooks"]["sessionEnd"] *= 2
    twice["hooks"]["sessionEnd"].append({"command": "mine"})
    renewed = json.loads(HOOKS.connect(json.dumps(twice, indent=2), command))
    assert "/old/py" not in json.dumps(renewed)
    assert renewed["hooks"]["sessionEnd"] == [HOOKS.entries(command)["sessionEnd"], {"command": "mine"}]
    assert "subagentStart" not in renewed["hooks"]
    assert renewed["hooks"]["beforeShellExecution"] == json.loads(OTHERS)["hooks"]["beforeShellExecution"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{\n  // mine\n  "version": 1\n}', "line 2, column 3: a comment"),
        ('{"version": 1,}', "line 1, column 15: a comma"),
        ("[]", "expected an object"),
        ('{"hooks": []}', '"hooks" should be an object'),
        ('{"hooks": {"stop": {}}}', '"stop" should be a list'),
        ('{"version": 1', "but the file ends"),
    ],
)
def test_a_list_that_cannot_be_read_is_refused_with_its_place(text: str, message: str) -> None:
    with pytest.raises(jsontext.Malformed, match=message):
        HOOKS.connect(text, command)


def test_files_are_where_cursor_looks() -> None:
    document, servers, skills = install.files(HOME, {"CURSOR_CONFIG_DIR": "/w"}, lambda event: f"run {event}")
    assert isinstance(document, EditedDocument)
    assert isinstance(skills, SkillsFolder)
    assert (document.path, skills.path) == (HOME / ".cursor/hooks.json", HOME / ".agents/skills")
    assert servers.path == HOME / ".cursor/mcp.json"
    assert document.hooks == {event: f"run {event}" for event in HOOKS.events}


def test_the_fragment_people_read_is_what_setup_writes() -> None:
    fragment = json.loads(assets.files("hooks")["cursor/hooks.json"])
    words = HookLine(Path("{python}"), Path("{package}/hook.py"), Path("{state}"))
    wanted = HOOKS.entries(lambda event: words("cursor", event))
    assert fragment == {"version": 1, "hooks": {event: [hook] for event, hook in wanted.items()}}
    assert list(fragment["hooks"]) == list(HOOKS.events)
