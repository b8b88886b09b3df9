"""The plugin form: the checkout as Claude Code installs it, and the program that its hooks call."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from long import rotating
from machines import Machine
from plugin_calls import answer_to

import ctxrepo
from ctxrepo.agents.claude.install import SETTINGS
from ctxrepo.agents.hook_line import HookLine

CHECKOUT = Path(__file__).resolve().parents[1]
RUN = CHECKOUT / "hooks/run"
INSTALL = CHECKOUT / "hooks/install"
SHELLS = [shell for name in ("sh", "bash", "dash", "zsh", "busybox", "ksh") if (shell := shutil.which(name))]


def manifest(name: str) -> dict[str, Any]:
    fields: dict[str, Any] = json.loads((CHECKOUT / ".claude-plugin" / name).read_text())
    return fields


def call(machine: Machine, event: str = "SessionStart", shell: str = "sh", **env: str) -> str:
    """What Claude Code would get from the plugin; it ends with 0, and complains of nothing."""
    words = [shell, "sh"] if shell.endswith("busybox") else [shell]
    payload = {
        "session_id": "s",
        "source": "startup",
        "prompt": "tests redis",
    }
    return answer_to(machine, [*words, str(RUN), "claude", event], payload, **env)


def test_its_manifests_agree_with_the_package() -> None:
    plugin, market = manifest("plugin.json"), manifest("marketplace.json")
    assert plugin["version"] == ctxrepo.__version__
    (listed,) = market["plugins"]
    assert (listed["name"], listed["source"]) == (plugin["name"], "./")
    assert listed["description"] == plugin["description"]
    assert (CHECKOUT / plugin["hooks"]).is_file()


def test_its_hooks_are_those_that_setup_writes() -> None:
    hooks = json.loads((CHECKOUT / manifest("plugin.json")["hooks"]).read_text())["hooks"]
    expected = SETTINGS.entries(lambda event: f'sh "${{CLAUDE_PLUGIN_ROOT}}/hooks/run" claude {event}')
    assert hooks == {event: [group] for event, group in expected.items()}


def test_every_skill_is_where_a_plugin_has_it() -> None:
    names = [p.name for p in (CHECKOUT / "skills").iterdir()]
    assert len(names) > 2
    for name in names:
        assert f"\nname: {name}\n" in (CHECKOUT / "skills" / name / "SKILL.md").read_text()


@pytest.mark.slow
@pytest.mark.parametrize("shell", rotating(SHELLS, keep=2))
def test_it_delivers_what_the_settings_form_does(known: Machine, shell: str) -> None:
    assert "Answer in Dutch" in call(known, shell=shell)


@pytest.mark.parametrize(
    ("named", "given"),
    [
        ("CTXREPO_STATE", "{home}/else where/ctxrepo"),
        ("CTXREPO_STATE", "~/else where/ctxrepo"),
        ("XDG_STATE_HOME", "{home}/else where"),
    ],
)
def test_the_state_folder_may_be_elsewhere(known: Machine, named: str, given: str) -> None:
    elsewhere = {named: given.format(home=known.home)}
    known.places.state.rename(known.home / "old state")
    Machine(known.home, elsewhere).init()
    assert "Answer in Dutch" in call(known, **elsewhere)
    assert "Answer in Dutch" not in call(known)


@pytest.mark.parametrize("shell", SHELLS)
def test_before_init_it_says_at_the_start_what_to_run_and_makes_nothing(ada: Machine, shell: str) -> None:
    before = sorted(ada.home.rglob("*"))
    answer = json.loads(call(ada, shell=shell, PATH="/usr/bin:/bin"))
    assert list(answer) == ["systemMessage"]
    assert answer["systemMessage"].endswith(f"Run this once in a terminal: sh '{INSTALL}'")
    assert sorted(ada.home.rglob("*")) == before


def test_with_the_program_and_without_a_memory_it_names_the_next_step(ada: Machine, tmp_path: Path) -> None:
    hint = "ctxrepo has no memory on this machine yet. Run this once in a terminal: "
    own = ada.home / ".local/bin/ctxrepo"
    own.parent.mkdir(parents=True)
    own.symlink_to("/bin/true")
    assert json.loads(call(ada, PATH="/usr/bin:/bin")) == {
        "systemMessage": f"{hint}~/.local/bin/ctxrepo start"
    }
    on_path = {"PATH": f"{own.parent}:/usr/bin:/bin"}
    assert json.loads(call(ada, **on_path)) == {"systemMessage": f"{hint}ctxrepo start"}


def test_it_is_said_once_a_session_and_to_nobody_who_switched_hooks_off(ada: Machine) -> None:
    assert call(ada, "UserPromptSubmit") == ""
    assert call(ada, CTXREPO_OFF="1") == ""
    assert "systemMessage" in call(ada, CTXREPO_OFF="0")
    for source in ("resume", "clear", "compact"):
        words = ["sh", str(RUN), "claude", "SessionStart"]
        assert answer_to(ada, words, {"session_id": "s", "source": source}) == ""


@pytest.mark.parametrize(
    ("agent", "event", "field"),
    [
        ("codex", "SessionStart", "systemMessage"),
        ("gemini", "SessionStart", "systemMessage"),
        ("copilot", "sessionStart", "additionalContext"),
        ("opencode", "session.created", ""),
        ("pi", "session_start", ""),
    ],
)
def test_each_agent_is_told_where_its_user_sees_it(ada: Machine, agent: str, event: str, field: str) -> None:
    source = "new" if agent == "copilot" else "startup"
    answer = answer_to(ada, ["sh", str(RUN), agent, event], {"source": source}, PATH="/usr/bin:/bin")
    assert list(json.loads(answer or "{}")) == ([field] if field else [])


@pytest.mark.parametrize("folder", ["it's", 'a "quote"', "back\\slash", "new\nline", "$HOME", "é (1)"])
def test_the_line_can_be_run_wherever_the_plugin_is(ada: Machine, tmp_path: Path, folder: str) -> None:
    hooks = tmp_path / folder / "hooks"
    hooks.mkdir(parents=True)
    shutil.copy(RUN, hooks / "run")
    (hooks / "install").write_text("echo it runs")
    words = ["sh", str(hooks / "run"), "claude", "SessionStart"]
    message = json.loads(answer_to(ada, words, {"source": "startup"}, PATH="/usr/bin:/bin"))["systemMessage"]
    if folder in ("$HOME", "é (1)"):
        command = message.partition("in a terminal: ")[2]
        assert subprocess.run(["sh", "-c", command], capture_output=True, text=True).stdout == "it runs\n"
    else:
        assert message == "ctxrepo isn't installed yet: run the file hooks/install of its plugin."


class TestInstaller:
    """`hooks/install` where it can't do its work; what it does is in test_install.py."""

    def refusal(self, home: Path, path: str = "/usr/bin:/bin", script: Path = INSTALL) -> str:
        env = {"HOME": str(home), "PATH": path}
        run = subprocess.run(["sh", str(script)], env=env, capture_output=True, text=True, timeout=60)
        assert (run.returncode, run.stdout) == (1, "")
        assert not (home / ".local/share").exists()
        return run.stderr

    def test_it_leaves_another_installation_alone(self, home: Path) -> None:
        own = home / ".local/bin/ctxrepo"
        own.parent.mkdir(parents=True)
        own.symlink_to("/bin/true")
        assert f"pipx install --force '{CHECKOUT}'" in self.refusal(home)
        assert own.readlink() == Path("/bin/true")

    def test_without_python_it_says_what_is_needed(self, home: Path, tmp_path: Path) -> None:
        for name in ("dirname", "false", "sh"):
            place = shutil.which(name)
            assert place is not None
            (tmp_path / name).symlink_to(place)
        assert "there is no Python 3.11 or newer" in self.refusal(home, str(tmp_path))

    def test_a_folder_without_the_program_is_told_apart(self, home: Path, tmp_path: Path) -> None:
        script = tmp_path / "hooks/install"
        script.parent.mkdir()
        shutil.copy(INSTALL, script)
        assert f"{tmp_path} doesn't hold the program" in self.refusal(home, script=script)


