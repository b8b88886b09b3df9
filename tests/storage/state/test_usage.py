"""Counts are kept for a bounded number of entries, and of each pair once."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from ctxrepo.storage.state import usage as module
from ctxrepo.storage.state.usage import UsageStore


def test_a_pair_counts_once_and_a_delivery_each_time(tmp_path: Path) -> None:
    with UsageStore.writing(tmp_path / "usage.db") as store:
        for at in (1.0, 2.0):
            for kind in ("delivered", "opened", "used", "contradicted"):
                store.note(kind, "claude s", "e", "shop/a.md", at)
        store.note("used", "claude t", "e", "shop/b.md", 1.5)
    with UsageStore.writing(tmp_path / "usage.db") as store:
        (usage,) = store.all()
    assert (usage.delivered, usage.sessions, usage.opened, usage.used, usage.contradicted) == (2, 1, 1, 2, 1)
    assert (usage.first, usage.last, usage.path) == (1.0, 2.0, "shop/b.md")


def test_what_is_lacking_of_what_was_given(tmp_path: Path) -> None:
    with UsageStore.writing(tmp_path / "usage.db") as store:
        store.note("delivered", "claude s", "a", "shop/a.md", 1.0)
        store.note("delivered", "claude s", "b", "shop/a.md", 2.0)
        store.note("used", "claude s", "b", "shop/a.md", 3.0)
        store.note("opened", "claude s", "c", "shop/a.md", 3.0)
        assert store.given("claude s", "used") == {"a": 1.0}
        assert store.given("claude s", "contradicted") == {"a": 1.0, "b": 2.0}
        assert store.given("claude t", "used") == {}


def test_nothing_is_kept_of_what_breaks_off(tmp_path: Path) -> None:
    def breaks_off() -> None:
        with UsageStore.writing(tmp_path / "usage.db") as store:
            store.note("delivered", "claude s", "a", "shop/a.md", 1.0)
            raise KeyError

    with pytest.raises(KeyError):
        breaks_off()
    with UsageStore.writing(tmp_path / "usage.db") as store:
        assert store.all() == []


def test_the_least_recently_seen_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_ENTRIES", 3)
    monkeypatch.setattr(module, "MAX_PAIRS", 2)
    with UsageStore.writing(tmp_path / "usage.db") as store:
        for n in range(6):
            store.note("delivered", "claude s", f"e{n}", "shop/a.md", float(n))
        store.note("used", "claude s", "e1", "shop/a.md", 99.0)
    with UsageStore.writing(tmp_path / "usage.db") as store:
        assert [usage.id for usage in store.all()] == ["e1", "e4", "e5"]
        assert store._db.execute("select count(*) from pair").fetchone() == (2,)


def test_what_is_damaged_inside_begins_anew_the_next_time(tmp_path: Path) -> None:
    path = tmp_path / "usage.db"
    with UsageStore.writing(path) as store:
        for n in range(3000):
            store.note("delivered", "claude s", f"{n:012x}", "shop/a.md", float(n))
    data = bytearray(path.read_bytes())
    data[8192:-4096] = b"\xaa" * (len(data) - 12288)
    path.write_bytes(data)

    def look() -> None:
        with UsageStore.writing(path) as store:
            store.all()

    with pytest.raises(sqlite3.DatabaseError):
        look()
    look()


def test_it_stays_small(tmp_path: Path) -> None:
    with UsageStore.writing(tmp_path / "usage.db") as store:
        for n in range(module.MAX_PAIRS + 500):
            session = f"claude {n // 5:08d}-99c9-4828-9c27-c6aefe2ed6df"
            store.note("delivered", session, f"{n % 6000:012x}", f"shop/topics/note-{n % 99}.md", float(n))
    with UsageStore.writing(tmp_path / "usage.db") as store:
        assert len(store.all()) == module.MAX_ENTRIES
    assert (tmp_path / "usage.db").stat().st_size < 6 << 20
