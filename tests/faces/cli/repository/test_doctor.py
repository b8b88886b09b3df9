"""check and doctor, as a person meets them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

import pytest
from connecting import connect, workplace
from terminal import Terminal

from ctxrepo.services.rescue import mend
from ctxrepo.services.rescue.mend import switch_back
from ctxrepo.storage.memory import Memory


@pytest.fixture
def well(cli: Terminal) -> Terminal:
    """With an agent that is connected."""
    connect(workplace(cli.machine))
    return cli


def test_all_is_well(well: Terminal) -> None:
    well("remember", "a fact")
    assert (well("check").code, well("check").out) == (0, "nothing to fix\n")
    answer = well("doctor")
    *checked, last = answer.out.splitlines()
    assert (answer.code, last) == (0, "all is well")
    assert all(" ok: " in line for line in checked)
    assert f"clone     ok: {well.machine.clone} on main" in checked
    assert "agents    ok: Claude Code: current" in checked


def test_where_setup_never_ran_nothing_is_well(cli: Terminal) -> None:
    answer = cli("doctor")
    assert answer.code == 1
    assert "  no agent is connected, so no session is given anything\n    `ctxrepo setup --all`" in answer.out
    assert answer.out.endswith("\n1 error\n")
    now = cli("status")
    assert (now.code, "agents   none is connected: `ctxrepo setup --all`" in now.out) == (0, True)


@pytest.mark.slow
def test_what_was_met_and_settled_is_no_finding_and_fix_puts_it_aside(well: Terminal) -> None:
    state = well.machine.open().state
    state.log.write_text("2026-11-20T12:00:00.000+00:00 the branch kept moving. Run the command again.\n")
    answer = well("doctor")
    assert (answer.code, "the worker met a problem" in answer.out) == (1, True)
    state.well.touch()  # a run that began today
    assert well("doctor").out.endswith("all is well\n")
    state.well.unlink()
    fixed = well("doctor", "--fix")
    assert (fixed.code, f"moved the errors of hooks and worker to {state.log}.1" in fixed.out) == (0, True)
    assert well("doctor").code == 0


def test_both_run_with_settings_that_can_not_be_read(well: Terminal) -> None:
    well("status")
    file = well.machine.places.config_file
    good = file.read_text()
    file.write_text(good + "[sync\n")
    answer = well("doctor")
    assert answer.code == 1
    line = len(good.splitlines()) + 1
    assert f"{file} can't be read: " in answer.out
    assert f"line {line}" in answer.out
    now = well("status")
    assert (now.code, now.err) == (0, "")
    assert f"fault    {file} can't be read" in now.out
    assert str(well.machine.clone) in now.out
    assert well("remember", "x").code == 2
    file.write_text(good)
    assert well("doctor").code == 0


def test_the_faults_that_sessions_are_told_are_listed_with_since_and_remedy(well: Terminal) -> None:
    (well.machine.clone / "global/link.md").symlink_to("x")
    well("sync")
    answer = well("doctor", "--json")
    (fault,) = answer.data["faults"]
    assert "link.md" in fault["fault"]
    assert fault["since"].endswith("Z")
    assert fault["remedy"] == "`ctxrepo check` shows the places."
    (well.machine.clone / "global/link.md").unlink()
    well("sync")
    assert well("doctor", "--json").data["faults"] == []
    listed = well("doctor", "--faults")
    assert (listed.code, "link.md" in listed.out, "over" in listed.out) == (0, True, True)


def test_1_each_finding_names_its_place_and_what_helps(cli: Terminal) -> None:
    cli.machine.write("global/torn.md", "---\nnever: closed\n")
    cli.machine.write("global/marks.md", "- a\n<<<<<<< ours\n- b\n")
    answer = cli("check")
    assert answer.code == 1
    assert answer.out == (
        "global/marks.md:2: a conflict marker. `ctxrepo check --fix` keeps both sides where it can tell them "
        "apart; else keep what holds and remove the marker lines.\n"
        "global/torn.md:1: frontmatter is opened on line 1 and never closed. "
        "End it with a line `---`; until then all of it is body.\n"
    )
    findings = cli("check", "--json").data["findings"]
    assert [set(f) for f in findings] == [{"path", "line", "problem", "remedy", "level"}] * 2


def test_only_errors_fail_and_doctor_counts_what_check_finds(well: Terminal) -> None:
    well.machine.write("global/a.md", "- Deploy with make ship\n- deploy with MAKE ship\n")
    checked = well("check")
    assert checked.code == 0
    assert checked.out.startswith("global/a.md:2: warning: it says the same as line 1. ")
    answer = well("doctor")
    assert (answer.code, answer.out.splitlines()[-1]) == (0, "1 warning")
    assert "\n  warning: `ctxrepo check` finds 1 warning in them\n" in answer.out
    well.machine.write("global/torn.md", "---\nnever: closed\n")
    assert (well("check").code, well("doctor").code) == (1, 1)
    assert "`ctxrepo check` finds 1 error, 1 warning in them" in well("doctor").out
    data = well("doctor", "--json").data
    assert [finding["level"] for finding in data["findings"]] == ["error"]
    assert {check["name"] for check in data["checked"] if not check["ok"]} == {"notes"}


def test_status_names_a_note_whose_frontmatter_has_something_wrong(well: Terminal) -> None:
    assert "fault" not in well("status").out
    for name in ("a", "b"):
        well.machine.write(f"global/{name}.md", "---\ntags: [a\n---\n- x\n")
    well("sync")
    (fault,) = well("status", "--json").data["faults"]
    assert fault.startswith("global/a.md: frontmatter is not readable YAML")
    assert fault.endswith("; 1 other note with such a fault. `ctxrepo check` tells more")


def test_a_remote_of_gits_own_is_told_wherever_it_matters(cli: Terminal) -> None:
    assert "remote" not in cli("sync").err
    cli.machine.git("remote", "add", "origin", "https://ada:hunter2secret@h/x.git")
    message = f"git's own remote in {cli.machine.clone} is https://…@h/x.git, and config.toml, "
    for words in ("sync", "status", "doctor"):
        answer = cli(words)
        assert (answer.out + answer.err).count(message) == 1, words
        assert "hunter2secret" not in answer.out + answer.err


def test_1_doctor_names_what_keeps_the_memory_from_working(cli: Terminal) -> None:
    cli.machine.git("config", "core.sshCommand", "touch pwned")
    (cli.machine.home / ".claude").mkdir()
    answer = cli("doctor")
    assert answer.code == 1
    assert "sets core.sshcommand" in answer.out
    assert "claude is here and not connected\n    `ctxrepo setup claude`" in answer.out


def test_what_fix_mended_is_settled_in_that_run(well: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    well.machine.git("checkout", "-q", "--detach")
    state = well.machine.open().state

    def while_the_worker_tries(memory: Memory, now: datetime) -> Iterator[str]:
        state.log.write_text(f"{now.isoformat()} the clone is on no branch\n")
        yield from switch_back(memory, now)

    monkeypatch.setattr(mend, "switch_back", while_the_worker_tries)
    fixed = well("doctor", "--fix")
    assert (fixed.code, "is on main again" in fixed.out) == (0, True)
    assert "the worker met a problem" not in fixed.out


@pytest.mark.slow
def test_status_has_agents_by_how_they_stand_and_no_two_commands_disagree(
    cli: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    for name in (".claude", ".codex", ".cursor", ".gemini"):
        (cli.machine.home / name).mkdir()
    cli("setup", "claude", "codex", "gemini", "--yes")
    settings = cli.machine.home / ".gemini/settings.json"
    settings.write_text(settings.read_text().replace("{", '{"hooksConfig": {"enabled": false},', 1))
    output = cli("status").out
    line = (
        "1 connected: claude; not known whether hooks run: codex; not connected: cursor; no hooks run: gemini"
    )
    assert f"\nagents   {line}; `ctxrepo doctor` says more\n" in output
    states = {agent["agent"]: agent["state"] for agent in cli("status", "--json").data["agents"]}
    assert states == {"claude": "current", "codex": "unknown", "cursor": "absent", "gemini": "off"}
    checked = cli("setup", "--all", "--check", "--json").data["agents"]
    assert {agent["agent"]: agent["state"] for agent in checked} == states
    agents = "Claude Code: current, Codex: unknown, Cursor: absent, Gemini CLI: off"
    assert f"1 error, 1 warning, 1 note: {agents}\n" in cli("doctor").out


def test_a_version_that_was_kept_aside_is_a_warning_that_says_where(well: Terminal) -> None:
    copy = well.machine.clone / "conflicts/shop/MEMORY.md--0123456789.md"
    copy.parent.mkdir(parents=True)
    copy.write_text("- another fact\n")
    well("sync")
    answer = well("doctor")
    assert answer.code == 0
    assert "warning: 1 version is kept aside" in answer.out
    assert "`ctxrepo check` shows the places" not in answer.out
