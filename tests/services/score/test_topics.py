"""Topics: what is in which note, how much of it matters, and what went cold."""

from __future__ import annotations

from datetime import timedelta

import pytest
from machines import NOW, Machine

from ctxrepo.domain.text import day_of
from ctxrepo.services.saving.commit import commit
from ctxrepo.services.score.topics import LARGE, Topic, topics
from ctxrepo.services.score.update_scores import update_scores

TODAY = day_of(NOW.isoformat()) or 0


@pytest.fixture
def mine(ada: Machine) -> Machine:
    ada.init()
    return ada


def listed(machine: Machine, scope: str = "", today: int = TODAY) -> dict[str, Topic]:
    memory = machine.open()
    commit(memory, NOW)
    update_scores(memory, today)
    return {topic.path: topic for topic in topics(memory, scope, machine.project(), today)}


def dated(days: int, body: str) -> str:
    return f"---\nupdated: {NOW - timedelta(days=days):%Y-%m-%d}\n---\n{body}"


def test_entries_hotness_and_tokens(mine: Machine) -> None:
    mine.write("shop/topics/lessons.md", dated(0, "- [lesson] one\n- [lesson] two *(pinned)*\n"))
    mine.write("global/MEMORY.md", dated(400, "- [decision] old\n"))
    mine.write("shop/SCRATCHPAD.md", "- [ ] no entry\n")
    by_path = listed(mine)
    assert [*by_path] == ["shop/topics/lessons.md", "global/MEMORY.md"], "the project's first, no checklist"
    lessons = by_path["shop/topics/lessons.md"]
    # Both are new, and one of them is pinned.
    assert (lessons.entries, lessons.active, lessons.pinned, lessons.hotness) == (2, 2, 1, 3.0)
    text = "- [lesson] one" + "- [lesson] two *(pinned)*"
    assert lessons.tokens == len(text) // 4
    mine.remember("three", category="decision", pin=True)
    pinned = listed(mine)["shop/topics/decision.md"]
    assert (pinned.pinned, pinned.hotness) == (1, 3.0), "pinned, stated by a person, new"
    assert [*listed(mine, "global")] == ["global/MEMORY.md"]


def test_in_the_profile_seed_hotness_is_the_sum_of_its_scores(mine: Machine) -> None:
    mine.ctxrepo("config", "set", "score.profile", "seed")
    mine.remember("one", category="lesson")
    mine.write("shop/topics/pattern.md", dated(0, "- [pattern] two\n"))
    by_path = listed(mine)
    assert by_path["shop/topics/lesson.md"].hotness == 0.69
    assert by_path["shop/topics/pattern.md"].hotness == 0.49


@pytest.mark.parametrize(
    ("days", "body", "cold"),
    [
        (61, "- [decision] x\n", True),
        (60, "- [decision] x\n", False),
        (121, "- [lesson] x\n", True),
        (61, "- [decision] x\n- [lesson] y\n", False),
        (61, "- [decision] x\n- [decision] y *(pinned)*\n", False),
        (61, "- no category\n", True),
    ],
)
def test_what_nobody_said_again_for_twice_its_horizon_is_cold(
    mine: Machine, days: int, body: str, cold: bool
) -> None:
    mine.write("shop/topics/a.md", dated(days, body))
    topic = listed(mine)["shop/topics/a.md"]
    assert topic.is_cold == cold
    assert topic.last == f"{NOW - timedelta(days=days):%Y-%m-%d}"


def test_a_pin_keeps_a_topic_of_the_profile_seed_from_going_cold(mine: Machine) -> None:
    mine.ctxrepo("config", "set", "score.profile", "seed")
    mine.write("shop/topics/a.md", dated(61, "- [decision] x\n"))
    mine.write("shop/topics/b.md", dated(61, "- [decision] x *(pinned)*\n"))
    by_path = listed(mine)
    assert [by_path[f"shop/topics/{name}.md"].is_cold for name in "ab"] == [True, False]


def test_what_no_day_is_known_of_is_not_called_cold(mine: Machine) -> None:
    mine.write("shop/topics/a.md", "- x\n")
    topic = listed(mine)["shop/topics/a.md"]
    assert (topic.is_cold, topic.last) == (False, "")


def test_a_note_that_is_better_split_is_named(mine: Machine) -> None:
    mine.write("shop/topics/a.md", f"- {'x' * (4 * LARGE)}\n- y\n")
    assert listed(mine)["shop/topics/a.md"].is_large


def test_the_command_names_what_is_cold_and_archives_nothing(mine: Machine) -> None:
    mine.write("shop/topics/old.md", "---\nupdated: 2020-01-01\n---\n- [decision] x\n")
    mine.write("shop/topics/new.md", "- y\n")
    done = mine.ctxrepo("topics")
    assert "shop/topics/old.md  1 entry  1 active  hotness 0  3 tokens  cold since 2020-01-01" in done.stdout
    assert "shop/topics/old.md went cold; nothing is archived by itself" in done.stderr
    assert mine.read("shop/topics/old.md").endswith("- [decision] x\n")
    data = mine.json("topics")["data"]["topics"]
    assert [(topic["path"], topic["is_cold"]) for topic in data] == [
        ("shop/topics/new.md", False),
        ("shop/topics/old.md", True),
    ]
    assert mine.ctxrepo("topics", "--scope", "global").stdout.strip() in ("", "no entries yet")


@pytest.mark.parametrize(
    ("there", "category", "path"),
    [
        ("lessons", "lesson", "shop/topics/lessons.md"),
        ("completions", "done", "shop/topics/completions.md"),
        ("mistakes", "mistake", "shop/topics/mistakes.md"),
        ("done", "done", "shop/topics/done.md"),
        ("other", "done", "shop/topics/done.md"),
    ],
)
def test_the_files_of_the_scored_design_are_found(
    mine: Machine, there: str, category: str, path: str
) -> None:
    mine.write(f"shop/topics/{there}.md", "- x\n")
    assert mine.remember("y", category=category).at.startswith(f"{path}#")
