"""The line that `setup` writes, run by shells as agents run it: whatever is gone, the session goes on."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from machines import Machine
from processes import wait_for_workers

from ctxrepo.agents.hook_line import HookLine
from ctxrepo.services.repository.published import publish_settings
from ctxrepo.storage.state.compiled import read_settings
from ctxrepo.storage.user import assets
from ctxrepo.storage.user.assets import Runner, place, read_runner, write_runner

SHELLS = [shell for name in ("sh", "bash", "dash", "zsh", "ksh") if (shell := shutil.which(name))]


class Line:
    """The line of an installation that can be spoiled: an interpreter and a package of its own."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.root = machine.home / "it's é $x"
        self.package = self.root / "ctxrepo"
        for part in ("hook.py", "faces", "hooks", "agents", "domain"):
            copy = shutil.copytree if (assets.PACKAGE / part).is_dir() else shutil.copy
            self.package.mkdir(parents=True, exist_ok=True)
            copy(assets.PACKAGE / part, self.package / part)
        self.python = self.root / "python"
        self.python.symlink_to(sys.executable)
        self.line = HookLine(self.python, self.package / "hook.py", machine.places.state)

    def run(self, shell: str = "sh", event: str = "SessionStart") -> str:
        """What the agent gets; it always sees a 0 and is told nothing else."""
        payload = {"session_id": "s", "cwd": str(self.machine.project_folder), "source": "startup"}
        run = subprocess.run(
            [shell, "-c", self.line("claude", event)],
            input=json.dumps(payload),
            env=self.machine.env,
            cwd=self.machine.project_folder,
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert (run.returncode, run.stderr) == (0, "")
        return run.stdout

    def put_folder_for_python(self) -> None:
        self.python.unlink()
        self.python.mkdir()

    def put_text_for_python(self) -> None:
        self.python.unlink()
        self.python.write_text("x")

    def break_python(self, script: str) -> None:
        self.python.unlink()
        self.python.write_text(f"#!/bin/sh\n{script}\n")
        self.python.chmod(0o755)


@pytest.fixture
def line(ada: Machine) -> Line:
    """A line, and a newer installation that ran since."""
    ada.init()
    ada.write("global/MEMORY.md", "# Me\n\n- Answer in Dutch\n")
    ada.sync()
    return Line(ada)


SPOILED: dict[str, Callable[[Line], object]] = {
    "nothing": lambda line: None,
    "interpreter gone": lambda line: line.python.unlink(),
    "interpreter's interpreter gone": lambda line: line.break_python("exec /gone/python"),
    "interpreter is a folder": Line.put_folder_for_python,
    "interpreter isn't executable": Line.put_text_for_python,
    "interpreter's library gone": lambda line: line.break_python("echo Fatal Python error >&2; exit 1"),
    "interpreter aborts": lambda line: line.break_python("kill -ABRT $$"),
    "hook gone": lambda line: (line.package / "hook.py").unlink(),
    "all but the hook gone": lambda line: shutil.rmtree(line.package / "hooks"),
    "a part of it gone": lambda line: (line.package / "agents/claude/dialect.py").unlink(),
    "a part of it for another Python": lambda line: (line.package / "hooks/door.py").write_text("match:"),
    "installation gone": lambda line: shutil.rmtree(line.root),
}

spoiled = pytest.mark.parametrize("spoil", SPOILED.values(), ids=SPOILED.keys())


@spoiled
def test_whatever_is_gone_the_installation_used_last_answers(
    line: Line, spoil: Callable[[Line], object]
) -> None:
    spoil(line)
    for shell in SHELLS[:1] if spoil is not SPOILED["installation gone"] else SHELLS:
        assert line.run(shell).count("Answer in Dutch") == 1


LOST = ("nothing", "interpreter gone", "hook gone", "all but the hook gone", "installation gone")


@pytest.mark.parametrize("spoil", [SPOILED[name] for name in LOST], ids=LOST)
def test_where_nothing_is_left_it_is_silent(line: Line, spoil: Callable[[Line], object]) -> None:
    spoil(line)
    write_runner(line.machine.places.state, "/gone/python")
    for event in ("SessionStart", "UserPromptSubmit", "Stop"):
        assert ("Dutch" in line.run("sh", event)) == (spoil is SPOILED["nothing"] and event == "SessionStart")
    wait_for_workers(line.machine)  # one that a hook woke makes the file anew
    place(line.machine.places.state).unlink()
    shutil.rmtree(line.root, ignore_errors=True)
    assert [line.run(shell) for shell in SHELLS] == [""] * len(SHELLS)


def test_without_a_state_folder_it_is_silent(line: Line) -> None:
    shutil.rmtree(line.machine.places.state)
    assert line.run() == ""
    assert not line.machine.places.state.exists()


def test_another_ctxrepo_that_the_user_has_answers_and_its_worker_heals_the_rest(line: Line) -> None:
    shutil.rmtree(line.root)
    memory = line.machine.open()
    publish_settings(memory, "/gone/python")
    tool = line.machine.home / ".local/bin/ctxrepo"
    tool.parent.mkdir(parents=True)
    tool.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m ctxrepo "$@"\n')
    tool.chmod(0o755)
    assert "Answer in Dutch" in line.run()
    deadline = time.monotonic() + 60
    while read_runner(line.machine.places.state) != Runner(Path(sys.executable), assets.HOOK):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert read_settings(line.machine.places.state)["interpreter"] == sys.executable


def test_half_an_installation_that_was_used_last_leaves_it_to_another(line: Line) -> None:
    write_runner(line.machine.places.state, str(line.python), line.package / "hook.py")
    shutil.rmtree(line.package / "hooks")
    assert line.run() == ""
    tool = line.machine.home / ".local/bin/ctxrepo"
    tool.parent.mkdir(parents=True)
    tool.write_text("#!/bin/sh\ncat\n")
    tool.chmod(0o755)
    assert json.loads(line.run())["session_id"] == "s"


@pytest.mark.parametrize("signal", ["ALRM", "HUP", "INT", "KILL", "TERM", "VTALRM"])
def test_a_hook_that_was_ended_is_not_run_again(line: Line, signal: str) -> None:
    line.break_python(f"kill -{signal} $$")
    assert line.run() == ""


def test_an_agent_that_splits_the_line_by_itself_is_served(line: Line) -> None:
    words = shlex.split(line.line("claude", "SessionStart"))
    run = subprocess.run(words, input="{}", env=line.machine.env, capture_output=True, text=True, timeout=60)
    assert (run.returncode, run.stderr) == (0, "")
    assert "Answer in Dutch" in run.stdout
