"""Which commands an agent may run without asking: told to it by setup, and taken back to the byte."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest
from homes import HOMES, machine_of, snapshot, upgraded
from long import rotating

from ctxrepo.agents import names
from ctxrepo.agents.known import AGENTS
from ctxrepo.agents.permissions import ADDING, LEVELS, READING
from ctxrepo.agents.wanted import EditedDocument
from ctxrepo.domain.guard import handover
from ctxrepo.errors import ConfigError, UsageError
from ctxrepo.faces.cli import table
from ctxrepo.services.setup import setup, standings
from ctxrepo.services.setup.connection import Machine, wanted_of
from ctxrepo.services.setup.standings import check
from ctxrepo.storage.user.receipt import Choices

TOLD = [name for name in names() if AGENTS[name].rules]


@pytest.fixture(autouse=True)
def trusting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every agent trusts our hooks: whether it does is the matter of another test."""
    monkeypatch.setattr(standings, "find_distrust", lambda name, machine: None)


def test_only_what_reads_or_adds_may_be_allowed() -> None:
    commands = table.read().commands
    for head, *verb in map(str.split, LEVELS["write"]):
        assert not verb or verb[0] in commands[head].commands
    heads = {command.split()[0] for command in LEVELS["write"]}
    assert heads.isdisjoint(
        {"forget", "move", "archive", "sync", "pull", "push", "config", "setup", "undo", "init"}
    )
    assert not {"tape", "scratch", "conflicts"}.intersection(LEVELS["write"]), "some of their verbs take away"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("agent", "make"),
    rotating(product(TOLD, [make for make in HOMES if make is not upgraded])),
    ids=lambda value: value if isinstance(value, str) else value.__name__,
)
def test_a_home_is_as_it_was(home: Path, agent: str, make: Callable[[str, Path], None]) -> None:
    machine = machine_of(home)
    make(agent, home)
    before = snapshot(home)
    setup.apply(setup.plan(agent, machine, Choices("none")))
    connected = snapshot(home)
    setup.apply(setup.plan(agent, machine, Choices("write")))
    assert "remember" in said(agent, home)
    assert (check(agent, machine).state, check(agent, machine).choices.permissions) == ("current", "write")
    assert not setup.plan(agent, machine).visible, "asked for nothing, it keeps what it has"
    setup.apply(setup.plan(agent, machine, Choices("read")))
    assert "remember" not in said(agent, home)
    assert "recall" in said(agent, home)
    setup.apply(setup.plan(agent, machine, Choices("none")))
    receipts = ".config/ctxrepo/receipts"
    assert without(snapshot(home), receipts) == without(connected, receipts)
    setup.apply(setup.plan(agent, machine, Choices("write")))
    setup.apply(setup.removal(agent, machine))
    assert snapshot(home) == before


def without(files: Mapping[str, object], folder: str) -> dict[str, object]:
    return {path: file for path, file in files.items() if not path.startswith(folder)}


def said(agent: str, home: Path) -> str:
    """What the files of the agent say of commands of ours."""
    wanted = AGENTS[agent].install.files(home, {}, str)
    files = [document.path for document in wanted if document.path.is_file()]
    return "".join(line for file in files for line in file.read_text().splitlines() if "hook.py" not in line)


def test_codex_is_told_by_rules_that_it_reads(home: Path) -> None:
    setup.apply(setup.plan("codex", machine_of(home), Choices("write")))
    head, *rules = (home / ".codex/rules/ctxrepo.rules").read_text().splitlines()
    assert head.startswith("# Written by `ctxrepo setup`")
    commands = [
        json.loads(rule.removeprefix("prefix_rule(pattern = ").partition("], ")[0] + "]") for rule in rules
    ]
    assert commands == [["ctxrepo", *command.split()] for command in (*READING, *ADDING)]
    assert all(rule.endswith('], decision = "allow")') for rule in rules)


def test_gemini_is_told_by_a_policy(home: Path) -> None:
    setup.apply(setup.plan("gemini", machine_of(home), Choices("read")))
    (rule,) = tomllib.loads((home / ".gemini/policies/ctxrepo.toml").read_text())["rule"]
    assert rule == {
        "toolName": "run_shell_command",
        "commandPrefix": [f"ctxrepo {command}" for command in READING],
        "decision": "allow",
        "priority": 100,
    }


