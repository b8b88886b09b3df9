"""How an agent stands: what is wrong with its hooks is told, with what helps."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from connecting import connect, fixture, put

from ctxrepo.services.setup.connection import Machine
from ctxrepo.services.setup.standings import Standing, check, standings
from ctxrepo.storage.user import assets


def test_check_tells_how_an_agent_stands(
    machine: Machine, settings: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hook = tmp_path / "ctxrepo/hook.py"
    put(hook, b"")
    monkeypatch.setattr(assets, "HOOK", hook)
    assert check("claude", machine).state == "absent"
    put(settings, fixture("usual"))
    assert check("claude", machine).state == "absent"
    connect(machine)
    assert check("claude", machine) == Standing("claude", "current")
    settings.chmod(0o444)
    assert check("claude", machine).state == "current"


def elsewhere(machine: Machine) -> Machine:
    return replace(machine, places=replace(machine.places, state=Path("/var/elsewhere")))


def straight(data: bytes) -> bytes:
    """With the lines of the version before, which fell back to nothing."""
    return re.sub(rb" 2>/dev/null \|\|[^\"]*", b"", data)


@pytest.mark.parametrize(
    ("spoil", "problem"),
    [
        (lambda m, s, hook: hook.unlink(), "hook.py, which is gone"),
        (
            lambda m, s, hook: connect(replace(m, interpreter=Path("/gone/python"))),
            "/gone/python, which is gone",
        ),
        (lambda m, s, hook: s.write_text(s.read_text().replace('"Stop"', '"Stopp"')), "no hook for Stop"),
        (
            lambda m, s, hook: connect(replace(m, interpreter=Path("/bin/sh"))),
            "installation, /bin/sh with",
        ),
        (lambda m, s, hook: connect(elsewhere(m)), "another state folder, /var/elsewhere"),
        (lambda m, s, hook: s.write_text(s.read_text().replace("-I -S", "-E")), "was edited"),
        (lambda m, s, hook: s.write_text(s.read_text().replace(" 2>/dev/null || :", "")), "was edited"),
        (lambda m, s, hook: s.write_bytes(straight(s.read_bytes())), "this version"),
        (lambda m, s, hook: s.write_text(s.read_text().replace("|NotebookEdit", "")), "this version"),
        (lambda m, s, hook: (s.parent / "skills/memory-write/SKILL.md").unlink(), "this version"),
    ],
)
def test_check_tells_what_is_stale(
    machine: Machine,
    settings: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    spoil: Callable[[Machine, Path, Path], object],
    problem: str,
) -> None:
    hook = tmp_path / "ctxrepo/hook.py"
    put(hook, b"")
    monkeypatch.setattr(assets, "HOOK", hook)
    connect(machine)
    spoil(machine, settings, hook)
    standing = check("claude", machine)
    assert standing.state == "stale"
    (finding,) = standing.findings
    assert problem in finding.problem
    assert finding.remedy


def test_of_settings_that_cannot_be_read_nothing_is_known(machine: Machine, settings: Path) -> None:
    connect(machine)
    settings.write_text(settings.read_text() + "]")
    standing = check("claude", machine)
    (finding,) = standing.findings
    assert (standing.state, finding.level, "line" in finding.problem) == ("unknown", "error", True)


def test_hooks_that_are_switched_off_are_off_whatever_else_is_wrong(machine: Machine, settings: Path) -> None:
    put(settings, b'{"disableAllHooks": true}')
    connect(replace(machine, interpreter=Path("/gone/python")))
    standing = check("claude", machine)
    assert standing.state == "off"
    gone, off = (finding.problem for finding in standing.findings)
    assert "/gone/python" in gone
    assert off == f"Claude Code runs no hooks: disableAllHooks is true in {settings}"


def test_standings_are_those_of_agents_that_are_here_or_connected(machine: Machine, settings: Path) -> None:
    assert standings(machine) == []
    settings.parent.mkdir()
    assert standings(machine) == [Standing("claude", "absent")]
    connect(machine)
    assert standings(machine) == [Standing("claude", "current")]
