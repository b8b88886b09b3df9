"""An agent's own edit of a note, where it may only propose, becomes proposals, and the file goes back."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from machines import NOW, Machine
from sessions import Session, connected, eventually, log_of

from ctxrepo.domain.records.decision import ItemToDecide
from ctxrepo.domain.records.save import TOOL, Origin, Save
from ctxrepo.services.inbox.staging import is_staged
from ctxrepo.services.review.items import items_to_decide
from ctxrepo.services.saving.commit import commit
from ctxrepo.storage.clone.reffiles import WT
from ctxrepo.storage.disk.private import random_name
from ctxrepo.storage.worktree.worktree import FileUpdate, Worktree

NOTE = "shop/topics/walls.md"
OTHER = "shop/topics/doors.md"
TEXT = """\
---
description: about walls
---

## Here

- blue walls
- a red door

## There

- green roofs
"""
LATER = NOW + timedelta(minutes=1)
KEY = "AKIA" + "QYLPMN5HFIQR7XYA"


@pytest.fixture
def mine(ada: Machine) -> Machine:
    ada.init()
    ada.remember("the port is 5")  # registers the project
    ada.write(NOTE, TEXT)
    commit(ada.open(), NOW)
    assert ada.ctxrepo("config", "set", "inbox.policy", "project=stage").returncode == 0
    return ada


def by_tool(machine: Machine, path: str, text: str, session: str = "s-1", agent: str = "claude") -> None:
    """An agent's tool writes a note, and its hook notes that."""
    memory = machine.open()
    machine.write(path, text)
    save = Save(path, None, text.encode(), TOOL, Origin("", session, agent), id=random_name())
    tree = memory.objects.ref(WT) or ""
    memory.journal.add([Save(**{**vars(save), "tree": tree})])


def waits(machine: Machine) -> list[ItemToDecide]:
    commit(machine.open(), LATER)
    return [item for item in items_to_decide(machine.open()) if item.kind == "proposal"]


def told(machine: Machine) -> list[tuple[str, str]]:
    return [(item.before or "", item.after or "") for item in waits(machine)]


def accept_all(machine: Machine) -> None:
    ids = [item.id for item in waits(machine)]
    done = machine.ctxrepo("inbox", "accept", *ids)
    assert done.returncode == 0, done.stdout + done.stderr


def test_each_entry_becomes_a_proposal_and_the_file_goes_back(mine: Machine) -> None:
    new = TEXT.replace("- blue walls\n", "- blue walls here\n").replace("- a red door\n", "")
    by_tool(mine, NOTE, f"{new}- new entry\n")
    assert sorted(told(mine)) == sorted(
        [("- blue walls", "- blue walls here"), ("- a red door", ""), ("", "- new entry")]
    )
    assert mine.read(NOTE) == TEXT
    assert mine.git("status", "--porcelain") == ""
    assert mine.git("show", f"HEAD:{NOTE}") + "\n" == TEXT
    assert not [save for save in mine.open().journal.read() if save.op == TOOL]
    (who,) = {item.who for item in waits(mine)}
    assert who == f"claude on {mine.open().host}"
    accept_all(mine)
    assert mine.read(NOTE).split("## There")[1] == "\n\n- green roofs\n- new entry\n"
    assert "- blue walls here\n" in mine.read(NOTE)
    assert "red door" not in mine.read(NOTE)


def test_steps_of_one_session_are_one_change(mine: Machine) -> None:
    for text in ("- wal\n", "- walls are\n", "- walls are high\n"):
        by_tool(mine, NOTE, TEXT + text)
    assert told(mine) == [("", "- walls are high")]
    by_tool(mine, NOTE, TEXT + "- from one\n", "s-1")
    by_tool(mine, NOTE, TEXT + "- from one\n- from two\n", "s-2")
    assert told(mine)[1:] == [("", "- from one"), ("", "- from two")]
    assert mine.read(NOTE) == TEXT


