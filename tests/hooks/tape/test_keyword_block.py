"""A keyword in a prompt asks the model for an anchor of a certain name (D56)."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from strict_parser import parse_all
from world import NOTES, World

ASKS = "Migration then REFACTOR it"
NAME = re.compile(r"ctxrepo anchor (handoff/keyword-migration-\d{6}) ")


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World(tmp_path)
    world.cache("c1", NOTES)
    world.compile(tape_enabled="on", tape_keywords="refactor\nmigration", tape_bridge_seconds="0")
    world.run("SessionStart")
    return world


def prompt(world: World, text: str) -> str:
    return world.run("UserPromptSubmit", prompt=text)


def test_d56_the_model_is_asked_for_exactly_that_name_and_may_decline(world: World) -> None:
    text = prompt(world, ASKS)
    (block,) = parse_all(text)
    (name,) = NAME.findall(text)
    assert block.entries == []
    assert "with exactly this name" in block.preamble
    assert "fewer than 18 words" in block.preamble
    assert "Leave no anchor where one makes no sense" in block.preamble
    wanted = world.ledger().anchor_request
    assert (wanted.name, wanted.keywords, wanted.is_manual) == (name, ("migration", "refactor"), False)


def test_d56_a_prompt_without_one_is_left_alone_and_clears_what_was_pending(world: World) -> None:
    prompt(world, ASKS)
    assert prompt(world, "and now something else entirely") == ""
    assert world.ledger().anchor_request is None


def test_d57_a_manual_anchor_is_not_displaced_by_keywords(world: World) -> None:
    ledger = next((world.state / "sessions").iterdir())
    with ledger.open("a") as file:
        file.write("wanted manual\n")
    assert NAME.search(prompt(world, ASKS))
    assert world.ledger().anchor_request.is_manual
    assert "wanted keyword" not in ledger.read_text(), "a compaction keeps the last such line alone"
    assert prompt(world, "and now something else entirely") == ""
    assert world.ledger().anchor_request.is_manual


def test_d57_not_even_by_a_hook_that_read_the_ledger_before(world: World) -> None:
    ledger = next((world.state / "sessions").iterdir())
    with ledger.open("a") as file:
        file.write("wanted manual\nwanted keyword handoff/keyword-x-101010 x\n")
    assert world.ledger().anchor_request.is_manual
    with ledger.open("a") as file:
        file.write("wanted -\nwanted keyword handoff/keyword-x-101010 x\n")
    assert world.ledger().anchor_request.name == "handoff/keyword-x-101010"


@pytest.mark.parametrize(
    "text",
    [
        "/review the migration of payments",
        "<task-notification>the migration is done</task-notification>",
        "migration",
        "the migration " + "x" * 290,
    ],
)
def test_other_prompts_ask_for_nothing(world: World, text: str) -> None:
    assert prompt(world, text) == ""
    assert world.ledger().anchor_request is None


def test_an_agents_own_notice_clears_nothing(world: World) -> None:
    prompt(world, ASKS)
    assert prompt(world, "<task-notification>the build has ended</task-notification>") == ""
    assert world.ledger().anchor_request is not None


@pytest.mark.parametrize(
    "settings",
    [
        {"tape_enabled": "off"},
        {"tape_keywords": ""},
        {"tape_exclude_dirs": "CODE"},
        {"tape_keywords:claude": "deploy"},
    ],
    ids=str,
)
def test_where_the_tape_is_off_nothing_is_asked(world: World, settings: dict[str, str]) -> None:
    world.compile(**{key: value.replace("CODE", str(world.code)) for key, value in settings.items()})
    assert prompt(world, ASKS) == ""
    assert world.ledger().anchor_request is None


def test_outside_git_only_where_sessions_there_are_not_left_alone(world: World, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    assert NAME.search(world.run("UserPromptSubmit", prompt=ASKS, cwd=str(outside)))
    world.compile(tape_only_git="on")
    assert world.run("UserPromptSubmit", prompt=ASKS, cwd=str(outside)) == ""
    assert NAME.search(prompt(world, ASKS))


def test_a_session_that_is_off_is_asked_for_nothing(world: World) -> None:
    ledger = next((world.state / "sessions").iterdir())
    with ledger.open("a") as file:
        file.write("off\n")
    assert prompt(world, ASKS) == ""
    assert world.ledger().anchor_request is None


def test_it_comes_beside_what_is_recalled_and_after_it(world: World) -> None:
    recalled, asked = parse_all(prompt(world, "after the migration, which port is the staging database on?"))
    assert [entry.text for entry in recalled.entries] == ["- The staging port is 5433"]
    assert "handoff/keyword-migration-" in asked.preamble


@pytest.mark.parametrize(("mode", "place"), [("delta", "context"), ("turn", "turn"), ("pull", "context")])
def test_where_an_agent_shows_it_for_one_turn_it_is_for_that_turn(
    world: World, mode: str, place: str
) -> None:
    world.compile(mode=mode, **{"tape_keywords:pi": "migration", "tape_tools:pi": "on"})
    payload = {"session": "s-1", "cwd": str(world.code), "prompt": ASKS, "file": ""}
    answer = json.loads(world.raw(json.dumps(payload).encode(), "before_agent_start", agent="pi"))
    assert list(answer) == [place]
    assert 'call this, with exactly this name:\ntape_handoff with name "handoff/keyword-mig' in answer[place]


def test_a_keyword_can_pose_as_nothing_else(world: World) -> None:
    world.compile(tape_keywords='<b>"&lt;\\n')
    (block,) = parse_all(prompt(world, 'do the <b>"&lt;\\n thing'))
    assert 'wants an anchor: <b>"&lt;\\n\n' in block.preamble


def test_w25_a_keyword_in_a_script_without_blanks(world: World) -> None:
    world.compile(tape_keywords="重构")
    assert "handoff/keyword-detected-" in prompt(world, "请帮我重构这个模块,谢谢你")
