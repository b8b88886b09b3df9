"""What a person asked for from now on is proposed once, and decided by them."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from machines import Machine
from transcripts import claude_says

from ctxrepo.services.dream.stage_cues import MOST_WAITING, stage_cues
from ctxrepo.services.inbox.staging import waiting
from ctxrepo.services.saving.commit import commit
from ctxrepo.storage.state.spool import SpoolEvent

WISH = "Always run make fmt before you commit"


@pytest.fixture
def mine(ada: Machine) -> Machine:
    ada.init()
    return ada


def says(machine: Machine, *texts: str, session: str = "s-1") -> None:
    """A turn in which a person says these, and the agent answers each, has ended."""
    lines = [text for prompt in texts for text in (prompt, "Done.")]
    path = str(claude_says(machine, session, lines).path)
    event = SpoolEvent("stop", "claude", session, str(machine.project_folder), transcript=path)
    stage_cues(machine.open(), event, datetime.now(UTC))
    commit(machine.open(), datetime.now(UTC))


def texts(machine: Machine) -> list[str]:
    return [line.proposal.text for line in waiting(machine.open()) if line.proposal]


def test_a_wish_waits_for_the_person_who_said_it(mine: Machine) -> None:
    says(mine, f"The build is red. {WISH}!\nNow fix src/a.py.")
    assert texts(mine) == [WISH]
    (item,) = mine.json("inbox")["data"]["items"]
    assert "you said this in a session" in item["why"]
    assert WISH not in mine.ctxrepo("search", "make fmt").stdout
    assert mine.ctxrepo("inbox", "accept", item["id"].partition(":")[2]).returncode == 0
    assert f"- [preference] {WISH}" in mine.read("shop/topics/preference.md")


@pytest.mark.parametrize("verb", ["accept", "decline"])
def test_it_is_proposed_once_whatever_was_decided(mine: Machine, verb: str) -> None:
    says(mine, WISH)
    says(mine, WISH.upper(), session="s-2")
    (item,) = mine.json("inbox")["data"]["items"]
    assert mine.ctxrepo("inbox", verb, item["id"].partition(":")[2]).returncode == 0
    if verb == "accept":
        assert mine.ctxrepo("forget", "topics/preference.md").returncode == 0
    says(mine, WISH, session="s-3")
    assert texts(mine) == []


def test_what_memory_says_already_is_not_proposed(mine: Machine) -> None:
    mine.remember(WISH, scope="global", category="lesson")
    commit(mine.open(), datetime.now(UTC))
    says(mine, WISH)
    assert texts(mine) == []


def test_a_secret_and_other_talk_are_not(mine: Machine) -> None:
    says(mine, "Always use ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8 for the api", session="s-1")
    says(mine, "It always fails on CI, please look into it", session="s-2")
    assert texts(mine) == []


def test_an_agent_s_own_words_are_not(mine: Machine) -> None:
    path = claude_says(mine, "s-1", ["What is to be done?", f"From now on I will do it. {WISH}."]).path
    event = SpoolEvent("stop", "claude", "s-1", str(mine.project_folder), transcript=str(path))
    stage_cues(mine.open(), event, datetime.now(UTC))
    assert texts(mine) == []


def test_a_setting_turns_it_off(mine: Machine) -> None:
    assert mine.ctxrepo("config", "set", "inbox.cues", "false").returncode == 0
    says(mine, WISH)
    assert texts(mine) == []


def test_when_nobody_decides_no_more_are_proposed(mine: Machine) -> None:
    for number in range(MOST_WAITING + 3):
        says(mine, f"Never touch the folder called part{number} please", session=f"s-{number}")
    assert len(texts(mine)) == MOST_WAITING


def test_a_worker_does_it_after_a_turn(mine: Machine, tmp_path: Path) -> None:
    path = claude_says(mine, "s-1", [WISH, "Done."]).path
    visits = mine.worker()._visits_by_current_settings()
    visits.stage_cues([SpoolEvent("stop", "claude", "s-1", str(mine.project_folder), transcript=str(path))])
    assert texts(mine) == [WISH]
    visits.stage_cues([SpoolEvent("stop", "claude", "s-2", "", transcript=str(tmp_path / "gone.jsonl"))])
    assert texts(mine) == [WISH]
