"""What connects Gemini CLI: planned, done, and taken back to the byte, whatever its settings look like."""

from __future__ import annotations

import json
import os
import stat
import sys
from pathlib import Path
from typing import Any

import pytest
from connecting import everything, put, workplace
from machines import Machine as Desk

from ctxrepo.agents.gemini import install
from ctxrepo.agents.gemini.install import NAME, SETTINGS, TIMEOUT
from ctxrepo.agents.hook_line import HookLine
from ctxrepo.domain.formats.jsontext import blank_comments
from ctxrepo.errors import ConfigError, CtxrepoError
from ctxrepo.services.setup import setup
from ctxrepo.services.setup.connection import Machine
from ctxrepo.services.setup.standings import check
from ctxrepo.storage.user import assets
from ctxrepo.storage.user.places import Places

HOME = Path("/home/ada")

COMMENTED = b"""\
// Mine, kept with my dotfiles.
{
  "security": { "auth": { "selectedType": "gemini-api-key" } }, /* not oauth */
  "ui": {
    "theme": "Atom One" // "http://example.org" is no comment
  }, // of the ui
  "context": {
    "fileName": ["GEMINI.md", "AGENTS.md"] // both
  } // the last one
  // "model": { "name": "gemini-3-pro" }
}
// the end
"""

WITH_HOOKS = b"""\
{
  "hooks": {
    // ring when it is done
    "AfterAgent": [
      { "hooks": [{ "name": "bell", "type": "command", "command": "printf '\\\\a'" }] } // a bell
    ],
    "AfterTool": [ /* none yet */ ]
  },
  "hooksConfig": { "disabled": ["bell"] }
}
"""

SETTINGS_AS_PEOPLE_HAVE_THEM: dict[str, bytes | None] = {
    "absent": None,
    "empty": b"",
    "empty object": b"{}",
    "only a comment": b"{\n  // nothing yet\n}\n",
    "comment behind": b"{} // nothing",
    "usual": b'{\n  "security": {\n    "auth": {\n      "selectedType": "oauth-personal"\n    }\n  }\n}',
    "commented": COMMENTED,
    "hooks": WITH_HOOKS,
    "tabs and carriage returns": COMMENTED.replace(b"  ", b"\t").replace(b"\n", b"\r\n"),
    "byte order mark": b"\xef\xbb\xbf" + COMMENTED,
    "minified": b'{"ui":{"theme":"x"}/* why */,"hooks":{"SessionStart":[]}}',
}


@pytest.fixture
def machine(ada: Desk) -> Machine:
    return workplace(ada)


@pytest.fixture
def settings(ada: Desk) -> Path:
    return ada.home / ".gemini/settings.json"


def connect(machine: Machine) -> None:
    setup.apply(setup.plan("gemini", machine))


def disconnect(machine: Machine) -> None:
    setup.apply(setup.removal("gemini", machine))


def loaded(path: Path) -> dict[str, Any]:
    """What Gemini CLI reads."""
    document: dict[str, Any] = json.loads(blank_comments(path.read_text("utf-8-sig")))
    return document


def paths(**environment: str) -> list[Path]:
    return [file.path for file in install.files(HOME, environment, str)]


def test_files_are_where_gemini_cli_looks() -> None:
    names = (".gemini/settings.json", ".gemini/policies/ctxrepo.toml", ".agents/skills")
    assert paths() == [HOME / name for name in names]
    assert paths(GEMINI_CLI_HOME="/w") == [Path("/w") / name for name in names]
    assert paths(GEMINI_CLI_HOME="") == paths()
    with pytest.raises(ConfigError, match="GEMINI_CLI_HOME"):
        install.folder(HOME, {"GEMINI_CLI_HOME": "~/w"})


@pytest.mark.parametrize("name", SETTINGS_AS_PEOPLE_HAVE_THEM)
def test_setup_and_the_way_back(ada: Desk, machine: Machine, settings: Path, name: str) -> None:
    put(settings, SETTINGS_AS_PEOPLE_HAVE_THEM[name])
    before = everything(ada.home)
    connect(machine)
    hooks = loaded(settings)["hooks"]
    for event, group in SETTINGS.entries(lambda event: machine.line("gemini", event)).items():
        assert hooks[event][-1] == group
    assert check("gemini", machine).state == "current"
    connected = everything(ada.home)
    assert setup.plan("gemini", machine).visible == ()
    connect(machine)
    assert everything(ada.home) == connected
    disconnect(machine)
    assert everything(ada.home) == before