def test_claude_is_told_among_what_a_person_allows(home: Path) -> None:
    settings = home / ".claude/settings.json"
    settings.parent.mkdir()
    theirs = {"permissions": {"allow": ["Bash(ls:*)", "Bash(ctxrepo read:*)"], "deny": ["Bash(rm:*)"]}}
    settings.write_text(json.dumps(theirs, indent=2))
    setup.apply(setup.plan("claude", machine_of(home), Choices("read")))
    now = json.loads(settings.read_text())["permissions"]
    assert now["deny"] == ["Bash(rm:*)"]
    assert now["allow"][:2] == theirs["permissions"]["allow"]
    assert sorted(now["allow"][1:]) == sorted(f"Bash(ctxrepo {command}:*)" for command in READING)
    settings.write_text(settings.read_text().replace("Bash(ls:*)", "Bash(pwd:*)"))  # edited since
    setup.apply(setup.removal("claude", machine_of(home)))
    assert json.loads(settings.read_text()) == {
        "permissions": {"allow": ["Bash(pwd:*)", "Bash(ctxrepo read:*)"], "deny": ["Bash(rm:*)"]}
    }


@pytest.mark.parametrize("level", ["none", "read"])
def test_rules_in_no_list_are_told(home: Path, level: str) -> None:
    settings = home / ".claude/settings.json"
    settings.parent.mkdir()
    settings.write_text('{"permissions": {"allow": "all"}}')
    with pytest.raises(Exception, match='"allow" should be a list'):
        setup.plan("claude", machine_of(home), Choices(level))
    assert settings.read_text() == '{"permissions": {"allow": "all"}}'


@pytest.mark.parametrize("agent", TOLD)
def test_rules_that_somebody_took_away_are_missed(home: Path, agent: str) -> None:
    machine = machine_of(home)
    setup.apply(setup.plan(agent, machine, Choices("write")))
    for wanted in AGENTS[agent].install.files(home, {}, str):
        if wanted.path.is_file():
            wanted.path.write_text(
                wanted.path.read_text().replace("ctxrepo recall", "").replace('"recall"', '""')
            )
    assert check(agent, machine).state == "stale"


def test_an_agent_that_takes_no_rules_says_so(home: Path) -> None:
    with pytest.raises(UsageError, match="can't be told in advance"):
        setup.plan("pi", machine_of(home), Choices("read"))
    assert setup.plan("pi", machine_of(home), Choices("none")).visible


def test_a_file_of_rules_that_is_a_persons_is_left(home: Path) -> None:
    rules = home / ".codex/rules/ctxrepo.rules"
    rules.parent.mkdir(parents=True)
    rules.write_text("# mine\n")
    setup.apply(setup.plan("codex", machine_of(home)))
    assert rules.read_text() == "# mine\n"
    setup.apply(setup.removal("codex", machine_of(home)))
    assert rules.read_text() == "# mine\n"


def test_what_an_agent_may_add_unasked_it_may_hand_over_from_a_sandbox() -> None:
    assert handover.ADDING.issuperset(ADDING)


HANDOVER = ".local/state/ctxrepo/handover"

CONFIGS = {
    "none": None,
    "empty": b"",
    "a model": b'model = "gpt-5.5"  # mine\n',
    "no line break at the end": b"[features]\nmemories = true\n# the end",
    "a table of theirs": b"[sandbox_workspace_write]\n# mine\nnetwork_access = true\n\n[tui]\na = true\n",
    "folders of theirs": b'[sandbox_workspace_write]\nwritable_roots = [\n  "/srv", # mine\n]\n',
    "in one line": b'sandbox_workspace_write = { writable_roots = ["/srv"] }\n',
    "an empty table": b"[sandbox_workspace_write]\n[sandbox_workspace_write.a]\nb = 1\n",
    "windows": b'\xef\xbb\xbfa = 1\r\n\r\n[sandbox_workspace_write]\r\nwritable_roots = [ "/srv" ]\r\n',
}


