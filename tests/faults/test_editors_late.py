"""What reaches a file just while it is replaced, and may not be committed, is where a person can mend it."""

from __future__ import annotations

from pathlib import Path

import pytest
from machines import Machine

NOTE = "shop/topics/build.md"
FACTS = "".join(f"- fact {number} of the build\n" for number in range(20))


@pytest.fixture
def shared(pair: tuple[Machine, Machine]) -> Machine:
    """A machine whose next sync replaces the note by one with an entry more."""
    ada, ben = pair
    ada.write(NOTE, FACTS)
    ada.sync()
    ben.sync()
    ben.write(NOTE, f"{FACTS}- by ben\n")
    ben.sync()
    return ada


def test_a_secret_that_came_late_is_in_the_file_and_can_be_taken_out_there(shared: Machine) -> None:
    with (shared.clone / NOTE).open("a") as file:
        file.write("- AKIAIOSFODNN7EXAMPLQ is the key\n")  # still in its buffer
        shared.sync()
    (held,) = shared.sync().held
    assert "AKIA" in shared.read(NOTE).splitlines()[held.line - 1]
    shared.write(NOTE, f"{FACTS}- by ben\n- the key is in the vault\n")
    assert not shared.sync().held
    assert "in the vault" in shared.git("show", f"HEAD:{NOTE}")
    assert "AKIA" not in shared.git("log", "--all", "-p")


def test_what_was_deleted_late_is_deleted_in_the_file_and_can_be_brought_back(shared: Machine) -> None:
    with (shared.clone / NOTE).open("r+") as file:
        shared.sync()
        file.truncate(FACTS.index("\n") + 1)
    assert [held.rule for held in shared.sync().held] == ["deletions"]
    assert len(shared.read(NOTE).splitlines()) < 5
    shared.ctxrepo("doctor", "--fix")
    assert not shared.sync().held
    assert shared.read(NOTE) == f"{FACTS}- by ben\n"


@pytest.mark.parametrize("in_the_way", [False, True])
def test_what_reached_a_replaced_file_waits_while_the_note_is_held_back(
    shared: Machine, tmp_path: Path, in_the_way: bool
) -> None:
    ada = shared
    with (ada.clone / NOTE).open("a") as file:
        file.write("- by a slow program\n")  # still in its buffer
        ada.sync()
    if in_the_way:
        (ada.clone / NOTE).unlink()
        (ada.clone / NOTE).symlink_to(tmp_path / "elsewhere")
    else:
        ada.write(NOTE, "- hardly anything is left\n")
        assert ada.sync().held
    ada.sync()
    (ada.clone / NOTE).unlink()
    ada.write(NOTE, f"{FACTS}- by ben\n")
    assert not ada.sync().held
    assert "- by a slow program" in ada.git("show", f"HEAD:{NOTE}")


def test_a_version_that_came_late_and_loses_is_told(pair: tuple[Machine, Machine]) -> None:
    ada, ben = pair
    ada.write(NOTE, "- the port is 1 on all machines\n")
    ada.sync()
    ben.sync()
    ben.write(NOTE, "- the port is 9 on all machines\n")
    ben.sync()
    with (ada.clone / NOTE).open("r+") as file:
        ada.sync()
        file.write("- the port is 5 on all machines\n")
    result = ada.sync()
    assert (result.created, len(result.conflict_copies)) == (True, 1)
    (conflict,) = (ada.clone / "conflicts").rglob("*.md")
    kept = ada.read(NOTE) + conflict.read_text()
    assert "port is 5" in kept
    assert "port is 9" in kept
