"""Hooks that are in an agent's files and that something else in its settings switches off."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from connecting import put

from ctxrepo.agents.known import AGENTS
from ctxrepo.agents.switches import Switch
from ctxrepo.services.setup import setup, standings
from ctxrepo.services.setup.connection import Machine
from ctxrepo.services.setup.standings import Standing, check


@pytest.fixture
def here(machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """In a checkout, with agents that trust our hooks."""
    monkeypatch.setattr(standings, "find_distrust", lambda name, machine: None)
    return replace(machine, checkout=tmp_path / "shop")


def connected(name: str, machine: Machine) -> Standing:
    setup.apply(setup.plan(name, machine))
    return check(name, machine)


@pytest.mark.parametrize(
    ("agent", "file", "text"),
    [
        ("claude", "shop/.claude/settings.json", '{"disableAllHooks": true}'),
        ("claude", "shop/.claude/settings.local.json", '\ufeff{"disableAllHooks": true}'),
        ("codex", "home/.codex/config.toml", "[features]\nhooks = false\n"),
        ("codex", "home/.codex/config.toml", "[features]\ncodex_hooks = false\n"),
        ("copilot", "home/.copilot/settings.json", '// mine\n{"disableAllHooks": true}'),
        ("gemini", "home/.gemini/settings.json", '{"hooksConfig": {"disabled": ["ctxrepo"]}}'),
    ],
)
def test_hooks_that_are_switched_off_in_any_place(
    here: Machine, home: Path, tmp_path: Path, agent: str, file: str, text: str
) -> None:
    path = home / file.removeprefix("home/") if file.startswith("home/") else tmp_path / file
    put(path, text.encode())
    standing = connected(agent, here)
    (finding,) = standing.findings
    assert (standing.state, finding.level) == ("off", "error")
    assert str(path) in finding.problem


def test_the_strongest_place_decides(here: Machine, home: Path, tmp_path: Path) -> None:
    put(home / ".claude/settings.json", b'{"disableAllHooks": true}')
    put(tmp_path / "shop/.claude/settings.json", b'{"disableAllHooks": false}')
    assert connected("claude", here) == Standing("claude", "current")
    put(tmp_path / "shop/.claude/settings.local.json", b'{"disableAllHooks": true}')
    assert check("claude", here).state == "off"


@pytest.mark.parametrize("text", ["{torn", "// mine\n{}", "\udcff"])
def test_a_place_that_cannot_be_read_leaves_it_unknown(here: Machine, tmp_path: Path, text: str) -> None:
    local = tmp_path / "shop/.claude/settings.local.json"
    put(tmp_path / "shop/.claude/settings.json", text.encode("utf-8", "surrogateescape"))
    standing = connected("claude", here)
    (finding,) = standing.findings
    assert (standing.state, finding.level) == ("unknown", "warning")
    assert f"{local.with_name('settings.json')} can't be read" in finding.problem
    put(local, b'{"disableAllHooks": false}')  # whatever the other says, this holds
    assert check("claude", here).state == "current"


def test_a_place_that_counts_with_trust_only_leaves_it_unknown(
    here: Machine, home: Path, tmp_path: Path
) -> None:
    mine, its = home / ".gemini/settings.json", tmp_path / "shop/.gemini/settings.json"
    put(its, b'{"hooksConfig": {"enabled": false}}')
    standing = connected("gemini", here)
    assert standing.state == "unknown"
    assert "which counts if you trust this folder" in standing.findings[0].problem
    put(its, b'{"hooksConfig": {"enabled": true}}')
    assert check("gemini", here).state == "current"
    mine.write_text(mine.read_text().replace("{", '{"hooksConfig": {"enabled": false},', 1))
    assert check("gemini", here).state == "unknown"
    its.unlink()
    assert check("gemini", here).state == "off"


def test_settings_of_a_machine_outweigh_those_of_its_users(here: Machine, tmp_path: Path) -> None:
    system = tmp_path / "system.json"
    managed = replace(here, environment={"GEMINI_CLI_SYSTEM_SETTINGS_PATH": str(system)})
    put(tmp_path / "shop/.gemini/settings.json", b'{"hooksConfig": {"enabled": true}}')
    put(system, b'{"hooksConfig": {"enabled": false}}')
    assert connected("gemini", managed).state == "off"


def test_a_star_stands_for_every_file_there(
    here: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    policy = Switch("disableAllHooks", off=True, format="json", files=[f"{tmp_path}/policy.d/*.json"])
    monkeypatch.setattr(AGENTS["claude"], "switches", [policy])
    assert connected("claude", here).state == "current"
    put(tmp_path / "policy.d/10.json", b'{"disableAllHooks": true}')
    assert check("claude", here).state == "off"
    put(tmp_path / "policy.d/20.json", b'{"disableAllHooks": false}')
    assert check("claude", here).state == "current"
