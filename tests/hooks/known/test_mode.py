"""What each delivery mode gives at a start and beside prompts, as the hooks answer."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from strict_parser import parse_all
from world import World, place_at, repo_with

from ctxrepo.hooks.known.world import World as Known
from ctxrepo.hooks.known.world import gives, why_not
from ctxrepo.hooks.packet.packet import PREAMBLE, fill_in

ASKED = "which port is the staging database on?"
NEW = {"shop/new.md": "---\ndescription: Brand new\n---\n- x\n"}


def known(mode: str = "") -> Known:
    return Known({"mode": mode}, "/state", repo_with(Path("/state/a")))


def seen(world: World, mode: str) -> tuple[str, str, str]:
    """What a start, a prompt, and one after a change are given, in a word each."""
    world.compile(mode=mode)
    start = world.run("SessionStart")
    asked = world.run("UserPromptSubmit", prompt=ASKED)
    world.cache("c2", NEW)
    later = world.run("UserPromptSubmit", prompt="ok")
    assert world.errors() == ""
    return (
        "packet" if "## Index of notes" in start else "rules" if start else "",
        "entry" if "5433" in asked else "",
        "change" if "Brand new" in later else "",
    )


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("delta", ("packet", "entry", "change")),
        ("once", ("packet", "", "")),
        ("system", ("", "entry", "change")),
        ("file", ("", "entry", "change")),
        ("pull", ("rules", "", "")),
        ("of a later version", ("packet", "entry", "change")),
    ],
)
def test_what_is_given(world: World, mode: str, expected: tuple[str, str, str]) -> None:
    assert seen(world, mode) == expected


@pytest.mark.parametrize("mode", ["once", "system", "file", "pull"])
def test_faults_are_told_in_every_mode_once(world: World, mode: str) -> None:
    world.compile(mode=mode)
    world.cache("c2", {}, faults=("a fault",))
    assert parse_all(world.run("SessionStart"))[-1].faults == ["a fault"]
    assert world.run("UserPromptSubmit", prompt="ok") == ""
    world.cache("c3", {}, faults=("another",))
    (block,) = parse_all(world.run("UserPromptSubmit", prompt="ok"))
    assert block.faults == ["another"]


@pytest.mark.parametrize("mode", ["once", "pull"])
def test_the_trace_says_why_nothing_came(world: World, mode: str) -> None:
    world.compile(mode=mode)
    world.run("UserPromptSubmit", prompt=ASKED)
    (line,) = (world.folder / "traces.jsonl").read_text().splitlines()
    assert json.loads(line)["silence"] == f"delivery.mode is {mode}"


@pytest.mark.parametrize(("mode", "comes"), [("once", True), ("system", False), ("pull", False)])
def test_a_project_found_too_late(world: World, mode: str, comes: bool) -> None:
    world.compile(mode=mode)
    (world.code / ".git/config").write_text("[core]\n\tbare = false\n")
    world.run("SessionStart")
    world.know()
    bodies = [
        body for block in parse_all(world.run("UserPromptSubmit", prompt="ok")) for body in block.bodies
    ]
    assert bodies == (["shop/MEMORY.md"] if comes else [])
    assert world.run("UserPromptSubmit", prompt="ok") == ""


@pytest.mark.parametrize("mode", ["system", "file"])
def test_what_stands_whole_in_the_packet_comes_beside_no_prompt(world: World, mode: str) -> None:
    world.compile(mode=mode, gate="off")
    assert "make ship" in world.run("UserPromptSubmit", prompt="how do we deploy this, with make ship?")
    world.run("SessionStart-compact")
    assert "make ship" not in world.run("UserPromptSubmit", prompt="how do we deploy this, with make ship?")


def test_the_rules_alone_speak_of_nothing_below(world: World) -> None:
    world.compile(mode="pull")
    (block,) = parse_all(world.run("SessionStart"))
    assert "below" not in block.preamble
    assert "ctxrepo search" in block.preamble
    assert "{" not in block.preamble
    assert "below" in fill_in(PREAMBLE, place_at("/m", "shop"), "AGENTS.md")
    world.compile(preamble="")
    assert world.run("SessionStart") == ""


def test_without_a_packet_and_a_cache_there_is_silence(world: World) -> None:
    world.compile(mode="system", remote="1")
    (world.folder / "cache.db").unlink()
    assert world.run("SessionStart") == ""
    assert world.starts(1)
    assert world.errors() == ""


def test_every_part_has_a_reason_where_it_is_not_given() -> None:
    assert why_not(known(), "recall") == ""
    assert why_not(known("pull"), "recall") == "delivery.mode is pull"
    assert gives(known("pull"), "preamble")
