"""A session is told once of notes that others changed, and of a head that it got wrong itself."""

from __future__ import annotations

from world import World

TITLE = "## Notes that changed since this session began\n"


def test_a_changed_note_is_told_once(world: World) -> None:
    world.run("SessionStart")
    world.cache("c2", {"shop/new.md": "- x\n", "other/new.md": "- y\n"})
    output = world.run("UserPromptSubmit", prompt="ok")
    assert f"{TITLE}shop/new.md\n" in output
    assert "other/new.md" not in output
    assert world.run("UserPromptSubmit", prompt="ok") == ""


def test_many_are_counted(world: World) -> None:
    world.run("SessionStart")
    world.cache("c2", {f"shop/{n:03}.md": f"---\ndescription: {'x' * 40}\n---\n- x\n" for n in range(60)})
    output = world.run("UserPromptSubmit", prompt="ok")
    assert " more: ctxrepo search\n" in output
    assert len(output.encode()) <= 1024


def test_a_session_from_before_is_told_of_nothing(world: World) -> None:
    world.cache("c2", {"shop/new.md": "- x\n"})
    assert world.run("UserPromptSubmit", prompt="ok") == ""
    world.cache("c3", {"shop/newer.md": "- x\n"})
    assert "shop/newer.md" in world.run("UserPromptSubmit", prompt="ok")
