from __future__ import annotations

import base64
import json
import stat
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ctxrepo.agents import claude
from ctxrepo.agents.base import HookLine
from ctxrepo.errors import Busy, ConfigError, CtxrepoError, UsageError
from ctxrepo.services import setup
from ctxrepo.services.connected import Standing, check
from ctxrepo.services.connection import Machine
from ctxrepo.storage import assets
from ctxrepo.storage.places import Places

PRETTY = b"""\
{
  "$schema": "https://json.schemastore.org/claude-code-settings.json",
  "model": "opus",
  "env": { "BASH_DEFAULT_TIMEOUT_MS": "120000", "EDITOR": "vim" },
  "permissions": {
    "allow": ["Bash(npm run test:*)", "Read(~/notes/**)"],
    "deny": [
      "Read(./.env)"
    ]
  },
  "hooks": {
    "Stop": [
      {
        "hooks": [
          { "type": "command", "command": "afplay /System/Library/Sounds/Glass.aiff" }
        ]
      }
    ],
    "PreToolUse": [
      {
        "matcher": "Bash",
        "hooks": [
          {
            "type": "command",
            "command": "jq -r '.tool_input.command' >> ~/.claude/bash.log"
          }
        ]
      }
    ]
  },
  "statusLine": { "type": "command", "command": "~/.claude/status.sh", "padding": 0 }
}
"""

TABS = b"""\
{
	"hooks": {
		"PostToolUse": [
			{
				"matcher": "Edit|Write",
				"hooks": [
					{ "type": "command", "command": "prettier --write", "timeout": 30 }
				]
			},
			{
				"matcher": "Bash",
				"hooks": [{ "type": "command", "command": "/usr/local/bin/audit" }]
			}
		],
		"SessionStart": [
			{
				"matcher": "startup|resume",
				"hooks": [
					{
						"type": "command",
						"command": "cat ~/context.md"
					}
				]
			}
		]
	},
	"includeCoAuthoredBy": false
}""".replace(b"\n", b"\r\n")

MINIFIED = (
    b'{"cleanupPeriodDays":30,"env":{"GREETING":"caf\\u00e9 \\ud83d\\ude00 \\/ \\"x\\""},'
    b'"enabledPlugins":{"a@b":{"on":true,"x":[1,2.50,1e3,{}]}},"hooks":{"SessionEnd":[{"hooks":'
    b'[{"type":"command","command":"sync"}]}],"UserPromptSubmit":[{"hooks":[{"type":"http","url":"x"}]}]}}'
)

FILES: dict[str, bytes | None] = {
    "pretty": PRETTY,
    "tabs, carriage returns, no final newline": TABS,
    "minified": MINIFIED,
    "absent": None,
    "empty": b"",
    "blank": b" \n\n",
    "empty object": b"{}",
    "empty object on two lines": b"{\n}\n",
    "byte order mark": b"\xef\xbb\xbf" + PRETTY,
    "only a byte order mark": b"\xef\xbb\xbf",
    "empty hooks": b'{\n    "hooks": {},\n    "model": "opus"\n}\n',
    "empty list": b'{"hooks": {"Stop": [ ]}}\n',
}

every_file = pytest.mark.parametrize("data", FILES.values(), ids=FILES.keys())


@pytest.fixture
def machine(home: Path) -> Machine:
    return Machine(Places.of({"HOME": str(home)}), {}, Path(sys.executable))


@pytest.fixture
def settings(home: Path) -> Path:
    return home / ".claude/settings.json"


def put(path: Path, data: bytes | None, mode: int = 0o644) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if data is not None:
        path.write_bytes(data)
        path.chmod(mode)


def loaded(data: bytes | None) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((data or b"").decode("utf-8-sig").strip() or "{}")
    return found


def connect(machine: Machine) -> None:
    setup.apply(setup.plan("claude", machine))


def disconnect(machine: Machine) -> None:
    setup.apply(setup.removal("claude", machine))


