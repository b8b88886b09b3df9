"""Proposals are accepted as `remember` would have written them, and two machines that decide the same ones
come to one result."""

from __future__ import annotations

import itertools
from datetime import timedelta
from typing import Any

import pytest
from machines import NOW, Machine

from ctxrepo.domain.note.entry import entries_of
from ctxrepo.domain.project.layout import CONFLICTS
from ctxrepo.domain.records.proposal import Verdict, verdicts
from ctxrepo.domain.records.save import Origin
from ctxrepo.errors import NotFound, Refused
from ctxrepo.services.inbox.staging import waiting
from ctxrepo.services.notes.proposing import propose
from ctxrepo.services.notes.requests import Fact
from ctxrepo.services.reading.marks import evidence_now
from ctxrepo.services.review.proposals import accept, decline
from ctxrepo.services.saving.commit import commit

LATER = NOW + timedelta(minutes=5)


def origin(machine: Machine) -> Origin:
    return Origin(machine.open().host)


def proposed(machine: Machine, text: str, **fact: Any) -> str:
    memory = machine.open()
    return propose(memory, Fact(text, **fact), machine.project(), origin(machine), NOW).id


def accepted(machine: Machine, name: str, text: str = "") -> str:
    done = accept(machine.open(), name, origin(machine), LATER, text)
    commit(machine.open(), LATER)
    return done.id


def declined(machine: Machine, name: str, reason: str = "") -> None:
    decline(machine.open(), name, origin(machine), LATER, reason)
    commit(machine.open(), LATER)


def names(machine: Machine) -> list[str]:
    return [line.name for line in waiting(machine.open())]


def all_verdicts(machine: Machine) -> list[Verdict]:
    files = sorted(machine.open().worktree.scan("inbox").files)
    return [verdict for file in files for verdict in verdicts(machine.read(file))]


@pytest.fixture
def mine(ada: Machine) -> Machine:
    ada.init()
    return ada


FACTS: list[dict[str, Any]] = [
    {},
    {"category": "gotcha", "tags": ("ops", "ci")},
    {"key": "port"},
    {"pin": True},
    {"scope": "global", "category": "lesson"},
    {"with_id": True},
]


@pytest.mark.parametrize("fact", FACTS)
def test_an_accepted_fact_is_what_remember_writes(ada: Machine, ben: Machine, fact: dict[str, Any]) -> None:
    """The id that `--id` makes up apart, all bytes of the notes and all marks are the same."""
    for machine in (ada, ben):
        machine.init()
        machine.remember("the port is 5", key="port")
    made = ben.remember("the port is 6", **fact).id
    name = proposed(ada, "the port is 6", **fact)
    done = accepted(ada, name)
    commit(ben.open(), LATER)
    texts = []
    for machine, entry in ((ada, done), (ben, made)):
        files = [path for path in machine.open().worktree.scan().files if path.endswith(".md")]
        notes = {path: machine.read(path).replace(entry, "ID") for path in files}
        records = [
            (e.kind, e.entry.replace(entry, "ID"), e.path, e.to, e.key) for e in evidence_now(machine.open())
        ]
        texts.append((notes, sorted(records)))
    assert texts[0] == texts[1]
    assert names(ada) == []


def test_a_proposal_for_a_project_that_nothing_was_written_for_registers_it(mine: Machine) -> None:
    name = proposed(mine, "the port is 6", category="gotcha")
    accepted(mine, name)
    assert '= "shop"' in mine.read("ctxrepo.toml")
    assert "the port is 6" in mine.read("shop/topics/gotcha.md")


def test_a_proposal_follows_its_project_to_another_folder(mine: Machine) -> None:
    mine.remember("the wall is blue")
    name = proposed(mine, "the port is 6")
    commit(mine.open(), NOW)
    assert mine.ctxrepo("project", "rename", "store").returncode == 0
    accepted(mine, name)
    assert "the port is 6" in mine.read("store/MEMORY.md")
    assert not (mine.clone / "shop").exists()


def test_a_decided_proposal_is_not_decided_again(mine: Machine) -> None:
    name = proposed(mine, "the port is 6")
    declined(mine, name, "no")
    with pytest.raises(NotFound, match="waits"):
        accept(mine.open(), name, origin(mine), LATER)
    (verdict,) = all_verdicts(mine)
    assert (verdict.decision, verdict.reason, verdict.host) == ("declined", "no", mine.open().host)


def test_what_the_guard_refuses_waits_on(mine: Machine) -> None:
    name = proposed(mine, "the port is 6")
    with pytest.raises(Refused, match="secret"):
        accept(mine.open(), name, origin(mine), LATER, "token ghp_" + "a1B2" * 9)
    assert names(mine) == [name]


@pytest.fixture
def both(pair: tuple[Machine, Machine]) -> tuple[Machine, Machine]:
    ada, ben = pair
    ada.remember("what was before")
    ada.sync()
    ben.sync()
    return pair


def synced(ada: Machine, ben: Machine) -> None:
    for machine in (ada, ben, ada, ben):
        machine.sync()
    assert ada.tree() == ben.tree()


def shared(ada: Machine, ben: Machine, text: str = "the port is 6", **fact: Any) -> str:
    """A proposal that both have."""
    name = proposed(ada, text, **fact)
    ada.sync()
    ben.sync()
    return name


