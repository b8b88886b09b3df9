"""What an agent proposes to tidy up is one proposal, one commit and one undo; what would lose something is
refused."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from machines import NOW, Machine

from ctxrepo.domain.doubts.doubt import Doubt
from ctxrepo.domain.note.entry import entries_of
from ctxrepo.domain.records.evidence import marks
from ctxrepo.services.dream.gather_brief import OFTEN
from ctxrepo.services.reading.marks import evidence_now
from ctxrepo.services.saving.commit import commit
from ctxrepo.storage.cache.computed import put_doubts

NOTE = "shop/topics/ci.md"
TEXTS = (
    "Redis listens on 6380",
    "redis: port 6380",
    "Builds take 90 minutes",
    "Builds take 120 minutes",
    "Old",
)


@pytest.fixture
def ids(ada: Machine) -> list[str]:
    """The ids of five entries of one note among fifteen others, on a machine that is ada's."""
    ada.init()
    done = [ada.remember(text, note=None, category="ci").id for text in TEXTS]
    for number in range(15):
        ada.remember(f"Filler {number}", category="ci")
    return done


def proposed(machine: Machine, *steps: dict[str, Any]) -> str:
    file = machine.home / "steps.jsonl"
    file.write_text("\n".join(map(json.dumps, steps)))
    return str(machine.json("dream", "--from", str(file))["data"]["id"])


def refused(machine: Machine, *steps: dict[str, Any]) -> str:
    file = machine.home / "steps.jsonl"
    file.write_text("\n".join(map(json.dumps, steps)))
    done = machine.ctxrepo("dream", "--from", str(file))
    assert done.returncode == 6, done.stderr
    assert machine.json("inbox")["data"]["items"] == []
    return str(done.stderr)


def step(deed: str, *names: str, **more: str) -> dict[str, Any]:
    return {"do": deed, "entries": [f"^{name}" for name in names], **more}


def struck(machine: Machine) -> frozenset[str]:
    return marks(evidence_now(machine.open())).struck


def texts(machine: Machine, path: str = NOTE) -> list[str]:
    return [entry.plain for entry in entries_of(path, machine.read(path))]


def test_it_is_one_item_one_commit_and_one_undo(ada: Machine, ids: list[str]) -> None:
    redis, twin, nine, twelve, old = ids
    before = ada.read(NOTE)
    name = proposed(
        ada,
        step("merge", twin, redis, text="[ci] Redis listens on port 6380", why="the same twice"),
        step("supersede", nine, twelve, why="measured again"),
        {"do": "remember", "text": "Builds run at night", "category": "lesson"},
    )
    assert ada.read(NOTE) == before, "nothing is done before somebody accepts it"
    (item,) = ada.json("inbox")["data"]["items"]
    assert item["change"] == "tidy"
    shown = ada.ctxrepo("inbox", "show", name).stdout
    assert "the same twice" in shown
    assert "-- [ci] Redis listens on 6380" in shown
    commits = len(ada.git("log", "--format=%h").split())
    assert ada.ctxrepo("inbox", "accept", name).returncode == 0
    assert len(ada.git("log", "--format=%h").split()) == commits + 1
    assert "[ci] Redis listens on port 6380" in texts(ada)
    assert "[ci] Redis listens on 6380" not in texts(ada)
    assert texts(ada, "shop/topics/lesson.md") == ["[lesson] Builds run at night"]
    assert nine in struck(ada), "it stays in its note, and is given to nobody"
    assert "[ci] Builds take 90 minutes" in texts(ada)
    assert old not in struck(ada)
    assert ada.ctxrepo("undo").returncode == 0
    assert ada.read(NOTE) == before
    assert nine not in struck(ada)
    assert [entry["id"] for entry in ada.json("inbox")["data"]["items"]] == [item["id"]]