@pytest.mark.parametrize("data", CONFIGS.values(), ids=CONFIGS)
def test_the_sandbox_of_codex_opens_one_folder(home: Path, data: bytes | None) -> None:
    config, machine = home / ".codex/config.toml", machine_of(home)
    config.parent.mkdir()
    if data is not None:
        config.write_bytes(data)
    setup.apply(setup.plan("codex", machine, Choices("read")))
    assert (config.read_bytes() if config.exists() else None) == data
    plan = setup.plan("codex", machine, Choices("write"))
    assert f'+writable_roots = ["{home / HANDOVER}"]' in plan.diff or f'"{home / HANDOVER}"' in plan.diff
    setup.apply(plan)
    settings = tomllib.loads(config.read_text().removeprefix("\ufeff"))
    before = tomllib.loads((data or b"").decode().removeprefix("\ufeff"))
    theirs = before.setdefault("sandbox_workspace_write", {}).setdefault("writable_roots", [])
    theirs.append(str(home / HANDOVER))
    assert settings == before
    assert (home / HANDOVER).stat().st_mode & 0o777 == 0o700
    assert setup.plan("codex", machine).changes == ()
    setup.apply(setup.plan("codex", machine, Choices("read")))
    assert (config.read_bytes() if config.exists() else None) == data
    setup.apply(setup.plan("codex", machine, Choices("write")))
    # As Codex does when somebody trusts a folder.
    more = b'\n[projects."/w"]\ntrust_level = "trusted"\n'
    config.write_bytes(config.read_bytes() + more)
    assert check("codex", machine).state == "current"
    setup.apply(setup.removal("codex", machine))
    left = tomllib.loads(config.read_text().removeprefix("\ufeff"))
    assert left == tomllib.loads((data or b"").decode().removeprefix("\ufeff") + more.decode())
    kept = config.read_bytes().replace(b" ", b"").replace(b",]", b"]")
    assert all(line.replace(b" ", b"") in kept for line in (data or b"").splitlines())


@pytest.mark.parametrize(
    "theirs",
    [
        "a = 1\nb = 2",
        "a = 1\n",
        "a = 1\r\n# the end",
        "a = 1\n[sandbox_workspace_write]",
        "a = 1\n[sandbox_workspace_write]\n[sandbox_workspace_write.b]\nc = 1\n",
    ],
)
def test_a_configuration_that_was_edited_since_is_otherwise_as_it_was(home: Path, theirs: str) -> None:
    config, machine = home / ".codex/config.toml", machine_of(home)
    config.parent.mkdir()
    config.write_bytes(theirs.encode())
    setup.apply(setup.plan("codex", machine, Choices("write")))
    config.write_bytes(config.read_bytes().replace(b"a = 1", b"a = 2"))
    setup.apply(setup.removal("codex", machine))
    assert config.read_bytes() == theirs.replace("a = 1", "a = 2").encode()


def test_told_of_no_machine_an_agent_opens_nothing_and_closes_nothing() -> None:
    text = f'[sandbox_workspace_write]\nwritable_roots = ["/home/ada/{HANDOVER}"]\n'
    for wanted in AGENTS["codex"].install.files(Path("/home/ada"), {}, str):
        if isinstance(wanted, EditedDocument) and wanted.path.name == "config.toml":
            assert wanted.document.disconnect(text, "") == text
            assert wanted.document.disconnect("no toml", "") == "no toml"


def test_a_folder_that_a_person_opened_stays_open(home: Path) -> None:
    config, settings = home / ".codex/config.toml", home / ".claude/settings.json"
    config.parent.mkdir()
    config.write_text(f'[sandbox_workspace_write]\nwritable_roots = ["{home / HANDOVER}"]\n')
    settings.parent.mkdir()
    settings.write_text(json.dumps({"sandbox": {"filesystem": {"allowWrite": [f"~/{HANDOVER}"]}}}))
    before = snapshot(home)
    for agent in ("codex", "claude"):
        for level in ("none", "write", "read", "none"):
            setup.apply(setup.plan(agent, machine_of(home), Choices(level)))
            assert HANDOVER in config.read_text()
            assert HANDOVER in settings.read_text()
        setup.apply(setup.removal(agent, machine_of(home)))
    assert snapshot(home) == before


@pytest.mark.parametrize("level", ["", "none"])
@pytest.mark.parametrize(
    "theirs", [None, b"a = 1\n", b'[sandbox_workspace_write]\nwritable_roots = ["/srv"]\n']
)
def test_the_folder_is_closed_though_the_receipt_is_lost(
    home: Path, theirs: bytes | None, level: str
) -> None:
    config, machine = home / ".codex/config.toml", machine_of(home)
    config.parent.mkdir()
    if theirs is not None:
        config.write_bytes(theirs)
    setup.apply(setup.plan("codex", machine, Choices("write")))
    (home / ".config/ctxrepo/receipts/codex.json").unlink()
    setup.apply(setup.plan("codex", machine, Choices(level)) if level else setup.removal("codex", machine))
    assert not (home / ".codex/rules/ctxrepo.rules").exists()
    assert (config.read_bytes() if config.exists() else b"") == (theirs or b"")
    setup.apply(setup.plan("codex", machine, Choices("write")))
    (home / ".config/ctxrepo/receipts/codex.json").unlink()
    setup.apply(setup.plan("codex", machine, Choices("write")))
    setup.apply(setup.removal("codex", machine))
    assert (config.read_bytes() if config.exists() else b"") == (theirs or b"")


