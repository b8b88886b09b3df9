"""What connects pi, and that nothing is left of it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from connecting import everything

import ctxrepo
from ctxrepo.agents.hook_line import HookLine, is_ours
from ctxrepo.agents.pi import install
from ctxrepo.agents.wanted import ShippedFile, SkillsFolder
from ctxrepo.errors import ConfigError
from ctxrepo.services.setup import setup
from ctxrepo.services.setup.connection import Machine
from ctxrepo.services.setup.standings import check
from ctxrepo.storage.user.places import Places

HOME = Path("/home/ada")


@pytest.fixture
def machine(home: Path) -> Machine:
    return Machine(Places.of({"HOME": str(home)}), {}, Path(sys.executable))


@pytest.fixture
def extension(home: Path) -> Path:
    return home / ".pi/agent/extensions/ctxrepo.ts"


def paths(**environment: str) -> list[Path]:
    return [file.path for file in install.files(HOME, environment, str)]


def connect(machine: Machine) -> None:
    setup.apply(setup.plan("pi", machine))


def disconnect(machine: Machine) -> setup.Plan:
    plan = setup.removal("pi", machine)
    setup.apply(plan)
    return plan


def test_files_are_where_pi_looks() -> None:
    extensions = HOME / ".pi/agent/extensions"
    modules = [extensions / "ctxrepo" / f"{name}.ts" for name in install.MODULES]
    assert paths() == [extensions / "ctxrepo.ts", *modules, HOME / ".agents/skills"]
    assert paths(PI_CODING_AGENT_DIR="/w")[0] == Path("/w/extensions/ctxrepo.ts")
    assert paths(PI_CODING_AGENT_DIR="~/w")[0] == HOME / "w/extensions/ctxrepo.ts"
    assert paths(PI_CODING_AGENT_DIR="~")[0] == HOME / "extensions/ctxrepo.ts"
    assert paths(PI_CODING_AGENT_DIR="") == paths()
    with pytest.raises(ConfigError, match="PI_CODING_AGENT_DIR"):
        install.folder(HOME, {"PI_CODING_AGENT_DIR": "w"})


def test_sessions_are_where_pi_keeps_them() -> None:
    assert install.sessions(HOME, {}) == HOME / ".pi/agent/sessions"
    assert install.sessions(HOME, {"PI_CODING_AGENT_DIR": "/w"}) == Path("/w/sessions")
    assert install.sessions(HOME, {"PI_CODING_AGENT_SESSION_DIR": "~/s"}) == HOME / "s"


def test_each_event_has_its_hook() -> None:
    extension, *modules, skills = install.files(HOME, {}, lambda event: f"run {event}")
    assert isinstance(extension, ShippedFile)
    assert isinstance(skills, SkillsFolder)
    assert extension.hooks == {event: f"run {event}" for event in install.EVENTS}
    assert extension.places["line"] == "run EVENT"
    assert all(isinstance(module, ShippedFile) and not module.hooks for module in modules)


@pytest.mark.parametrize("is_there", [True, False])
def test_tools_call_this_installation_as_long_as_it_is_there(tmp_path: Path, is_there: bool) -> None:
    python, hook = tmp_path / "it's python", tmp_path / "ctxrepo/hook.py"
    python.write_text('#!/bin/sh\necho "$CTXREPO_STATE" "$@"\n')
    python.chmod(0o755)
    if is_there:
        hook.parent.mkdir()
        hook.touch()
    line = install.command_line(HookLine(python, hook, tmp_path / "state")("pi", "EVENT"))
    words = ["sh", "-c", f"{line}\necho another one", "sh", "search", "two words"]
    done = subprocess.run(words, capture_output=True, text=True)
    ours = f"{tmp_path}/state -P -E -m ctxrepo search two words\n"
    assert (done.stdout, done.stderr) == (ours if is_there else "another one\n", "")


def test_tools_load_nothing_from_the_project(tmp_path: Path) -> None:
    sprung = tmp_path / "sprung"
    for name in ("json", "ctxrepo", "tomllib", "typing"):
        (tmp_path / f"{name}.py").write_text(f"open({str(sprung)!r}, 'w')\n")
    hook = Path(ctxrepo.__file__).with_name("hook.py")
    line = install.command_line(HookLine(Path(sys.executable), hook, tmp_path / "state")("pi", "EVENT"))
    env = {"PATH": f":.:{os.defpath}", "HOME": str(tmp_path), "PYTHONPATH": ":."}
    words = ["sh", "-c", line, "sh", "--version"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, env=env)
    assert (done.stdout, done.stderr) == (f"ctxrepo {ctxrepo.__version__}\n", "")
    assert not sprung.exists()


def test_the_extension_calls_this_installation(machine: Machine, extension: Path) -> None:
    connect(machine)
    (literal,) = re.findall(r'^const LINE = (".*");$', extension.read_text(), re.MULTILINE)
    line = json.loads(literal)
    assert line == machine.line("pi", "EVENT")
    assert is_ours(line, "pi")
    assert line.count(" pi EVENT ") == 2, "the extension puts an event's name there"
    assert line.replace(" pi EVENT ", " pi agent_settled ") == machine.line("pi", "agent_settled")
    assert check("pi", machine).state == "current"


def test_setup_twice_changes_nothing(home: Path, machine: Machine, extension: Path) -> None:
    connect(machine)
    before, stamp = everything(home), extension.stat().st_mtime_ns
    assert setup.plan("pi", machine).changes == ()
    connect(machine)
    assert (everything(home), extension.stat().st_mtime_ns) == (before, stamp)


@pytest.mark.parametrize("theirs", ["", ".pi/agent/extensions/mine.ts", ".pi/agent/settings.json"])
def test_removing_gives_every_byte_back(home: Path, machine: Machine, theirs: str) -> None:
    if theirs:
        (home / theirs).parent.mkdir(parents=True)
        (home / theirs).write_text('{ // mine\n  "pi-memory-md": {"enabled": true}\n}\n')
    before = everything(home)
    connect(machine)
    assert everything(home) != before
    disconnect(machine)
    assert everything(home) == before
    # Settings that pi can't read, as these with a comment, may name our plugin.
    assert check("pi", machine).state == ("unknown" if theirs.endswith(".json") else "absent")


def test_a_folder_of_dotfiles_stays_one(home: Path, machine: Machine, extension: Path) -> None:
    dotfiles = home / "dotfiles"
    dotfiles.mkdir()
    extension.parent.parent.mkdir(parents=True)
    extension.parent.symlink_to(dotfiles)
    connect(machine)
    assert (dotfiles / "ctxrepo.ts").exists()
    disconnect(machine)
    assert extension.parent.is_symlink()
    assert [*dotfiles.iterdir()] == []


def test_what_a_person_made_of_the_extension_stays(machine: Machine, extension: Path) -> None:
    connect(machine)
    edited = extension.read_text() + "// mine\n"
    extension.write_text(edited)
    assert check("pi", machine).state == "stale"
    assert f"{extension} stays: it is not as ctxrepo wrote it." in disconnect(machine).notices
    assert extension.read_text() == edited


def test_what_stood_in_its_place_comes_back(machine: Machine, extension: Path) -> None:
    extension.parent.mkdir(parents=True)
    extension.write_text("// somebody's own\n")
    connect(machine)
    disconnect(machine)
    assert extension.read_text() == "// somebody's own\n"


def test_a_place_that_cannot_be_a_file_is_told_and_left(machine: Machine, extension: Path) -> None:
    extension.mkdir(parents=True)
    (finding,) = check("pi", machine).findings
    assert str(extension) in finding.problem
    assert extension.is_dir()
