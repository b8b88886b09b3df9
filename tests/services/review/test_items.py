"""Whatever waits for a person is one list, whichever way it came to wait; what is decided leaves it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from machines import NOW, Machine

from ctxrepo.app.review.decisions import command
from ctxrepo.domain.records.conflict_copy import ConflictCopy, copy_as_file
from ctxrepo.domain.records.decision import ItemToDecide
from ctxrepo.domain.records.save import TOOL, Origin, Save
from ctxrepo.services.notes.proposing import propose
from ctxrepo.services.notes.requests import Fact
from ctxrepo.services.review.items import items_to_decide
from ctxrepo.services.saving.commit import commit

NOTE = "shop/topics/gotcha.md"
KEY = "AKIA" + "QYLPMN5HFIQR7XYA"
OTHER_KEY = "AKIA" + "JW4TGLD6BXCQ2ZPK"


def waiting(machine: Machine) -> list[ItemToDecide]:
    memory = machine.open()
    commit(memory, NOW)
    return items_to_decide(memory)


@pytest.fixture
def mine(ada: Machine) -> Machine:
    ada.init()
    ada.write(NOTE, "- the port is 5\n")
    assert waiting(ada) == []
    return ada


def test_a_file_that_holds_a_secret_waits_with_both_texts_and_without_the_secret(mine: Machine) -> None:
    mine.write(NOTE, f"- the port is 5\n- key {KEY}\n")
    (item,) = waiting(mine)
    assert (item.id, item.kind, item.path) == (f"held:{NOTE}", "held", NOTE)
    assert item.why.startswith("line 2: it holds a secret")
    assert item.before == "- the port is 5\n"
    assert item.after is not None
    assert item.after.startswith("- the port is 5\n- key ")
    assert KEY not in repr(item)
    assert item.since is not None
    assert waiting(mine) == [item]
    mine.write(NOTE, "- the port is 5\n- key in the vault\n")
    assert waiting(mine) == []


def test_a_file_is_one_item_however_much_is_wrong_with_it(mine: Machine) -> None:
    mine.write(NOTE, f"- keys {KEY} and {OTHER_KEY}\n- again {KEY}\n")
    mine.write("shop/topics/other.md", f"- key {KEY}\n")
    items = waiting(mine)
    assert sorted(item.id for item in items) == [f"held:{NOTE}", "held:shop/topics/other.md"]
    (item,) = (item for item in items if item.path == NOTE)
    assert [why.split(":")[0] for why in item.why.split("; ")] == ["line 1", "line 1", "line 2"]


def test_files_whose_names_hold_secrets_are_told_apart(mine: Machine) -> None:
    for key in (KEY, OTHER_KEY):
        mine.write(f"shop/topics/{key}.md", "- a note\n")
    items = waiting(mine)
    assert len({item.path for item in items}) == 1
    assert len({item.id for item in items}) == 2


def test_the_texts_of_a_mass_deletion_are_not_all_read(mine: Machine) -> None:
    for number in range(40):
        mine.write(f"shop/n{number}.md", f"- note {number}\n")
    commit(mine.open(), NOW)
    for number in range(40):
        (mine.clone / f"shop/n{number}.md").unlink()
    items = waiting(mine)
    assert len(items) == 40
    assert [item.before is None for item in items] == [False] * 20 + [True] * 20


def test_many_deletions_wait_each_and_say_what_decides_them(mine: Machine) -> None:
    for number in range(12):
        mine.write(f"shop/n{number}.md", f"- note {number}\n")
    commit(mine.open(), NOW)
    for number in range(12):
        (mine.clone / f"shop/n{number}.md").unlink()
    items = waiting(mine)
    assert {(item.kind, item.after) for item in items} == {("deletion", None)}
    assert sorted((item.path, item.before) for item in items)[0] == ("shop/n0.md", "- note 0\n")
    assert len(items) == len({item.id for item in items}) == 12
    words = command(items[0], items[0].choices[0]).split()
    assert mine.ctxrepo(*words[1:]).returncode == 0
    assert waiting(mine) == []


def test_a_version_that_lost_a_merge_waits_until_one_of_its_choices_is_taken(mine: Machine) -> None:
    path, data = copy_as_file(ConflictCopy(NOTE, "- the port is 1", "- the port is 5", "- the port is 9"))
    mine.write(path, data.decode())
    (item,) = waiting(mine)
    assert (item.kind, item.path) == ("conflict", NOTE)
    assert (item.before, item.after) == ("- the port is 5", "- the port is 9")
    (other,) = (choice for choice in item.choices if choice.verb == "keep-other")
    assert mine.ctxrepo(*command(item, other).split()[1:]).returncode == 0
    assert mine.read(NOTE).endswith("- the port is 9\n")
    assert waiting(mine) == []


def test_a_proposal_waits_with_whoever_made_it(mine: Machine) -> None:
    memory = mine.open()
    propose(memory, Fact("maybe so"), mine.project(), Origin(memory.host, "s-1", "claude"), NOW)
    (item,) = waiting(mine)
    assert (item.kind, item.path, item.after) == ("proposal", "shop", "maybe so")
    assert (item.since, item.who) == (NOW, f"claude on {memory.host}")


@pytest.mark.slow
def test_what_reviewers_struck_out_waits_until_somebody_has_seen_it(ada: Machine, remote: Path) -> None:
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
    assert (item.id, item.kind, item.after) == ("declined:20261120", "declined", f"{NOTE}: unwanted")
    assert item.since == NOW, "when it was put aside, and not when that day began"
    assert ada.ctxrepo(*command(item, item.choices[0]).split()[1:]).returncode == 0
    assert waiting(ada) == []


def test_what_an_agent_wrote_waits_with_its_name_and_what_a_hand_wrote_with_the_machine(
    mine: Machine,
) -> None:
    memory = mine.open()
    path, text = "global/topics/key.md", f"- the key is {KEY}\n"
    mine.write(path, text)
    mine.write("global/topics/other.md", text)
    by = Origin("", "s-1", "claude")
    memory.journal.add([Save(path, None, text.encode(), TOOL, by, id="1")])
    commit(memory, NOW)
    who = {item.path: item.who for item in items_to_decide(memory)}
    assert who == {path: f"claude on {memory.host}", "global/topics/other.md": memory.host}