def texts_of(machine: Machine, path: str) -> list[str]:
    return [entry.text for entry in entries_of(path, machine.read(path))]


@pytest.mark.parametrize("with_id", [False, True])
def test_both_accept_and_there_is_one_entry(both: tuple[Machine, Machine], with_id: bool) -> None:
    ada, ben = both
    name = shared(ada, ben, category="gotcha", with_id=with_id)
    assert accepted(ada, name) == accepted(ben, name)
    synced(ada, ben)
    assert len(texts_of(ada, "shop/topics/gotcha.md")) == 1
    assert [verdict.decision for verdict in all_verdicts(ada)] == ["accepted", "accepted"]
    assert names(ada) == names(ben) == []
    assert not (ada.clone / CONFLICTS).exists()


def test_one_accepts_and_the_other_declines_and_what_was_accepted_stays(
    both: tuple[Machine, Machine],
) -> None:
    ada, ben = both
    name = shared(ada, ben)
    accepted(ada, name)
    declined(ben, name, "not true")
    synced(ada, ben)
    assert "- the port is 6" in texts_of(ben, "shop/MEMORY.md")
    assert sorted(v.decision for v in all_verdicts(ben)) == ["accepted", "declined"]
    log = ada.git("log", "--format=%s%n%b")
    assert "memory(shop): accept MEMORY" in log
    assert "* declined: the port is 6 (not true)" in log


def test_both_accept_with_other_words_and_one_version_stays(both: tuple[Machine, Machine]) -> None:
    ada, ben = both
    name, edits = shared(ada, ben), ("the port is 7", "the port is 8")
    for machine, text in zip(both, edits, strict=True):
        accepted(machine, name, text)
    synced(ada, ben)
    (winner,) = (text for text in texts_of(ada, "shop/MEMORY.md") if "port" in text)
    (copy,) = (ada.clone / CONFLICTS).rglob("*.md")
    (lost,) = {f"- {text}" for text in edits} - {winner}
    assert lost in copy.read_text()
    assert name not in [*names(ada), *names(ben)]


def test_an_edited_acceptance_holds_beside_a_plain_one(both: tuple[Machine, Machine]) -> None:
    ada, ben = both
    name = shared(ada, ben)
    accepted(ada, name)
    accepted(ben, name, "the port is 8")
    synced(ada, ben)
    assert [text for text in texts_of(ada, "shop/MEMORY.md") if "port" in text] == ["- the port is 8"]


def test_undone_on_one_machine_it_waits_on_both_again(both: tuple[Machine, Machine]) -> None:
    ada, ben = both
    name = shared(ada, ben)
    accepted(ada, name)
    synced(ada, ben)
    assert names(ben) == []
    assert ada.ctxrepo("undo").returncode == 0
    synced(ada, ben)
    assert names(ada) == names(ben) == [name]
    assert "- the port is 6" not in texts_of(ben, "shop/MEMORY.md")


@pytest.mark.slow
def test_twenty_items_decided_in_opposite_ways_offline(both: tuple[Machine, Machine]) -> None:
    ada, ben = both
    ways = ["accept", "decline", "edit"]
    wanted = [pair for pair in itertools.product(ways, ways) if pair != ("decline", "decline")]
    pairs = list(itertools.islice(itertools.cycle(wanted), 20))
    ids = [
        proposed(ada, f"fact number {n} is about {word}", category="gotcha" if n % 2 else "")
        for n, word in enumerate(["pears", "tides", "locks", "mills"] * 5)
    ]
    ada.sync()
    ben.sync()
    for machine, side in ((ada, 0), (ben, 1)):
        numbers = range(20) if side else reversed(range(20))
        for number in numbers:
            way = pairs[number][side]
            if way == "decline":
                declined(machine, ids[number], f"machine {side} says no to {number}")
            else:
                words = f"number {number} in the words of machine {side}" if way == "edit" else ""
                accepted(machine, ids[number], words)
    synced(ada, ben)
    assert names(ada) == names(ben) == []
    verdicts = all_verdicts(ada)
    assert len(verdicts) == 40
    assert {v.id for v in verdicts} == {*ids}
    facts = [*texts_of(ada, "shop/MEMORY.md"), *texts_of(ada, "shop/topics/gotcha.md")]
    kept = "\n".join([*facts, *(file.read_text() for file in (ada.clone / CONFLICTS).rglob("*.md"))])
    for number, pair in enumerate(pairs):
        here = [text for text in facts if f"number {number} " in text]
        assert len(here) == 1, f"{pair}: {here}"
        for side, way in enumerate(pair):
            if way == "edit":
                assert f"number {number} in the words of machine {side}" in kept
    subjects = ada.git("log", "--format=%s%n%b").split("\n")
    by_verb = {way: sum(pair[side] == way for pair in pairs for side in (0, 1)) for way in ways}
    assert sum(": accept " in line for line in subjects) == by_verb["accept"] + by_verb["edit"]
    assert sum(line.startswith("* declined: ") for line in subjects) == by_verb["decline"]
    assert ada.git("fsck", "--no-progress", "--no-dangling") == ""
