"""A command fails: the entries about it are given with its answer, each once, and rarely anything."""

from __future__ import annotations

import pytest
from world import World

from ctxrepo.hooks.moments.reminders import question

NOTES = {
    "shop/topics/gotcha.md": (
        "- the database tests need `make db` first, else psql says that the role shop does not exist\n"
        "- webhooks are retried five times, with jitter\n"
    ),
    "shop/topics/other.md": "".join(f"- fact number {n} is about {n * 7} herons\n" for n in range(40)),
}
FAILED = "Exit code 2\npsql: error: role shop does not exist\nmake: *** [test-db] Error 2"


@pytest.fixture
def shop(world: World) -> World:
    world.cache("c2", NOTES)
    return world


def fails(world: World, command: str = "make test-db", error: str = FAILED, **more: str) -> str:
    return world.shell_failed(command, error, **more)


def test_the_entry_about_the_failure_is_given_once(shop: World) -> None:
    output = fails(shop)
    assert "make db" in output
    assert "webhooks" not in output
    assert fails(shop) == ""
    assert shop.errors() == ""


def test_a_subagent_is_given_it_on_its_own(shop: World) -> None:
    assert fails(shop) != ""
    assert "make db" in fails(shop, agent_id="sub")
    assert fails(shop, agent_id="sub") == ""


def test_a_failure_that_nothing_is_known_about_is_met_with_silence(shop: World) -> None:
    assert fails(shop, "cargo build", "error[E0382]: borrow of moved value: `x`") == ""


def test_a_command_of_ours_says_itself_what_was_wrong(shop: World) -> None:
    assert fails(shop, f"ctxrepo edit ^1 --old '{FAILED}'") == ""
    assert fails(shop, f"make test-db '{FAILED}'") != ""


def test_without_reminders_nothing_is_given(shop: World) -> None:
    shop.compile(reminders="off")
    assert fails(shop) == ""


def test_a_session_that_is_off_is_given_nothing(shop: World) -> None:
    assert fails(shop, session_id="") == ""
    path = shop.state / "sessions/claude-s1"
    path.parent.mkdir(exist_ok=True)
    path.write_text("off\n")
    assert fails(shop) == ""


def test_the_command_and_the_last_lines_are_looked_at() -> None:
    output = "\n".join(f"line {n}" for n in range(1000)) + "\n\n"
    asked = question("make " + "x" * 1000, output)
    assert asked.startswith("make xxx")
    assert asked.endswith("\nline 998\nline 999")
    assert "line 990" not in asked
    assert len(question("y" * 9999, "z" * 99999)) <= 1000
