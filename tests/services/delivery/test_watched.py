"""The stamps of what is watched: they are those of files that are as the cache has them, and of no others."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from long import mostly_long, rotating
from machines import Machine, make_machine

from ctxrepo.domain.records.save import Origin
from ctxrepo.hooks.known.cached import last_round_of, open_cache
from ctxrepo.hooks.known.freshness import is_unwatched, news
from ctxrepo.hooks.known.locate import Scope
from ctxrepo.hooks.known.world import open_hooks, world_of
from ctxrepo.services.delivery.watched import MAX_FOLDERS, MAX_NOTES, MAX_SCOPES, store_stamps
from ctxrepo.services.history.conflict_copies import conflicts
from ctxrepo.services.history.settle_conflict import resolve
from ctxrepo.storage.cache.cache import all_faults, watched_stamps
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.state.spool import Spool


@pytest.fixture
def mine(ada: Machine) -> Machine:
    """A memory whose project a session has been in; the worker has looked at it all."""
    ada.init()
    ada.remember("a fact")
    ada.write("shop/topics/kettle.md", "- it boils\n")
    turn(ada, "start")
    assert not has_news(ada)
    return ada


def turn(machine: Machine, event: str = "") -> None:
    """A worker's turn, after what a hook has left."""
    if event:
        line = (
            f'{{"event": "{event}", "agent": "claude", "session": "s", "cwd": "{machine.project_folder}"}}\n'
        )
        with machine.open().state.spool.open("a") as file:
            file.write(line)
    machine.worker(lambda: datetime.now(UTC)).run()


def has_news(machine: Machine, *scopes: str) -> bool:
    """Whether a hook has something to wait for."""
    memory = machine.open()
    state = str(memory.places.state)
    db, cache = open_hooks(state), open_cache(str(memory.state.cache))
    assert db is not None
    assert cache is not None
    with closing(db), closing(cache):
        world = world_of(db, state)
        assert world is not None
        wanted = [Scope(world.repo, name) for name in scopes or ("global", "shop")]
        return is_unwatched(cache, wanted) or bool(news(world, cache, wanted))


def replace(file: Path, text: str) -> None:
    other = file.with_name("kettle.md~")
    other.write_text(text)
    os.replace(other, file)


CHANGES: dict[str, Callable[[Machine], object]] = {
    "a line behind a MEMORY.md": lambda m: m.write(
        "shop/MEMORY.md", m.read("shop/MEMORY.md") + "- by hand\n"
    ),
    "the same size": lambda m: m.write("shop/topics/kettle.md", "- it boilt\n"),
    "a new note": lambda m: m.write("shop/topics/new.md", "- new\n"),
    "a new folder": lambda m: m.write("shop/more/new.md", "- new\n"),
    "a note that is gone": lambda m: (m.clone / "shop/topics/kettle.md").unlink(),
    "a note under another name": lambda m: (m.clone / "shop/topics/kettle.md").rename(
        m.clone / "shop/pot.md"
    ),
    "an editor's new file": lambda m: replace(m.clone / "shop/topics/kettle.md", "- it boils no more\n"),
    "the first MEMORY.md of all": lambda m: m.write("global/MEMORY.md", "- I\n"),
    "a command's": lambda m: m.remember("said in a shell"),
    "a command's into a new note": lambda m: m.remember("said in a shell", category="gotcha"),
}


@pytest.mark.parametrize("change", rotating(CHANGES.values()), ids=CHANGES)
def test_a_hook_sees_what_was_changed_until_the_worker_has_looked(
    mine: Machine, change: Callable[[Machine], object]
) -> None:
    change(mine)
    assert has_news(mine)
    turn(mine, "prompt")
    assert not has_news(mine)


def test_after_a_command_the_worker_looks_at_its_note_only_and_forgets_nobody_elses_edit(
    mine: Machine,
) -> None:
    mine.write("shop/MEMORY.md", "- by hand\n")
    mine.remember("said in a shell", category="gotcha")
    turn(mine)
    assert "said in a shell" in mine.git("show", "HEAD:shop/topics/gotcha.md")
    assert has_news(mine)
    turn(mine, "stop")
    assert not has_news(mine)


def test_what_is_held_back_is_looked_at_once(mine: Machine) -> None:
    mine.write("shop/MEMORY.md", "the key is ghp_" + "a1B2c3D4e5" * 3 + "f6g7h8\n")
    mine.write("shop/link.md", "x")
    (mine.clone / "shop/link.md").unlink()
    (mine.clone / "shop/link.md").symlink_to("/etc/passwd")
    turn(mine, "stop")
    assert not has_news(mine)


