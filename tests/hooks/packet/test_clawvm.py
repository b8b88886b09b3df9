"""The preset `clawvm`: of each MEMORY.md the first 200 lines or 8 KiB, to the line and to the byte."""

from __future__ import annotations

from contextlib import closing
from typing import Any

import pytest
from strict_parser import parse
from world import World

from ctxrepo.hooks.known.cached import open_cache
from ctxrepo.hooks.known.locate import place_in
from ctxrepo.hooks.known.world import Repo
from ctxrepo.hooks.known.world import World as HookWorld
from ctxrepo.hooks.packet.packet import render

SETTINGS = {"preset": "clawvm", "budget_bytes": "50000", "secret": "00ff"}


@pytest.fixture
def world(tmp_path: Any) -> World:
    return World(tmp_path)


def given(world: World, **settings: str) -> str:
    """What an agent that takes any block is given at a start."""
    repo = Repo("a" * 12, str(world.memory), str(world.folder))
    known = HookWorld(SETTINGS | settings, str(world.state), repo)
    cache = open_cache(str(world.folder / "cache.db"))
    assert cache
    with closing(cache):
        return render(cache, known, place_in(known, "example/shop", "shop"), known.packet_budget).text


def body(world: World, text: str, scope: str = "shop") -> tuple[int, bool]:
    """How many lines of the note are given, and whether it is cut."""
    world.cache("c1", {f"{scope}/MEMORY.md": text})
    block = parse(given(world))
    path = f"{scope}/MEMORY.md"
    lines = block.bodies[path].split("\n") if block.bodies[path] else []
    assert text.startswith("\n".join(lines))
    return len(lines), path in block.cut


@pytest.mark.parametrize(
    ("count", "given", "is_cut"), [(199, 199, False), (200, 200, False), (201, 200, True)]
)
def test_two_hundred_lines(world: World, count: int, given: int, is_cut: bool) -> None:
    assert body(world, "".join(f"- {n}\n" for n in range(count))) == (given, is_cut)


@pytest.mark.parametrize("char", ["x", "ü", "日", "🦀"], ids=["1", "2", "3", "4"])
def test_eight_kibibytes_of_utf_8(world: World, char: str) -> None:
    width = len(char.encode())
    # 64 lines of 128 bytes are exactly 8,192: one byte more, and the last line has no room.
    line = "- " + char * ((128 - 3) // width)
    line += "." * (127 - len(line.encode()))
    exact = f"{line}\n" * 64
    assert len(exact.encode()) == 8192
    assert body(world, exact) == (64, False)
    assert body(world, f"- .{line[2:]}\n" + f"{line}\n" * 63) == (63, True)


def test_whichever_comes_first(world: World) -> None:
    assert body(world, "- x\n" * 150 + f"- {'y' * 5000}\n" * 2) == (151, True)
    assert body(world, f"- {'y' * 9000}\n- z\n") == (0, True)


def test_escapes_don_t_count(world: World) -> None:
    """What is measured is the file: a heading is two bytes longer in the block."""
    line = "# " + "h" * 125
    assert body(world, f"{line}\n" * 64) == (64, False)


def test_each_scope_has_its_own_and_the_rules_come_first(world: World) -> None:
    text = f"- {'x' * 125}\n" * 70
    world.cache("c1", {"global/MEMORY.md": text, "shop/MEMORY.md": text, "shop/topics/a.md": "- y\n"})
    start = given(world)
    block = parse(start)
    assert [len(block.bodies[f"{scope}/MEMORY.md"].split("\n")) for scope in ("global", "shop")] == [64, 64]
    assert start.index("## global/MEMORY.md") < start.index("## shop/MEMORY.md")
    assert block.preamble.startswith("This is ctxrepo")
    assert "shop/topics/a.md" not in start
    assert given(world) == start


def test_an_empty_memory_has_the_rules_alone(world: World) -> None:
    world.cache("c1", {})
    assert "This is ctxrepo" in given(world)


def test_the_limit_in_the_settings_holds_as_well(world: World) -> None:
    world.cache("c1", {f"{scope}/MEMORY.md": f"- {'x' * 125}\n" * 64 for scope in ("global", "shop")})
    assert len(given(world, budget_bytes="9500").encode()) <= 9500
