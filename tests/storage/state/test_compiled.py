"""Settings and checkouts arrive in hooks.db, which is made anew where it can't be used."""

from __future__ import annotations

import sqlite3
import threading
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from world import repo_with

from ctxrepo.hooks.known.world import World, checkout_of, open_hooks, repo_of, settings_of, world_of
from ctxrepo.storage.state import compiled
from ctxrepo.storage.state.compiled import (
    CompiledCheckout,
    CompiledRepository,
    compile_settings,
    find_checkout,
    read_checkouts,
    read_repositories,
    read_settings,
    record_checkout,
)

REPOSITORIES = [CompiledRepository("b" * 12, Path("/m/one")), CompiledRepository("a" * 12, Path("/m/two"))]


def test_what_is_compiled_is_read_on_both_sides(tmp_path: Path) -> None:
    state = tmp_path / "state"
    assert compile_settings(state, {"secret": "ff", "preamble": "a\nb"}, REPOSITORIES)
    assert read_settings(state) == {"secret": "ff", "preamble": "a\nb"}
    assert read_repositories(state) == REPOSITORIES
    db = open_hooks(str(state))
    assert db is not None
    assert settings_of(db) == {"secret": "ff", "preamble": "a\nb"}
    repo = repo_of(db, str(state))
    assert repo is not None
    assert (repo.id, repo.home, repo.state) == ("b" * 12, "/m/one", f"{state}/{'b' * 12}")
    world = world_of(db, str(state))
    assert world is not None
    assert (world.secret, world.state, world.repo.id) == ("ff", str(state), repo.id)
    db.close()
    assert state.stat().st_mode & 0o777 == 0o700
    assert (state / "hooks.db").stat().st_mode & 0o777 == 0o600


def test_writing_the_same_again_changes_nothing(tmp_path: Path) -> None:
    assert compile_settings(tmp_path, {"ttl": "120"}, REPOSITORIES)
    assert not compile_settings(tmp_path, {"ttl": "120"}, REPOSITORIES)
    assert compile_settings(tmp_path, {"ttl": "60"}, REPOSITORIES)
    assert compile_settings(tmp_path, {"ttl": "60"}, REPOSITORIES[::-1])
    assert compile_settings(tmp_path, {}, [])
    assert read_settings(tmp_path) == {}
    assert read_repositories(tmp_path) == []


def test_a_checkout_is_recorded_and_replaced(tmp_path: Path) -> None:
    compile_settings(tmp_path, {}, REPOSITORIES)
    first = CompiledCheckout("/code", "/code/.git/config", "1:2", "example/shop", "", "example/store")
    assert record_checkout(tmp_path, first)
    assert not record_checkout(tmp_path, first)
    assert record_checkout(tmp_path, replace(first, own="example/shop"))
    then = replace(first, stamp="3:4", folder="shop")
    assert record_checkout(tmp_path, then)
    assert read_checkouts(tmp_path) == [then]
    assert find_checkout(tmp_path, then.top) == then
    assert find_checkout(tmp_path, f"{then.top}/src") is None
    assert find_checkout(tmp_path, "/\udcff") is None
    assert find_checkout(tmp_path / "none", then.top) is None
    compile_settings(tmp_path, {"ttl": "1"}, REPOSITORIES)
    db = open_hooks(str(tmp_path))
    assert db is not None
    known = checkout_of(db, "/code")
    assert known is not None
    assert (known.config, known.stamp) == ("/code/.git/config", "3:4")
    assert (known.project, known.folder) == ("example/shop", "shop")
    assert checkout_of(db, "/elsewhere") is None
    db.close()


def test_before_init_nothing_is_made(tmp_path: Path) -> None:
    state = tmp_path / "state"
    assert not record_checkout(state, CompiledCheckout("/code", "/c", "", "", "", ""))
    assert read_settings(state) == {}
    assert read_repositories(state) == []
    assert read_checkouts(state) == []
    assert not state.exists()


def test_a_name_that_is_not_utf8_is_not_recorded(tmp_path: Path) -> None:
    compile_settings(tmp_path, {}, REPOSITORIES)
    assert not record_checkout(tmp_path, CompiledCheckout("/code\udcff", "/c", "", "", "", ""))


def test_the_table_forgets_the_oldest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "MAX_CHECKOUTS", 3)
    compile_settings(tmp_path, {}, REPOSITORIES)
    for n in (1, 2, 3, 1, 4):
        stamp = str(n + len(read_checkouts(tmp_path)))
        record_checkout(tmp_path, CompiledCheckout(f"/{n}", "/c", stamp, "", "", ""))
    assert [c.top for c in read_checkouts(tmp_path)] == ["/3", "/1", "/4"]


@pytest.mark.parametrize("damage", [b"", b"no database at all " * 99])
def test_a_damaged_file_is_made_anew(tmp_path: Path, damage: bytes) -> None:
    (tmp_path / "hooks.db").write_bytes(damage)
    assert open_hooks(str(tmp_path)) is None
    assert compile_settings(tmp_path, {"ttl": "1"}, REPOSITORIES)
    assert read_settings(tmp_path) == {"ttl": "1"}


def test_a_hook_waits_while_a_slow_disk_keeps_what_was_compiled_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compile_settings(tmp_path, {"ttl": "1"}, REPOSITORIES)
    held = threading.Event()

    def close_slowly() -> None:
        with closing(sqlite3.connect(tmp_path / "hooks.db", isolation_level=None)) as db:
            db.execute("pragma locking_mode = exclusive")  # as while the log is put into the database
            db.execute("begin immediate")
            db.execute("delete from settings")
            db.execute("rollback")
            held.set()
            time.sleep(0.7)

    closing_one = threading.Thread(target=close_slowly)
    closing_one.start()
    assert held.wait(10)
    with monkeypatch.context() as impatient:
        impatient.setattr("ctxrepo.hooks.known.world._LOCK_SECONDS", 0)
        assert open_hooks(str(tmp_path)) is None
    hooks = open_hooks(str(tmp_path))
    closing_one.join()
    assert hooks is not None
    hooks.close()


def test_an_odd_path_is_opened_as_it_is(tmp_path: Path) -> None:
    state = tmp_path / "a?b#c%41 d"
    compile_settings(state, {}, REPOSITORIES)
    db = open_hooks(str(state))
    assert db is not None
    db.close()
    assert [p.name for p in tmp_path.iterdir() if p.name != "home"] == ["a?b#c%41 d"]


def test_a_number_that_is_none_is_the_default() -> None:
    repo = repo_with(Path("/state"))
    assert World({"ttl": "60", "recall_limit": "many"}, "/", repo).ttl == 60
    limits = [World(settings, "/", repo).recall_limit for settings in ({"recall_limit": "many"}, {})]
    assert limits == [24, 24]
