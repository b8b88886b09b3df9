"""The preset `md` with pi-memory-md's tape delivers what pi-memory-md's own code does for the same sessions.

`tape.txt` was delivered by that code for `DONE` (tests/fixtures/pi-memory-md/README.md).
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from pirepo import FIXTURE, PiMachine, make_pi_machine

from ctxrepo.services.delivery.first_files import update_recent_files
from ctxrepo.services.delivery.start_packet import Start, context

HOUR = 3600.0
WANTED = (FIXTURE / "tape.txt").read_text().replace("<preferences>", "&lt;preferences>")
REPO, CODE = "{repo}/demo-shop", "{code}"
DONE = [
    (40.0, "read", f"{REPO}/core/TASK.md", (1, 20)),
    (20.0, "edit", f"{REPO}/core/TASK.md", (5, 6)),
    (10.0, "read", f"{CODE}/src/pay.py", (340, 420)),
    (9.0, "read", f"{CODE}/src/pay.py", (421, 430)),
    (8.0, "edit", f"{CODE}/src/pay.py", (12, 14)),
    (5.0, "edit", f"{REPO}/core/project/tech-stack.md", (3, 3)),
    (4.0, "read", f"{REPO}/notes/meeting.md", None),
    (3.5, "read", f"{CODE}/src/secret/key.py", (1, 9)),
    (3.0, "write", f"{CODE}/src/new.py", None),
    (2.0, "read", f"{CODE}/dist/out.js", (1, 9)),
    (1.5, "read", f"{CODE}/.env", None),
    (1.2, "read", f"{CODE}/gone.py", None),
    (0.5, "read", f"{REPO}/core/USER.md", (1, 50)),
]
"""Hours ago, tool, file, lines."""
LISTS = {
    "fileLimit": 5,
    "whitelist": ["core/project/empty-tags.md", "README.txt"],
    "blacklist": ["src/secret"],
}


@pytest.fixture
def mine() -> Iterator[PiMachine]:
    """Below /tmp: in /dev, where tests usually have their folders, pi-memory-md keeps no tape."""
    folder = Path(tempfile.mkdtemp(dir="/var/tmp"))
    machine = make_pi_machine(folder)
    machine.init()
    assert machine.project()
    machine.ctxrepo("config", "set", "delivery.preset", "md")
    for name in ("src/pay.py", "src/secret/key.py", "src/new.py", "dist/out.js", ".env", "README.txt"):
        (machine.project_folder / name).parent.mkdir(parents=True, exist_ok=True)
        (machine.project_folder / name).touch()
    yield machine
    shutil.rmtree(folder)


def tape(machine: PiMachine, **block: object) -> None:
    where = {"localPath": str(machine.clone), "globalMemory": "global"}
    machine.settings(memoryDir=where, tape=block)


def do(machine: PiMachine) -> None:
    with machine.open().state.access.open("a") as log:
        for hours, tool, path, lines in DONE:
            file = path.replace("{repo}", str(machine.clone)).replace("{code}", str(machine.project_folder))
            fields = {"at": time.time() - hours * HOUR, "agent": "pi", "session": "s1", "tool": tool}
            fields |= {"path": file}
            log.write(json.dumps(fields | ({"ranges": [lines]} if lines else {})) + "\n")


def delivered(machine: PiMachine, agent: str = "pi") -> str:
    machine.ctxrepo("status")  # publishes the settings
    memory, project = machine.open(), machine.project()
    update_recent_files(memory)
    text = context(memory, project, Start(machine.project_folder, agent=agent)).text
    return text.replace(str(machine.clone), "{repo}").replace(str(machine.project_folder), "{code}")


def test_d13_d17_d19_d35_it_is_what_pi_memory_md_delivers(mine: PiMachine) -> None:
    tape(mine, context=LISTS)
    do(mine)
    assert delivered(mine) == WANTED


def test_d35_manual_mode_is_said(mine: PiMachine) -> None:
    tape(mine, context=LISTS, anchor={"mode": "manual"})
    do(mine)
    first, note, rest = delivered(mine).partition(
        "Handoff mode: manual. `tape_handoff` is blocked unless the keyword is triggered or user create "
        "manually.\n"
    )
    assert note
    assert first + rest == WANTED


@pytest.mark.slow
def test_d16_core_notes_by_date_where_nothing_was_done_or_it_is_wanted_so(mine: PiMachine) -> None:
    tape(mine, context={"fileLimit": 2})
    for age, name in ((1, "core/USER.md"), (2, "core/project/tech-stack.md"), (3, "core/TASK.md")):
        then = time.time() - age * HOUR
        os.utime(mine.clone / "demo-shop" / name, (then, then))
    for name in ("bad", "empty-tags"):
        os.utime(mine.clone / f"demo-shop/core/project/{name}.md", (1, 1))
    newest = delivered(mine)
    paths = [line for line in newest.splitlines() if "path: " in line]
    assert paths == [f"- path: {REPO}/core/USER.md", f"- path: {REPO}/core/project/tech-stack.md"]
    assert newest.startswith('<memory_context mode="tape">')
    assert newest.count("priority: high") == 2
    do(mine)
    assert delivered(mine) != newest
    tape(mine, context={"fileLimit": 2, "strategy": "recent-only"})
    assert delivered(mine) == newest


@pytest.mark.slow
def test_d13_d15_without_a_tape_and_where_it_is_excluded_it_is_the_index(mine: PiMachine) -> None:
    mine.settings(memoryDir={"localPath": str(mine.clone), "globalMemory": "global"})
    do(mine)
    index = delivered(mine)
    assert index.startswith('<memory_context mode="normal">')
    for block in ({"enabled": False}, {"excludeDirs": [str(mine.home)]}):
        tape(mine, **block)
        assert delivered(mine) == index
    tape(mine, context=LISTS)
    assert delivered(mine, "claude") == index
    assert delivered(mine) != index
