"""The situation report: sections in an order, a budget each, and a header that says how full it is."""

from __future__ import annotations

import re
from contextlib import closing
from typing import Any

import pytest
from strict_parser import parse, parse_all
from world import World

from ctxrepo.domain.doubts.doubt import Doubt
from ctxrepo.domain.score.seed import seed_standings
from ctxrepo.domain.score.standing import EntryFacts, EntryStanding
from ctxrepo.domain.text import OVERHEAD, day_of
from ctxrepo.domain.words.categories import category_of
from ctxrepo.hooks.known.world import Repo
from ctxrepo.hooks.known.world import World as HookWorld
from ctxrepo.hooks.own_files import today
from ctxrepo.hooks.packet.lane import SCORED
from ctxrepo.hooks.packet.presets import BUDGETS, ORDER, budget_beside, lanes_of
from ctxrepo.storage.cache.cache import Cache
from ctxrepo.storage.cache.computed import entries_to_score, put_doubts, put_standings
from ctxrepo.storage.cache.entries import entries_of_scopes


@pytest.fixture
def world(tmp_path: Any) -> World:
    world = World(tmp_path)
    world.compile(preset="scored")
    return world


def score(world: World, *standings: EntryStanding) -> None:
    with closing(Cache.open(world.folder / "cache.db")) as cache:
        cache.change(put_standings, standings, "")


def ids(world: World) -> dict[str, str]:
    """The last word of an entry -> its id."""
    with closing(Cache.open(world.folder / "cache.db")) as cache:
        return {entry.text.split()[-1]: entry.id for entry in cache.ask(entries_to_score)}


def start(world: World) -> Any:
    (block,) = parse_all(world.run("SessionStart-clear"))
    return block


def standing(entry: str, position: int, lifecycle: Any = "active", days: int = 0) -> EntryStanding:
    return EntryStanding(entry, position, lifecycle, 1.0, today() - days)


NOTES = {
    "global/topics/preferences.md": "- [preference] tabs\n- [preference] short answers\n",
    "shop/topics/lessons.md": "- [lesson] pin the driver\n- [gotcha] the cache lies\n",
    "shop/topics/mistakes.md": "- [mistake] pushed a secret\n",
    "shop/topics/patterns.md": "- [pattern] ports and adapters\n",
    "shop/topics/decisions.md": "- [decision] sqlite\n",
    "shop/topics/completions.md": "- [done] moved\n",
    "shop/topics/facts.md": "- it ships from Rotterdam\n",
    "shop/topics/pins.md": "- [lesson] never on fridays *(pinned)*\n",
}