@pytest.mark.parametrize("name", ["commented", "hooks", "tabs and carriage returns", "only a comment"])
def test_the_way_back_without_a_receipt(ada: Desk, machine: Machine, settings: Path, name: str) -> None:
    put(settings, SETTINGS_AS_PEOPLE_HAVE_THEM[name])
    before = settings.read_bytes()
    connect(machine)
    for receipt in (ada.home / ".config/ctxrepo/receipts").iterdir():
        receipt.unlink()
    disconnect(machine)
    assert settings.read_bytes() == before


def test_every_comment_is_there_while_it_is_connected(machine: Machine, settings: Path) -> None:
    put(settings, COMMENTED)
    connect(machine)
    text = settings.read_text()
    for comment in (
        "// Mine",
        "/* not oauth */",
        "// of the ui",
        "// both\n",
        "// the last one\n",
        '// "model"',
    ):
        assert comment in text
    assert text.endswith("}\n// the end\n")


def test_what_a_person_edited_since_stays(machine: Machine, settings: Path) -> None:
    put(settings, WITH_HOOKS)
    connect(machine)
    edited = (
        settings.read_bytes()
        .replace(b"// a bell", b"// a bell, at night")
        .replace(b'"bell"]', b'"bell", "x"]')
    )
    settings.write_bytes(edited)
    disconnect(machine)
    assert settings.read_bytes() == WITH_HOOKS.replace(b"// a bell", b"// a bell, at night").replace(
        b'"bell"]', b'"bell", "x"]'
    )


def test_settings_that_gemini_cli_wrote_anew_are_current(machine: Machine, settings: Path) -> None:
    """Its own dialog of settings lays the file out in its way."""
    put(settings, COMMENTED)
    connect(machine)
    settings.write_text(json.dumps(loaded(settings), indent=4))
    assert check("gemini", machine).state == "current"
    disconnect(machine)
    assert "hooks" not in loaded(settings)


def test_a_link_stays_a_link_and_rights_stay(ada: Desk, machine: Machine, settings: Path) -> None:
    real = ada.home / "dotfiles/gemini.json"
    put(real, COMMENTED, 0o600)
    settings.parent.mkdir()
    settings.symlink_to(real)
    connect(machine)
    assert settings.is_symlink()
    assert stat.S_IMODE(real.stat().st_mode) == 0o600
    assert b"ctxrepo/hook.py" in real.read_bytes()
    disconnect(machine)
    assert (settings.is_symlink(), real.read_bytes()) == (True, COMMENTED)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b'{\n  "a": 1,\n}', "line 3, column 1: a comma"),
        (b"{ // x\n  'a': 1 }", "line 2, column 3: expected a key in double quotes"),
        (b'{"hooks": { "AfterTool": {} }}', '"AfterTool" should be a list'),
        (b'{"a": "\xff"}', "not UTF-8 at byte 7"),
        (b"[]", "expected an object"),
    ],
)
def test_what_gemini_cli_cannot_read_is_told_and_left(
    machine: Machine, settings: Path, data: bytes, message: str
) -> None:
    put(settings, data)
    with pytest.raises(ConfigError, match=message):
        connect(machine)
    assert settings.read_bytes() == data
    assert check("gemini", machine).state in ("absent", "unknown")


def test_an_unreadable_file_is_told_and_left(commoner: Path) -> None:
    settings = commoner / ".gemini/settings.json"
    put(settings, COMMENTED, 0o000)
    with pytest.raises(CtxrepoError, match=r"settings\.json"):
        connect(Machine(Places.of({"HOME": str(commoner)}), {}, Path(sys.executable)))
    os.chmod(settings, 0o600)
    assert settings.read_bytes() == COMMENTED


def test_a_hook_has_a_name_and_its_time_in_milliseconds() -> None:
    group = SETTINGS.entries(lambda event: f"run {event}")["AfterTool"]
    hook = {"name": NAME, "type": "command", "command": "run AfterTool", "timeout": TIMEOUT}
    assert group["hooks"] == [hook]
    assert TIMEOUT >= 1000


def test_the_fragment_people_read_is_what_setup_writes() -> None:
    fragment = json.loads(assets.files("hooks")["gemini/settings.json"])
    words = HookLine(Path("{python}"), Path("{package}/hook.py"), Path("{state}"))
    expected = {event: [group] for event, group in SETTINGS.entries(lambda e: words("gemini", e)).items()}
    assert fragment == {"hooks": expected}
