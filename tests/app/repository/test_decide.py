"""An item that waits is decided by one of its choices, as the command of that choice would decide it."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from machines import NOW, Machine

from ctxrepo.app.desk import Call, Desk
from ctxrepo.app.repository.decide import DecideRequest, decide
from ctxrepo.app.review.decisions import command
from ctxrepo.domain.records.conflict_copy import ConflictCopy, copy_as_file
from ctxrepo.domain.records.decision import ItemToDecide, Verb
from ctxrepo.domain.records.save import Origin
from ctxrepo.errors import NotFound, UsageError
from ctxrepo.services.notes.proposing import propose
from ctxrepo.services.notes.requests import Fact
from ctxrepo.services.review.items import items_to_decide
from ctxrepo.services.saving.commit import commit

NOTE = "shop/topics/gotcha.md"


@pytest.fixture
def mine(ada: Machine) -> Machine:
    ada.init()
    ada.write(NOTE, "- the port is 5\n")
    waiting(ada)
    return ada


def waiting(machine: Machine) -> list[ItemToDecide]:
    memory = machine.open()
    commit(memory, NOW)
    return items_to_decide(memory)


def desk_at(machine: Machine) -> Desk:
    return Desk(Call(machine.project_folder, machine.env), lambda: datetime.now(UTC), sys.executable)


def conflict_at(machine: Machine) -> ItemToDecide:
    path, data = copy_as_file(ConflictCopy(NOTE, "- the port is 1", "- the port is 5", "- the port is 9"))
    machine.write(path, data.decode())
    (item,) = waiting(machine)
    return item


@pytest.mark.parametrize(
    ("verb", "keep", "text"),
    [
        ("keep-current", "kept", "- the port is 5\n"),
        ("keep-other", "other", "- the port is 9\n"),
        ("keep-both", "both", "- the port is 5\n- the port is 9\n"),
    ],
)
def test_a_conflict_is_resolved_to_either_side_or_both_and_that_is_undone(
    mine: Machine, verb: Verb, keep: str, text: str
) -> None:
    item, desk = conflict_at(mine), desk_at(mine)
    (choice,) = (choice for choice in item.choices if choice.verb == verb)
    assert command(item, choice) == f"ctxrepo conflicts resolve {item.name} --keep {keep}"
    decided = desk.perform(decide, DecideRequest(item.id, verb))
    assert (decided.exit_code, decided.value.still_waits) == (0, False)
    assert mine.read(NOTE).endswith(text)
    assert waiting(mine) == []
    assert decided.data["undo"] == "undo"
    assert mine.ctxrepo("undo").returncode == 0
    assert [again.id for again in waiting(mine)] == [item.id]


def deletions_at(machine: Machine) -> list[ItemToDecide]:
    files = [f"shop/n{number}.md" for number in range(12)]
    for file in files:
        machine.write(file, f"- note in {file}\n")
    waiting(machine)
    for file in files:
        (machine.clone / file).unlink()
    return waiting(machine)


@pytest.mark.parametrize(
    ("verb", "command_line", "remain"),
    [
        ("accept-deletions", "ctxrepo sync --accept deletions", False),
        ("restore-files", "ctxrepo doctor --fix", True),
    ],
)
def test_deletions_are_accepted_or_their_files_come_back(
    mine: Machine, verb: Verb, command_line: str, remain: bool
) -> None:
    items = deletions_at(mine)
    assert len(items) == 12
    (choice,) = (choice for choice in items[0].choices if choice.verb == verb)
    assert command(items[0], choice) == command_line
    decided = desk_at(mine).perform(decide, DecideRequest(items[0].id, verb))
    assert not decided.value.still_waits
    assert waiting(mine) == [], "all of them are decided at once"
    assert (mine.clone / "shop/n0.md").exists() == remain
    assert ("shop/n0.md" in mine.git("ls-files")) == remain


def test_deletions_that_were_accepted_are_undone_and_restored_files_stop_an_undo(mine: Machine) -> None:
    """And never is an older command undone in place of the decision."""
    mine.remember("the wall is blue")
    first, *_ = deletions_at(mine)
    decided = desk_at(mine).perform(decide, DecideRequest(first.id, "accept-deletions"))
    assert [effect.line for effect in decided.value.effects] == ["- note in shop/n0.md"]
    run = mine.ctxrepo("undo")
    assert (run.returncode, run.stdout.split("\n")[0]) == (0, "undone: delete: shop/n0.md and 11 more")
    assert mine.read("shop/n0.md") == "- note in shop/n0.md\n"
    assert mine.ctxrepo("undo", "--redo").returncode == 0
    assert mine.ctxrepo("undo").returncode == 0
    assert waiting(mine) == []
    for number in range(12):
        (mine.clone / f"shop/n{number}.md").unlink()
    first, *_ = waiting(mine)
    desk_at(mine).perform(decide, DecideRequest(first.id, "restore-files"))
    run = mine.ctxrepo("undo")
    assert (run.returncode, "can't be undone: put back: shop/n0.md" in run.stderr) == (6, True)
    assert "the wall is blue" in mine.read("shop/MEMORY.md")
    assert (mine.clone / "shop/n0.md").exists()


def test_deletions_that_sync_confirms_are_undone(mine: Machine) -> None:
    mine.remember("the wall is blue")
    deletions_at(mine)
    assert mine.ctxrepo("sync", "--accept", "deletions").returncode == 0
    assert not (mine.clone / "shop/n0.md").exists()
    assert mine.ctxrepo("undo").returncode == 0
    assert (mine.clone / "shop/n0.md").exists()
    assert "the wall is blue" in mine.read("shop/MEMORY.md")


def test_what_was_declined_is_taken_off_the_list(ada: Machine, remote: Path) -> None:
    ada.init(str(remote))
    ada.write(NOTE, "- base\n")
    ada.sync()
    config = ada.places.config_file
    config.write_text(config.read_text().replace("[[repository]]\n", '[[repository]]\nreview = "branch"\n'))
    ada.write(NOTE, "- base\n- unwanted\n")
    branch = ada.sync().branch
    subprocess.run(["git", "-C", str(remote), "branch", "-q", "-D", branch], check=True)  # turned down
    ada.sync()
    (item,) = waiting(ada)
    assert command(item, item.choices[0]) == f"ctxrepo declined dismiss {item.name}"
    decided = desk_at(ada).perform(decide, DecideRequest(item.id, "dismiss"))
    assert decided.data == {"item": item.id, "verb": "dismiss", "undo": "", "waits": False, "changes": []}
    assert waiting(ada) == []
    run = ada.ctxrepo("undo")
    assert (run.returncode, f"can't be undone: dismiss: {item.name}" in run.stderr) == (6, True)


def test_a_file_with_a_secret_offers_no_choice(mine: Machine) -> None:
    mine.write(NOTE, "- key " + "AKIA" + "QYLPMN5HFIQR7XYA\n")
    (item,) = waiting(mine)
    assert item.choices == ()
    with pytest.raises(UsageError, match="can't be decided by dismiss"):
        desk_at(mine).perform(decide, DecideRequest(item.id, "dismiss"))


@pytest.mark.parametrize(
    ("verb", "text", "remembered"),
    [("accept", "", "maybe so"), ("accept", "surely so", "surely so"), ("decline", "", "")],
)
def test_a_proposal_is_decided_in_one_commit_and_waits_again_when_that_is_undone(
    mine: Machine, verb: Verb, text: str, remembered: str
) -> None:
    memory, desk = mine.open(), desk_at(mine)
    propose(memory, Fact("maybe so"), mine.project(), Origin(memory.host, "s-1", "claude"), NOW)
    (item,) = waiting(mine)
    before = int(mine.git("rev-list", "--count", "HEAD"))
    (choice,) = (choice for choice in item.choices if choice.verb == verb)
    assert command(item, choice) == f"ctxrepo inbox {verb} {item.name}"
    decided = desk.perform(decide, DecideRequest(item.id, verb, text))
    assert (decided.value.still_waits, decided.data["undo"]) == (False, "undo")
    assert int(mine.git("rev-list", "--count", "HEAD")) == before + 1
    file = mine.clone / "shop/MEMORY.md"
    assert (file.read_text().split("- ")[-1].strip() if file.exists() else "") == remembered
    assert mine.ctxrepo("undo").returncode == 0
    assert waiting(mine) == [item]
    assert not file.exists() or "so" not in file.read_text()


def test_an_item_that_no_longer_waits_is_named(mine: Machine) -> None:
    with pytest.raises(NotFound, match="nothing that waits is called conflict:0"):
        desk_at(mine).perform(decide, DecideRequest("conflict:0", "keep-both"))
