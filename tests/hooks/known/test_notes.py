"""What the cache says of notes comes by name, in the order in which it is delivered."""

from __future__ import annotations

import _sqlite3
from collections.abc import Iterator

import pytest
from world import World

from ctxrepo.hooks.known import cached, packet_rows
from ctxrepo.hooks.known.cached import open_cache
from ctxrepo.hooks.known.packet_rows import by_category, changed_since, daily_notes, index_of, pinned_of

NOTES = {
    "shop/a.md": "---\ndescription: The first\ntags: [x]\nupdated: 2026-01-02\n---\n- [gotcha] mind it\n",
    "shop/b.md": "---\npinned: true\n---\n- *(pinned)* never force\n",
    "shop/daily/2026-02-01.md": "- 10:00 did it\n",
    "shop/daily/2026-02-03.md": "- 11:00 did more\n",
}


@pytest.fixture
def cache(world: World) -> Iterator[_sqlite3.Connection]:
    world.cache("c2", NOTES)
    db = open_cache(str(world.folder / "cache.db"))
    assert db is not None
    yield db
    db.close()


def test_the_index_lists_pinned_notes_first_and_counts_all(cache: _sqlite3.Connection) -> None:
    rows, count = index_of(cache, "shop", 2)
    first, _ = rows
    assert (first.path, first.is_pinned, count > 2) == ("shop/b.md", 1, True)
    (other,) = [row for row in index_of(cache, "shop", 9)[0] if row.path == "shop/a.md"]
    assert (other.description, other.tags, other.updated) == ("The first", "x", "2026-01-02")


def test_changes_are_those_of_a_later_generation(cache: _sqlite3.Connection) -> None:
    assert [row.path for row in changed_since(cache, ["shop"], 1)] == ["shop/b.md", "shop/a.md"]
    assert changed_since(cache, ["global"], 1) == []


def test_entries_come_with_their_place(cache: _sqlite3.Connection) -> None:
    (pinned,) = [entry for entry in pinned_of(cache, ["shop"]) if entry.path == "shop/b.md"]
    assert (pinned.first_line, pinned.last_line, pinned.text) == (4, 4, "- *(pinned)* never force")
    (lesson,) = by_category(cache, "shop", ("lesson", "gotcha"))
    assert (lesson.path, lesson.updated) == ("shop/a.md", "2026-01-02")
    assert pinned_of(cache, ["nowhere"]) == by_category(cache, "nowhere", ("gotcha",)) == []


def test_what_is_read_until_it_is_closed_is_of_one_moment(cache: _sqlite3.Connection, world: World) -> None:
    before = index_of(cache, "shop", 9)[1]
    world.cache("c3", NOTES | {"shop/c.md": "- one more\n"})
    assert index_of(cache, "shop", 9)[1] == before
    now = open_cache(str(world.folder / "cache.db"))
    assert now is not None
    assert index_of(now, "shop", 9)[1] == before + 1
    now.close()


def test_logs_come_newest_first(cache: _sqlite3.Connection) -> None:
    assert daily_notes(cache, "shop") == ["shop/daily/2026-02-03.md", "shop/daily/2026-02-01.md"]


def test_no_hook_reads_all_entries(cache: _sqlite3.Connection) -> None:
    """A memory may have a hundred thousand, and each session start and prompt would wait for them."""
    queries = [
        text
        for module in (cached, packet_rows)
        for text in vars(module).values()
        if isinstance(text, str) and "select" in text and " entry " in text
    ]
    assert len(queries) > 5
    for query in queries:
        values = ["[]"] * max(query.count("?"), 1)
        steps = []
        for count in range(len(values), 0, -1):
            try:
                steps = cache.execute(f"explain query plan {query}", values[:count]).fetchall()
            except _sqlite3.ProgrammingError:  # a number stands several times
                continue
            break
        assert steps
        assert not [step for *_, step in steps if step.startswith("SCAN e")], query
