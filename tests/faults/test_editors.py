"""What programs that know of no lock write is kept."""

from __future__ import annotations

import os
import time
from dataclasses import replace
from pathlib import Path

import pytest
from long import mostly_long, rotating
from machines import Machine
from torture.editors import Appending, append, edit_over_each_other, show_hook

from ctxrepo.domain.note.entry import entries_of
from ctxrepo.storage.processes.lock import locked

NOTE = "shop/topics/build.md"
FACTS = "".join(f"- fact {number} of the build\n" for number in range(20))


@pytest.fixture
def shared(pair: tuple[Machine, Machine]) -> tuple[Machine, Machine]:
    """Two machines that have the same note; the second has sent one entry more."""
    ada, ben = pair
    ada.write(NOTE, "- first\n")
    ada.sync()
    ben.sync()
    ben.write(NOTE, "- first\n- by ben\n")
    ben.sync()
    return ada, ben


@pytest.fixture
def mine(ada: Machine) -> Machine:
    """A machine whose memory has a note of twenty entries, and whose hooks know where it is."""
    ada.init()
    ada.write(NOTE, FACTS)
    ada.sync()
    ada.commits_late()
    return ada


@pytest.mark.parametrize("entries", mostly_long([8, 25], keep=1))
def test_what_many_append_without_a_lock_is_kept(tmp_path: Path, entries: int) -> None:
    verdict = append(tmp_path, Appending(clones=2, appenders=6, entries=entries, seed=3))
    assert verdict.acknowledged == 2 * 6 * entries
    assert verdict.faults == []


def test_a_program_that_has_the_note_open_while_it_is_replaced_loses_nothing(
    shared: tuple[Machine, Machine],
) -> None:
    ada, ben = shared
    with (ada.clone / NOTE).open("a") as file:
        file.write("- by a slow program\n")  # still in its buffer
        ada.sync()
        assert "by ben" in ada.read(NOTE)
    ada.sync()
    ben.sync()
    for machine in shared:
        assert sorted(machine.read(NOTE).splitlines()) == ["- by a slow program", "- by ben", "- first"]