def test_the_budgets_of_the_design() -> None:
    assert BUDGETS[SCORED] == 1700 * 4 + OVERHEAD == 6800 + OVERHEAD
    caps = {lane.name: lane.bounds[SCORED].cap // 4 for lane in lanes_of(SCORED)}
    assert {name: caps[name] for name in ORDER if name in caps and caps[name] < 10_000} == {
        "report": caps["report"],
        "preferences": 400,
        "lessons": 400,
        "mistakes": 200,
        "patterns": 200,
        "decisions": 200,
        "completions": 200,
        "doubtful": 100,
        "files": 128,
    }


def test_the_sections_in_their_order_and_nothing_that_claims_to_be_the_truth(world: World) -> None:
    world.cache("c1", NOTES)
    names = ids(world)
    score(world, standing(names["Rotterdam"], 9))
    world.touched([("src/pay.py", "edit 1-2")])
    text = world.run("SessionStart-clear")
    assert re.findall(r"(?m)^## ([\w ]+)", text) == [
        *("Situation report ", "Pinned", "Active preferences", "Active lessons", "Vetoes and mistakes"),
        *("Patterns", "Recent decisions", "Recent completions", "Other entries", "Files touched last"),
    ]
    block = parse(text)
    described = {title: [line.description for line in lines] for title, lines in block.listed.items()}
    assert described["Active preferences"] == ["tabs", "short answers"]
    assert described["Active lessons"] == ["pin the driver", "the cache lies"]
    assert described["Other entries"] == ["it ships from Rotterdam"]
    assert described["Pinned"] == ["- [lesson] never on fridays *(pinned)*"]
    assert "authoritative" not in text
    assert not re.search(r"\d\d:\d\d", text), "no clock finer than a day"
    assert world.run("SessionStart-clear") == text, "the same bytes for the same memory"


def test_the_header_says_how_full_it_is(world: World) -> None:
    world.cache("c1", NOTES)
    text = world.run("SessionStart-clear")
    percent, used, total = parse(text).report or (0, 0, 0)
    content = text.partition("tokens\n")[2].rpartition("</ctxrepo-memory")[0]
    assert (used, total) == (-(-len(content.encode()) // 4), 1700)
    assert percent == used * 100 // total
    assert parse(text).warnings == ()


def crowd(category: str, count: int) -> str:
    return "".join(f"- [{category}] {'x' * 60} number {n:03}\n" for n in range(count))


def test_what_has_no_room_is_counted(world: World) -> None:
    world.cache("c1", {"shop/topics/lessons.md": crowd("lesson", 60)})
    block = start(world)
    shown = len(block.listed["Active lessons"])
    assert 0 < shown < 60
    assert block.omitted["Active lessons"] == 60 - shown
    section = world.run("SessionStart-clear").partition("## Active lessons\n")[2].rpartition("</ctx")[0]
    assert 1500 < len("## Active lessons\n" + section) <= 1600


def test_a_report_that_is_nearly_full_says_so(world: World) -> None:
    kinds = ("preference", "lesson", "mistake", "pattern", "decision", "done")
    world.cache("c1", {f"shop/topics/{kind}.md": crowd(kind, 40) for kind in kinds})
    block = start(world)
    percent, used, total = block.report
    assert 80 <= percent <= 100
    assert used <= total == 1700
    assert "ctxrepo topics" in block.warnings[0]
    assert len(world.run("SessionStart-clear").encode()) <= BUDGETS[SCORED]


def test_scores_are_the_order_and_what_is_too_low_stays_out(world: World) -> None:
    world.cache("c1", {"shop/topics/lessons.md": "".join(f"- [lesson] {n}\n" for n in "abcde")})
    names = ids(world)
    score(
        world,
        standing(names["c"], 0),
        standing(names["a"], 1, "provisional"),
        standing(names["b"], 2, "candidate"),
        standing(names["d"], 3, "dropped"),
    )
    lines = start(world).listed["Active lessons"]
    # What was saved after the last scores were computed is new, and comes first.
    assert [line.description for line in lines] == ["e", "c", "a"]


def test_decisions_are_of_a_week_and_completions_of_three_days(world: World) -> None:
    world.cache(
        "c1", {"shop/topics/a.md": "- [decision] seven\n- [decision] eight\n- [done] three\n- [done] four\n"}
    )
    names = ids(world)
    days = {"seven": 7, "eight": 8, "three": 3, "four": 4}
    score(world, *(standing(names[word], n, days=days[word]) for n, word in enumerate(days)))
    block = start(world)
    assert [line.description for line in block.listed["Recent decisions"]] == ["seven"]
    assert [line.description for line in block.listed["Recent completions"]] == ["three"]


def test_doubtful_entries_are_named_in_three_lines_with_their_doubt(world: World) -> None:
    words = "abcde"
    world.cache("c1", {"shop/topics/lessons.md": "".join(f"- [lesson] {n}\n" for n in words)})
    names = ids(world)
    score(world, *(standing(names[n], at) for at, n in enumerate(words)))
    with closing(Cache.open(world.folder / "cache.db")) as cache:
        doubts = {
            Doubt(known.entry.id, known.entry.path, "gone", "a.py", "a.py is gone", ""): known.hash
            for known in cache.ask(entries_of_scopes, ["shop"])
            if known.entry.text[-1] in "abcd"
        }
        cache.change(put_doubts, "shop", "test", doubts, "")
    block = start(world)
    assert [line.description for line in block.listed["Active lessons"]] == ["e"]
    assert [line.description for line in block.listed["Doubtful"]] == [f"{n} (a.py is gone)" for n in "abc"]
    assert block.omitted["Doubtful"] == 1
    with closing(Cache.open(world.folder / "cache.db")) as cache:
        cache.change(put_doubts, "shop", "test", {}, "")
    settled = start(world)
    assert "Doubtful" not in settled.listed
    assert [line.description for line in settled.listed["Active lessons"]] == [*words]


def test_the_project_and_global_stand_in_one_order(world: World) -> None:
    world.cache(
        "c1", {f"{scope}/topics/lessons.md": f"- [lesson] {scope}\n" for scope in ("global", "shop", "other")}
    )
    names = ids(world)
    score(world, standing(names["shop"], 5), standing(names["global"], 3), standing(names["other"], 1))
    assert [line.description for line in start(world).listed["Active lessons"]] == ["global", "shop"]


def test_the_seeds_scores_make_the_seeds_report(world: World) -> None:
    """Said once, an explicit entry is a candidate; a pinned one is always there."""
    world.cache("c1", NOTES)
    with closing(Cache.open(world.folder / "cache.db")) as cache:
        facts = [
            EntryFacts(e.id, e.scope, category_of(e.category), e.is_pinned, day_of(e.day) or today())
            for e in cache.ask(entries_to_score)
        ]
        cache.change(put_standings, seed_standings(facts, today()), "")
    assert [*start(world).listed] == ["Pinned"]


@pytest.mark.parametrize(
    ("own", "tokens"),
    [
        ("", 1700),
        ("0", 1700),
        (str(6300 * 4), 1700),
        (str(6301 * 4), 1699),
        (str(7999 * 4), 1),
        (str(8000 * 4), None),
    ],
)
def test_the_budget_is_shared_with_the_agents_own_prompt(world: World, own: str, tokens: int | None) -> None:
    settings = {"preset": "scored"}
    known = HookWorld(settings, "", Repo("", "", ""))
    most = min(budget_beside(known, own), BUDGETS[SCORED])
    assert most == (tokens * 4 + OVERHEAD if tokens is not None else 0)
    assert budget_beside(HookWorld({}, "", Repo("", "", "")), own) == 9500, "other presets share nothing"


def test_an_empty_memory_has_no_report(world: World) -> None:
    world.cache("c1", {})
    assert world.run("SessionStart-clear") == ""
