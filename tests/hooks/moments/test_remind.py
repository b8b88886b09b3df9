"""An edited file brings the entries that name it: few, once, of the session's scopes, best first."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from world import World

from ctxrepo.domain.note.note import Note
from ctxrepo.domain.records.evidence import Marks
from ctxrepo.hooks.known.cached import open_cache
from ctxrepo.hooks.moments.reminders import COMMON, entries_naming
from ctxrepo.hooks.session.ledger import switch_memory
from ctxrepo.storage.cache.cache import Cache

NOTES = {
    "shop/topics/pay.md": "- `src/pay/retry_client.py` must not be retried twice\n\n- the till is slow\n",
    "global/MEMORY.md": "- retry_client.py needs a header\n",
    "other/MEMORY.md": "- retry_client.py is nobody's business\n",
    "shop/archive/old.md": "- retry_client.py was once written in C\n",
}


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World(tmp_path)
    world.cache("c1", NOTES)
    return world


def edited(world: World, path: str, env: Mapping[str, str] | None = None) -> str:
    return world.run("PostToolUse-edit", file=str(world.code / path), env=env)


def test_what_names_an_edited_file_comes_once(world: World) -> None:
    text = edited(world, "src/pay/retry_client.py")
    assert text.index("must not be retried twice") < text.index("needs a header")
    assert "the till" not in text
    assert "nobody's" not in text
    assert "in C" not in text
    assert len(text.encode()) <= 1000
    assert edited(world, "src/pay/retry_client.py") == ""
    assert world.errors() == ""


def test_recall_does_not_give_it_again(world: World) -> None:
    edited(world, "src/pay/retry_client.py")
    assert "retried" not in world.run("UserPromptSubmit", prompt="what must retry_client not do twice?")


def test_what_recall_gave_is_not_given_again(world: World) -> None:
    asked = "what about retry_client.py needing a header, and what must not be retried twice?"
    assert "retried twice" in world.run("UserPromptSubmit", prompt=asked)
    assert "retried twice" not in edited(world, "src/pay/retry_client.py")


def test_a_file_of_that_name_elsewhere_is_another(world: World) -> None:
    assert "retried twice" not in edited(world, "src/ship/retry_client.py")
    assert edited(world, "src/pay/client.py") == ""


def test_reading_brings_nothing(world: World) -> None:
    assert world.run("PostToolUse-read", file=str(world.code / "src/pay/retry_client.py")) == ""


@pytest.mark.parametrize(
    ("settings", "env"),
    [
        ({"reminders": "off"}, {}),
        ({"recall": "off"}, {}),
        ({"mode": "once"}, {}),
        ({}, {"CTXREPO_NO_RECALL": "1"}),
        ({}, {"CTXREPO_OFF": "1"}),
    ],
)
def test_it_can_be_switched_off(world: World, settings: dict[str, str], env: dict[str, str]) -> None:
    world.compile(**settings)
    assert edited(world, "src/pay/retry_client.py", env) == ""
    assert world.ledger().entries == {}


def test_a_session_that_wants_nothing_is_given_nothing(world: World) -> None:
    world.run("SessionStart")
    (ledger,) = (world.state / "sessions").iterdir()
    switch_memory(str(ledger), is_off=True)
    assert edited(world, "src/pay/retry_client.py") == ""
    switch_memory(str(ledger), is_off=False)
    assert "retried twice" in edited(world, "src/pay/retry_client.py")


def test_faults_come_along(world: World) -> None:
    world.cache("c2", {}, faults=("something is wrong",))
    text = edited(world, "src/pay/retry_client.py")
    assert "something is wrong" in text
    assert "retried twice" in text


def test_it_leaves_a_trace(world: World) -> None:
    edited(world, "src/pay/retry_client.py")
    (line,) = (world.folder / "traces.jsonl").read_text().splitlines()
    fields = json.loads(line)
    assert fields["edited"] == str(world.code / "src/pay/retry_client.py")
    assert [given[1] for given in fields["given"]] == ["shop/topics/pay.md#L1", "global/MEMORY.md#L1"]


def cached(folder: Path, notes: Mapping[str, str], marks: Marks | None = None) -> Path:
    cache = Cache.open(folder / "cache.db")
    cache.apply("c1", [Note(path, text) for path, text in notes.items()], [], marks or Marks())
    cache.close()
    return folder / "cache.db"


def found(path: Path, edited: str, *scopes: str) -> list[str]:
    cache = open_cache(str(path))
    assert cache is not None
    try:
        return [hit.path for hit in entries_naming(cache, list(scopes) or ["shop"], edited)]
    finally:
        cache.close()


def test_the_order_is_by_folders_pins_and_days(tmp_path: Path) -> None:
    notes = {
        "shop/a.md": "---\nupdated: 2026-01-01\n---\n- client.py one\n",
        "shop/b.md": "---\nupdated: 2026-02-01\n---\n- client.py two\n",
        "shop/c.md": "- [critical] client.py three (user)\n",
        "shop/d.md": "- pay/client.py four\n",
    }
    pinned = Note("shop/c.md", notes["shop/c.md"]).entries[0].id
    path = cached(tmp_path, notes, Marks(pinned=frozenset({pinned})))
    assert found(path, "/x/pay/client.py") == ["shop/d.md", "shop/c.md", "shop/b.md", "shop/a.md"]


def test_of_alike_entries_those_of_newer_notes_come_first(tmp_path: Path) -> None:
    days = {
        f"shop/n{n}.md": f"---\nupdated: 2026-01-{(n * 7) % 20 + 1:02d}\n---\n- x.py {n}\n" for n in range(9)
    }
    path = cached(tmp_path, days)
    assert found(path, "/x.py") == sorted(days, key=lambda name: days[name], reverse=True)


def test_a_name_that_many_entries_have_takes_its_folder(tmp_path: Path) -> None:
    notes = {f"shop/n{n}.md": f"- README.md says {n}\n" for n in range(COMMON)}
    path = cached(tmp_path, {**notes, "shop/web.md": "- web/README.md is stale\n"})
    assert found(path, "/x/web/README.md") == ["shop/web.md"]
    assert found(path, "/x/api/README.md") == []
    few = cached(
        tmp_path / "few", dict(list(notes.items())[1:]) | {"shop/web.md": "- web/README.md is stale\n"}
    )
    assert len(found(few, "/x/api/README.md")) == COMMON - 1


def test_an_item_of_a_checklist_is_no_news_about_a_file(tmp_path: Path) -> None:
    pad = "- [ ] test client.py\n- [x] split client.py\n- client.py is frozen\n"
    path = cached(tmp_path, {"shop/SCRATCHPAD.md": pad, "shop/a.md": "- [ ] client.py\n"})
    cache = open_cache(str(path))
    assert cache is not None
    texts = {hit.text for hit in entries_naming(cache, ["shop"], "/x/client.py")}
    assert texts == {"- client.py is frozen", "- [ ] client.py"}
    assert cache.execute("select count(*) from mention").fetchone() == (2,)
    cache.close()


def test_struck_and_gone_entries_are_not_named(tmp_path: Path) -> None:
    struck = Note("shop/a.md", "- client.py one\n").entries[0].id
    path = cached(
        tmp_path,
        {"shop/a.md": "- client.py one\n", "shop/b.md": "- client.py two\n"},
        Marks(struck=frozenset({struck})),
    )
    assert found(path, "/x/client.py") == ["shop/b.md"]
    cache = Cache.open(path)
    cache.apply("c2", [Note("shop/a.md", "- nothing\n")], ["shop/b.md"], Marks())
    assert cache._db.execute("select count(*) from mention").fetchone() == (0,)
    cache.close()