def everything(home: Path) -> dict[str, bytes | None]:
    """Every file and folder below the home but the config folder itself."""
    found = {str(p.relative_to(home)): p.read_bytes() if p.is_file() else None for p in home.rglob("*")}
    return {p: data for p, data in found.items() if p not in (".config", ".config/ctxrepo")}


@every_file
def test_setup_adds_our_hooks_behind_theirs(machine: Machine, settings: Path, data: bytes | None) -> None:
    put(settings, data)
    connect(machine)
    before, after = loaded(data), loaded(settings.read_bytes())
    line = HookLine(machine.interpreter, assets.HOOK, machine.places.state)
    ours = claude.groups(lambda event: line("claude", event))
    theirs = before.pop("hooks", {})
    events = {**theirs, **{event: [*theirs.get(event, []), group] for event, group in ours.items()}}
    assert after.pop("hooks") == events
    assert after == before


@every_file
def test_removing_gives_every_byte_back(
    home: Path, machine: Machine, settings: Path, data: bytes | None
) -> None:
    put(settings, data)
    before = everything(home)
    connect(machine)
    assert everything(home) != before
    disconnect(machine)
    assert everything(home) == before


@pytest.mark.parametrize(
    "name", ["pretty", "tabs, carriage returns, no final newline", "minified", "empty object"]
)
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


@every_file
def test_setup_twice_changes_nothing(
    home: Path, machine: Machine, settings: Path, data: bytes | None
) -> None:
    put(settings, data)
    connect(machine)
    before = everything(home)
    assert setup.plan("claude", machine).changes == ()
    connect(machine)
    assert everything(home) == before


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


@pytest.mark.parametrize(
    "name", ["pretty", "tabs, carriage returns, no final newline", "minified", "empty hooks"]
)
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
            for e in claude.events()
        ]
        for m in (machine, other)
    )
    for before, after in zip(old, new, strict=True):
        assert first.count(before) == 1
        first = first.replace(before, after)
    assert settings.read_text() == first
    disconnect(other)
    assert settings.read_bytes() == PRETTY


def test_a_link_stays_a_link(home: Path, machine: Machine, settings: Path) -> None:
    target = home / "dotfiles/claude.json"
    put(target, PRETTY)
    target.chmod(0o640)
    settings.parent.mkdir()
    settings.symlink_to("../dotfiles/claude.json")
    connect(machine)
    assert settings.is_symlink()
    assert b"ctxrepo/hook.py" in target.read_bytes()
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    disconnect(machine)
    assert settings.is_symlink()
    assert target.read_bytes() == PRETTY
    assert [p.name for p in target.parent.iterdir()] == ["claude.json"]


@pytest.mark.parametrize(
    ("spoil", "error", "said"),
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
    said: str,
) -> None:
    spoil(settings)
    before = everything(home)
    with pytest.raises(error, match=said) as caught:
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


def test_a_file_that_changed_since_it_was_shown_is_left_alone(
    home: Path, machine: Machine, settings: Path
) -> None:
    put(settings, PRETTY)
    plan = setup.plan("claude", machine)
    settings.write_bytes(PRETTY + b"\n")
    before = everything(home)
    with pytest.raises(Busy, match="settings"):
        setup.apply(plan)
    assert everything(home) == before


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


def test_two_config_folders_are_kept_apart(home: Path, machine: Machine, settings: Path) -> None:
    work = replace(machine, environment={"CLAUDE_CONFIG_DIR": str(home / "work")})
    before = everything(home)
    connect(machine)
    connect(work)
    disconnect(machine)
    assert (home / "work/settings.json").is_file()
    assert (home / "work/skills/memory-write/SKILL.md").is_file()
    disconnect(work)
    assert everything(home) == before


def test_a_skill_that_was_edited_is_left_alone(home: Path, machine: Machine) -> None:
    skill = home / ".claude/skills/memory-write/SKILL.md"
    connect(machine)
    skill.write_text("mine")
    plan = setup.plan("claude", machine)
    assert not plan.visible
    assert "memory-write" in plan.notices[0]
    plan = setup.removal("claude", machine)
    assert str(skill) in plan.notices[0]
    setup.apply(plan)
    assert skill.read_text() == "mine"


