"""Ages are counted from one day, wherever they are told: the day it is where the user is."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path

import pytest
from world import World

EAST, WEST = ("Etc/GMT-14", timezone(timedelta(hours=14))), ("Etc/GMT+12", timezone(timedelta(hours=-12)))
"""At every moment it is another day than in UTC in one of the two."""


def note(day: date, text: str) -> str:
    return f"---\ndescription: {text}\nupdated: {day.isoformat()}\n---\n- {text}\n"


@pytest.mark.parametrize(("name", "zone"), [EAST, WEST])
def test_at_a_start_beside_a_prompt_and_at_an_edit_it_is_the_users_day(
    tmp_path: Path, name: str, zone: timezone
) -> None:
    world, env = World(tmp_path), {"TZ": name}
    local, again = datetime.now(UTC).astimezone(zone).date(), None
    while local != again:  # once more where midnight came in between
        local = datetime.now(UTC).astimezone(zone).date()
        notes = {
            "shop/old.md": note(local - timedelta(days=31), "old.py knows the kettle"),
            "shop/new.md": note(local - timedelta(days=30), "new.py knows the teapot"),
        }
        for path in tmp_path.glob("state/sessions/*"):
            path.unlink()
        world.cache("c1", {})
        world.run("SessionStart", env=env)
        world.cache("c2", notes)
        prompt = world.run("UserPromptSubmit", env=env, prompt="ok")
        recalled = world.run("UserPromptSubmit", env=env, prompt="who knows the kettle and the teapot?")
        for path in tmp_path.glob("state/sessions/*"):
            path.unlink()
        start = world.run("SessionStart", env=env)
        edits = [
            world.run("PostToolUse-edit", env=env, file=str(world.code / file))
            for file in ("old.py", "new.py")
        ]
        again = datetime.now(UTC).astimezone(zone).date()
    for text in (prompt, recalled, start, "".join(edits)):
        lines = text.splitlines()
        assert [line.endswith(">30d") for line in lines if "shop/old.md" in line] == [True]
        assert [line.endswith(">30d") for line in lines if "shop/new.md" in line] == [False]
