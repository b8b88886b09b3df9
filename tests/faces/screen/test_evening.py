"""A person's evening in a real terminal: forty items decided by keys alone, taken back and decided
again; and the power goes in the middle."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable, Iterator
from itertools import cycle
from pathlib import Path

import pytest
from evening import CONFLICTS, DELETED, PROPOSALS, desk_at, evening, waiting
from machines import Machine, make_machine, make_remote
from needs import lacks, unless
from tmuxed import Tmux, review

from ctxrepo.app.panels.keys import actions_of
from ctxrepo.app.panels.load_panel import PanelRequest, load_panel
from ctxrepo.domain.records import decision
from ctxrepo.services.review.items import items_to_decide

pytestmark = [pytest.mark.slow, unless(lacks("tmux"))]

_CLEAN = "- key in the vault"
_EDITOR = f"""\
import re, sys
text = open(sys.argv[1]).read()
open(sys.argv[1], "w").write(re.sub("- key .*", "{_CLEAN}", text))
"""
"""The editor of somebody who takes a secret out of a note."""

ACCEPTS = hasattr(decision, "OF_PROPOSAL")
"""Whether proposals can be decided."""

KEYS = "adb"
"""What is pressed for one conflict after the other."""


def make_evening(root: Path) -> Machine:
    machine = evening(make_machine(root, "ada"), make_remote(root))
    (machine.home / "editor.py").write_text(_EDITOR)
    return machine


@pytest.fixture
def ada(tmp_path: Path) -> Machine:
    machine = make_evening(tmp_path)  # no copy of one: workers come, and go on in its folder after the test
    return Machine(machine.home, {"EDITOR": f"{sys.executable} {machine.home / 'editor.py'}"})


@pytest.fixture
def terminal(ada: Machine, tmp_path: Path) -> Iterator[Tmux]:
    tmux = review(tmp_path, ada)
    yield tmux
    tmux.close()


def state(machine: Machine) -> dict[str, str]:
    """What holds in the end: what is committed, and what waits; without evidence, which has moments in it,
    proposals, which have ids of their own on each machine, and doubts, which go by the time of commits."""
    items = waiting(machine)
    names = machine.git("-c", "core.quotePath=false", "ls-files").splitlines()
    texts = {name: machine.read(name) for name in names if not re.search("/evidence/|^inbox/", name)}
    return texts | {item.id: item.path for item in items if item.kind not in ("proposal", "doubt")}


def is_quiet(shown: str) -> bool:
    return "under way" not in shown and "taking it back" not in shown


def conflicts_in(shown: str) -> int:
    match = re.search(r"2 Conflicts\s+(\d+)", shown)
    return int(match[1]) if match else -1


def inbox_in(shown: str) -> int:
    match = re.search(r"1 Inbox.*?(\d+)(?: of \d+)? +│", shown)
    return int(match[1]) if match else -1


def by_keys(terminal: Tmux) -> None:
    """Everything is decided that somebody can decide: deletions, what was removed in a review, a file with a
    secret, conflicts, each its own way."""
    terminal.keys("1", "Home", "a")
    terminal.wait(lambda shown: "on all machines?" in shown, "deletions are asked about")
    terminal.keys("y")
    terminal.wait(lambda shown: "deleted on all machines:" in shown, "deletions are accepted")
    press_on(terminal, "unwanted", "d")
    terminal.wait(lambda shown: "taken off the list:" in shown, "what was removed in a review is dismissed")
    press_on(terminal, "keys.md", "e")
    terminal.wait(lambda shown: "edited shop/topics/keys.md" in shown, "the note is edited")
    terminal.keys("Escape")
    terminal.wait(lambda shown: "Inbox /" not in shown, "the filter goes")
    if ACCEPTS:
        press_on(terminal, "prefers", "Home")
        for key, _ in zip(cycle("ad"), range(PROPOSALS), strict=False):
            terminal.keys(key)
        terminal.wait(lambda shown: inbox_in(shown) == 0 and is_quiet(shown), "proposals are decided")
        terminal.keys("Escape")
        terminal.wait(lambda shown: "Inbox /" not in shown, "the filter goes")
    conflicts_by_keys(terminal)


def press_on(terminal: Tmux, typed: str, key: str) -> None:
    """Press a key for the row with this text."""
    terminal.keys("Escape")
    terminal.wait(lambda shown: "Inbox /" not in shown, "the filter goes")
    terminal.keys("/", *typed, "Enter")
    terminal.wait(lambda shown: f"Inbox /{typed}" in shown, "the row is found")
    terminal.keys(key)


def conflicts_by_keys(terminal: Tmux) -> None:
    terminal.keys("2")
    terminal.wait(lambda shown: "b keep both" in shown, "conflicts are shown")
    terminal.keys("Home")
    for key, _ in zip(cycle(KEYS), range(CONFLICTS), strict=False):
        terminal.keys(key)
    terminal.wait(lambda shown: conflicts_in(shown) == 0 and is_quiet(shown), "conflicts are decided")


def by_commands(machine: Machine) -> None:
    """The same, each by the command that the screen shows beside it."""
    desk = desk_at(machine)

    def run(command: str) -> None:
        run = machine.process(*command.split()[1:])
        assert run.returncode in (0, 6), (command, run.stderr)  # 6: something else is held back still

    run("ctxrepo sync --accept deletions")
    run("ctxrepo declined dismiss 20261120")
    held = machine.clone / "shop/topics/keys.md"
    held.write_text(re.sub("- key .*", _CLEAN, held.read_text()))
    inbox = desk.perform(load_panel, PanelRequest("inbox")).value.rows
    proposals = [row for row in inbox if row.sign == "+"] if ACCEPTS else []
    conflicts = desk.perform(load_panel, PanelRequest("conflicts")).value.rows
    for keys, rows in (("ad", proposals), (KEYS, conflicts)):
        for key, row in zip(cycle(keys), rows, strict=False):
            run(next(action.command for action in actions_of(row) if action.key == key))


def proposals(machine: Machine) -> int:
    """How many proposals wait; the head of the Inbox counts what is in doubt as well."""
    return sum(item.kind == "proposal" for item in items_to_decide(machine.open()))


def quiet_with(counted: Callable[[str], int], number: int) -> Callable[[str], bool]:
    """Whether a screen shows that so many wait, and nothing goes on."""
    return lambda shown: counted(shown) == number and is_quiet(shown)


def test_an_evening_by_keys_alone_comes_to_what_commands_come_to(
    ada: Machine, terminal: Tmux, tmp_path: Path
) -> None:
    by_keys(terminal)
    decided = state(ada)
    for number in range(1, CONFLICTS + 1):
        terminal.keys("u")
        terminal.wait(quiet_with(conflicts_in, number), "a conflict waits again")
    for number in range(1, PROPOSALS + 1 if ACCEPTS else 1):
        terminal.keys("u")
        terminal.wait(quiet_with(lambda _: proposals(ada), number), "a proposal waits again")
    terminal.keys("u")
    terminal.wait(lambda shown: re.search("undone: .*keys", shown) is not None, "the edit is undone")
    terminal.keys("u")
    terminal.wait(lambda shown: "undone: memory(shop): remove old/plan-00" in shown, "the files are back")
    assert (ada.clone / f"shop/old/plan-{DELETED - 1:02}.md").exists()
    assert sum(item.kind == "conflict" for item in waiting(ada)) == CONFLICTS
    conflicts_by_keys(terminal)
    again = state(ada)
    assert conflicting(again) == conflicting(decided)
    (tmp_path / "other").mkdir()
    other = make_evening(tmp_path / "other")
    by_commands(other)
    assert state(other) == decided


def conflicting(what: dict[str, str]) -> dict[str, str]:
    return {name: text for name, text in what.items() if re.match(r"shop/topics/.*-\d\d|conflict", name)}


@pytest.mark.parametrize("seconds", [0.0, 0.3, 0.7, 1.5])
def test_killed_in_the_middle_nothing_is_half(ada: Machine, terminal: Tmux, seconds: float) -> None:
    before = {item.id: item for item in waiting(ada) if item.kind == "conflict"}
    notes = {item.path: ada.read(item.path) for item in before.values()}
    terminal.keys("2", "Home", *"aaaaaaaa")
    time.sleep(seconds)
    terminal.kill()
    still = {item.id for item in waiting(ada) if item.kind == "conflict"}
    for item in before.values():
        now, other = ada.read(item.path), (item.after or "").strip()
        if item.id in still:
            assert now == notes[item.path], "what still waits wasn't touched"
        else:
            assert other in now, "what was decided holds"
    untidy = ada.git("status", "--porcelain").splitlines()
    assert not [line for line in untidy if "/old/" not in line and "keys.md" not in line], (
        "they are held back"
    )
    assert ada.git("fsck", "--no-dangling") == ""
    assert ada.process("status").returncode == 0


def test_who_leaves_at_once_has_decided_all_the_same(ada: Machine, terminal: Tmux) -> None:
    terminal.keys("2")
    terminal.wait(lambda shown: "b keep both" in shown, "conflicts are shown")
    terminal.keys("Home", *"d" * CONFLICTS, "q")
    terminal.wait(lambda shown: not shown, "the screen closes")
    assert not [item.id for item in waiting(ada) if item.kind == "conflict"]