def test_a_change_of_more_than_entries_waits_as_one(mine: Machine) -> None:
    new = TEXT.replace("about walls", "of walls").replace("## There", "## Elsewhere")
    by_tool(mine, NOTE, new)
    assert told(mine) == [(TEXT, new)]
    assert mine.read(NOTE) == TEXT
    mine.remember("yellow floors", note=None, category="floors")
    accept_all(mine)
    assert mine.read(NOTE) == new


def test_a_new_note_waits_as_a_whole_and_is_gone_until_then(mine: Machine) -> None:
    by_tool(mine, OTHER, "- a door\n")
    assert told(mine) == [("", "- a door\n")]
    assert not (mine.clone / OTHER).exists()
    accept_all(mine)
    assert mine.read(OTHER) == "- a door\n"


@pytest.mark.parametrize("is_late", [False, True])
def test_what_a_hand_writes_meanwhile_stays(
    mine: Machine, monkeypatch: pytest.MonkeyPatch, is_late: bool
) -> None:
    """Before the look, or after it and before the file goes back."""

    def hand() -> None:
        mine.write(NOTE, mine.read(NOTE).replace("- green roofs\n", "- green roofs, by hand\n"))

    by_tool(mine, NOTE, TEXT + "- by the agent\n")
    if is_late:
        at_first_update(monkeypatch, hand)
    else:
        hand()
    assert told(mine) == [("", "- by the agent")]
    assert mine.read(NOTE) == TEXT.replace("- green roofs\n", "- green roofs, by hand\n")
    assert mine.git("show", f"HEAD:{NOTE}").endswith("- green roofs, by hand")


def at_first_update(monkeypatch: pytest.MonkeyPatch, act: Callable[[], None]) -> None:
    update, calls = Worktree.update_unchanged, list[int]()

    def updating(self: Worktree, wanted: dict[str, FileUpdate]) -> frozenset[str]:
        if NOTE in wanted and not calls:
            calls.append(1)
            act()
        return update(self, wanted)

    monkeypatch.setattr(Worktree, "update_unchanged", updating)


def test_what_a_command_of_a_person_wrote_beside_it_stays(mine: Machine) -> None:
    by_tool(mine, NOTE, TEXT + "- by the agent\n")
    mine.remember("by a person", note=None, category="walls")
    assert told(mine) == [("", "- by the agent")]
    assert "by a person" in mine.read(NOTE)
    assert "by the agent" not in mine.read(NOTE)


def test_another_agent_elsewhere_and_working_notes_write_as_ever(mine: Machine) -> None:
    mine.ctxrepo("config", "set", "inbox.policy", "claude:project=stage")
    by_tool(mine, NOTE, TEXT + "- by codex\n", agent="codex")
    by_tool(mine, "global/topics/all.md", "- everywhere\n")
    by_tool(mine, "shop/SCRATCHPAD.md", "- [ ] paint it\n")
    by_tool(mine, "shop/daily/2026-11-20.md", "- painted\n")
    assert told(mine) == []
    log = mine.git("log", "--format=%b")
    assert all(f"+ {text}" in log for text in ("by codex", "everywhere", "painted"))


