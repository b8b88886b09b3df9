"""Where pi-memory-md is set up `init` goes on with its repository; config.toml holds from then on."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from machines import NOW, make_remote
from pirepo import PiMachine, make_pi_machine

from ctxrepo.errors import RepositoryState, UsageError
from ctxrepo.services.projects.list_projects import list_projects
from ctxrepo.services.repository.init import InitRequest, InitResult, init

LOCAL = "~/.pi/memory-md"
"""Where pi-memory-md has its repository by default; said, so that one that is missing is made there."""


@pytest.fixture
def mine(tmp_path: Path) -> PiMachine:
    return make_pi_machine(tmp_path)


def run(machine: PiMachine, remote: str = "", **env: str) -> InitResult:
    machine = PiMachine(machine.home, env)
    return init(machine.places, machine.env, InitRequest(remote), sys.executable, NOW)


def config(machine: PiMachine) -> dict[str, Any]:
    return tomllib.loads(machine.places.config_file.read_text())


def with_remote(machine: PiMachine, remote: Path) -> None:
    """The clone has been pushed to `remote`, as pi-memory-md does it."""
    machine.git("remote", "add", "origin", str(remote))
    machine.git("push", "-q", "-u", "origin", "main")


def test_a_clone_that_is_there_is_gone_on_with_and_stays_as_it_is(mine: PiMachine) -> None:
    before = mine.files()
    made = run(mine)
    assert (made.root, made.action, made.remote) == (mine.clone, "adopted", "")
    assert made.source == mine.home / ".pi/agent/settings.json"
    assert mine.files() == before
    assert config(mine)["repository"] == [{"path": "~/.pi/memory-md", "remote": "", "branch": "main"}]
    again = run(mine)
    assert (again.action, again.source) == ("unchanged", None)


def test_it_is_cloned_from_repo_url_where_it_is_not_there_yet(mine: PiMachine, remote: Path) -> None:
    with_remote(mine, remote)
    head = mine.git("rev-parse", "HEAD")
    shutil.rmtree(mine.clone)
    mine.settings(repoUrl=str(remote))
    made = run(mine)
    assert (made.root, made.action, made.remote) == (mine.clone, "cloned", str(remote))
    assert mine.git("rev-parse", "HEAD") == head


def test_the_remote_is_where_that_clone_is_pushed_to(mine: PiMachine, remote: Path, tmp_path: Path) -> None:
    with_remote(mine, remote)
    mine.settings(repoUrl=str(tmp_path / "moved.git"), localPath="~/.pi/memory-md")
    assert run(mine).remote == str(remote)
    assert config(mine)["repository"][0]["remote"] == str(remote)


def test_a_clone_without_remote_is_connected_with_repo_url(mine: PiMachine, remote: Path) -> None:
    mine.settings(repoUrl=str(remote))
    assert (run(mine).action, mine.git("remote", "get-url", "origin")) == ("connected", str(remote))
    assert mine.git("ls-remote", "origin", "main")


def test_d5_without_repo_url_nothing_is_sent_anywhere(mine: PiMachine, remote: Path) -> None:
    with_remote(mine, remote)
    assert run(mine).remote == ""


def test_flags_environment_and_config_come_before_it(mine: PiMachine, remote: Path, tmp_path: Path) -> None:
    mine.settings(repoUrl=str(tmp_path / "theirs.git"))
    other = tmp_path / "elsewhere"
    made = run(mine, CTXREPO_HOME=str(other))
    assert (made.root, made.remote, made.source) == (other, "", None)
    mine.places.config_file.unlink()
    assert (run(mine, str(remote)).root, config(mine)["repository"][0]["remote"]) == (
        mine.home / ".ctxrepo",
        str(remote),
    )
    assert run(mine).root == mine.home / ".ctxrepo"
    mine.places.config_file.unlink()
    assert run(mine).root == mine.home / ".ctxrepo", "a clone of ours that is where it is by default"


@pytest.mark.parametrize("text", ["{", '{"pi-memory-md": {}}', "{}"])
def test_settings_that_say_nothing_change_nothing(mine: PiMachine, text: str) -> None:
    shutil.rmtree(mine.clone)
    (mine.home / ".pi/agent/settings.json").write_text(text)
    made = run(mine)
    assert (made.root, made.source, len(made.warnings)) == (mine.home / ".ctxrepo", None, text == "{")


@pytest.mark.parametrize("path", ["relative/m", "$(touch sprung)", "`touch sprung`", "$HOME/m"])
def test_d_w10_a_path_is_nothing_but_a_path(mine: PiMachine, path: str) -> None:
    mine.settings(localPath=path)
    made = run(mine)
    assert made.root == mine.home / ".ctxrepo"
    assert len(made.warnings) == 1
    assert not list(mine.home.rglob("sprung"))


def test_d_w10_an_address_that_could_do_harm_is_refused(mine: PiMachine) -> None:
    shutil.rmtree(mine.clone)
    for url in ("ext::sh -c touch% sprung", "--upload-pack=touch sprung"):
        mine.settings(repoUrl=url)
        with pytest.raises(UsageError):
            run(mine)
    assert not mine.places.config_file.exists()


@pytest.mark.parametrize(
    "section",
    [
        {"hooks": {"sessionStart": [], "sessionEnd": ["push"]}},
        {"delivery": "system-prompt"},
        {"enabled": False},
    ],
)
def test_d4_d8_d9_what_is_said_of_pis_sessions_is_left_where_it_stands(
    mine: PiMachine, section: dict[str, Any]
) -> None:
    mine.settings(**section, memoryDir={"globalMemory": "global"}, localPath=LOCAL)
    assert run(mine).warnings == ()
    assert config(mine).keys() == {"repository"}


def test_d9_an_action_that_is_not_known_is_told(mine: PiMachine) -> None:
    mine.settings(hooks={"sessionStart": ["pull", "pul"]}, memoryDir={"globalMemory": "g"}, localPath=LOCAL)
    (warning,) = run(mine).warnings
    assert "settings.json: hooks.sessionStart names 'pul'" in warning


@pytest.mark.slow
def test_d4_switched_off_there_pis_sessions_are_given_nothing_and_others_are(mine: PiMachine) -> None:
    mine.settings(enabled=False, localPath=LOCAL)
    assert mine.ctxrepo("init").returncode == 0
    assert mine.project() is not None
    start = json.dumps({"session": "s", "session_id": "s", "cwd": str(mine.project_folder)})
    assert mine.ctxrepo("hook", "pi", "session_start", stdin=start).stdout == "{}\n"
    run = mine.ctxrepo("context", "--agent", "pi")
    assert (run.stdout, "isn't enabled" in run.stderr) == ("", True)
    assert "Handoff" in mine.ctxrepo("context", "--agent", "claude").stdout
    assert "Handoff" in mine.ctxrepo("hook", "claude", "SessionStart", stdin=start).stdout


def test_d23_a_tape_in_another_place_is_named_in_one_line(mine: PiMachine) -> None:
    tape = {"onlyGit": False, "tapePath": "~/tapes"}
    mine.settings(tape=tape, memoryDir={"globalMemory": "g"}, localPath=LOCAL)
    (warning,) = run(mine).warnings
    assert warning.endswith("tape.tapePath names another place; ctxrepo keeps its anchors in the memory")


def test_d_w2_a_clone_in_the_middle_of_a_rebase_is_not_taken(mine: PiMachine) -> None:
    mine.git("checkout", "-q", "--detach")
    with pytest.raises(RepositoryState, match="on no branch"):
        run(mine)
    assert not mine.places.config_file.exists()


def test_d_w8_what_is_in_the_way_of_a_clone_is_named(mine: PiMachine, tmp_path: Path) -> None:
    remote = make_remote(tmp_path)
    with_remote(mine, remote)
    shutil.rmtree(mine.clone)
    mine.settings(repoUrl=str(remote))
    mine.clone.mkdir()
    assert run(mine).action == "cloned", "an empty folder is what a failed clone leaves"
    mine.places.config_file.unlink()
    shutil.rmtree(mine.clone)
    (mine.clone / "TAPE").mkdir(parents=True)
    with pytest.raises(UsageError, match="is not a git repository"):
        run(mine)


class TestGlobalFolder:
    """D7: the notes that hold everywhere may be in a folder of another name."""

    @pytest.fixture
    def shared(self, tmp_path: Path) -> PiMachine:
        machine = make_pi_machine(tmp_path, globalMemory="foo/bar")
        machine.git("mv", "global", "bar")
        machine.git("commit", "-qm", "another name")
        run(machine)
        return machine

    def test_it_is_the_global_scope(self, shared: PiMachine) -> None:
        assert config(shared)["repository"][0]["global_folder"] == "bar"
        assert {n["scope"] for n in shared.json("list", "-s", "global")["data"]["notes"]} == {"bar"}
        assert "indentation" in shared.ctxrepo("read", "global:USER.md").stdout
        assert "indentation" in shared.ctxrepo("read", "bar/USER.md").stdout
        made = shared.json("remember", "Tests run with make", "-s", "global")["data"]
        assert made["at"].startswith("bar/MEMORY.md")
        assert not (shared.clone / "global").exists()

    def test_it_is_delivered_in_both_formats_and_recalled(self, shared: PiMachine) -> None:
        pi = shared.ctxrepo("context", "--preset", "md").stdout
        assert f'<memory_files source="global" directory="{shared.clone}/bar">' in pi
        ours = shared.ctxrepo("context").stdout
        assert "## bar/MEMORY.md" in ours
        assert "`bar/` is about the user" in ours
        asked = {
            "session_id": "s",
            "cwd": str(shared.project_folder),
            "prompt": "generated lock files by hand",
        }
        output = shared.ctxrepo("hook", "claude", "UserPromptSubmit", stdin=json.dumps(asked)).stdout
        assert "bar/MEMORY.md#L" in output

    @pytest.mark.parametrize("name", ["", None])
    def test_where_there_is_none_ours_is_told(self, tmp_path: Path, name: str | None) -> None:
        machine = make_pi_machine(tmp_path, globalMemory=name)
        (warning,) = run(machine).warnings
        assert "globalMemory is off" in warning
        assert "global_folder" not in config(machine)["repository"][0]

    def test_a_new_repository_begins_there_and_it_is_no_project(self, tmp_path: Path) -> None:
        machine = make_pi_machine(tmp_path, globalMemory="foo/bar")
        shutil.rmtree(machine.clone)
        run(machine)
        assert "`bar/`" in machine.read("README.md")
        assert sorted(p.name for p in machine.clone.glob("*/MEMORY.md")) == ["MEMORY.md"]
        assert (machine.clone / "bar" / "MEMORY.md").is_file()
        assert list_projects(machine.open()) == []

    def test_a_name_that_is_ours_is_not_taken(self, tmp_path: Path) -> None:
        machine = make_pi_machine(tmp_path, globalMemory=".git")
        (warning,) = run(machine).warnings
        assert "'.git'" in warning
        assert "global_folder" not in config(machine)["repository"][0]

    def test_a_folder_that_is_the_projects_too_is_listed_once(self, tmp_path: Path) -> None:
        machine = make_pi_machine(tmp_path, globalMemory="demo-shop")
        run(machine)
        text = machine.ctxrepo("context", "--preset", "md").stdout
        assert text.count("<memory_files") == 1
        assert 'source="project"' in text
        assert machine.ctxrepo("context").stdout.count("tech-stack.md —") == 1


def test_git_is_not_asked_about_a_folder_that_is_no_clone(mine: PiMachine) -> None:
    subprocess.run(["rm", "-r", str(mine.clone / ".git")], check=True)
    with pytest.raises(UsageError, match="is not a git repository"):
        run(mine)
