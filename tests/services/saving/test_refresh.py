"""Who asks the cache gets all of it, whoever is building it."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import replace

import pytest
from machines import NOW, Machine

from ctxrepo.services.review.items import items_to_decide
from ctxrepo.services.saving.commit import CommitRequest, commit
from ctxrepo.services.saving.refresh import complete
from ctxrepo.services.sync.sync import sync
from ctxrepo.storage.cache.cache import all_faults
from ctxrepo.storage.cache.entries import entry_count
from ctxrepo.storage.processes.lock import locked

NOTES = 1200
TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@pytest.fixture
def unread(ada: Machine) -> Machine:
    """A memory of many notes of which the cache knows nothing."""
    ada.init()
    for number in range(NOTES):
        ada.write(f"global/n{number // 100}/note-{number}.md", f"- fact number {number}\n")
    ada.sync()
    ada.open().cache.clear()
    return ada


def test_a_worker_that_builds_it_is_waited_for(unread: Machine) -> None:
    memory = unread.open()
    head = memory.objects.ref("refs/heads/main")
    with locked(memory.state.lock("work"), 1):
        asked = threading.Thread(target=lambda: complete(unread.open(), head))
        asked.start()
        asked.join(0.5)
        assert asked.is_alive()
        assert memory.cache.ask(entry_count) == 0
    asked.join(60)
    assert memory.cache.head == head
    assert memory.cache.ask(entry_count) >= NOTES


def test_the_first_search_reads_all_notes_and_tells_how_far_it_is(unread: Machine) -> None:
    ours, theirs = pty.openpty()
    words = [sys.executable, "-m", "ctxrepo", "search", f"number {NOTES - 1}"]
    done = subprocess.run(
        words, cwd=unread.project_folder, env=unread.env, stdout=subprocess.PIPE, stderr=theirs, text=True
    )
    os.close(theirs)
    output = os.read(ours, 65536).decode()
    os.close(ours)
    assert f"fact number {NOTES - 1}" in done.stdout
    assert re.search(r"building the cache: [1-9]\d+ of 12", output)
    assert output.endswith("\r\x1b[K")  # and the line is gone


def test_what_is_held_back_is_told_until_a_look_at_that_file_finds_nothing(ada: Machine) -> None:
    """Sixty notes are too many for whoever syncs, so a worker reads them, which looks at no file."""
    ada.init()
    for number in range(60):
        ada.write(f"shop/vault/n{number}.md", f"- note number {number}\n")
    ada.write("shop/vault/s.md", f"- the token is {TOKEN}\n")
    os.mkfifo(ada.clone / "shop/vault/pipe.md")
    memory = replace(ada.open(), leaves_cache_to_worker=True)
    sync(memory, NOW)
    looks: list[Callable[[], object]] = [
        lambda: None,
        lambda: ada.worker().run(),
        lambda: commit(ada.open(), NOW, CommitRequest(only={"shop/vault/n1.md"})),
        lambda: ada.ctxrepo("cache", "rebuild"),
        lambda: ada.remember("something else"),
        lambda: ada.worker().run(),
    ]
    for look in looks:
        look()
        text = "\n".join(fault.text for fault in ada.open().cache.ask(all_faults))
        assert "shop/vault/s.md#L1 is held back" in text
        assert "shop/vault/pipe.md is not part of the memory" in text
        assert [item.path for item in items_to_decide(ada.open())] == ["shop/vault/s.md"]
    ada.write("shop/vault/s.md", "- the token is in the vault\n")
    commit(ada.open(), NOW, CommitRequest(only={"shop/vault/s.md"}))
    assert not items_to_decide(ada.open())
    (ada.clone / "shop/vault/pipe.md").unlink()
    ada.sync()
    assert ada.open().cache.ask(all_faults) == []


def told_after(machine: Machine, *handoff: str) -> str:
    """What a session begins with when an item was done and cleared since this handoff."""
    machine.init()
    for words in ("write the tests", "tag the release"):
        machine.ctxrepo("scratch", "add", words)
    machine.ctxrepo("handoff", *handoff)
    assert "Open: write the tests" in machine.ctxrepo("handoff", "--show").stdout
    machine.ctxrepo("scratch", "done", "write the tests")
    machine.ctxrepo("scratch", "clear-done")
    assert machine.ctxrepo("sync").returncode == 0
    shown = machine.ctxrepo("handoff", "--show").stdout
    output = machine.ctxrepo("context").stdout
    assert ("Open: write the tests" in shown) == ("Open: write the tests" in output)
    return output


def test_what_was_done_since_a_handoff_is_open_no_more_though_it_was_cleared(ada: Machine) -> None:
    output = told_after(ada, "--next", "look at the log")
    assert "Open: write the tests" not in output
    assert "tag the release" in output


def test_what_somebody_adds_to_a_handoff_was_on_no_list_and_stays(ada: Machine) -> None:
    assert "Open: ask Ben" in told_after(ada, "--open", "ask Ben", "--open", "write the tests")