def test_what_is_appended_just_as_a_merged_edit_replaces_the_note_is_kept(
    shared: tuple[Machine, Machine], monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, _ = shared
    # As a sync leaves it that was killed when the branch had moved and the files had not.
    ada.git("fetch", "-q", "origin")
    ada.git("update-ref", "refs/heads/main", "refs/remotes/origin/main")
    ada.write(NOTE, "- first\n- by hand\n")
    replaced = os.rename

    def rename(source: str, target: str, **folders: int) -> None:
        if target == "build.md" and "too late" not in ada.read(NOTE):
            with (ada.clone / NOTE).open("a") as file:
                file.write("- too late\n")
        replaced(source, target, **folders)

    monkeypatch.setattr("ctxrepo.storage.worktree.worktree.os.rename", rename)
    ada.sync()
    monkeypatch.undo()
    ada.sync()
    assert set(ada.read(NOTE).splitlines()) == {"- first", "- by ben", "- by hand", "- too late"}


def test_what_is_written_while_a_slow_disk_keeps_what_comes_in_its_place_is_kept(
    shared: tuple[Machine, Machine], monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, _ = shared
    fsync = os.fsync

    def slow(handle: int) -> None:
        fsync(handle)
        text = ada.read(NOTE)
        if "by ben" not in text and "just then" not in text:
            ada.write(NOTE, f"{text}- just then\n")
            time.sleep(0.1)

    monkeypatch.setattr("ctxrepo.storage.worktree.worktree.os.fsync", slow)
    ada.sync()
    monkeypatch.undo()
    ada.sync()
    assert set(ada.read(NOTE).splitlines()) == {"- first", "- by ben", "- just then"}


@pytest.mark.parametrize("entries", mostly_long([5, 15], keep=1))
def test_every_version_that_a_hook_took_is_in_the_history_of_the_note(tmp_path: Path, entries: int) -> None:
    verdict, unheard_of = edit_over_each_other(tmp_path, editors=2, entries=entries, seed=1)
    assert verdict.acknowledged == 2 * entries
    assert verdict.faults == []
    assert unheard_of == set()


@pytest.mark.parametrize(
    "held", ["- hardly anything is left\n", f"{FACTS}- AKIAIOSFODNN7EXAMPLQ is the key\n"]
)
def test_what_agents_left_in_a_file_is_in_the_history_though_it_was_held_back(
    mine: Machine, held: str
) -> None:
    clean, again = (f"{FACTS}- version {number}\n" for number in range(2))
    for text in (clean, held):
        mine.write(NOTE, text)
        assert show_hook(mine, "s-1", mine.clone / NOTE, text)
    assert mine.process("_work", "--state", str(mine.places.state)).returncode == 0
    assert "held back" in mine.process("status").stdout
    assert (mine.read(NOTE), mine.git("show", f"HEAD:{NOTE}")) == (held, FACTS.strip())
    mine.write(NOTE, again)  # it was not what they meant
    assert show_hook(mine, "s-1", mine.clone / NOTE, again)
    assert mine.process("_work", "--state", str(mine.places.state)).returncode == 0
    history = mine.git("log", "--all", "-p", "--format=", "--", NOTE)
    assert [n for n in range(2) if f"version {n}" not in history] == []
    assert ("hardly anything" in history) == ("hardly anything" in held)
    assert "AKIA" not in history


def test_what_an_agent_left_in_a_file_that_can_not_be_looked_at_any_more_is_in_the_history(
    mine: Machine, tmp_path: Path
) -> None:
    mine.write(NOTE, f"{FACTS}- version 0\n")
    assert show_hook(mine, "s-1", mine.clone / NOTE, f"{FACTS}- version 0\n")
    (mine.clone / NOTE).unlink()
    (mine.clone / NOTE).symlink_to(tmp_path / "elsewhere")
    assert mine.process("_work", "--state", str(mine.places.state)).returncode == 0
    assert (mine.clone / NOTE).is_symlink()
    assert mine.git("show", f"HEAD:{NOTE}") == FACTS.strip()
    assert "version 0" in mine.git("log", "--all", "-p", "--format=", "--", NOTE)


@pytest.mark.parametrize(
    "sessions",
    rotating([pytest.param(("s-1", "s-2", "s-3")), pytest.param(("s-1", "s-1", "s-1"))], keep=1),
)
def test_three_versions_between_two_commits_are_three_in_the_history(
    ada: Machine, sessions: tuple[str, ...]
) -> None:
    ada.init()
    ada.write(NOTE, "- first\n")
    ada.sync()
    ada.commits_late()
    for number, session in enumerate(sessions):
        text = f"- first\n- version {number}\n"
        ada.write(NOTE, text)
        assert show_hook(ada, session, ada.clone / NOTE, text)
    assert ada.process("_work", "--state", str(ada.places.state)).returncode == 0
    history = ada.git("log", "--all", "-p", "--format=", "--", NOTE)
    assert [n for n in range(3) if f"version {n}" not in history] == []
    assert ada.read(NOTE).count("version 2") == 1


@pytest.mark.parametrize("is_looked_at_between", [False, True])
@pytest.mark.parametrize(
    "words",
    rotating(
        [
            pytest.param(("forget", "shop:topics/build.md")),
            pytest.param(("archive", "shop:topics/build.md")),
            pytest.param(("move", "shop:topics/build.md", "shop:topics/other.md")),
            pytest.param(("project", "rename", "store")),
        ],
        keep=2,
    ),
)
def test_a_note_that_a_command_removes_after_an_agent_edited_it_stays_away(
    ada: Machine, words: tuple[str, ...], is_looked_at_between: bool
) -> None:
    ada.init()
    ada.remember("the project is known")
    ada.write(NOTE, "- first\n")
    ada.sync()
    ada.commits_late()
    text = "- first\n- second\n"
    ada.write(NOTE, text)
    assert show_hook(ada, "s-1", ada.clone / NOTE, text)
    alone = replace(ada, more={"CTXREPO_OFF": "1"})
    with locked(ada.open().state.lock("work"), 5):  # the worker that the command wakes comes too late
        assert alone.process(*words).returncode == 0
        if is_looked_at_between:
            assert alone.process("status").returncode == 0
    ada.worker().run()
    assert not (ada.clone / NOTE).exists()
    assert "- second" in ada.git("log", "--all", "-p", "--format=", "--", NOTE)
    went = ada.git("ls-files", "*/other.md", "*/archive/*", "store/topics/*")
    assert bool(went) == (words[0] != "forget")


def test_an_entry_that_a_command_forgets_after_two_sessions_edited_its_note_stays_away(ada: Machine) -> None:
    ada.init()
    ada.write(NOTE, "- first\n")
    ada.sync()
    ada.commits_late()
    for session, text in (("s-1", "- first\n- second\n"), ("s-2", "- first\n- second\n- third\n")):
        ada.write(NOTE, text)
        assert show_hook(ada, session, ada.clone / NOTE, text)
    entry = entries_of(NOTE, ada.read(NOTE))[1]
    with locked(ada.open().state.lock("work"), 5):
        assert ada.process("forget", f"^{entry.id}").returncode == 0
        ada.write(NOTE, "- first\n")  # by an editor that knows of none of it
    ada.worker().run()
    assert sorted(ada.read(NOTE).splitlines()) == ["- first", "- third"]


def test_what_another_session_left_unseen_in_a_note_that_is_removed_stays(ada: Machine) -> None:
    ada.init()
    ada.write(NOTE, "- first\n")
    ada.sync()
    ada.commits_late()
    for session in ("s-1", "s-2"):
        text = f"- first\n- by {session}\n"
        ada.write(NOTE, text)
        assert show_hook(ada, session, ada.clone / NOTE, text)
    with locked(ada.open().state.lock("work"), 5):
        assert ada.process("forget", "shop:topics/build.md").returncode == 0
    ada.worker().run()
    assert "- by s-1" in ada.read(NOTE)
