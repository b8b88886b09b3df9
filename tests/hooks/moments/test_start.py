"""A session starts: the packet comes before a worker that nobody waits for, which comes in any case."""

from __future__ import annotations

from world import World


def test_where_nothing_is_new_the_worker_begins_after_the_packet_was_noted(world: World) -> None:
    at_begin = world.root / "at-begin"
    world.compile(interpreter=str(world.worker(f"cat {world.state}/sessions/* > {at_begin}")))
    assert "shop/MEMORY.md" in world.run("SessionStart")
    (ledger,) = (world.state / "sessions").iterdir()
    assert world.becomes(lambda: at_begin.exists() and at_begin.read_bytes() == ledger.read_bytes())


def test_a_start_that_fails_has_the_worker_begin_all_the_same(world: World) -> None:
    world.spoil()
    assert world.run("SessionStart") == ""
    assert world.starts(1)
