"""A move that was killed on its way is begun again."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from copies import Copies
from machines import NOW, Machine, make_ada

from ctxrepo.domain.project.target import parse_target
from ctxrepo.domain.records.save import Origin, Save
from ctxrepo.errors import Refused
from ctxrepo.services.notes.placing import MoveResult, move
from ctxrepo.storage.state.journal import Journal
from ctxrepo.storage.worktree.worktree import Worktree

LINKING = "- see [[hub]] and [it](hub.md)\n"


@pytest.fixture
def mine(copies: Copies) -> Machine:
    return copies.of(with_links)


def with_links(place: Path) -> Machine:
    ada = make_ada(place)
    ada.write("global/topics/hub.md", "---\ndescription: the hub\n---\n- a hub, see [[other]]\n")
    for name in ("one", "other"):
        ada.write(f"global/topics/{name}.md", LINKING)
    ada.sync()
    return ada


def moved(machine: Machine) -> MoveResult:
    target, to = parse_target("global:topics/hub"), parse_target("global:topics/spoke")
    return move(machine.open(), target, to, None, Origin("human"), NOW)


def killed(*_: object) -> None:
    raise KeyboardInterrupt


def begin(machine: Machine) -> None:
    """A move that is killed when all is written, and before the note is gone from where it was."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Worktree, "remove", killed)
        with pytest.raises(KeyboardInterrupt):
            moved(machine)


@pytest.mark.parametrize("is_committed", [False, True])
def test_the_same_command_goes_on(mine: Machine, is_committed: bool) -> None:
    begin(mine)
    if is_committed:
        mine.sync()
    assert mine.read("global/topics/hub.md")
    assert moved(mine).at == "global/topics/spoke.md"
    mine.sync()
    assert not (mine.clone / "global/topics/hub.md").exists()
    assert mine.read("global/topics/one.md") == LINKING.replace("hub", "spoke")
    assert "a hub" in mine.git("show", "HEAD:global/topics/spoke.md")


def test_what_is_acknowledged_names_the_note_though_it_was_there(
    mine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else a commit might take the one away and leave the other for later."""
    begin(mine)
    written: list[Save] = []
    add = Journal.add

    def noted(self: Journal, saves: Sequence[Save]) -> None:
        written.extend(saves)
        add(self, saves)

    monkeypatch.setattr(Journal, "add", noted)
    moved(mine)
    assert {"global/topics/hub.md", "global/topics/spoke.md"} <= {w.path for w in written}


def test_another_note_of_that_name_stays(mine: Machine) -> None:
    mine.write("global/topics/spoke.md", "- a spoke\n")
    with pytest.raises(Refused):
        moved(mine)
    assert mine.read("global/topics/spoke.md") == "- a spoke\n"
    assert mine.read("global/topics/one.md") == LINKING


def test_a_note_may_be_given_another_spelling_of_its_name(mine: Machine) -> None:
    target, to = parse_target("global:topics/hub"), parse_target("global:topics/Hub")
    assert move(mine.open(), target, to, None, Origin("human"), NOW).at == "global/topics/Hub.md"


def test_but_not_that_of_another_note(mine: Machine) -> None:
    target, to = parse_target("global:topics/hub"), parse_target("global:topics/ONE")
    with pytest.raises(Refused, match=r"there is a note global/topics/one\.md already"):
        move(mine.open(), target, to, None, Origin("human"), NOW)
