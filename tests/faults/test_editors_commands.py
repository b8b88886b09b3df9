"""What agents left in a note doesn't undo what commands made of it, one after the other, in the same turn."""

from __future__ import annotations

from dataclasses import replace

import pytest
from machines import Machine
from torture.editors import show_hook

from ctxrepo.domain.merge import MergedFile, merge_file
from ctxrepo.domain.note.entry import entries_of
from ctxrepo.storage.processes.lock import locked

NOTE = "shop/topics/build.md"
NAME = "shop:topics/build.md"
EDIT = ("edit", NAME, "--old", "second", "--new", "other")


@pytest.fixture
def known(ada: Machine) -> Machine:
    ada.init()
    ada.write(NOTE, "- first\n")
    ada.sync()
    ada.commits_late()
    return ada


def leave(machine: Machine, session: str, text: str) -> None:
    machine.write(NOTE, text)
    assert show_hook(machine, session, machine.clone / NOTE, text)


def test_a_note_that_is_removed_after_a_command_changed_what_an_agent_left_stays_away(known: Machine) -> None:
    leave(known, "s-1", "- first\n- second\n")
    alone = replace(known, more={"CTXREPO_OFF": "1"})
    with locked(known.open().state.lock("work"), 5):  # the worker that the commands wake comes too late
        assert alone.process(*EDIT).returncode == 0
        assert alone.process("forget", NAME).returncode == 0
    known.worker().run()
    assert not (known.clone / NOTE).exists()


@pytest.mark.parametrize("is_edited", [False, True])
def test_each_of_several_commands_in_a_note_that_two_sessions_edited_is_done(
    known: Machine, is_edited: bool
) -> None:
    leave(known, "s-1", "- first\n- second\n- third\n")
    leave(known, "s-2", "- first\n- second\n- third\n- fourth\n")
    alone = replace(known, more={"CTXREPO_OFF": "1"})
    with locked(known.open().state.lock("work"), 5):
        if is_edited:
            assert alone.process(*EDIT).returncode == 0
        for _ in range(2):
            entry = entries_of(NOTE, known.read(NOTE))[1]
            assert alone.process("forget", f"^{entry.id}").returncode == 0
    known.worker().run()
    assert known.read(NOTE).splitlines() == ["- first", "- fourth"]


def test_each_save_is_merged_three_times_at_most_and_what_commands_added_is_there(
    known: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    leave(known, "s-1", "- first\n- second\n")
    leave(known, "s-2", "- first\n- third\n")
    merged: list[str] = []
    alone = replace(known, more={"CTXREPO_OFF": "1"})
    with locked(known.open().state.lock("work"), 5):
        for fact in ("one fact", "another fact"):
            assert (
                alone.process("remember", fact, "--note", "topics/build.md", "--scope", "shop").returncode
                == 0
            )

    saves = [save for save in known.open().journal.read() if save.path == NOTE]
    assert len(saves) == 4

    def noted(path: str, base: bytes | None, ours: bytes | None, theirs: bytes | None) -> MergedFile:
        merged.append(path)
        return merge_file(path, base, ours, theirs)

    monkeypatch.setattr("ctxrepo.domain.merge.fold.merge_file", noted)
    known.worker().run()
    assert 0 < merged.count(NOTE) <= 3 * len(saves)
    assert {"- first", "- second", "- third"} < {*known.read(NOTE).splitlines()}
    assert all(fact in known.read(NOTE) for fact in ("one fact", "another fact"))
