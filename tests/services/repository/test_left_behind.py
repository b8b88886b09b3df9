"""A clone that is removed takes nothing along that commands had saved and not sent."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from machines import NOW, Machine

from ctxrepo.services.saving.commit import commit

NOTE = "shop/MEMORY.md"


def made_anew(machine: Machine, remote: Path) -> str:
    """What `init` says after somebody removed the clone."""
    shutil.rmtree(machine.clone)
    done = machine.ctxrepo("init", str(remote))
    assert done.returncode == 0
    return done.stderr


@pytest.mark.parametrize("is_committed", [True, False])
def test_what_was_saved_and_not_sent_is_there_again(ada: Machine, remote: Path, is_committed: bool) -> None:
    ada.init(str(remote))
    ada.remember("alpha")
    ada.sync()
    ada.remember("beta")
    forgotten = ada.remember("to be forgotten").id
    for words in (
        ["remember", "to be undone"],
        ["undo"],
        ["forget", f"^{forgotten}"],
        ["edit", NOTE, "--old", "alpha", "--new", "alpha and omega"],
    ):
        assert ada.ctxrepo(*words).returncode == 0
    if is_committed:
        commit(ada.open(), NOW)
    said = made_anew(ada, remote)
    assert "the clone that was here before had not sent" in said
    ada.ctxrepo("sync")
    assert [line for line in ada.read(NOTE).splitlines() if line.startswith("- ")] == [
        "- alpha and omega",
        "- beta",
    ]
    assert "had not sent" not in made_anew(ada, remote)


def test_nothing_comes_from_a_clone_of_another_remote(ada: Machine, remote: Path, tmp_path: Path) -> None:
    ada.init(str(remote))
    ada.remember("the first")
    ada.sync()
    ada.remember("the second")
    ada.places.config_file.unlink()
    other = tmp_path / "other.git"
    shutil.copytree(remote, other)
    assert "had not sent" not in made_anew(ada, other)
    assert "the second" not in ada.read(NOTE)