def test_what_became_of_a_merged_entry_is_known_by_its_id(ada: Machine, ids: list[str]) -> None:
    redis, twin, *_ = ids
    name = proposed(ada, step("merge", redis, twin, text="[ci] Redis: port 6380"))
    assert ada.ctxrepo("inbox", "accept", name).returncode == 0
    assert "Redis: port 6380" in ada.ctxrepo("read", f"^{redis}").stdout
    gone = ada.ctxrepo("read", f"^{twin}")
    assert (gone.returncode, "It was superseded by ^" in gone.stderr) == (3, True)


def test_an_entry_goes_to_another_note_or_to_the_archive(ada: Machine, ids: list[str]) -> None:
    redis, _, _, _, old = ids
    name = proposed(ada, step("move", redis, note="services"), step("archive", old))
    done = ada.ctxrepo("inbox", "accept", name)
    assert done.returncode == 0, done.stderr
    assert "[ci] Redis listens on 6380" in texts(ada, "shop/services.md")
    assert "[ci] Old" in texts(ada, "shop/archive/topics/ci.md")
    assert {"[ci] Redis listens on 6380", "[ci] Old"}.isdisjoint(texts(ada))


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_of_equal_entries_one_stays_and_holds(ada: Machine, order: tuple[int, int]) -> None:
    """Their ids depend on how many stand before them: the one that stays has the id of the one that went."""
    ada.init()
    note = "shop/topics/same.md"
    ada.remember("Redis listens on 6380", category="ci")
    ada.write(note, "- same 7\n" * 3 + "".join(f"- Filler {number}\n" for number in range(10)))
    names = [entry.id for entry in entries_of(note, ada.read(note))]
    name = proposed(ada, step("merge", *(names[number] for number in order), text="same 7"))
    assert ada.ctxrepo("inbox", "accept", name).returncode == 0
    assert texts(ada, note)[:3] == ["same 7", "same 7", "Filler 0"]
    assert struck(ada).isdisjoint(entry.id for entry in entries_of(note, ada.read(note)))


def test_a_merge_may_take_the_words_of_one_of_them(ada: Machine, ids: list[str]) -> None:
    redis, twin, *_ = ids
    name = proposed(ada, step("merge", redis, twin, text="[ci] redis: port 6380"))
    assert ada.ctxrepo("inbox", "accept", name).returncode == 0
    assert texts(ada).count("[ci] redis: port 6380") == 1
    (entry,) = (entry for entry in entries_of(NOTE, ada.read(NOTE)) if "redis: port" in entry.text)
    assert entry.id not in struck(ada)


def test_what_would_lose_something_is_refused_with_its_reason(ada: Machine, ids: list[str]) -> None:
    redis, twin, nine, _, old = ids
    assert "it drops 90, and no other entry says the same" in refused(
        ada, step("edit", nine, text="Builds take long")
    )
    both = refused(ada, step("forget", redis), step("forget", twin))
    assert both.count("it drops 6380, and no other entry says the same") == 2
    ada.ctxrepo("remember", "--pin", "Old", "--category", "ci")
    left_alone = "it is pinned or has a rule, and only a person changes that"
    assert f"archive ^{old}: {left_alone}" in refused(ada, step("archive", old))
    assert ada.ctxrepo("enforce", f"^{redis}", "block command redis-cli flushall").returncode == 0
    assert f"supersede ^{redis}: {left_alone}" in refused(ada, step("supersede", redis, twin, why="twice"))
    assert ada.ctxrepo("enforce", f"^{redis}", "--off").returncode == 0
    many = [step("archive", entry.id) for entry in entries_of(NOTE, ada.read(NOTE)) if "Filler" in entry.text]
    assert "may in one go" in refused(ada, *many)
    assert "would no longer be one entry" in refused(ada, step("edit", redis, text="- one 6380\n- two"))
    secret = "AKIA" + "Q3EGRZ5WTK7NPLXA"
    assert "secret" in refused(ada, step("edit", redis, text=f"Redis listens on 6380, key {secret}"))


