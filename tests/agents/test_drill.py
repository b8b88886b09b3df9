"""The drill: a made-up agent is one folder; it is connected, answered, and let go of to the byte.

It differs from Claude Code where the agents that are to come differ: plain text for an answer, several files
in one patch, a file of ours beside one that is edited, no records.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from checkout import CHECKOUT
from machines import Machine
from processes import processes_of
from sessions import eventually

from ctxrepo.storage.state.spool import Spool

IDENTITY = '''
"""HAL: a made-up agent."""
TITLE, INSTRUCTIONS, SESSION, MARKS = "HAL 9000", "HAL.md", "HAL_SESSION", {}
CLIENTS, WORKSPACE = ("hal",), ""
'''

DIALECT = '''
"""How HAL talks to hooks."""
from ctxrepo.hooks.dialect import Dialect, TouchedFile

class _Hal(Dialect):
    def touched(self, db, event, json):
        lines = event.wrote.split("\\n")
        return [TouchedFile(line[9:]) for line in lines if line.startswith("*** File ")]

DIALECT = _Hal(
    name="hal",
    moments={"wakeUp": "start", "patched": "tool", "sleep": "end"},
    fields={"session": ("$.id",), "cwd": ("$.place.folder",), "tool": ("$.tool",), "wrote": ("$.patch",)},
    readers=frozenset(("look",)),
    most_bytes=4000,
)
'''

INSTALL = '''
"""What connects HAL: lines in its list of hooks, a program of ours, and skills."""
from ctxrepo.agents.hal import hooklist
from ctxrepo.agents.wanted import (EditedDocument, OwnFile, SkillsFolder)

def folder(user_home, environment):
    return user_home / ".hal"

def files(user_home, environment, line, permissions=None):
    root = folder(user_home, environment)
    hooks = {event: line(event) for event in ("wakeUp", "patched")}
    program = f"daisy({line('sleep')!r})\\n".encode()
    return [
        EditedDocument(root / "hooks.list", hooklist, hooks),
        OwnFile(root / "programs/ctxrepo.hal", program, {"sleep": line("sleep")}),
        SkillsFolder(root / "skills"),
    ]
'''

HOOKLIST = '''
"""HAL's list of hooks: EVENT, a tab, the command."""
from ctxrepo.agents.hook_line import is_ours

def connect(text, line, original=None):
    return disconnect(text) + "".join(f"{event}\\t{line(event)}\\n" for event in ("wakeUp", "patched"))

def disconnect(text, original=None):
    return "".join(line for line in text.splitlines(True) if not is_ours(line, "hal"))

def lines(text):
    pairs = [line.rstrip("\\n").split("\\t") for line in text.splitlines(True) if is_ours(line, "hal")]
    return {event: [command] for event, command in pairs}

def is_blank(text):
    return not text.strip()
