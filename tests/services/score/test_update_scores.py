"""The worker puts the standing of each entry into the cache; what has expired is out of what is delivered."""

from __future__ import annotations

import json
import subprocess
from datetime import UTC, datetime, timedelta

import pytest
from machines import NOW, Machine

from ctxrepo.domain.doubts.doubt import Doubt
from ctxrepo.domain.score.standing import EntryStanding
from ctxrepo.domain.text import day_of
from ctxrepo.services.delivery.start_packet import Start, context
from ctxrepo.services.saving.commit import commit
from ctxrepo.services.score.update_scores import update_scores
from ctxrepo.storage.cache.computed import all_standings, entries_to_score, put_doubts
from ctxrepo.storage.cache.entries import entries_of_note, entry_by_id

TODAY = day_of(NOW.isoformat()) or 0


@pytest.fixture
def mine(ada: Machine) -> Machine:
    ada.init()
    return ada


def scored(machine: Machine, today: int = TODAY) -> list[str]:
    """The texts of all entries with a standing, those of a scope in its order."""
    memory = machine.open()
    commit(memory, NOW)
    update_scores(memory, today)
    texts = {entry.id: entry.text for entry in memory.cache.ask(entries_to_score)}
    standings = sorted(memory.cache.ask(all_standings).values(), key=lambda standing: standing.position)
    return [texts[standing.entry] for standing in standings]


def standing(machine: Machine, word: str) -> EntryStanding:
    memory = machine.open()
    (entry,) = (entry for entry in memory.cache.ask(entries_to_score) if word in entry.text)
    return memory.cache.ask(all_standings)[entry.id]


def given(machine: Machine) -> str:
    return context(machine.open(), machine.project(), Start(machine.project_folder)).text


def commit_code(machine: Machine, path: str) -> None:
    file = machine.project_folder / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"{path}\n")
    when = {"GIT_AUTHOR_DATE": NOW.isoformat(), "GIT_COMMITTER_DATE": NOW.isoformat()}
    for words in (("add", "."), ("commit", "-q", "-m", "code")):
        subprocess.run(("git", *words), cwd=machine.project_folder, env=machine.env | when, check=True)


def test_what_a_person_stated_comes_before_what_stands_in_a_file(mine: Machine) -> None:
    mine.write("shop/topics/lessons.md", f"---\nupdated: {NOW:%Y-%m-%d}\n---\n- [lesson] by hand\n")
    mine.remember("as a command", category="lesson")
    assert scored(mine) == ["- [lesson] as a command", "- [lesson] by hand"]


def test_what_names_a_file_that_changes_comes_first(mine: Machine) -> None:
    mine.write(
        "shop/MEMORY.md", "- a rests in src/tax.py\n- b moves in src/pay.py\n- c rests in lib/pay.py\n"
    )
    commit_code(mine, "src/pay.py")
    mine.remember("d, which registers the project")
    assert mine.ctxrepo("status").returncode == 0  # which records the checkout
    assert scored(mine)[:2] == ["- d, which registers the project", "- b moves in src/pay.py"]
    assert standing(mine, "b moves").score == 1.0
    assert scored(mine, TODAY + 100)[1] != "- b moves in src/pay.py"


def test_nothing_is_computed_twice(mine: Machine) -> None:
    mine.remember("one")
    scored(mine)
    memory = mine.open()
    assert not update_scores(memory, TODAY)
    assert update_scores(memory, TODAY + 1), "another day may be another order"
    mine.remember("two")
    commit(memory, NOW)
    assert update_scores(memory, TODAY + 1)


def test_the_profile_is_a_setting(mine: Machine) -> None:
    mine.remember("never push on friday", category="lesson")
    scored(mine)
    assert standing(mine, "friday").lifecycle == "active"
    mine.ctxrepo("config", "set", "score.profile", "seed")
    scored(mine)
    friday = standing(mine, "friday")
    assert (f"{friday.score:.4f}", friday.lifecycle) == ("0.6931", "candidate")


OVER = f"{NOW - timedelta(days=1):%Y-%m-%d}"
LATER = f"{NOW + timedelta(days=1):%Y-%m-%d}"


