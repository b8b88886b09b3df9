"""Which agents here delete their sessions, as `doctor` and `setup` say."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from machines import Machine as Home

from ctxrepo.agents.known import agent_named
from ctxrepo.services.setup.connection import Machine
from ctxrepo.services.setup.session_deletion import deletion_of
from ctxrepo.storage.user.places import Places


@pytest.fixture
def here(tmp_path: Path) -> Machine:
    (tmp_path / "shop").mkdir()
    places = Places.of({"HOME": str(tmp_path)})
    return Machine(places, {}, Path("/usr/bin/python3"), tmp_path / "shop")


def sentence(agent: str, machine: Machine) -> str:
    deletion = deletion_of(agent_named(agent), machine)
    return deletion.sentence if deletion else ""


def put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_the_strongest_file_that_says_something_holds(here: Machine, tmp_path: Path) -> None:
    assert sentence("claude", here) == "Claude Code deletes sessions after 30 days"
    put(tmp_path / ".claude/settings.json", '{"cleanupPeriodDays": 90}')
    assert "90 days" in sentence("claude", here)
    put(tmp_path / "shop/.claude/settings.json", '{"cleanupPeriodDays": 2}')  # a shared one doesn't count
    assert "90 days" in sentence("claude", here)
    put(tmp_path / "shop/.claude/settings.local.json", '{"cleanupPeriodDays": 5}')
    assert "5 days" in sentence("claude", here)
    assert "90 days" in sentence("claude", replace(here, checkout=None))
    system = tmp_path / "system.json"
    put(tmp_path / ".gemini/settings.json", '{"general": {"sessionRetention": {"maxAge": "7d"}}} // mine')
    put(system, json.dumps({"general": {"sessionRetention": {"enabled": False}}}))
    assert "7 days" in sentence("gemini", here)
    managed = replace(here, environment={"GEMINI_CLI_SYSTEM_SETTINGS_PATH": str(system)})
    assert sentence("gemini", managed) == ""


def test_another_profile_has_its_own(here: Machine, tmp_path: Path) -> None:
    put(tmp_path / "office/settings.json", '{"cleanupPeriodDays": 365}')
    work = replace(here, environment={"CLAUDE_CONFIG_DIR": str(tmp_path / "office")})
    deletion = deletion_of(agent_named("claude"), work)
    assert deletion
    assert "365 days" in deletion.sentence
    assert deletion.change == f'"cleanupPeriodDays": 3650 in {tmp_path}/office/settings.json'


@pytest.mark.parametrize("text", ["{", '{"cleanupPeriodDays": "soon"}', "\udcff"])
def test_what_cannot_be_read_is_unknown(text: str, here: Machine, tmp_path: Path) -> None:
    path = tmp_path / ".claude/settings.json"
    path.parent.mkdir()
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    assert sentence("claude", here).startswith("it is unknown when Claude Code deletes sessions: ")


def test_doctor_and_setup_name_it_and_what_helps(ada: Home) -> None:
    ada.init()
    for folder in (".claude", ".gemini", ".codex"):
        (ada.home / folder).mkdir()
    done = ada.ctxrepo("setup", "claude", "--yes")
    change = (
        f'"cleanupPeriodDays": 3650 in {ada.home}/.claude/settings.json changes that, and `ctxrepo config set'
    )
    assert f"Claude Code deletes sessions after 30 days; {change}" in done.stderr
    assert "deletes sessions" not in ada.ctxrepo("setup", "codex", "--yes").stderr

    def told() -> list[str]:
        return [line for line in ada.ctxrepo("doctor").stdout.split("\n") if line.startswith("retention")]

    first, second = told()
    assert first.startswith(f"retention ok: Claude Code deletes sessions after 30 days; {change}")
    assert second.startswith("retention ok: Gemini CLI deletes sessions after 30 days;")
    ada.ctxrepo("config", "set", "sessions.keep", "texts")
    assert [line.partition("; ")[2] for line in told()] == ["sessions.keep is texts"] * 2
    assert "deletes sessions" not in ada.ctxrepo("setup", "gemini", "--yes").stderr
