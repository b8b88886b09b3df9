"""What keys do is what commands do, and exactly that is taken back, whatever was written meanwhile."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from copies import Copies
from evening import desk_at, evening, waiting
from machines import Machine, make_machine, make_remote

from ctxrepo.app.panels.deeds import DeedRequest, TakeBack, carry_out, take_back
from ctxrepo.app.panels.keys import KEYS, actions_of, why_not
from ctxrepo.app.panels.load_panel import PanelRequest, load_panel
from ctxrepo.app.panels.panel import PanelName, PanelRow
from ctxrepo.domain.project.target import Target
from ctxrepo.errors import Refused


def make_evening(root: Path) -> Machine:
    return evening(make_machine(root, "ada"), make_remote(root))


@pytest.fixture
def ada(copies: Copies) -> Machine:
    return copies.of(make_evening)


def rows_of(machine: Machine, name: PanelName) -> list[PanelRow]:
    return list(desk_at(machine).perform(load_panel, PanelRequest(name)).value.rows)


def test_every_action_of_every_row_is_in_the_table_of_keys(ada: Machine) -> None:
    table = {(key.key, key.command) for key in KEYS}
    panels: tuple[PanelName, ...] = ("inbox", "conflicts", "notes", "tape", "sessions", "health")
    for name in panels:
        for row in rows_of(ada, name):
            for action in actions_of(row):
                words = re.sub(r"(resolve|tape delete|inbox \w+) \S+", r"\1 ID", action.command)
                words = re.sub(
                    r"dismiss \S+", "dismiss NAME", re.sub(r"^ctxrepo edit .+", "ctxrepo edit TARGET", words)
                )
                assert (action.key, words) in table
            assert len({action.key for action in actions_of(row)}) == len(actions_of(row))


def test_only_deletions_on_all_machines_are_asked_about(ada: Machine) -> None:
    panels: tuple[PanelName, ...] = ("inbox", "conflicts", "notes", "tape")
    asking = {a.verb for name in panels for row in rows_of(ada, name) for a in actions_of(row) if a.asks}
    assert asking == {"accept-deletions", "delete-anchor"}


def test_a_decision_is_taken_back_alone_though_others_wrote_since(ada: Machine) -> None:
    desk = desk_at(ada)
    first, second = rows_of(ada, "conflicts")[:2]
    before = ada.read(first.text)
    way = desk.perform(carry_out, DeedRequest(first, "keep-other")).value.way_back
    desk.perform(carry_out, DeedRequest(second, "keep-both"))
    ada.remember("written meanwhile")
    assert way is not None
    assert way.command == f"ctxrepo undo {way.commit[:10]}"
    desk.perform(take_back, way)
    ids = {item.id for item in waiting(ada)}
    assert first.name in ids
    assert second.name not in ids
    assert ada.read(first.text) == before
    assert "written meanwhile" in ada.git("grep", "-h", "written meanwhile", "HEAD", "--", "*.md")


def test_a_commit_with_other_writes_in_it_is_not_taken_back(ada: Machine) -> None:
    desk = desk_at(ada)
    desk.perform(carry_out, DeedRequest(rows_of(ada, "conflicts")[0], "keep-other"))
    newest = next(desk.memory.done_log.newest())
    ada.remember("another")
    waiting(ada)
    with pytest.raises(Refused, match="it shares a commit with other writes"):
        desk.perform(take_back, TakeBack("of nobody", newest.commit))


def test_a_key_that_does_nothing_says_why_and_what_helps(ada: Machine) -> None:
    assert why_not("conflicts", None, "a") == "the list is empty, so there is nothing to decide"
    held = next(row for row in rows_of(ada, "inbox") if row.sign == "!")
    assert "e edit the note" in why_not("inbox", held, "a")
    assert "only tells" in why_not("health", rows_of(ada, "health")[0], "a")


def test_a_proposal_to_remove_something_looks_so_and_a_whole_note_is_asked_about(ada: Machine) -> None:
    ada.remember("brown", note=Target(path="topics/walls.md"))
    assert ada.ctxrepo("config", "set", "inbox.policy", "stage").returncode == 0
    name = ada.json("search", "brown")["data"]["hits"][0]["id"]
    agent = replace(ada, more={"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "s-1"})
    for words in (("forget", name), ("forget", "topics/walls"), ("new", "topics/doors", "-d", "of doors")):
        assert agent.ctxrepo(*words).returncode == 0
    places = ("shop/topics/walls.md", "shop/topics/doors.md")
    rows = {row.item.change: row for row in rows_of(ada, "inbox") if row.item and row.item.path in places}
    assert {change: row.sign for change, row in rows.items()} == {
        "remove": "-",
        "remove note": "-",
        "add note": "+",
    }
    off = "take the proposal off the list"
    labels = {change: [action.label for action in actions_of(row)] for change, row in rows.items()}
    assert labels == {
        "remove": ["remove the entry", off],
        "remove note": ["remove the note", off],
        "add note": ["add the note", off],
    }
    questions = {change: actions_of(row)[0].asks for change, row in rows.items()}
    question = "Remove shop/topics/walls.md, as was proposed, on all machines?"
    assert questions == {"remove": "", "remove note": question, "add note": ""}
    deed = desk_at(ada).perform(carry_out, DeedRequest(rows["remove"], "accept")).value
    assert deed.words == "accepted remove: brown"
