"""setup and the way back: planned as values, shown, done, and undone."""

from __future__ import annotations

import base64
import json
import stat
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from connecting import FILES, connect, disconnect, everything, fixture, loaded, put

from ctxrepo.agents.claude.install import SETTINGS
from ctxrepo.agents.hook_line import HookLine
from ctxrepo.errors import ConfigError, CtxrepoError, UsageError
from ctxrepo.services.setup import setup
from ctxrepo.services.setup.connection import Machine
from ctxrepo.services.setup.standings import check
from ctxrepo.storage.user import assets

PRETTY, TABS, MINIFIED = (fixture(n) for n in ("usual", "tabs-crlf-no-final-newline", "minified"))


@pytest.mark.parametrize("name", ["usual", "tabs-crlf-no-final-newline", "minified", "empty object"])
def test_removing_gives_every_byte_back_without_a_receipt(
    home: Path, machine: Machine, settings: Path, name: str
) -> None:
    put(settings, FILES[name])
    before = everything(home)
    connect(machine)
    (receipt,) = (home / ".config/ctxrepo/receipts").iterdir()
    receipt.unlink()
    receipt.parent.rmdir()
    disconnect(machine)
    # Whether the skills' folder was there can't be known any more.
    assert everything(home) == {**before, ".claude/skills": None}


def test_the_receipt_is_what_is_given_back(home: Path, machine: Machine, settings: Path) -> None:
    put(settings, PRETTY)
    connect(machine)
    (receipt,) = (home / ".config/ctxrepo/receipts").iterdir()
    fields = json.loads(receipt.read_text())
    receipt.write_text(json.dumps({**fields, "original": base64.b64encode(b"{ }").decode()}))
    disconnect(machine)
    assert settings.read_bytes() == b"{ }"


def test_the_layout_of_the_file_is_followed(machine: Machine, settings: Path) -> None:
    put(settings, TABS)
    connect(machine)
    data = settings.read_bytes()
    assert data.count(b"\n") == data.count(b"\r\n")
    assert b'\r\n\t\t"Stop": [\r\n\t\t\t{\r\n\t\t\t\t"hooks": [\r\n\t\t\t\t\t{\r\n' in data
    assert not data.endswith(b"\n")
    settings.write_bytes(MINIFIED)
    connect(machine)
    data = settings.read_bytes()
    assert b"\n" not in data
    assert b'"Stop":[{"hooks":[{"type":"command","command":"' in data


def edited(data: bytes) -> bytes:
    """What a person does in their editor: another model, one more member, a hook of their own."""
    for old, new in (
        (b'"opus"', b'"haiku"'),
        (b"afplay", b"paplay"),
        (b"prettier", b"biome"),
        (b":30,", b":60,"),
    ):
        data = data.replace(old, new)
    return data


@pytest.mark.parametrize("name", ["usual", "tabs-crlf-no-final-newline", "minified", "empty hooks"])
@pytest.mark.parametrize("again", [False, True], ids=["", "set up again"])
def test_an_edit_made_since_stays(machine: Machine, settings: Path, name: str, again: bool) -> None:
    data = FILES[name]
    assert data is not None
    assert edited(data) != data
    put(settings, data)
    connect(machine)
    settings.write_bytes(edited(settings.read_bytes()))
    if again:
        connect(replace(machine, interpreter=Path("/opt/other/python3")))
    disconnect(machine)
    assert settings.read_bytes() == edited(data)


def test_a_member_added_after_ours_stays(machine: Machine, settings: Path) -> None:
    put(settings, b'{\n  "model": "opus"\n}\n')
    connect(machine)
    text = settings.read_text()
    assert text.endswith("  }\n}\n")
    settings.write_text(text[:-5] + '  },\n  "theme": "dark"\n}\n')
    disconnect(machine)
    assert settings.read_bytes() == b'{\n  "model": "opus",\n  "theme": "dark"\n}\n'


def test_a_file_we_made_stays_only_if_something_was_added(
    home: Path, machine: Machine, settings: Path
) -> None:
    connect(machine)
    settings.write_text(settings.read_text() + "\n")
    disconnect(machine)
    assert not (home / ".claude").exists()
    connect(machine)
    settings.write_text(json.dumps({**loaded(settings.read_bytes()), "model": "opus"}))
    disconnect(machine)
    assert settings.read_bytes() == b'{"model": "opus"}'


