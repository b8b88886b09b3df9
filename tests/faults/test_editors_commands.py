"""What agents left in a note doesn't undo what commands made of it, one after the other, in the same turn."""

from __future__ import annotations

from dataclasses import replace

import pytest
from machines import Machine
from torture.editors import show_hook

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
    assert ada.ctxrepo("status").returncode == 0
    return ada


def leave(machine: Machine, session: str, text: str) -> None:
    machine.write(NOTE, text)
    assert show_hook(machine, session, machine.clone / NOTE, text)


def test_a_note_that_is_removed_after_a_command_changed_what_an_agent_left_stays_away(known: Machine) -> None:
    leave(known, "s-1", "- first\n- second\n")
    alone = replace(known, more={"CTXREPO_OFF": "1"})
    with locked(known.open().state.lock("work"), 5):  # the worker that the commands wake comes too late
        assert alone.ctxrepo(*EDIT).returncode == 0
        assert alone.ctxrepo("forget", NAME).returncode == 0
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
            assert alone.ctxrepo(*EDIT).returncode == 0
        for _ in range(2):
            entry = entries_of(NOTE, known.read(NOTE))[1]
            assert alone.ctxrepo("forget", f"^{entry.id}").returncode == 0
    known.worker().run()
    assert known.read(NOTE).splitlines() == ["- first", "- fourth"]


def test_commands_that_only_add_to_a_note_are_not_compared_with_what_each_session_left(
    known: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    leave(known, "s-1", "- first\n- second\n")
    leave(known, "s-2", "- first\n- third\n")
    compared: list[str] = []
    alone = replace(known, more={"CTXREPO_OFF": "1"})
    with locked(known.open().state.lock("work"), 5):
        for fact in ("one fact", "another fact"):
            assert (
                alone.ctxrepo("remember", fact, "--note", "topics/build.md", "--scope", "shop").returncode
                == 0
            )

    def was_found(*_: object) -> bool:
        compared.append("")
        return False

    monkeypatch.setattr("ctxrepo.services.saving.pending._was_found", was_found)
    known.worker().run()
    assert compared == []
    assert {"- first", "- second", "- third"} < {*known.read(NOTE).splitlines()}
