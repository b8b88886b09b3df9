"""A rule beside an entry is written down for all machines, and holds where a person approved it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import count

import pytest
from copies import Copies
from machines import NOW, Machine, make_ada

from ctxrepo.domain.project.target import parse_entry
from ctxrepo.domain.records.entry_evidence import by_entry
from ctxrepo.domain.records.save import Origin
from ctxrepo.errors import NotFound, Refused, Unreadable, UsageError
from ctxrepo.hooks.known.enforced import approvals
from ctxrepo.hooks.known.world import APPROVALS
from ctxrepo.services.history.undoing import undo
from ctxrepo.services.notes.changing import EditRequest, Passage, edit
from ctxrepo.services.notes.enforcing import Enforcement, enforce, enforcements
from ctxrepo.services.notes.placing import forget
from ctxrepo.services.notes.requests import EnforceRequest
from ctxrepo.services.reading.marks import evidence_now
from ctxrepo.services.saving.commit import commit
from ctxrepo.services.saving.evidence import new_record, record_all
from ctxrepo.services.saving.write import drafting

AGENT, PERSON = Origin("desk", "s1", "pi"), Origin("desk")
_SECONDS = count()
RULE, OTHER = "block command kubectl apply", "warn command kubectl apply"


@pytest.fixture
def mine(copies: Copies) -> Machine:
    return copies.of(make_ada)


def enforced(
    machine: Machine, entry: str, rule: str = "", by: Origin = PERSON, off: bool = False
) -> Enforcement:
    request = EnforceRequest(parse_entry(entry), rule, off)
    now = NOW + timedelta(seconds=next(_SECONDS))  # of two records of one moment neither is the newer one
    done = enforce(machine.open(), request, machine.project(), by, now)
    commit(machine.open(), NOW)
    return done


def listed(machine: Machine) -> Sequence[tuple[str, str, bool]]:
    """(words of the entry, its rule, whether it holds) of all that have one."""
    memory = machine.open()
    return [
        (enforcement.text, enforcement.rule, enforcement.is_approved) for enforcement in enforcements(memory)
    ]


def held(machine: Machine) -> Sequence[tuple[str, str]]:
    """(words of the entry by now, the rule that holds here) of all that agents are held to."""
    return [
        (enforcement.text, enforcement.held)
        for enforcement in enforcements(machine.open())
        if enforcement.held
    ]


def rule_of(machine: Machine, entry: str) -> str:
    evidence = by_entry(evidence_now(machine.open())).get(entry)
    return evidence.rule if evidence else ""


def test_a_person_writes_a_rule_down_and_approves_it_at_once(mine: Machine) -> None:
    entry = mine.remember("nobody deploys by hand").id
    before = mine.read("shop/MEMORY.md")
    done = enforced(mine, entry, "block  command\tkubectl apply")
    assert (done.id, done.rule, done.text, done.is_approved) == (entry, RULE, "nobody deploys by hand", True)
    assert rule_of(mine, entry) == RULE
    assert listed(mine) == [("nobody deploys by hand", RULE, True)]
    assert mine.read("shop/MEMORY.md") == before, "the note stays as it is"


def test_an_agent_proposes_one_and_no_more(mine: Machine) -> None:
    entry = mine.remember("nobody deploys by hand").id
    with pytest.raises(Refused, match="pi may propose"):
        enforced(mine, entry, by=AGENT)
    assert not enforced(mine, entry, RULE, by=AGENT).is_approved
    assert listed(mine) == [("nobody deploys by hand", RULE, False)]
    with pytest.raises(Refused) as error:
        enforced(mine, entry, by=AGENT)
    assert "person" in error.value.hint
    assert enforced(mine, entry).is_approved
    for rule, off in (("", True), (OTHER, False), (OTHER, True), (RULE, False)):
        with pytest.raises(Refused, match="where there is none"):
            enforced(mine, entry, rule, by=AGENT, off=off)
    assert listed(mine) == [("nobody deploys by hand", RULE, True)]


def test_there_is_one_at_a_time_and_off_ends_it(mine: Machine) -> None:
    entry = mine.remember("nobody deploys by hand").id
    enforced(mine, entry, RULE)
    assert enforced(mine, entry, OTHER).rule == OTHER
    assert rule_of(mine, entry) == OTHER
    done = enforced(mine, entry, off=True)
    assert (done.rule, done.is_approved, rule_of(mine, entry), listed(mine)) == ("", False, "", [])
    assert enforced(mine, entry, off=True).rule == "", "which may be said twice"
    with pytest.raises(UsageError, match="has no rule"):
        enforced(mine, entry)
    assert not enforced(mine, entry, OTHER, by=AGENT).is_approved, "and isn't approved any more"


def test_nothing_is_recorded_where_the_rule_is_there_already(mine: Machine) -> None:
    entry = mine.remember("nobody deploys by hand").id
    enforced(mine, entry, RULE)
    before, head = evidence_now(mine.open()), mine.git("rev-parse", "HEAD")
    enforced(mine, entry, RULE)
    enforced(mine, entry)
    assert (evidence_now(mine.open()), mine.git("rev-parse", "HEAD")) == (before, head)
    (state,) = mine.places.state.glob(f"*/{APPROVALS}")
    assert len(state.read_text().splitlines()) == 1


def reword(machine: Machine, entry: str, old: str, new: str, by: Origin = PERSON) -> None:
    passage = EditRequest(parse_entry(entry), Passage(old, new))
    edit(machine.open(), passage, machine.project(), by, NOW + timedelta(seconds=next(_SECONDS)))
    commit(machine.open(), NOW)


def test_an_edited_entry_is_approved_anew_and_until_then_held_to_as_it_was(mine: Machine) -> None:
    entry = mine.remember("nobody deploys by hand").id
    enforced(mine, entry, RULE)
    reword(mine, entry, "by hand", "on Fridays", AGENT)
    (enforcement,) = enforcements(mine.open())
    assert (enforcement.text, enforcement.rule, enforcement.is_approved, enforcement.held) == (
        "nobody deploys on Fridays",
        RULE,
        False,
        RULE,
    )
    assert enforcement.id != entry
    assert enforced(mine, enforcement.id).is_approved
    assert held(mine) == [("nobody deploys on Fridays", RULE)]
    reword(mine, enforcement.id, "on Fridays", "at night")
    (enforcement,) = enforcements(mine.open())
    assert not enforced(mine, enforcement.id, off=True).held
    assert enforcements(mine.open()) == []


@pytest.mark.parametrize("end", ["forget", "supersede", "other rule"])
def test_what_others_do_to_the_entry_ends_no_rule_here(mine: Machine, end: str) -> None:
    entry = mine.remember("nobody deploys by hand").id
    enforced(mine, entry, RULE)
    if end == "forget":
        forget(mine.open(), parse_entry(entry), mine.project(), AGENT, NOW + timedelta(days=1))
    elif end == "supersede":
        mine.remember("everybody deploys by hand", supersedes=parse_entry(entry))
    else:
        memory = mine.open()
        with drafting(memory, "enforce", AGENT, NOW) as draft:  # from a machine whose person wants another
            record = new_record(draft, "enforced", entry, "shop/MEMORY.md", NOW + timedelta(days=1))
            record_all(draft, [replace(record, rule=OTHER)], NOW)
    commit(mine.open(), NOW)
    assert held(mine) == [("nobody deploys by hand", RULE)]
    with pytest.raises((Refused, NotFound)):
        enforced(mine, entry, by=AGENT, off=True)
    assert held(mine) == [("nobody deploys by hand", RULE)]
    assert enforced(mine, entry, off=True).held == ""
    assert enforcements(mine.open()) == []


def test_a_project_that_gets_another_folder_is_held_all_the_same(mine: Machine) -> None:
    entry = mine.remember("nobody deploys by hand").id
    enforced(mine, entry, RULE)
    (approval,) = approvals(str(mine.open().state.root)).values()
    project = mine.project()
    assert project
    assert approval.owner == project.id
    everywhere = mine.remember("nobody deploys at all", scope="global").id
    enforced(mine, everywhere, RULE)
    assert approvals(str(mine.open().state.root))[everywhere].owner == ""


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("kubectl apply", "is no rule"),
        ("block command", "is no rule"),
        ("verify command git push", "is no rule"),
        ("block pattern (", r"\( is no regular expression"),
    ],
)
def test_what_is_no_rule_is_refused_and_the_forms_are_told(mine: Machine, rule: str, message: str) -> None:
    entry = mine.remember("nobody deploys by hand").id
    with pytest.raises(UsageError, match=message) as error:
        enforced(mine, entry, rule)
    assert "block or warn, then command TEXT" in error.value.hint
    assert listed(mine) == []


def test_an_entry_that_does_not_stand_any_more_gets_none(mine: Machine) -> None:
    old = mine.remember("the port is 6380").id
    mine.remember("the port is 6381", supersedes=parse_entry(old))
    with pytest.raises(Refused, match="superseded"):
        enforced(mine, old, RULE)
    with pytest.raises(NotFound):
        enforced(mine, "ffffffffffff", RULE)


def test_a_record_is_taken_back_like_any_and_who_approved_the_rule_ends_it(mine: Machine) -> None:
    entry = mine.remember("nobody deploys by hand").id
    commit(mine.open(), NOW)
    enforced(mine, entry, RULE)
    assert undo(mine.open(), PERSON, NOW).what == "enforce"
    commit(mine.open(), NOW)
    (enforcement,) = enforcements(mine.open())
    assert (enforcement.rule, enforcement.is_approved, enforcement.held) == ("", False, RULE)
    enforced(mine, entry, off=True)
    assert enforcements(mine.open()) == []
    enforced(mine, entry, RULE)
    enforced(mine, entry, off=True)
    undo(mine.open(), PERSON, NOW)
    commit(mine.open(), NOW)
    assert listed(mine) == [("nobody deploys by hand", RULE, False)]
    assert held(mine) == []


def test_it_is_approved_on_each_machine(pair: tuple[Machine, Machine]) -> None:
    ada, ben = pair
    entry = ada.remember("nobody deploys by hand").id
    enforced(ada, entry, RULE)
    ada.sync()
    ben.sync()
    assert listed(ben) == [("nobody deploys by hand", RULE, False)]
    assert enforced(ben, entry).is_approved
    ben.sync()
    ada.sync()
    assert listed(ada) == listed(ben) == [("nobody deploys by hand", RULE, True)]
    enforced(ada, entry, OTHER)
    ada.sync()
    ben.sync()
    assert listed(ben) == [("nobody deploys by hand", OTHER, False)], "another rule is approved anew"
    assert held(ben) == [("nobody deploys by hand", RULE)]
    enforced(ben, entry, off=True)
    ben.sync()
    ada.sync()
    assert held(ada) == [("nobody deploys by hand", OTHER)], "which each machine's person ends"


def test_a_rule_that_this_version_does_not_understand_is_not_approved(mine: Machine) -> None:
    entry = mine.remember("nobody deploys by hand").id
    memory = mine.open()
    with drafting(memory, "enforce", AGENT, NOW) as draft:
        record = new_record(draft, "enforced", entry, "shop/MEMORY.md", NOW)
        record_all(draft, [replace(record, rule="delay command x")], NOW)
    commit(mine.open(), NOW)
    with pytest.raises(UsageError, match="delay command x is no rule"):
        enforced(mine, entry)
    assert enforced(mine, entry, off=True).rule == ""


def test_an_approval_that_cannot_be_written_is_told_of(mine: Machine) -> None:
    entry = mine.remember("nobody deploys by hand").id
    (mine.open().state.root / APPROVALS).mkdir()
    with pytest.raises(Unreadable, match="can't be written"):
        enforced(mine, entry, RULE)
    commit(mine.open(), NOW)
    assert listed(mine) == [("nobody deploys by hand", RULE, False)]
