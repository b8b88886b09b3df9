"""What a maker made once stands in its place for each test, as it was."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest
from copies import Copies
from machines import Machine, make_sending
from needs import needs_proc

CALLS: list[Path] = []


def with_a_fact(place: Path) -> Machine:
    CALLS.append(place)
    ada = make_sending(place)
    ada.remember("a fact")
    ada.sync()
    return ada


LATE = """
import sys, time
from pathlib import Path
with open(sys.stdin.read()) as opened:
    print("open", flush=True)
    time.sleep(0.3)
    Path(opened.name).with_name("late").mkdir(parents=True)
"""
"""Works on a file that it was told of, as a worker that an operation has woken."""


def exchange(machine: Machine) -> dict[str, float]:
    """What is recorded about the last exchange with the remote."""
    (file,) = machine.home.glob(".local/state/ctxrepo/*/exchange.json")
    recorded: dict[str, float] = json.loads(file.read_text())
    return recorded


@pytest.mark.slow
def test_a_copy_is_as_the_maker_left_it_whatever_became_of_another(tmp_path: Path) -> None:
    CALLS.clear()
    copies = Copies(tmp_path)
    first = copies.of(with_a_fact)
    tree = first.tree()
    first.write("shop/MEMORY.md", "- spoilt\n")
    first.sync()
    assert first.tree() != tree
    (tmp_path / "test").mkdir()
    copies.leave(tmp_path / "test")
    assert (tmp_path / "test/place/ada/.ctxrepo/shop/MEMORY.md").read_text() == "- spoilt\n"
    second = copies.of(with_a_fact)
    assert (second, len(CALLS)) == (first, 1)
    assert second.tree() == tree
    assert "- a fact" in second.read("shop/MEMORY.md")
    second.remember("another")
    assert second.sync().remote.ok
    assert second.git("status", "--porcelain") == ""


@pytest.mark.slow
def test_the_last_exchange_is_as_long_ago_as_it_was(tmp_path: Path) -> None:
    copies = Copies(tmp_path)
    before = exchange(copies.of(with_a_fact))
    (tmp_path / "test").mkdir()
    copies.leave(tmp_path / "test")
    time.sleep(0.2)
    later = exchange(copies.of(with_a_fact))
    for name in ("began", "ended"):
        assert 0.2 <= later[name] - before[name] < time.monotonic() - before["began"]


@pytest.mark.slow
def test_of_two_makers_each_has_copies_of_its_own(tmp_path: Path) -> None:
    copies = Copies(tmp_path)
    for number, (make, count) in enumerate([(with_a_fact, 2), (make_sending, 1)] * 2):
        machine = copies.of(make)
        assert len(list(machine.clone.glob("*/MEMORY.md"))) == count
        (tmp_path / f"test-{number}").mkdir()
        copies.leave(tmp_path / f"test-{number}")


@needs_proc
def test_whoever_works_in_a_copy_comes_to_its_end_there(tmp_path: Path) -> None:
    copies = Copies(tmp_path)
    machine = copies.of(make_sending)
    with subprocess.Popen([sys.executable, "-ISc", LATE], stdin=-1, stdout=-1, text=True) as late:
        assert late.stdin
        assert late.stdout
        late.stdin.write(str(machine.home / ".gitconfig"))
        late.stdin.close()
        late.stdout.readline()
        (tmp_path / "test").mkdir()
        copies.leave(tmp_path / "test")
    assert (tmp_path / "test/place/ada/late").is_dir()
    assert not copies.place.exists()