def test_rules_that_a_person_wrote_stay_at_every_level(home: Path) -> None:
    settings = home / ".claude/settings.json"
    settings.parent.mkdir()
    settings.write_text('{"permissions": {"allow": ["Bash(ctxrepo read:*)"]}}')
    for level in ("none", "write", "none"):
        setup.apply(setup.plan("claude", machine_of(home), Choices(level)))
        assert "Bash(ctxrepo read:*)" in json.loads(settings.read_text())["permissions"]["allow"]
        settings.write_text(settings.read_text().rstrip() + "\n")  # edited since


def test_the_sandbox_of_claude_code_opens_one_folder(home: Path) -> None:
    settings, machine = home / ".claude/settings.json", machine_of(home)
    settings.parent.mkdir()
    theirs = {"sandbox": {"enabled": True, "filesystem": {"allowWrite": ["/srv"]}}}
    settings.write_text(json.dumps(theirs, indent=2))
    setup.apply(setup.plan("claude", machine, Choices("write")))
    sandbox = json.loads(settings.read_text())["sandbox"]
    assert sandbox == {"enabled": True, "filesystem": {"allowWrite": ["/srv", f"~/{HANDOVER}"]}}
    assert (home / HANDOVER).stat().st_mode & 0o777 == 0o700
    assert setup.plan("claude", machine).changes == ()
    settings.write_text(settings.read_text().replace('"/srv"', '"/opt"'))
    setup.apply(setup.plan("claude", machine, Choices("read")))
    assert json.loads(settings.read_text())["sandbox"]["filesystem"] == {"allowWrite": ["/opt"]}
    outside = Machine(replace(machine.places, state=Path("/var/x")), machine.environment, machine.interpreter)
    assert '"//var/x/handover"' in setup.plan("claude", outside, Choices("write")).diff


@pytest.mark.parametrize("agent", ["codex", "claude"])
def test_that_the_folder_is_gone_or_closed_again_is_told(home: Path, agent: str) -> None:
    machine = machine_of(home)
    setup.apply(setup.plan(agent, machine, Choices("write")))
    (home / HANDOVER).rmdir()
    standing = check(agent, machine)
    assert standing.state == "stale"
    assert "which isn't there" in standing.findings[0].problem
    setup.apply(setup.plan(agent, machine))
    assert check(agent, machine).state == "current"
    for document in wanted_documents(agent, machine):
        document.write_text(document.read_text().replace("/ctxrepo/handover", "/elsewhere"))
    standing = check(agent, machine)
    assert standing.state == "stale"
    (problem,) = [finding.problem for finding in standing.findings]
    file, folder = {"codex": ("config.toml", home / HANDOVER), "claude": ("settings.json", f"~/{HANDOVER}")}[
        agent
    ]
    message = f"the list in {home}/.{agent}/{file} of what its sandbox may write to lacks {folder}"
    assert problem == f"{AGENTS[agent].title}: {message}"


def wanted_documents(agent: str, machine: Machine) -> list[Path]:
    wanted = wanted_of(AGENTS[agent], machine)
    return [
        document.path
        for document in wanted
        if isinstance(document, EditedDocument) and not document.has_servers_alone
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('sandbox_workspace_write = "open"\n', "should be a table"),
        ("[[sandbox_workspace_write]]\nnetwork_access = true\n", "should be a table"),
        ("sandbox_workspace_write = []\n", "should be a table"),
        ('sandbox_workspace_write.writable_roots = "/srv"\n', "should be a list"),
        ("model = \n", "line 1"),
    ],
)
def test_a_configuration_that_codex_would_not_take_is_left(home: Path, text: str, words: str) -> None:
    config = home / ".codex/config.toml"
    config.parent.mkdir()
    config.write_text(text)
    with pytest.raises(ConfigError, match=words) as caught:
        setup.plan("codex", machine_of(home), Choices("write"))
    assert str(config) in caught.value.message
    setup.apply(setup.plan("codex", machine_of(home)))
    assert config.read_text() == text


@pytest.mark.parametrize(
    "sandbox", ["true", '{"filesystem": "all"}', '{"filesystem": {"allowWrite": "/srv"}}']
)
def test_settings_of_a_sandbox_that_are_odd_are_left(home: Path, sandbox: str) -> None:
    settings = home / ".claude/settings.json"
    settings.parent.mkdir()
    settings.write_text(f'{{"sandbox": {sandbox}}}')
    with pytest.raises(ConfigError, match="line 1, column"):
        setup.plan("claude", machine_of(home), Choices("write"))
    assert settings.read_text() == f'{{"sandbox": {sandbox}}}'