def test_an_entry_is_given_up_to_its_date_and_comes_back_when_that_is_edited(mine: Machine) -> None:
    mine.write("shop/MEMORY.md", f"- the sky is blue\n- freeze of deploys until: {OVER} <!-- ^freeze -->\n")
    scored(mine)
    assert "freeze" not in given(mine)
    assert "the sky is blue" in given(mine)
    memory = mine.open()
    assert memory.cache.is_sound()
    known = memory.cache.ask(entry_by_id, "freeze")
    assert known is not None
    assert (known.is_expired, known.is_struck) == (True, False)
    assert "its last day is over" in mine.ctxrepo("search", "freeze").stdout, "nothing is deleted"
    assert "its last day is over" in mine.ctxrepo("why", "^freeze").stdout
    mine.remember("another fact", pin=True)
    commit(mine.open(), NOW)  # which brings the cache to new marks
    assert "freeze" not in given(mine)
    mine.write("shop/MEMORY.md", mine.read("shop/MEMORY.md").replace(OVER, LATER))
    scored(mine)
    assert "freeze" in given(mine)
    scored(mine, TODAY + 2)
    assert "freeze" not in given(mine)
    assert mine.open().cache.is_sound()


def test_pinning_what_has_expired_keeps_it_out_and_the_index_sound(mine: Machine) -> None:
    mine.remember(f"freeze until: {OVER}")
    scored(mine)
    assert mine.remember(f"freeze until: {OVER}", pin=True).existing
    scored(mine)
    assert "freeze" not in given(mine)
    assert mine.open().cache.is_sound()


def test_an_entry_that_agents_are_held_to_does_not_expire_before_the_last_day_that_it_names(
    mine: Machine,
) -> None:
    old = f"{NOW - timedelta(days=90):%Y-%m-%d}"
    mine.write("shop/topics/done.md", f"---\nupdated: {old}\n---\n- [done] off sqlite\n- [done] off ftp\n")
    mine.remember(f"freeze until: {OVER}")
    scored(mine)
    rule = "block command sqlite3"
    for word in ("sqlite", "freeze"):
        (hit,) = mine.json("search", word)["data"]["hits"]
        assert mine.ctxrepo("enforce", str(hit["id"]), rule).returncode == 0
    scored(mine)
    assert (standing(mine, "sqlite").lifecycle, standing(mine, "ftp").lifecycle) == ("active", "expired")
    assert standing(mine, "freeze").lifecycle == "expired"
    held = {str(rule["text"]): rule["held"] for rule in mine.json("enforce")["data"]["rules"]}
    assert held == {"[done] off sqlite": rule, f"freeze until: {OVER}": rule}, "a person ends them"


def test_what_was_done_is_given_for_two_weeks_and_a_fact_for_ever(mine: Machine) -> None:
    old = f"{NOW - timedelta(days=15):%Y-%m-%d}"
    mine.write("shop/topics/done.md", f"---\nupdated: {old}\n---\n- [done] moved to sqlite\n- [lesson] x\n")
    mine.write("shop/topics/undated.md", "- [done] nobody knows when\n")
    scored(mine)
    assert standing(mine, "sqlite").lifecycle == "expired"
    assert standing(mine, "[lesson] x").lifecycle == "active"
    assert standing(mine, "nobody knows").lifecycle == "active"
    assert scored(mine, TODAY - 1)
    assert standing(mine, "sqlite").lifecycle == "active"


def test_the_worker_scores_after_a_turn(mine: Machine) -> None:
    mine.write("shop/MEMORY.md", "- a fact\n")
    event = {"event": "stop", "agent": "claude", "session": "s", "cwd": str(mine.project_folder)}
    with mine.open().state.spool.open("a") as spool:
        spool.write(json.dumps(event) + "\n")
    mine.worker(lambda: datetime.now(UTC)).run()
    assert len(mine.open().cache.ask(all_standings)) == 1


def test_who_says_something_whose_last_day_is_over_is_told(mine: Machine) -> None:
    done = mine.ctxrepo("remember", "Freeze of deploys. until: 2020-01-31")
    assert done.returncode == 0
    assert "no session is given this: its last day was 2020-01-31" in done.stderr
    assert "last day" not in mine.ctxrepo("remember", "Freeze of deploys. until: 2999-01-31").stderr


def test_a_doubt_is_part_of_a_standing_and_goes_with_its_cause(mine: Machine) -> None:
    mine.write("shop/MEMORY.md", "- a fact\n")
    scored(mine)
    memory = mine.open()
    (known,) = memory.cache.ask(entries_of_note, "shop/MEMORY.md")
    doubt = Doubt(known.entry.id, "shop/MEMORY.md", "gone", "a.py", "a.py is gone", "")
    memory.cache.change(put_doubts, "shop", "test", {doubt: known.hash}, "")
    assert update_scores(memory, TODAY)
    assert standing(mine, "a fact").lifecycle == "doubtful"
    memory.cache.change(put_doubts, "shop", "test", {}, "")
    assert update_scores(memory, TODAY)
    assert standing(mine, "a fact").lifecycle == "active"
