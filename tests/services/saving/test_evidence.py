"""What is recorded of entries through real commits, and what follows from it on every machine."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from datetime import datetime, timedelta
from itertools import count
from typing import Any

import pytest
from machines import NOW, Machine

from ctxrepo.domain.project.target import Target, parse_target
from ctxrepo.domain.records.evidence import fate
from ctxrepo.domain.records.save import Origin
from ctxrepo.services.notes.changing import EditRequest, Passage, edit
from ctxrepo.services.notes.placing import forget
from ctxrepo.services.notes.remarks import RememberResult
from ctxrepo.services.notes.remember import remember
from ctxrepo.services.notes.requests import Fact
from ctxrepo.services.reading.marks import evidence_now
from ctxrepo.services.saving.commit import commit
from ctxrepo.storage.cache.entries import entries_of_scopes

MINUTE = timedelta(minutes=1)


@pytest.fixture
def mine(ada: Machine) -> Machine:
    ada.init()
    return ada


def say(machine: Machine, text: str, now: datetime = NOW, **fact: Any) -> RememberResult:
    memory = machine.open()
    return remember(memory, Fact(text, **fact), machine.project(), Origin(memory.host), now)


def test_what_is_said_after_a_machine_whose_clock_is_ahead_holds(pair: tuple[Machine, Machine]) -> None:
    ada, ben = pair
    river = say(ada, "The river is on port 602")
    for machine in (ada, ben):
        machine.sync()
    tomorrow = NOW + timedelta(days=1)
    say(ben, "The river is a socket", tomorrow, supersedes=Target(entry_id=river.id))
    for machine in (ben, ada):
        machine.sync()
    assert committed(ada)["The river is on port 602"] == (False, True)
    say(ada, "The river is on port 602", NOW + MINUTE)
    assert committed(ada, NOW + MINUTE)["The river is on port 602"] == (False, False)
    say(ada, "The river has a name", NOW + 2 * MINUTE, supersedes=Target(entry_id=river.id))
    assert committed(ada, NOW + 2 * MINUTE)["The river is on port 602"] == (False, True)


def committed(machine: Machine, now: datetime = NOW) -> dict[str, tuple[bool, bool]]:
    """text -> (pinned, struck) of every entry once all is committed."""
    memory = machine.open()
    commit(memory, now)
    return {
        e.entry.plain: (e.is_pinned, e.is_struck)
        for e in memory.cache.ask(entries_of_scopes, ["shop", "global"])
    }


def moves(machine: Machine) -> list[tuple[str, str]]:
    """(entry, to) of every record of a move."""
    files = sorted((machine.clone / ".ctx/evidence").iterdir())
    records = [json.loads(line) for file in files for line in file.read_text().splitlines()]
    return [(r["entry"], r["to"]) for r in records if r["kind"] == "moved"]


@pytest.mark.parametrize("between", [False, True], ids=["in one commit", "each in its own"])
@pytest.mark.parametrize("how", [{}, {"with_id": True}, {"category": "fact"}], ids=str)
def test_the_value_that_a_key_has_last_is_live(mine: Machine, between: bool, how: dict[str, object]) -> None:
    for minute, value in zip(count(), ["5432", "5433", "5434", "5432"], strict=False):
        say(mine, f"the port is {value}", NOW + minute * MINUTE, key="port", pin=minute == 0, **how)
        if between or minute == 0:
            assert committed(mine, NOW + minute * MINUTE) == {plain(value, how): (True, False)}
    assert committed(mine, NOW + 9 * MINUTE) == {plain("5432", how): (True, False)}
    assert moves(mine) == []


def plain(value: str, how: dict[str, object]) -> str:
    return ("[fact] " if "category" in how else "") + f"port: the port is {value}"


def test_a_value_that_is_edited_before_it_is_committed_is_live_too(mine: Machine) -> None:
    say(mine, "the port is 5432", key="port")
    committed(mine)
    new = say(mine, "the prot is 5433", key="port", pin=True)
    memory = mine.open()
    target, passage = parse_target(f"^{new.id}"), Passage("prot", "port")
    edit(memory, EditRequest(target, passage), mine.project(), Origin(memory.host), NOW)
    assert committed(mine) == {"port: the port is 5433": (True, False)}
    assert [entry for entry, _ in moves(mine)] == [new.id]


def test_an_edit_after_a_value_was_superseded_by_another_note_is_the_edit_of_that_value(
    mine: Machine,
) -> None:
    old = say(mine, "the port is 5432", key="port")
    committed(mine)
    say(mine, "see the compose file", category="port", supersedes=Target(entry_id=old.id))
    memory = mine.open()
    target, passage = parse_target(f"^{old.id}"), Passage("5432", "5431")
    edit(memory, EditRequest(target, passage), mine.project(), Origin(memory.host), NOW)
    assert committed(mine) == {
        "port: the port is 5431": (False, True),
        "[port] see the compose file": (False, False),
    }


def test_what_is_forgotten_did_not_move_to_what_is_said_instead(mine: Machine) -> None:
    old = say(mine, "the port is 5432", pin=True)
    committed(mine)
    memory = mine.open()
    forget(memory, parse_target(f"^{old.id}"), mine.project(), Origin(memory.host), NOW)
    say(mine, "the port is 5433")
    assert committed(mine) == {"the port is 5433": (False, False)}
    assert moves(mine) == []
    assert fate(evidence_now(mine.open()), old.id) == ("forgotten", old.id)


def test_what_is_superseded_stays_struck_when_it_is_edited(mine: Machine) -> None:
    old = say(mine, "deploy by hand on Friday", pin=True)
    say(mine, "deploy through CI", supersedes=Target(entry_id=old.id))
    assert committed(mine) == {
        "deploy by hand on Friday": (False, True),
        "deploy through CI": (True, False),
    }
    for minute, was, now in ((1, "Friday", "Fryday"), (2, "Fryday", "Friday")):
        mine.write("shop/MEMORY.md", mine.read("shop/MEMORY.md").replace(was, now))
        assert committed(mine, NOW + minute * MINUTE) == {
            f"deploy by hand on {now}": (False, True),
            "deploy through CI": (True, False),
        }


def test_a_memory_whose_evidence_strikes_the_newest_value_heals(mine: Machine) -> None:
    old = say(mine, "the port is 5432", key="port", pin=True)
    committed(mine)
    new = say(mine, "the port is 5433", key="port")
    committed(mine)
    (file,) = (mine.clone / ".ctx/evidence").iterdir()
    wrong = {"v": 1, "id": "f" * 16, "ts": "2026-11-20T12:00:09.000Z", "kind": "moved"}
    wrong |= {"entry": old.id, "path": "shop/MEMORY.md", "to": new.id}
    file.write_text(file.read_text() + json.dumps(wrong) + "\n")
    assert committed(mine) == {"port: the port is 5433": (True, False)}


def test_a_cache_that_was_made_by_the_rules_of_before_is_made_anew(mine: Machine) -> None:
    say(mine, "the port is 5432", key="port")
    committed(mine)
    with closing(sqlite3.connect(mine.open().state.cache)) as cache, cache:
        cache.execute("update meta set value = '5' where key = 'format'")
        cache.execute("update entry set struck = 1, found = 0")
    assert committed(mine) == {"port: the port is 5432": (False, False)}


@pytest.mark.slow
def test_two_machines_that_replaced_one_value_agree_that_no_value_in_the_note_is_struck(
    pair: tuple[Machine, Machine],
) -> None:
    ada, ben = pair
    say(ada, "the port is 5432", key="port", pin=True)
    ada.sync()
    ben.sync()
    say(ada, "the port is 5433", NOW + MINUTE, key="port")
    say(ben, "the port is 5434", NOW + 2 * MINUTE, key="port")
    for machine in (ada, ben, ada):
        machine.sync()
    assert committed(ada) == committed(ben)
    assert set(committed(ada).values()) == {(True, False)}


def _forget_and_restore(mine: Machine, old: str, _: str) -> str:
    mine.ctxrepo("forget", f"^{old}")
    mine.remember("flux", key="deploy", note=parse_target("topics/b.md"))
    return mine.ctxrepo("restore", f"^{old}").stdout


def _out_of_the_archive(mine: Machine, old: str, _: str) -> str:
    archived = mine.ctxrepo("archive", f"^{old}").stdout.split("to ^")[1][:12]
    mine.remember("flux", key="deploy", note=parse_target("topics/b.md"))
    return mine.ctxrepo("restore", f"^{archived}").stdout


def _note_out_of_the_archive(mine: Machine, _: str, note: str) -> str:
    mine.ctxrepo("archive", note)
    mine.remember("flux", key="deploy", note=parse_target("topics/b.md"))
    return mine.ctxrepo("restore", note).stdout


def _undo(mine: Machine, old: str, _: str) -> str:
    mine.sync()
    mine.ctxrepo("forget", f"^{old}")
    mine.sync()
    forgotten = mine.git("rev-parse", "HEAD").strip()
    mine.remember("flux", key="deploy", note=parse_target("topics/b.md"))
    return mine.ctxrepo("undo", forgotten).stdout


def _copy_of_an_old_version(mine: Machine, _: str, note: str) -> str:
    mine.sync()
    was = mine.git("rev-parse", "HEAD").strip()
    mine.remember("flux", key="deploy")
    return mine.ctxrepo("restore", note, "--at", was, "--to", "topics/then.md").stdout


def _to_another_scope(mine: Machine, old: str, _: str) -> str:
    mine.remember("flux", key="deploy", scope="global")
    return mine.ctxrepo("move", f"^{old}", "global:topics/b.md").stdout


@pytest.mark.parametrize(
    ("bring_back", "holds"),
    [
        (_forget_and_restore, "argo"),
        (_out_of_the_archive, "argo"),
        (_note_out_of_the_archive, "flux"),
        (_undo, "flux"),
        (_copy_of_an_old_version, "flux"),
        (_to_another_scope, "argo"),
    ],
)
def test_one_value_of_a_key_holds_however_another_one_comes_back(
    mine: Machine, bring_back: Any, holds: str
) -> None:
    first = mine.remember("argo", key="deploy", note=parse_target("topics/a.md"))
    message = bring_back(mine, first.id, "shop:topics/a.md")
    other = "flux" if holds == "argo" else "argo"
    assert f"`deploy: {other}` is superseded: `deploy: {holds}` holds" in message
    current = [text for text, (_, is_struck) in committed(mine).items() if not is_struck]
    assert [text for text in current if "deploy: " in text] == [f"deploy: {holds}"]
    back = message.split("`ctxrepo restore ^")[1][:12]
    assert mine.ctxrepo("restore", f"^{back}").returncode == 0
    current = [text for text, (_, is_struck) in committed(mine).items() if not is_struck]
    assert [text for text in current if "deploy: " in text] == [f"deploy: {other}"]


def test_an_entry_that_was_superseded_when_it_was_forgotten_comes_back_superseded(mine: Machine) -> None:
    first = mine.remember("Releases go out on Mondays")
    say(mine, "Releases go out nightly", supersedes=Target(entry_id=first.id))
    mine.ctxrepo("forget", f"^{first.id}")
    assert "it is superseded, as it was" in mine.ctxrepo("restore", f"^{first.id}").stdout
    assert committed(mine)["Releases go out on Mondays"] == (False, True)
    assert mine.ctxrepo("restore", f"^{first.id}").returncode == 0
    assert committed(mine)["Releases go out on Mondays"] == (False, False)
