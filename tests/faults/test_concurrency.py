"""Several at once: machines that change the same thing, people beside the syncs, storms of hooks."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest
from long import mostly_long, rotating
from machines import NOW, Machine, count_pushes, make_machine
from processes import wait_for_workers, workers

from ctxrepo.services.sync.sync import SyncRequest, sync

NOTE = "shop/topics/build.md"
BOTH = ("ada", "ben")


@pytest.fixture
def shared(pair: tuple[Machine, Machine]) -> tuple[Machine, Machine]:
    """Two machines with the same note of three entries."""
    ada, ben = pair
    ada.write(NOTE, "- the first fact\n- another thing\n- something else entirely\n")
    ada.sync()
    ben.sync()
    return ada, ben


def come_together(*machines: Machine) -> None:
    for machine in (*machines, *machines):
        assert machine.ctxrepo("sync").returncode in (0, 4)
    assert len({machine.tree() for machine in machines}) == 1


def kept_aside(machine: Machine) -> str:
    return "\n".join(f.read_text() for f in (machine.clone / "conflicts").rglob("*") if f.is_file())


def test_an_edit_stays_against_a_deletion_of_the_whole_note(shared: tuple[Machine, Machine]) -> None:
    ada, ben = shared
    (ada.clone / NOTE).unlink()
    ben.write(NOTE, "- the first fact, mended\n- another thing\n- something else entirely\n")
    ada.sync()
    come_together(ben, ada)
    assert "the first fact, mended" in ada.read(NOTE)


def test_an_edit_follows_its_entry_to_the_note_that_another_machine_moved_it_to(
    shared: tuple[Machine, Machine],
) -> None:
    ada, ben = shared
    (ada.clone / NOTE).rename(ada.clone / "shop/topics/moved.md")
    ben.write(NOTE, "- the first fact, mended\n- another thing\n- something else entirely\n")
    ada.sync()
    come_together(ben, ada)
    texts = [file.read_text() for file in (ada.clone / "shop").rglob("*.md")]
    assert sum("the first fact, mended" in text for text in texts) == 1
    assert any("something else entirely" in text for text in texts)


def test_of_two_edits_of_one_entry_one_stays_and_the_other_is_kept_aside(
    shared: tuple[Machine, Machine],
) -> None:
    for machine in shared:
        name = machine.home.name
        machine.write(NOTE, f"- the first fact by {name}\n- another thing\n- something else entirely\n")
    come_together(*shared)
    for machine in shared:
        stays = [name for name in BOTH if f"fact by {name}" in machine.read(NOTE)]
        assert len(stays) == 1
        assert [f"fact by {name}" in kept_aside(machine) for name in BOTH if name not in stays] == [True]


def test_a_note_that_two_machines_make_at_once_has_the_entries_of_both(
    pair: tuple[Machine, Machine],
) -> None:
    for machine in pair:
        run = machine.process("remember", f"made by {machine.home.name}", "--note", "topics/new.md")
        assert run.returncode == 0
    for machine in pair:
        wait_for_workers(machine)
    come_together(*pair)
    text = pair[0].read("shop/topics/new.md")
    assert [f"made by {name}" in text for name in BOTH] == [True, True]
    assert text.count("description:") == 1


def test_an_entry_deleted_and_added_again_is_there_once(shared: tuple[Machine, Machine]) -> None:
    ada, ben = shared
    whole = ada.read(NOTE)
    ada.write(NOTE, whole.replace("- another thing\n", ""))
    ada.sync()
    ada.write(NOTE, whole)
    ben.write(NOTE, whole + "- by ben\n")
    come_together(ada, ben)
    assert ben.read(NOTE).count("another thing") == 1
    assert "by ben" in ada.read(NOTE)


@pytest.mark.parametrize("count", mostly_long([3, 8], keep=1))
def test_a_person_may_commit_and_pull_while_syncs_run(shared: tuple[Machine, Machine], count: int) -> None:
    ada, ben = shared
    with ThreadPoolExecutor() as pool:
        running = pool.submit(lambda: [ada.ctxrepo("sync") for _ in range(6)])
        for number in range(count):
            ben.write(f"shop/topics/ben-{number}.md", f"- by ben {number}\n")
            ben.sync()
            ada.write(f"shop/topics/hand-{number}.md", f"- by hand {number}\n")
            # Where a sync is in the middle of it git says so, and the person tries again later.
            for words in (
                ("add", "-A"),
                ("commit", "-qm", f"by hand {number}"),
                ("pull", "-q", "--no-rebase"),
            ):
                subprocess.run(["git", *words], cwd=ada.clone, env=ada.env, capture_output=True)
        syncs = running.result()
    # On a busy machine the worker's sync may take longer than a command waits for it.
    odd = [d for d in syncs if d.returncode not in (0, 1, 4) and "another sync" not in d.stderr]
    assert not odd, [(d.returncode, d.stderr) for d in odd]
    if (ada.clone / ".git" / "MERGE_HEAD").exists():
        subprocess.run(["git", "commit", "-qam", "merged"], cwd=ada.clone, env=ada.env, capture_output=True)
    come_together(ada, ben)
    names = ben.git("ls-files", "shop/topics")
    assert [n for n in range(count) if f"hand-{n}.md" not in names or f"ben-{n}.md" not in names] == []
    assert not ada.git("status", "--porcelain")


def end_session(machine: Machine, number: int) -> subprocess.Popen[str]:
    payload = {"session_id": f"s-{number}", "cwd": str(machine.project_folder), "reason": "exit"}
    words = [sys.executable, "-m", "ctxrepo", "hook", "claude", "SessionEnd"]
    hook = subprocess.Popen(words, stdin=subprocess.PIPE, env=machine.env, text=True, start_new_session=True)
    assert hook.stdin
    hook.stdin.write(json.dumps({**payload, "hook_event_name": "SessionEnd"}))
    hook.stdin.close()
    return hook


def test_fifty_sessions_that_end_at_once_push_at_most_twice(ada: Machine, remote: Path) -> None:
    ada.init(str(remote))
    log = count_pushes(remote)
    for number in range(5):
        ada.remember(f"fact {number} of the storm")
    hooks = [end_session(ada, number) for number in range(50)]
    assert [hook.wait(60) for hook in hooks] == [0] * 50
    wait_for_workers(ada)
    assert 1 <= len(log.read_text().splitlines()) <= 2
    words = ["git", "-C", str(remote), "show", "main:shop/MEMORY.md"]
    held = subprocess.run(words, capture_output=True, text=True).stdout
    assert [n for n in range(5) if f"fact {n} of the storm" not in held] == []


@pytest.mark.parametrize("delay", rotating([0.4, 0.1, 0.8], keep=1))
def test_a_push_that_is_killed_is_made_good_by_the_next_session(
    ada: Machine, remote: Path, delay: float
) -> None:
    ada.init(str(remote))
    slow = remote / "hooks" / "pre-receive"
    slow.parent.mkdir(exist_ok=True)
    slow.write_text("#!/bin/sh\nsleep 0.5\n")
    slow.chmod(0o755)
    ada.remember("sent in the end")
    assert end_session(ada, 1).wait(30) == 0
    time.sleep(delay)
    for pid in workers(ada):
        with suppress(ProcessLookupError):
            os.killpg(os.getpgid(pid), signal.SIGKILL)
    time.sleep(0.6)
    wait_for_workers(ada)  # it has its lock until Linux has ended it
    assert end_session(ada, 2).wait(30) == 0
    wait_for_workers(ada)
    held = subprocess.run(["git", "-C", str(remote), "show", "main:shop/MEMORY.md"], capture_output=True)
    assert b"sent in the end" in held.stdout
    assert ada.ctxrepo("sync").returncode == 0


@pytest.mark.parametrize("count", mostly_long([20, 100], keep=1))
def test_many_syncs_criss_cross_come_together(tmp_path: Path, remote: Path, count: int) -> None:
    machines = [make_machine(tmp_path, f"m{number}") for number in range(4)]
    for machine in machines:
        machine.init(str(remote))
    chance = random.Random(5)
    for number in range(count):
        machine = chance.choice(machines)
        name = chance.choice(["a", "b", "c"])
        file = machine.clone / "shop" / "topics" / f"{name}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("a") as note:
            note.write(f"- fact {number} crossed\n")
        # Committed on one machine and not sent, so that the merges of several cross.
        sync(machine.open(), NOW, SyncRequest(send=chance.random() < 0.5))
    come_together(*machines)
    text = "\n".join(f.read_text() for f in (machines[0].clone / "shop" / "topics").iterdir())
    assert [n for n in range(count) if text.count(f"- fact {n} crossed\n") != 1] == []
    assert not (machines[0].clone / "conflicts").exists()


def test_two_first_pushes_to_an_empty_remote_at_once(ada: Machine, ben: Machine, remote: Path) -> None:
    for machine in (ada, ben):
        machine.init()
        machine.remember(f"here before {machine.home.name} had a remote")
    with ThreadPoolExecutor() as pool:
        runs = list(pool.map(lambda machine: machine.process("init", str(remote)), (ada, ben)))
    assert [d.returncode for d in runs] == [0, 0], [d.stderr for d in runs]
    come_together(ada, ben)
    for name in BOTH:
        assert f"here before {name} had" in ada.read("shop/MEMORY.md")


def test_over_a_slow_line_one_sync_serves_many_writers(ada: Machine, remote: Path) -> None:
    ada.init(str(remote))
    log = count_pushes(remote)
    slow = remote / "hooks" / "pre-receive"
    slow.write_text("#!/bin/sh\nsleep 0.4\n")  # two ways of 200 ms
    slow.chmod(0o755)

    def write_and_sync(number: int) -> int:
        ada.process("remember", f"fact {number} over a slow line")
        return ada.ctxrepo("sync").returncode

    with ThreadPoolExecutor(8) as pool:
        codes = list(pool.map(write_and_sync, range(8)))
    wait_for_workers(ada)
    assert set(codes) == {0}
    held = subprocess.run(["git", "-C", str(remote), "show", "main:shop/MEMORY.md"], capture_output=True)
    assert [n for n in range(8) if b"fact %d over" % n not in held.stdout] == []
    assert len(log.read_text().splitlines()) < 8
