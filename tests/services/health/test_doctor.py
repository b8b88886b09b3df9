"""Doctor looks around the notes: each finding with what helps."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from connecting import connect, workplace
from machines import NOW, Machine

from ctxrepo.domain.records.save import Origin
from ctxrepo.services.faults.finding import Finding
from ctxrepo.services.health.doctor import doctor
from ctxrepo.services.notes.proposing import propose
from ctxrepo.services.notes.requests import Fact
from ctxrepo.services.repository.published import publish_settings
from ctxrepo.services.saving.commit import commit
from ctxrepo.services.setup import setup
from ctxrepo.services.setup.connection import Machine as Workplace
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.user.assets import place


@pytest.fixture
def mine(ada: Machine) -> Machine:
    ada.init()
    connect(workplace(ada))
    return ada


def findings(machine: Machine, **env: str) -> list[Finding]:
    environment = {**machine.env, **env}
    memory = Memory.open(machine.places, environment)
    checked = doctor(memory, workplace(machine, **env), NOW)
    assert all(check.name and check.stands for check in checked)
    findings = [finding for check in checked for finding in check.findings]
    assert all(f.problem and f.remedy for f in findings)
    return findings


def told(machine: Machine, words: str, **env: str) -> bool:
    return any(words in f.problem for f in findings(machine, **env))


def test_a_healthy_memory_has_none(mine: Machine) -> None:
    mine.remember("x")
    mine.sync()
    assert findings(mine) == []


def test_what_waits_for_a_person_is_counted_by_kind(mine: Machine) -> None:
    def waits() -> str:
        (check,) = (c for c in doctor(mine.open(), workplace(mine), NOW) if c.name == "to decide")
        assert not check.findings
        return check.stands

    assert waits() == "nothing"
    memory = mine.open()
    for text in ("one", "two"):
        propose(memory, Fact(text), mine.project(), Origin(memory.host), NOW)
    mine.write("global/large.md", "x" * (1024 * 1024 + 1))
    commit(mine.open(), NOW)
    assert waits() == "1 held back, 2 proposals; `ctxrepo inbox` lists them"


def test_git_without_a_name_or_missing(mine: Machine, tmp_path: Path) -> None:
    (mine.home / ".gitconfig").unlink()
    assert told(mine, "doesn't know your name")
    (finding,) = findings(mine, PATH=str(tmp_path))
    assert finding.problem.startswith("git could not be started")


def test_git_that_can_not_read_its_configuration(mine: Machine) -> None:
    (mine.home / ".gitconfig").write_text("[user\n")
    assert told(mine, "bad config")


@pytest.mark.parametrize(
    ("key", "value"),
    [("core.sshCommand", "x"), ("credential.helper", "!x"), ("include.path", "/x"), ("core.fsmonitor", "x"),
     ("core.hooksPath", "/x"), ("filter.a.clean", "x"), ("url.x.insteadOf", "y")],
)  # fmt: skip
def test_configuration_that_could_run_a_program(mine: Machine, key: str, value: str) -> None:
    mine.git("config", key, value)
    assert told(mine, f"sets {key.lower()}")


def test_a_clone_that_disagrees_with_the_settings(mine: Machine) -> None:
    mine.git("remote", "add", "origin", "https://ada:hunter2secret@h/x.git")
    (finding,) = findings(mine)
    assert "and config.toml, which ctxrepo follows, says none" in finding.problem
    assert finding.level == "warning"
    assert "hunter2secret" not in f"{finding.problem}{finding.remedy}"


def test_a_link_that_was_moved_out_of_the_state(mine: Machine) -> None:
    root = mine.open().state.root
    (root / "trouble").symlink_to("/elsewhere")
    (finding,) = findings(mine)
    assert finding.problem == f"a link that is not ctxrepo's was in {root}, and was moved aside"
    assert str(root / "trouble.aside") in finding.remedy


def test_a_folder_in_which_every_user_could_replace_the_state(mine: Machine) -> None:
    mine.home.chmod(0o777)
    (finding,) = findings(mine)
    assert finding.problem.startswith(f"{mine.home} can be written to by every user")


def test_what_hooks_and_worker_wrote_down(mine: Machine) -> None:
    (mine.places.state / "hook-errors.log").write_text("first\nlast line\n")
    mine.open().state.log.write_text("2026 a worker's trouble\n")
    assert [f.problem for f in findings(mine)] == [
        "the worker met a problem: 2026 a worker's trouble",
        "a hook met a problem: last line",
    ]


def test_what_was_looked_at_is_told_with_how_it_stands(mine: Machine) -> None:
    names = {check.name: check.stands for check in doctor(mine.open(), workplace(mine), NOW)}
    assert {"git", "settings", "clone", "objects", "notes", "remote", "state", "worker"} <= set(names)
    assert names["clone"] == f"{mine.clone} on main"
    assert names["agents"] == "Claude Code: current"
    assert names["hooks"] == "no session was served yet"


def test_settings_that_can_not_be_read_are_a_finding_like_others(mine: Machine) -> None:
    publish_settings(mine.open(), sys.executable)
    file = mine.places.config_file
    file.write_text(file.read_text() + "[sync\n")
    memory = Memory.open(mine.places, mine.env, or_last_settings=True)
    findings = [f for check in doctor(memory, workplace(mine), NOW) for f in check.findings]
    (finding,) = findings
    assert "at line" in finding.problem
    assert str(file) in finding.remedy or str(file) in finding.problem


def test_an_unfinished_merge_settings_and_registry(mine: Machine) -> None:
    (mine.clone / ".git/MERGE_HEAD").touch()
    mine.places.config_file.write_text(mine.places.config_file.read_text() + "\n[sync]\nttl = 'x'\n")
    mine.write("ctxrepo.toml", "garbage [")
    for words in ("a merge is unfinished", "sync.ttl must be a number", "ctxrepo.toml: not readable"):
        assert told(mine, words), words


def test_a_remote_that_needs_a_person(ada: Machine, remote: Path) -> None:
    ada.init(str(remote))
    connect(workplace(ada))
    remote.rename(remote.with_name("gone.git"))
    ada.sync()
    (finding,) = findings(ada)
    assert "does not reach its remote" in finding.problem
    (where,) = [check for check in doctor(ada.open(), workplace(ada), NOW) if check.findings]
    assert (where.name, "(missing)" in where.stands) == ("remote", True)
    assert finding.problem.endswith(" ago)") or finding.problem.endswith("(just now)")
    assert finding.remedy == "`ctxrepo sync` tries again."


def test_a_machine_on_which_setup_never_ran_is_not_well(ada: Machine) -> None:
    ada.init()
    (finding,) = findings(ada)
    assert finding.problem == "no agent is connected, so no session is given anything"
    assert finding.remedy == "`ctxrepo setup --all`"


def test_agents_that_are_here_and_not_connected_or_not_well(ada: Machine) -> None:
    mine = ada
    mine.init()
    (mine.home / ".claude").mkdir()
    (finding,) = findings(mine)
    assert (finding.problem, finding.remedy) == ("claude is here and not connected", "`ctxrepo setup claude`")
    connect(workplace(mine))
    assert findings(mine) == []
    setup.apply(setup.plan("claude", Workplace(mine.places, mine.env, Path("/gone/python"))))
    assert told(mine, "/gone/python, which is gone")


def test_hooks_that_have_lost_their_interpreter_and_what_answers_instead(mine: Machine) -> None:
    setup.apply(setup.plan("claude", Workplace(mine.places, mine.env, Path("/gone/python"))))
    (finding,) = findings(mine)
    assert f"/gone/python, which is gone; {sys.executable} answers instead" in finding.problem
    assert finding.remedy == "ctxrepo setup claude"
    place(mine.places.state).unlink()
    ours, fallback = findings(mine)
    assert {"nothing answers instead" in f.problem for f in (ours, fallback)} == {True, False}
    assert told(mine, "nothing to fall back to")


def test_an_agent_with_our_plugin_is_connected(mine: Machine) -> None:
    settings = mine.home / ".claude/settings.json"
    settings.write_text('{"enabledPlugins": {"ctxrepo@some-market": true}}')
    assert findings(mine) == []
    settings.write_text('{"enabledPlugins": {"ctxrepo@some-market": false, "other@ctxrepo": true}}')
    assert told(mine, "claude is here and not connected")


def test_nothing_is_changed_by_looking(mine: Machine) -> None:
    mine.write("global/x.md", "- not committed yet\n")
    before = mine.git("rev-parse", "HEAD")
    findings(mine)
    assert mine.git("rev-parse", "HEAD") == before


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"delivery.mode": "file"}, "no file holds the block"),
        ({"delivery.mode": "system"}, "which only pi carries out by itself"),
        ({"delivery.mode": "pull", "delivery.preamble": "false"}, "delivery.preamble leaves those out"),
        ({"delivery.budget_bytes": "0"}, "into which nothing fits"),
        ({"delivery.budget_bytes": "120"}, "into which nothing fits"),
        ({"recall.limit": "0"}, "prompts are given none"),
        ({"recall.budget_bytes": "40"}, "prompts are given none"),
    ],
)
def test_settings_that_leave_sessions_with_nothing_are_told_at_once_and_go_on_being_told(
    mine: Machine, settings: dict[str, str], words: str
) -> None:
    mine.remember("x")
    commit(mine.open(), NOW)
    for key, value in settings.items():
        message = mine.ctxrepo("config", "set", key, value).stderr
    assert words in message
    assert told(mine, words)
    for key in settings:
        message = mine.ctxrepo("config", "unset", key).stderr
    assert words not in message
    assert not told(mine, words)


def test_a_file_that_holds_the_block_is_enough(mine: Machine) -> None:
    mine.ctxrepo("file", "add")
    assert "no file holds" not in mine.ctxrepo("config", "set", "delivery.mode", "file").stderr
    assert not told(mine, "no file holds")
