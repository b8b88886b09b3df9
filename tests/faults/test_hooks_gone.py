"""Hooks of an installation of which parts are gone, or that serve places nobody can write down: silence."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from checkout import PAYLOADS
from long import mostly_long
from machines import Machine
from processes import processes_of
from sessions import Session, connected, eventually

import ctxrepo

PACKAGE = Path(ctxrepo.__file__).parent
LIGHT = [
    *sorted(
        file.relative_to(PACKAGE)
        for room in ("hooks", "domain/text", "domain/words", "agents")
        for file in (PACKAGE / room).rglob("*.py")
    ),
    Path("faces/__init__.py"),
    Path("faces/hook.py"),
]
EVENTS = ("SessionStart", "UserPromptSubmit", "PostToolUse", "SessionEnd")
WAY_OUT = 60.0


def installation(folder: Path) -> Path:
    """A copy of what a hook needs of the package."""
    for part in ("__init__.py", "hook.py", "faces", "hooks", "domain", "agents"):
        source = PACKAGE / part
        copy = shutil.copytree if source.is_dir() else shutil.copy
        (folder / "ctxrepo").mkdir(parents=True, exist_ok=True)
        copy(source, folder / "ctxrepo" / part)
    return folder / "ctxrepo"


def answers(package: Path, machine: Machine, event: str) -> str:
    words = [sys.executable, "-I", "-S", str(package / "hook.py"), "claude", event, str(machine.places.state)]
    payload = PAYLOADS / f"{'PostToolUse-read' if event == 'PostToolUse' else event}.json"
    run = subprocess.run(words, input=payload.read_text(), capture_output=True, text=True, env=machine.env)
    # 1, before anything was read, has the hook line go on with another installation.
    assert (run.returncode, run.stderr) in ((0, ""), (1, ""))
    return run.stdout


@pytest.fixture
def machine(ada: Machine) -> Machine:
    ada.init()
    return ada


@pytest.mark.parametrize("every", mostly_long([6, 1], keep=1))
@pytest.mark.parametrize("spoil", [Path.unlink, lambda file: file.write_text("this is (no Python")])
def test_without_any_one_of_its_modules_a_hook_is_silent_or_whole(
    machine: Machine, tmp_path: Path, spoil: object, every: int
) -> None:
    assert callable(spoil)
    package = installation(tmp_path / "installed")
    for number, name in enumerate(LIGHT[::every]):
        whole = (package / name).read_bytes()
        spoil(package / name)
        answer = answers(package, machine, EVENTS[number % len(EVENTS)])
        assert not answer or json.loads(answer)
        (package / name).write_bytes(whole)
    assert json.loads(answers(package, machine, "SessionStart"))


def test_without_the_package_a_hook_is_silent(machine: Machine, tmp_path: Path) -> None:
    package = installation(tmp_path / "left")
    shutil.rmtree(package / "hooks")
    assert [answers(package, machine, event) for event in EVENTS] == [""] * len(EVENTS)


def test_in_a_folder_whose_name_is_no_text_a_session_goes_on(ada: Machine, remote: Path) -> None:
    connected(ada, str(remote))
    eventually(lambda: not processes_of(ada), WAY_OUT)
    odd = os.fsdecode(os.fsencode(ada.home) + b"/odd-\xff")
    subprocess.run(["git", "init", "-q", odd], check=True)
    session = Session(ada, "s-1")
    assert "This is ctxrepo" in session.hook("SessionStart", cwd=odd)
    for event in ("UserPromptSubmit", "Stop", "SessionEnd"):
        session.hook(event, cwd=odd)
    eventually(lambda: not processes_of(ada), WAY_OUT)
    assert not (ada.places.state / "hook-errors.log").exists()