'''


SWITCHES = 'doors\t"closed"\tjson\t{user}/ship.json\t{project}/.hal/ship.json\n'


class Hal:
    """An installation of ctxrepo with one folder more, on a machine where HAL is."""

    def __init__(self, machine: Machine, root: Path) -> None:
        self.machine = machine
        self.package = root / "ctxrepo"
        leave = shutil.ignore_patterns("__pycache__")
        shutil.copytree(CHECKOUT / "ctxrepo", self.package, ignore=leave)
        for name in ("hooks", "skills", "templates"):
            shutil.copytree(CHECKOUT / name, self.package / "_assets" / name, ignore=leave)
        files = {"__init__": IDENTITY, "dialect": DIALECT, "install": INSTALL, "hooklist": HOOKLIST}
        (self.package / "agents/hal").mkdir()
        for module, text in files.items():
            (self.package / f"agents/hal/{module}.py").write_text(text.lstrip())
        (self.package / "agents/hal/switches.tsv").write_text(SWITCHES)
        self.home = machine.home / ".hal"
        self.home.mkdir()
        (self.home / "hooks.list").write_bytes(b"wakeUp\techo good morning\n")

    def ctxrepo(self, *words: str) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "ctxrepo", *words],
            cwd=self.machine.project_folder,
            env={**self.machine.env, "PYTHONPATH": str(self.package.parent)},
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    def tell(self, event: str, **fields: object) -> str:
        """What HAL is answered by the hook line in its list."""
        lines = (self.home / "hooks.list").read_text().splitlines()
        (command,) = (line.split("\t")[1] for line in lines if f" {event} " in line)
        about = {"id": "s1", "place": {"folder": str(self.machine.project_folder)}, **fields}
        done = subprocess.run(
            ["sh", "-c", command],
            input=json.dumps(about),
            env=self.machine.env,
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    def everything(self) -> dict[str, bytes]:
        files = (path for path in self.machine.home.rglob("*") if path.is_file())
        theirs = (path for path in files if ".hal" in path.parts or "receipts" in path.parts)
        return {str(path.relative_to(self.machine.home)): path.read_bytes() for path in theirs}


@pytest.fixture
def hal(ada: Machine, tmp_path: Path) -> Hal:
    ada.init()
    ada.write("global/MEMORY.md", "# Me\n\n- Answer in Dutch\n")
    ada.sync()
    return Hal(ada, tmp_path / "installed")


@pytest.mark.slow
def test_it_is_connected_by_several_files_and_let_go_to_the_byte(hal: Hal) -> None:
    before = hal.everything()
    answer = hal.ctxrepo("setup", "hal", "--yes")
    assert answer.startswith("connected hal:")
    files = hal.everything()
    assert files[".hal/hooks.list"].startswith(before[".hal/hooks.list"])
    assert files[".hal/programs/ctxrepo.hal"].startswith(b"daisy(")
    assert any(path.startswith(".hal/skills/") for path in files)
    assert hal.ctxrepo("setup", "hal", "--check") == "hal: current\n"
    assert hal.ctxrepo("setup", "hal", "--yes") == "hal is connected already\n"
    assert hal.everything() == files
    assert hal.ctxrepo("setup", "hal", "--remove", "--yes").startswith("removed hal:")
    assert hal.everything() == before
    assert [path.name for path in hal.home.iterdir()] == ["hooks.list"]


@pytest.mark.slow
def test_its_events_are_answered_in_its_own_shape(hal: Hal) -> None:
    hal.ctxrepo("setup", "hal", "--yes")
    eventually(lambda: not processes_of(hal.machine), 30)  # a worker would commit what a hand wrote
    paths = [hal.machine.clone / name for name in ("global/one.md", "global/two.md")]
    for path in paths:
        path.write_text("- Open the pod bay doors\n")
    patch = "".join(f"*** File {path}\n- \n+ x\n" for path in (*paths, "lib/ship.py"))
    memory = hal.machine.open()
    with memory.writing():  # else the worker that the hook wakes commits what is looked for
        assert hal.tell("patched", tool="patch", patch=patch) == ""
        saves = [(save.op, save.by.agent, save.path) for save in memory.journal.read()]
    assert saves == [("tool", "hal", "global/one.md"), ("tool", "hal", "global/two.md")]
    assert Spool(memory.state).is_empty()
    assert hal.tell("patched", tool="look", patch=patch) == ""
    seen = [json.loads(line)["path"] for line in memory.state.access.read_text().splitlines()]
    assert seen == 2 * [*map(str, paths), str(hal.machine.project_folder / "lib/ship.py")]
    answer = hal.tell("wakeUp")
    assert answer.startswith("<ctxrepo-memory")
    assert "Answer in Dutch" in answer
    assert len(answer.encode()) <= 4000


@pytest.mark.slow
def test_what_keeps_its_hooks_from_running_is_told(hal: Hal) -> None:
    hal.ctxrepo("setup", "hal", "--yes")
    settings = hal.machine.project_folder / ".hal/ship.json"
    settings.parent.mkdir()
    settings.write_text('{"doors": "closed"}')
    shown = subprocess.run(
        [sys.executable, "-m", "ctxrepo", "setup", "hal", "--check"],
        cwd=hal.machine.project_folder,
        env={**hal.machine.env, "PYTHONPATH": str(hal.package.parent)},
        capture_output=True,
        text=True,
    )
    assert shown.stdout.startswith(f"hal: off\n  HAL 9000 runs no hooks: doors names closed in {settings}. ")
    assert shown.returncode == 1
