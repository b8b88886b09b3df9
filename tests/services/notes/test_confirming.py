"""What somebody says again of an entry, or has looked at, is recorded; its note stays as it is."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from copies import Copies
from machines import NOW, Machine, make_ada

from ctxrepo.domain.project.target import Target, parse_entry
from ctxrepo.domain.records.entry_evidence import EntryEvidence, by_entry
from ctxrepo.domain.records.evidence import Kind
from ctxrepo.domain.records.save import Origin
from ctxrepo.errors import NotFound, Refused
from ctxrepo.services.history.undoing import undo
from ctxrepo.services.locate.code_at_hand import CodeAtHand
from ctxrepo.services.notes.confirming import Confirmed, ConfirmRequest, confirm
from ctxrepo.services.notes.remember import remember_all
from ctxrepo.services.notes.requests import Fact
from ctxrepo.services.reading.marks import evidence_now
from ctxrepo.services.saving.commit import commit
from ctxrepo.storage.cache.entries import entries_of_scopes
from ctxrepo.storage.cache.evidence_rows import entry_evidence

AGENT = Origin("desk", "s1", "pi")


@pytest.fixture
def mine(copies: Copies) -> Machine:
    return copies.of(make_ada)


def say(
    machine: Machine,
    text: str,
    by: Origin = AGENT,
    days: int = 0,
    scope: str = "",
    supersedes: Target | None = None,
) -> tuple[str, int]:
    """The id of the entry, and how often it was reinforced if this did so."""
    memory, project = machine.open(), machine.project()
    facts = [Fact(text, scope=scope, supersedes=supersedes)]
    (result,) = remember_all(memory, facts, project, by, NOW + timedelta(days=days), code_of(machine))
    return result.id, result.reinforced


def confirmed(machine: Machine, kind: Kind, *ids: str, by: Origin = AGENT) -> list[Confirmed]:
    request = ConfirmRequest(kind, [parse_entry(name) for name in ids], code_of(machine))
    return confirm(machine.open(), request, machine.project(), by, NOW)


def code_of(machine: Machine) -> CodeAtHand:
    return CodeAtHand(machine.project_folder, machine.env, "shop")


def known(machine: Machine, entry: str) -> EntryEvidence:
    """What is known of an entry, by its records and, once they are committed, by the cache."""
    memory = machine.open()
    evidence = by_entry(evidence_now(memory))[entry]
    commit(memory, NOW)
    assert memory.cache.ask(entry_evidence, [entry]) == {entry: evidence}
    return evidence


def test_entries_are_reinforced_each_time_somebody_says_so(mine: Machine) -> None:
    first, second = say(mine, "the port is 6380")[0], say(mine, "we use redis")[0]
    before = mine.read("shop/MEMORY.md")
    assert [outcome.reinforced for outcome in confirmed(mine, "reinforced", first, second, first)] == [1, 1]
    assert [outcome.reinforced for outcome in confirmed(mine, "reinforced", first)] == [2]
    evidence = known(mine, first)
    assert (evidence.reinforced, evidence.agent, evidence.session, evidence.host) == (
        2,
        "pi",
        "s1",
        mine.open().host,
    )
    assert mine.read("shop/MEMORY.md") == before


def test_to_verify_tells_the_commit_of_the_code_in_the_projects_checkout_alone(mine: Machine) -> None:
    commit_code(mine)
    here, there = say(mine, "retries are 3")[0], say(mine, "I like tabs", scope="global")[0]
    head = mine.git("-C", str(mine.project_folder), "rev-parse", "HEAD")
    assert [outcome.code for outcome in confirmed(mine, "verified", here, there)] == [head, ""]
    assert (known(mine, here).verified_code, known(mine, here).code) == (head, head)
    assert (known(mine, there).verified_code, bool(known(mine, there).verified)) == ("", True)


def commit_code(machine: Machine) -> None:
    folder = machine.project_folder
    (folder / "api.py").write_text("RETRIES = 3\n")
    machine.git("-C", str(folder), "add", ".")
    machine.git("-C", str(folder), "commit", "-qm", "code")


@pytest.mark.parametrize("kind", ["reinforced", "verified"])
def test_nothing_is_recorded_where_an_entry_is_superseded_or_missing(mine: Machine, kind: Kind) -> None:
    old, other = say(mine, "the port is 6380")[0], say(mine, "we use redis")[0]
    new, _ = say(mine, "the port is 6381", supersedes=parse_entry(old))
    before = evidence_now(mine.open())
    with pytest.raises(Refused, match="superseded") as error:
        confirmed(mine, kind, other, old)
    assert new in error.value.hint
    with pytest.raises(NotFound):
        confirmed(mine, kind, other, "ffffffffffff")
    assert evidence_now(mine.open()) == before


def test_it_is_undone_like_any_command(mine: Machine) -> None:
    entry, _ = say(mine, "the port is 6380", Origin("desk"))
    commit(mine.open(), NOW)
    confirmed(mine, "verified", entry, by=Origin("desk"))
    memory = mine.open()
    assert undo(memory, Origin("desk"), NOW).what == "verify"
    assert known(mine, entry).verified == ""


def test_what_is_said_again_reinforces_once_a_session_and_once_a_day(mine: Machine) -> None:
    entry, times = say(mine, "the port is 6380")
    assert (times, say(mine, "the port is 6380")) == (0, (entry, 0))
    assert say(mine, "the  port is 6380", replace(AGENT, session="s2")) == (entry, 1)
    assert say(mine, "the port is 6380", replace(AGENT, session="s2"), days=3) == (entry, 0)
    assert say(mine, "the port is 6380", Origin("desk")) == (entry, 2)
    assert say(mine, "the port is 6380", Origin("desk")) == (entry, 0)
    assert say(mine, "the port is 6380", Origin("desk"), days=1) == (entry, 3)
    assert known(mine, entry).reinforced == 3


def test_what_was_superseded_and_is_said_again_holds_anew(mine: Machine) -> None:
    old, _ = say(mine, "the port is 6380")
    say(mine, "the port is 6381", supersedes=parse_entry(old))
    assert say(mine, "the port is 6380", replace(AGENT, session="s2"), days=1) == (old, 0)
    assert (known(mine, old).is_struck, known(mine, old).session) == (False, "s2")


def test_a_fact_about_code_is_recorded_with_the_commit_and_the_lines_that_it_names(mine: Machine) -> None:
    commit_code(mine)
    head = mine.git("-C", str(mine.project_folder), "rev-parse", "HEAD")
    cited = known(mine, say(mine, "retries are set in api.py:1")[0])
    assert (cited.code, cited.cites) == (head, (f"api.py@{head}#L1-L1",))
    assert known(mine, say(mine, "we like tea")[0]).code == ""
    assert known(mine, say(mine, "see api.py:1", scope="global")[0]).code == ""


def test_confirmations_of_two_machines_add_up_and_follow_an_edit(pair: tuple[Machine, Machine]) -> None:
    ada, ben = pair
    entry, _ = say(ada, "the port is 6380")
    ada.sync()
    ben.sync()
    confirmed(ben, "reinforced", entry, by=Origin("ben", "s7", "codex"))
    confirmed(ben, "verified", entry, by=Origin("ben", "s7", "codex"))
    confirmed(ada, "reinforced", entry)
    ada.write("shop/MEMORY.md", ada.read("shop/MEMORY.md").replace("is 6380", "is now 6380"))
    ada.sync()
    ben.sync()
    ada.sync()
    for machine in (ada, ben):
        (new,) = {
            e.entry.id
            for e in machine.open().cache.ask(entries_of_scopes, ["shop"])
            if "6380" in e.entry.text
        }
        assert new != entry
        evidence = known(machine, new)
        assert (evidence.reinforced, bool(evidence.verified), evidence.session) == (2, True, "s1")


def test_the_history_says_what_was_confirmed(mine: Machine) -> None:
    entry, _ = say(mine, "the port is 6380")
    commit(mine.open(), NOW)
    confirmed(mine, "verified", entry)
    commit(mine.open(), NOW)
    message = mine.git("log", "-1", "--format=%B")
    assert message.startswith("memory(shop): verify MEMORY\n\n* verified: the port is 6380\n")