@pytest.mark.parametrize("step", ["journal", "file", "taken out"])
def test_killed_at_any_step_it_is_done_again_and_once(
    mine: Machine, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    class Killed(BaseException):
        pass

    def die(*_: object) -> None:
        raise Killed

    by_tool(mine, NOTE, TEXT + "- by the agent\n")
    place = {
        "journal": "ctxrepo.storage.state.journal.Journal.add",
        "file": "ctxrepo.storage.worktree.worktree.Worktree.update_unchanged",
        "taken out": "ctxrepo.storage.state.journal.Journal.take_out",
    }[step]
    with monkeypatch.context() as patch:
        patch.setattr(place, die)
        with pytest.raises(Killed):
            commit(mine.open(), LATER)
    inbox = mine.read(f"inbox/{mine.open().host}.jsonl")
    assert "by the agent" in inbox, "it is safe before the file goes back"
    assert told(mine) == [("", "- by the agent")]
    assert mine.read(NOTE) == TEXT
    assert mine.git("status", "--porcelain") == ""


def test_a_note_with_a_secret_is_held_back_as_it_is(mine: Machine) -> None:
    by_tool(mine, NOTE, f"{TEXT}- key {KEY}\n")
    assert told(mine) == []
    assert KEY in mine.read(NOTE)
    assert KEY not in mine.git("log", "-p", "--all")
    (item,) = items_to_decide(mine.open())
    assert item.kind == "held"


def test_it_is_sent_like_everything_else(pair: tuple[Machine, Machine]) -> None:
    ada, ben = pair
    ada.remember("the port is 5")
    ada.sync()
    ada.ctxrepo("config", "set", "inbox.policy", "stage")
    by_tool(ada, "shop/MEMORY.md", ada.read("shop/MEMORY.md") + "- a wall\n")
    ada.worker().run()
    ben.sync()
    (item,) = items_to_decide(ben.open())
    assert item.after == "- a wall"
    assert ben.ctxrepo("inbox", "accept", item.id).returncode == 0
    ben.sync()
    ada.sync()
    assert "- a wall\n" in ada.read("shop/MEMORY.md")
    assert json.loads(ada.ctxrepo("inbox", "--json").stdout)["data"]["items"] == []


@pytest.mark.slow
def test_a_real_session_is_told_and_its_end_sends_what_it_proposed(ada: Machine, remote: Path) -> None:
    connected(ada, str(remote))
    ada.remember("the port is 5")
    ada.sync()
    assert ada.ctxrepo("config", "set", "inbox.policy", "stage").returncode == 0
    before = ada.read("shop/MEMORY.md")
    session = Session(ada, "s-1")
    session.hook("SessionStart")
    session.edit("shop/MEMORY.md", before + "- by the agent\n")
    session.hook("Stop")
    eventually(lambda: ada.read("shop/MEMORY.md") == before, 10)
    eventually(lambda: "a proposal" in ada.git("log", "-1", "--format=%s"), 10)
    line = (
        "1 proposal waits for a person's yes: `ctxrepo inbox`; what an agent edited itself is not in its file"
    )
    assert line in session.hook("UserPromptSubmit", prompt="which port does redis listen on?")
    session.hook("PreCompact")
    session.hook("SessionEnd")
    eventually(lambda: "memory(shop): add a proposal" in log_of(remote), 20)
    assert "* proposed: by the agent" in log_of(remote)


def test_the_newer_of_two_changes_of_one_entry_by_a_session_waits_alone(mine: Machine) -> None:
    for word in ("grey", "pink"):
        by_tool(mine, NOTE, TEXT.replace("blue", word))
        assert told(mine) == [("- blue walls", f"- {word} walls")]
        assert mine.read(NOTE) == TEXT
    by_tool(mine, NOTE, TEXT.replace("blue", "white"), session="s-2")
    assert len(waits(mine)) == 2, "another session's is another opinion"
    accept_all_but_one = [item.id for item in waits(mine)][:1]
    assert mine.ctxrepo("inbox", "accept", *accept_all_but_one).returncode == 0
    assert "- pink walls" in mine.read(NOTE)


def test_the_rules_for_all_are_changed_by_nobody_whom_they_bind(mine: Machine) -> None:
    """Not even for the moment until the commit."""
    assert mine.ctxrepo("config", "unset", "inbox.policy").returncode == 0
    before = mine.read("ctxrepo.toml")
    ruled = f'{before}\n[policy]\ninbox = ["project=stage"]\n'
    mine.write("ctxrepo.toml", ruled)
    commit(mine.open(), NOW)
    by_tool(mine, "ctxrepo.toml", before)
    assert is_staged(mine.open(), "claude", "shop")
    (item,) = waits(mine)
    assert (item.change, mine.read("ctxrepo.toml")) == ("edit note", ruled)
    accept_all(mine)
    assert mine.read("ctxrepo.toml") == before, "a person may let it"
