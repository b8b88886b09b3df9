"""The files that agents touched last are in the cache, project by project, and come back with it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from machines import Machine

from ctxrepo.domain.settings.values import TapeSettings
from ctxrepo.hooks.known.packet_rows import selected_of
from ctxrepo.services.delivery.first_files import update_recent_files
from ctxrepo.services.rescue.cache_repair import rebuild
from ctxrepo.storage.state.compiled import CompiledCheckout, record_checkout


@pytest.fixture
def project(ada: Machine) -> str:
    ada.init()
    shop = ada.project()
    assert shop
    return shop.id


BASE = 1_790_000_000.0
"""September 2026."""
LIMIT = TapeSettings().file_limit


def touch(machine: Machine, path: str | Path, tool: str = "Edit", at: float = 1.0, **more: Any) -> None:
    file = machine.project_folder / path
    if file.is_relative_to(machine.home):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    fields = {"at": BASE + at, "agent": "claude", "session": "s", "tool": tool, "path": str(file)}
    with machine.open().state.access.open("a") as log:
        log.write(json.dumps(fields | more) + "\n")


def recent(machine: Machine, project: str) -> list[tuple[str, str]]:
    update_recent_files(machine.open())
    return [(first.path, first.why) for first in machine.open().cache.ask(selected_of, project, "")]


def test_edited_files_come_first_with_their_lines(ada: Machine, project: str) -> None:
    touch(ada, "src/a.py", ranges=[[5, 6]], at=1)
    touch(ada, "src/b.py", "Read", ranges=[[1, 3]], at=2)
    touch(ada, "src/a.py", "Read", ranges=[[10, 20]], at=3)
    touch(ada, "c.py", "Read", at=4)
    assert recent(ada, project) == [
        ("src/a.py", "read 10-20, edit 5-6"),
        ("c.py", ""),
        ("src/b.py", "read 1-3"),
    ]


def test_what_is_gone_elsewhere_or_memory_is_not_listed(ada: Machine, project: str) -> None:
    touch(ada, "gone.py")
    (ada.project_folder / "gone.py").unlink()
    touch(ada, ada.home / "elsewhere.py")
    touch(ada, ada.clone / "shop/MEMORY.md")
    touch(ada, "/nowhere/x.py")
    touch(ada, "here.py")
    assert [path for path, _ in recent(ada, project)] == ["here.py"]


def test_memory_in_a_checkout_is_no_code(ada: Machine, project: str) -> None:
    home = CompiledCheckout(str(ada.home), "", "", "example/home", "home", "example/home")
    record_checkout(ada.places.state, home)
    touch(ada, ada.clone / "shop/MEMORY.md")
    touch(ada, ada.home / "notes.py")
    touch(ada, "nearer.py")
    assert [path for path, _ in recent(ada, "example/home")] == ["notes.py"]
    assert [path for path, _ in recent(ada, project)] == ["nearer.py"]


def test_a_few_are_enough(ada: Machine, project: str) -> None:
    for n in range(30):
        touch(ada, f"f{n}.py", at=n)
    assert [path for path, _ in recent(ada, project)] == [f"f{n}.py" for n in range(29, 29 - LIMIT, -1)]


def test_a_log_that_has_rolled_still_counts(ada: Machine, project: str) -> None:
    touch(ada, "a.py")
    state = ada.open().state
    state.access.rename(f"{state.access}.1")
    touch(ada, "b.py", at=2)
    assert [path for path, _ in recent(ada, project)] == ["b.py", "a.py"]


def test_it_is_told_anew_only_when_the_log_has_changed(ada: Machine, project: str) -> None:
    touch(ada, "a.py")
    assert update_recent_files(ada.open())
    assert not update_recent_files(ada.open())
    touch(ada, "b.py")
    assert update_recent_files(ada.open())


def test_a_cache_that_is_built_anew_has_it_again(ada: Machine, project: str) -> None:
    touch(ada, "a.py", ranges=[[1, 2]])
    before = recent(ada, project)
    rebuild(ada.open())
    assert recent(ada, project) == before == [("a.py", "edit 1-2")]


def test_the_worker_notes_it_at_a_turn(ada: Machine, project: str) -> None:
    touch(ada, "a.py")
    with ada.open().state.spool.open("a") as spool:
        spool.write(json.dumps({"event": "stop", "agent": "claude", "session": "s"}) + "\n")
    ada.worker().run()
    assert [first.path for first in ada.open().cache.ask(selected_of, project, "")] == ["a.py"]


@pytest.mark.parametrize(
    "line",
    [
        "torn",
        "[]",
        json.dumps({"at": "x", "path": "/a"}),
        json.dumps({"at": 1, "path": 7}),
        json.dumps({"at": 1, "path": "/a\0b"}),
        json.dumps({"at": 1, "path": "relative"}),
    ],
)
def test_lines_that_say_nothing_do_no_harm(ada: Machine, project: str, line: str) -> None:
    ada.open().state.access.write_text(line + "\n")
    touch(ada, "a.py", ranges=[[1], "x", [3, 1], [2, 2], None, [1, 2, 3], ["1", 2]])
    assert recent(ada, project) == [("a.py", "edit 2-2")]