def test_it_is_refused_once_an_entry_has_changed(ada: Machine, ids: list[str]) -> None:
    redis, twin, *_ = ids
    name = proposed(ada, step("merge", redis, twin, text="Redis listens on port 6380"))
    assert ada.ctxrepo("edit", f"^{redis}", "--old", "6380", "--new", "6399").returncode == 0
    before = ada.read(NOTE)
    done = ada.ctxrepo("inbox", "accept", name)
    assert done.returncode == 6
    assert "can't be done any more" in done.stdout + done.stderr
    assert ada.read(NOTE) == before
    assert ada.ctxrepo("inbox", "decline", name).returncode == 0


def test_two_machines_that_accept_it_have_it_once(pair: tuple[Machine, Machine]) -> None:
    ada, ben = pair
    names = [ada.remember(text, category="ci").id for text in TEXTS[:2]]
    for number in range(10):
        ada.remember(f"Filler {number}", category="ci")
    name = proposed(ada, step("merge", *names, text="[ci] Redis listens on port 6380"))
    ada.sync()
    ben.sync()
    for machine in pair:
        assert machine.ctxrepo("inbox", "accept", name).returncode == 0
    ada.sync()
    ben.sync()
    ada.sync()
    for machine in pair:
        assert texts(machine).count("[ci] Redis listens on port 6380") == 1
        assert "[ci] redis: port 6380" not in texts(machine)
    assert ada.read(NOTE) == ben.read(NOTE)


def test_the_brief_names_twins_long_notes_and_work_since_the_last_one(ada: Machine) -> None:
    ada.init()
    ada.remember("Redis listens on 6380", note=None)
    ada.write("shop/topics/b.md", "- redis listens on `6380`.\n")
    ada.write("shop/topics/long.md", "".join(f"- entry {number} {'x' * 300}\n" for number in range(50)))
    assert ada.ctxrepo("handoff", "release/cut", "--goal", "Tag it", "--next", "tag").returncode == 0
    text = ada.ctxrepo("dream").stdout
    assert "## Entries that say much the same" in text
    assert "shop/topics/b.md" in text
    assert "topics/long.md" in text
    assert "release/cut: " in text
    assert "ctxrepo dream --from FILE" in text
    assert ada.json("dream", "--only", "twins")["data"]["sections"][0]["name"] == "twins"
    old = ada.remember("Old").id
    proposed(ada, step("archive", old))
    assert "last tidied on" in (after := ada.ctxrepo("dream").stdout)
    assert "release/cut" not in after
    assert ada.ctxrepo("dream", "--only", "nosuch").returncode == 2


def test_nothing_is_written_by_a_brief_or_a_trial(ada: Machine, ids: list[str]) -> None:
    assert ada.ctxrepo("dream").returncode == 0
    before = ada.tree(), len(evidence_now(ada.open()))
    assert ada.ctxrepo("dream").returncode == 0
    file = ada.home / "steps.jsonl"
    file.write_text(json.dumps(step("archive", ids[4])))
    assert "all of this can be proposed" in ada.ctxrepo("dream", "--from", str(file), "--dry-run").stdout
    assert ada.json("inbox")["data"]["items"] == []
    assert (ada.tree(), len(evidence_now(ada.open()))) == before


def test_the_brief_names_what_is_in_doubt_and_what_was_said_again_and_again(ada: Machine) -> None:
    ada.init()
    for number in range(OFTEN + 1):
        session = {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": f"s-{number}"}
        done = replace(ada, more=session).ctxrepo("remember", "Deploys wait for the night", "-c", "rule")
        assert done.returncode == 0
    old = ada.remember("The staging database answers on port 5433", category="fact").id
    new = ada.remember("The staging database answers on port 5434", category="gotcha").id
    commit(ada.open(), NOW)
    doubt = Doubt(old, "shop/topics/fact.md", "overtaken", new, "overtaken", "2026-11-29", new)
    ada.open().cache.change(put_doubts, "shop", "words", {doubt: old}, "1")
    text = ada.ctxrepo("dream").stdout
    assert "Deploys wait for the night (said 4 times)" in text
    assert (
        f"^{old} shop/topics/fact.md#L8: [fact] The staging database answers on port 5433 (overtaken)" in text
    )
    assert f"and - ^{new}" in ada.ctxrepo("dream", "--only", "twins").stdout