def test_a_state_folder_inside_a_project_is_no_state_folder(known: Machine) -> None:
    # SQLite's log and index of it go when the last connection is closed, which may be at any moment.
    passing = shutil.ignore_patterns("*-wal", "*-shm")
    shutil.copytree(known.places.state, known.project_folder / "state", ignore=passing)
    assert call(known, CTXREPO_STATE="state") == ""
    assert call(known, CTXREPO_STATE="./state") == ""


@pytest.mark.slow
@pytest.mark.parametrize("folder", [".claude", "it's é"])
def test_it_leaves_the_answer_to_hooks_that_setup_wrote(known: Machine, folder: str) -> None:
    line = HookLine(Path("/usr/bin/python3"), Path("/it's/ctxrepo/hook.py"), known.places.state)
    settings = known.home / folder / "settings.json"
    settings.parent.mkdir()
    named = {} if folder == ".claude" else {"CLAUDE_CONFIG_DIR": str(settings.parent)}
    written = SETTINGS.connect("{}", lambda event: line("claude", event))
    settings.write_text(written)
    assert call(known, **named) == ""
    # What takes the settings form away, by whatever hand, brings the plugin back; event by event.
    settings.write_text(written.replace("claude SessionStart ", "claude Start "))
    assert "Answer in Dutch" in call(known, **named)
    settings.write_text(SETTINGS.disconnect(written))
    assert "Answer in Dutch" in call(known, **named)
    settings.unlink()
    assert "Answer in Dutch" in call(known, **named)
