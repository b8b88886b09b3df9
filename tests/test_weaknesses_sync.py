"""What goes wrong when pi-memory-md syncs, tried here. The rows are those of docs/reference/weaknesses.md."""

from __future__ import annotations

import json
import os
import time
from datetime import timedelta
from pathlib import Path

import pytest
from machines import NOW, Machine

from ctxrepo.domain.records.save import Origin
from ctxrepo.services.anchors.leave_anchor import AnchorRequest, anchor
from ctxrepo.services.sync.fetch import is_fetch_due

LEGACY = "TAPE/shop__anchors.jsonl"
MARKERS = ("<<<<<<<", ">>>>>>>", "=======")


def markers(machine: Machine) -> list[str]:
    files = [p for p in machine.clone.rglob("*") if p.is_file() and ".git" not in p.parts]
    return [p.name for p in files if any(m in p.read_text("utf-8", "replace") for m in MARKERS)]


def state_of_git(machine: Machine) -> tuple[str, str, list[str]]:
    """The branch, the stashes, and what an unfinished operation leaves."""
    left = [
        p.name for p in (machine.clone / ".git").iterdir() if "rebase" in p.name or p.name == "MERGE_HEAD"
    ]
    return machine.git("symbolic-ref", "--short", "HEAD"), machine.git("stash", "list"), left


def leave(machine: Machine, name: str, minutes: int = 0) -> None:
    memory = machine.open()
    when = NOW + timedelta(minutes=minutes)
    anchor(memory, AnchorRequest(name, name), machine.project(), Origin(memory.host), when)


@pytest.fixture
def apart(pair: tuple[Machine, Machine]) -> tuple[Machine, Machine]:
    """Two machines that have changed one line, Ben's not even saved to git."""
    ada, ben = pair
    ada.write("shop/MEMORY.md", "# Shop\n\n- the port is 1000\n")
    ada.sync()
    ben.sync()
    ada.write("shop/MEMORY.md", "# Shop\n\n- the port is 2000\n")
    ada.sync()
    ben.write("shop/MEMORY.md", "# Shop\n\n- the port is 3000\n")
    return ada, ben


def test_d_w1_a_failure_is_no_success(pair: tuple[Machine, Machine], remote: Path) -> None:
    ada, _ = pair
    ada.remember("written while the remote is gone")
    remote.rename(remote.with_name("gone.git"))
    for words in (("sync",), ("pull",), ("push",)):
        run = ada.ctxrepo(*words)
        assert (run.returncode, run.stdout) == (5, ""), words
        assert len(run.stderr.splitlines()) == 1


def test_d_w2_d_w3_an_unsaved_edit_and_anothers_leave_no_markers_and_no_stash(
    apart: tuple[Machine, Machine],
) -> None:
    for machine in (*reversed(apart), *apart):
        machine.sync()
        assert markers(machine) == []
        assert state_of_git(machine) == ("main", "", [])
    ada, ben = apart
    assert ada.tree() == ben.tree()
    both = ada.read("shop/MEMORY.md") + "".join(
        p.read_text() for p in (ada.clone / "conflicts").rglob("*.md")
    )
    assert ("2000" in both, "3000" in both) == (True, True)


def test_d_w4_a_pull_always_asks(pair: tuple[Machine, Machine]) -> None:
    ada, ben = pair
    ben.sync(send=False)
    ada.remember("sent a moment after Ben looked")
    ada.sync()
    assert ben.sync(send=False).received == 1
    assert "sent a moment after" in ben.read("shop/MEMORY.md")


def test_d_w5_a_failed_fetch_is_none(pair: tuple[Machine, Machine], remote: Path) -> None:
    ada, _ = pair
    ada.sync()
    memory = ada.open()
    assert not is_fetch_due(memory)
    long_ago = time.time() - 3600
    os.utime(memory.state.fetched, (long_ago, long_ago))
    remote.rename(remote.with_name("gone.git"))
    assert not ada.sync(send=False).remote.ok
    assert is_fetch_due(memory)


def test_d_w6_a_push_takes_what_others_sent_along(pair: tuple[Machine, Machine], remote: Path) -> None:
    ada, ben = pair
    ada.remember("of Ada")
    ada.sync()
    ben.remember("of Ben")
    sent = ben.sync()
    assert (sent.remote.ok, sent.sent > 0) == (True, True)
    notes = ben.read("shop/MEMORY.md")
    assert ("of Ada" in notes, "of Ben" in notes) == (True, True)
    assert ben.git("ls-remote", str(remote), "main").split()[0] == ben.git("rev-parse", "HEAD")


def test_d_w6_a_branch_that_follows_none_is_sent_all_the_same(ada: Machine, remote: Path) -> None:
    ada.init(str(remote))
    ada.remember("of Ada")
    for key in ("branch.main.remote", "branch.main.merge"):
        if ada.git("config", "--get", "--default", "", key):
            ada.git("config", "--unset", key)
    ada.sync()
    assert ada.git("ls-remote", str(remote), "main").split()[0] == ada.git("rev-parse", "HEAD")


def test_d_w9_anchors_of_two_machines_never_meet(pair: tuple[Machine, Machine]) -> None:
    ada, ben = pair
    for machine in pair:
        leave(machine, f"by/{machine.home.name}")
    assert [len(machine.sync().conflict_copies) for machine in (ada, ben, ada)] == [0, 0, 0]
    tapes = sorted(p.name for p in (ada.clone / "TAPE/shop").iterdir())
    assert len(tapes) == 2
    assert ada.tree() == ben.tree()


def test_d_w9_not_even_on_the_one_tape_of_pi_memory_md(pair: tuple[Machine, Machine]) -> None:
    ada, ben = pair
    ada.write(LEGACY, "")
    ada.sync()
    ben.sync()
    for number in range(3):
        leave(ada, f"ada/{number}", 2 * number)
        leave(ben, f"ben/{number}", 2 * number + 1)
    assert [len(machine.sync().conflict_copies) for machine in (ada, ben, ada)] == [0, 0, 0]
    assert markers(ada) == []
    names = [json.loads(line)["name"] for line in ada.read(LEGACY).splitlines()]
    assert sorted(names) == ["ada/0", "ada/1", "ada/2", "ben/0", "ben/1", "ben/2"]
    assert ada.read(LEGACY) == ben.read(LEGACY)


def test_d_w9_a_session_start_leaves_the_repository_as_it_is(pair: tuple[Machine, Machine]) -> None:
    ada, _ = pair
    head = ada.git("rev-parse", "HEAD")
    for number in range(2):
        payload = json.dumps(
            {"session_id": f"s{number}", "cwd": str(ada.project_folder), "source": "startup"}
        )
        assert ada.ctxrepo("hook", "claude", "SessionStart", stdin=payload).returncode == 0
    assert (ada.git("rev-parse", "HEAD"), ada.git("status", "--porcelain")) == (head, "")