def test_a_new_interpreter_or_state_folder_replaces_our_lines_only(machine: Machine, settings: Path) -> None:
    put(settings, PRETTY)
    connect(machine)
    first = settings.read_text()
    other = replace(
        machine,
        interpreter=Path("/opt/py 3/bin/python"),
        places=replace(machine.places, state=Path("/var/it's")),
    )
    connect(other)
    old, new = (
        [
            json.dumps(HookLine(m.interpreter, assets.HOOK, m.places.state)("claude", e))
            for e in SETTINGS.events
        ]
        for m in (machine, other)
    )
    for before, after in zip(old, new, strict=True):
        assert first.count(before) == 1
        first = first.replace(before, after)
    assert settings.read_text() == first
    disconnect(other)
    assert settings.read_bytes() == PRETTY


@pytest.mark.parametrize(
    ("spoil", "error", "message"),
    [
        (lambda p: put(p, b'{\n  // mine\n  "a": 1\n}'), ConfigError, "line 2, column 3: a comment"),
        (lambda p: put(p, b'{"a": 1,}'), ConfigError, "line 1, column 9: a comma"),
        (lambda p: put(p, b'{"hooks": []}'), ConfigError, "line 1, column 11"),
        (lambda p: put(p, b'{"a": "\xff"}'), ConfigError, "not UTF-8 at byte 7"),
        (lambda p: p.mkdir(parents=True), CtxrepoError, "is not a file"),
        (lambda p: put(p, b"{}", 0o444), CtxrepoError, "read-only"),
    ],
)
def test_what_cannot_be_edited_is_one_error_and_nothing_changes(
    home: Path,
    machine: Machine,
    settings: Path,
    spoil: Callable[[Path], object],
    error: type[CtxrepoError],
    message: str,
) -> None:
    spoil(settings)
    before = everything(home)
    with pytest.raises(error, match=message) as caught:
        setup.plan("claude", machine)
    assert str(settings) in caught.value.message
    assert "\n" not in caught.value.message
    assert everything(home) == before


def test_a_plan_changes_nothing_and_shows_all(home: Path, machine: Machine, settings: Path) -> None:
    put(settings, b'{\n  "model": "opus"\n}\n')
    before = everything(home)
    plan = setup.plan("claude", machine)
    assert everything(home) == before
    assert f"--- {settings}\n+++ {settings}\n" in plan.diff
    assert '-  "model": "opus"\n+  "model": "opus",\n+  "hooks": {\n' in plan.diff
    assert f"--- /dev/null\n+++ {home}/.claude/skills/memory-write/SKILL.md\n" in plan.diff
    assert "receipts" not in plan.diff
    connect(machine)
    assert setup.plan("claude", machine).diff == ""
    plan = setup.removal("claude", machine)
    assert '+  "model": "opus"\n' in plan.diff
    assert b"ctxrepo/hook.py" in settings.read_bytes()


def test_a_crash_after_the_receipt_still_has_its_way_back(machine: Machine, settings: Path) -> None:
    put(settings, PRETTY)
    plan = setup.plan("claude", machine)
    setup.apply(replace(plan, changes=plan.changes[:1]))
    disconnect(machine)
    assert settings.read_bytes() == PRETTY


def test_the_receipt_is_private(home: Path, machine: Machine, settings: Path) -> None:
    put(settings, b'{"env": {"TOKEN": "s3cret"}}')
    connect(machine)
    (receipt,) = (home / ".config/ctxrepo/receipts").iterdir()
    assert base64.b64decode(json.loads(receipt.read_text())["original"]) == b'{"env": {"TOKEN": "s3cret"}}'
    assert [stat.S_IMODE(p.stat().st_mode) for p in (receipt, receipt.parent)] == [0o600, 0o700]


def test_that_the_plugin_is_there_too_is_said(machine: Machine, settings: Path) -> None:
    assert setup.plan("claude", machine).notices == ()
    put(settings, b'{"enabledPlugins": {"ctxrepo@ctxrepo": true}}')
    (notice,) = setup.plan("claude", machine).notices
    assert "plugin" in notice
    assert check("claude", machine).state == "plugin"
    connect(machine)
    assert check("claude", machine).state == "current"


def test_only_agents_that_are_there_are_present(home: Path, machine: Machine) -> None:
    assert setup.present(machine) == ()
    (home / ".claude").mkdir()
    assert setup.present(machine) == ("claude",)
    with pytest.raises(UsageError, match="emacs"):
        setup.plan("emacs", machine)