def test_of_several_skills_only_the_edited_one_is_left_alone(home: Path, machine: Machine) -> None:
    skills = home / ".claude/skills"
    connect(machine)
    put(skills / "memory-init/SKILL.md", b"mine")
    (skills / "memory-write/SKILL.md").unlink()
    connect(machine)
    shipped = assets.files("skills")
    there = {p.relative_to(skills).as_posix(): p.read_bytes() for p in skills.rglob("*.md")}
    assert len(shipped) > 2
    assert there == {**shipped, "memory-init/SKILL.md": b"mine"}
    disconnect(machine)
    assert [p for p in skills.rglob("*") if p.is_file()] == [skills / "memory-init/SKILL.md"]


def test_a_skill_of_the_same_name_is_never_overwritten(home: Path, machine: Machine) -> None:
    skill = home / ".claude/skills/memory-write/SKILL.md"
    put(skill, b"theirs")
    before = everything(home)
    connect(machine)
    disconnect(machine)
    assert everything(home) == before


def test_a_skill_of_an_older_version_is_brought_up_to_date(
    home: Path, machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    shipped = assets.files("skills")
    before = everything(home)
    with monkeypatch.context() as patch:
        patch.setattr(
            assets, "files", lambda name: {"memory-write/SKILL.md": b"old", "gone/SKILL.md": b"old"}
        )
        connect(machine)
    connect(machine)
    skills = home / ".claude/skills"
    assert {p.relative_to(skills).as_posix(): p.read_bytes() for p in skills.rglob("*.md")} == shipped
    disconnect(machine)
    assert everything(home) == {**before}


def test_only_agents_that_are_there_are_present(home: Path, machine: Machine) -> None:
    assert setup.present(machine) == ()
    (home / ".claude").mkdir()
    assert setup.present(machine) == ("claude",)
    with pytest.raises(UsageError, match="emacs"):
        setup.plan("emacs", machine)


def test_check_tells_how_an_agent_stands(
    machine: Machine, settings: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hook = tmp_path / "ctxrepo/hook.py"
    put(hook, b"")
    monkeypatch.setattr(assets, "HOOK", hook)
    assert check("claude", machine).state == "absent"
    put(settings, PRETTY)
    assert check("claude", machine).state == "absent"
    connect(machine)
    assert check("claude", machine) == Standing("claude", "current")
    settings.chmod(0o444)
    assert check("claude", machine).state == "current"


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda m, s, hook: hook.unlink(), "hook.py, which is gone"),
        (
            lambda m, s, hook: connect(replace(m, interpreter=Path("/gone/python"))),
            "/gone/python, which is gone",
        ),
        (lambda m, s, hook: s.write_text(s.read_text().replace('"Stop"', '"Stopp"')), "no hook for Stop"),
        (lambda m, s, hook: connect(replace(m, interpreter=Path("/bin/sh"))), "another installation"),
        (lambda m, s, hook: s.write_text(s.read_text().replace("|NotebookEdit", "")), "this version"),
        (lambda m, s, hook: (s.parent / "skills/memory-write/SKILL.md").unlink(), "this version"),
        (lambda m, s, hook: s.write_text(s.read_text() + "]"), "line"),
    ],
)
def test_check_tells_what_is_stale(
    machine: Machine,
    settings: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    spoil: Callable[[Machine, Path, Path], object],
    said: str,
) -> None:
    hook = tmp_path / "ctxrepo/hook.py"
    put(hook, b"")
    monkeypatch.setattr(assets, "HOOK", hook)
    connect(machine)
    spoil(machine, settings, hook)
    standing = check("claude", machine)
    assert standing.state == "stale"
    (finding,) = standing.findings
    assert said in finding.problem
    assert finding.remedy


def test_check_tells_when_hooks_are_switched_off(machine: Machine, settings: Path) -> None:
    put(settings, b'{"disableAllHooks": true}')
    connect(machine)
    assert "disableAllHooks" in check("claude", machine).findings[-1].problem
