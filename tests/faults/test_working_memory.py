"""Checklist and log are written by several at once, by commands and by hand: no line is lost."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
from catalogue import everything
from long import mostly_long
from machines import Machine
from processes import wait_for_workers

PAD = "shop/SCRATCHPAD.md"

LOOP = """\
import subprocess, sys
for number in range({times}):
    for words in (["scratch", "add"], ["log"]):
        text = f"{{words[0]}} {name} {{number}}"
        subprocess.run([sys.executable, "-m", "ctxrepo", *words, text], check=True, capture_output=True)
"""


def writing(machine: Machine, name: str, times: int) -> subprocess.Popen[bytes]:
    """A process that adds so many items and logs so many lines, one command after the other."""
    words = [sys.executable, "-c", LOOP.format(times=times, name=name)]
    return subprocess.Popen(words, cwd=machine.project_folder, env=machine.env)


def edit_by_hand(machine: Machine, until: list[subprocess.Popen[bytes]]) -> list[tuple[str, int]]:
    """Write a heading and a list into both notes, whole file by whole file, as long as the others write;
    returns which notes and headings."""
    made = []
    for number in range(1000):
        for path in (machine.clone / PAD, *(machine.clone / "shop" / "daily").glob("*.md")):
            if path.exists():
                text = path.read_text()
                path.write_text(f"{text}\n## By hand {number}\n\n- note {number}\n  - below {number}\n")
                made.append((path.relative_to(machine.clone).as_posix(), number))
        if all(process.poll() is not None for process in until):
            break
        time.sleep(0.3)
    return made


def notes(machine: Machine) -> tuple[str, str]:
    """The checklist, and all logs: a test may be at it at midnight."""
    days = sorted((machine.clone / "shop" / "daily").glob("*.md"))
    return machine.read(PAD), "".join(day.read_text() for day in days)


def counted(text: str, line: str) -> int:
    return len(re.findall(rf"^{line}$", text, re.MULTILINE))


def all_once(pad: str, log: str, names: str, times: int) -> None:
    """Whether every item and every line is there once."""
    for name in names:
        for number in range(times):
            assert counted(pad, rf"- \[ \] scratch {name} {number}") == 1, (name, number, pad)
            assert counted(log, rf"- \d\d:\d\d [+-]\d{{4}} log {name} {number}") == 1, (name, number, log)


@pytest.fixture
def mine(ada: Machine, remote: Path) -> Machine:
    ada.init(str(remote))
    return ada


@pytest.mark.parametrize("times", mostly_long([4, 10], keep=1))
def test_two_processes_and_a_hand_write_the_same_two_notes(
    mine: Machine, ben: Machine, remote: Path, times: int
) -> None:
    processes = [writing(mine, name, times) for name in "ab"]
    made = edit_by_hand(mine, processes)
    assert [process.wait() for process in processes] == [0, 0]
    wait_for_workers(mine)
    assert mine.ctxrepo("sync").returncode == 0
    ben.init(str(remote))
    for machine in (mine, ben):
        all_once(*notes(machine), "ab", times)
        for path in {path for path, _ in made}:
            text = machine.read(path)
            there = re.findall(r"^## By hand (\d+)\n\n- note \1\n  - below \1$", text, re.MULTILINE)
            # What reaches a file while it is replaced is merged, and may come behind what was written later.
            assert sorted(map(int, there)) == [number for where, number in made if where == path]
            assert text.count("## By hand") == len(there)
    assert mine.git("status", "--porcelain") == ""


@pytest.mark.parametrize("times", mostly_long([4, 10], keep=1))
def test_two_machines_write_the_same_two_notes(mine: Machine, ben: Machine, remote: Path, times: int) -> None:
    ben.init(str(remote))
    processes = [writing(mine, "a", times), writing(ben, "b", times)]
    assert [process.wait() for process in processes] == [0, 0]
    for machine in (mine, ben, mine, ben):
        wait_for_workers(machine)
        assert machine.ctxrepo("sync").returncode == 0
    for machine in (mine, ben):
        all_once(*notes(machine), "ab", times)
        assert notes(machine)[0].count("description:") == 1
    assert mine.tree() == ben.tree()
    assert f"scratch b {times - 1}" in everything(remote)


def test_an_item_that_one_machine_ticks_is_ticked_on_all_and_others_stay(
    mine: Machine, ben: Machine, remote: Path
) -> None:
    ben.init(str(remote))
    for text in ("first", "second", "third"):
        assert mine.ctxrepo("scratch", "add", text).returncode == 0
    wait_for_workers(mine)
    mine.sync()
    ben.sync()
    for machine, words in (
        (mine, ("scratch", "done", "first")),
        (ben, ("scratch", "done", "second")),
        (mine, ("scratch", "add", "by ada")),
        (ben, ("scratch", "add", "by ben")),
    ):
        assert machine.ctxrepo(*words).returncode == 0
    for machine in (mine, ben, mine, ben):
        wait_for_workers(machine)
        assert machine.ctxrepo("sync").returncode == 0
    items = [line for line in mine.read(PAD).splitlines() if line.startswith("- ")]
    assert items[:3] == ["- [x] first", "- [x] second", "- [ ] third"]
    assert sorted(items[3:]) == ["- [ ] by ada", "- [ ] by ben"]
    assert ben.read(PAD) == mine.read(PAD)
    assert mine.ctxrepo("scratch", "clear-done").returncode == 0
    wait_for_workers(mine)
    for machine in (mine, ben):
        assert machine.ctxrepo("sync").returncode == 0
    assert "[x]" not in ben.read(PAD)
    assert "- [ ] third" in ben.read(PAD)


def test_of_an_item_that_is_ticked_here_and_reworded_there_both_hold(
    mine: Machine, ben: Machine, remote: Path
) -> None:
    mine.write(PAD, "- [ ] ask the bank about its limit\n- [ ] other\n")
    mine.sync()
    ben.init(str(remote))
    assert mine.ctxrepo("scratch", "done", "bank").returncode == 0
    ben.write(PAD, "- [ ] ask the bank about its limit of 8 s\n- [ ] other\n")
    for machine in (mine, ben, mine, ben):
        wait_for_workers(machine)
        assert machine.ctxrepo("sync").returncode in (0, 4)
    assert mine.tree() == ben.tree()
    assert "[x] ask the bank" in everything(mine.clone)
    assert "limit of 8 s" in everything(mine.clone)
