"""Who asks the cache gets all of it, whoever is building it."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
import threading

import pytest
from machines import Machine

from ctxrepo.services.saving.refresh import complete
from ctxrepo.storage.processes.lock import locked

NOTES = 1200


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
        assert memory.cache.entry_count == 0
    asked.join(60)
    assert memory.cache.head == head
    assert memory.cache.entry_count >= NOTES


def test_the_first_search_reads_all_notes_and_tells_how_far_it_is(unread: Machine) -> None:
    ours, theirs = pty.openpty()
    words = [sys.executable, "-m", "ctxrepo", "search", f"number {NOTES - 1}"]
    done = subprocess.run(
        words, cwd=unread.project_folder, env=unread.env, stdout=subprocess.PIPE, stderr=theirs, text=True
    )
    os.close(theirs)
    said = os.read(ours, 65536).decode()
    os.close(ours)
    assert f"fact number {NOTES - 1}" in done.stdout
    assert re.search(r"building the cache: [1-9]\d+ of 12", said)
    assert said.endswith("\r\x1b[K")  # and the line is gone