def test_who_is_in_the_middle_of_something_is_waited_for_by_nobody(mine: Machine) -> None:
    mine.write("shop/MEMORY.md", "- by hand\n")
    (mine.clone / ".git/MERGE_HEAD").write_text(mine.git("rev-parse", "HEAD"))
    before = time.time()
    turn(mine, "start")
    assert mine.open().cache.ask(last_round_of) >= before
    assert has_news(mine)


def test_a_folder_nobody_was_in_is_not_known(mine: Machine) -> None:
    mine.write("other/MEMORY.md", "- elsewhere\n")
    turn(mine, "stop")
    assert has_news(mine, "other")


def test_what_another_machine_sent_is_no_news_once_it_is_here(
    ada: Machine, ben: Machine, remote: Path
) -> None:
    ada.init(str(remote))
    ada.remember("a fact")
    turn(ada, "end")
    ben.init(str(remote))
    turn(ben, "start")
    ben.remember("another")
    turn(ben, "end")
    (ada.open().state.fetched).unlink()
    turn(ada, "start")
    assert "another" in ada.read("shop/MEMORY.md")
    assert not has_news(ada)


def test_a_round_is_over_from_when_it_began(mine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who starts in the middle of a round isn't told that all it wrote before has been looked at."""
    real, has_read = Spool.read, []

    def read(spool: Spool) -> object:
        events = real(spool)
        has_read.append(time.time())
        return events

    monkeypatch.setattr(Spool, "read", read)
    before = time.time()
    turn(mine, "start")
    assert before <= mine.open().cache.ask(last_round_of) <= has_read[0]


def test_so_many_scopes_notes_and_folders_are_watched(mine: Machine) -> None:
    memory = mine.open()
    for number in range(MAX_NOTES + 10):
        mine.write(f"shop/f{number}/n.md", "- x\n")
    turn(mine, "stop")
    assert len(mine.open().cache.ask(watched_stamps)["shop"]) <= MAX_NOTES + MAX_FOLDERS + 2
    store_stamps(memory, [f"scope{number}" for number in range(MAX_SCOPES + 5)])
    assert len(memory.cache.ask(watched_stamps)) == MAX_SCOPES
    store_stamps(memory, ["global"])
    assert list(memory.cache.ask(watched_stamps))[-1] == "global"


EDITS = st.lists(
    st.tuples(
        st.sampled_from(["shop/MEMORY.md", "shop/a.md", "shop/t/b.md", "global/MEMORY.md"]),
        st.sampled_from(["", "- one\n", "- two\n", "- three, longer\n"]),
        st.booleans(),
    ),
    min_size=1,
    max_size=8,
)


@pytest.mark.parametrize("examples", mostly_long([5, 15], keep=1))
def test_whatever_has_no_news_is_as_the_commit_has_it(
    tmp_path_factory: pytest.TempPathFactory, examples: int
) -> None:
    @settings(max_examples=examples)
    @given(edits=EDITS)
    def holds(edits: list[tuple[str, str, bool]]) -> None:
        _is_as_the_commit_has_it(tmp_path_factory.mktemp("m"), edits)

    holds()


def _is_as_the_commit_has_it(folder: Path, edits: list[tuple[str, str, bool]]) -> None:
    machine = make_machine(folder, "ada")
    machine.init()
    machine.remember("a fact")
    turn(machine, "start")
    memory: Memory = machine.open()
    for path, text, is_noticed in edits:
        file = machine.clone / path
        if text and not file.is_dir():
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        elif not text and file.is_file():
            file.unlink()
        if is_noticed:  # as after a round that looked at other files
            store_stamps(memory, ["shop", "global"])
    if not has_news(machine):
        assert machine.git("status", "--porcelain") == ""
    turn(machine, "stop")
    assert not has_news(machine)


def test_a_conflict_that_was_settled_is_waited_for_and_told_to_nobody(
    ada: Machine, ben: Machine, remote: Path
) -> None:
    ada.init(str(remote))
    ada.remember("the port is 1")
    ada.sync()
    ben.init(str(remote))
    for machine, port in ((ben, "2"), (ada, "3")):
        machine.write(
            "shop/MEMORY.md", machine.read("shop/MEMORY.md").replace("port is 1", f"port is {port}")
        )
        machine.sync()
    turn(ada, "start")
    assert not has_news(ada)
    assert "kept aside" in str(ada.open().cache.ask(all_faults))
    memory = ada.open()
    (conflict,) = conflicts(memory)
    resolve(memory, conflict.id, "kept", Origin(memory.host), datetime.now(UTC))
    assert has_news(ada)
    turn(ada, "start")
    assert ada.open().cache.ask(all_faults) == []
