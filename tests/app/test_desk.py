"""A desk that is kept: what others did meanwhile is seen, and nothing is printed."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from machines import Machine
from processes import wait_for_workers

from ctxrepo.app.desk import Call, Desk
from ctxrepo.app.notes.browsing import ListRequest, list_notes, read
from ctxrepo.app.notes.targets import TargetRequest
from ctxrepo.app.notes.writing import restore
from ctxrepo.app.result import Result
from ctxrepo.domain.project.target import parse_target
from ctxrepo.errors import ConfigError, NotFound
from ctxrepo.services.notes.requests import RestoreRequest


def desk_at(machine: Machine) -> Desk:
    return Desk(Call(machine.project_folder, machine.env), lambda: datetime.now(UTC), sys.executable)


@pytest.fixture
def desk(ada: Machine) -> Desk:
    ada.init()
    return desk_at(ada)


def paths(desk: Desk) -> list[str]:
    return [note.place for note in desk.perform(list_notes, ListRequest()).value]


def most_facts(desk: Desk, _: None) -> Result[int]:
    limit = desk.memory.settings.recall.limit
    return Result(limit, {"limit": limit})


def test_a_note_that_another_process_wrote_is_seen(ada: Machine, desk: Desk) -> None:
    assert "shop/MEMORY.md" not in paths(desk)
    opened = desk.memory
    ada.ctxrepo("remember", "Tests need redis")
    assert "shop/MEMORY.md" in paths(desk)
    note = desk.perform(read, TargetRequest(parse_target("MEMORY"))).data
    assert "Tests need redis" in note["text"]
    assert desk.memory is opened, "nothing that it stands on has moved"


def test_a_changed_setting_is_seen(ada: Machine, desk: Desk) -> None:
    before = desk.perform(most_facts, None).value
    ada.ctxrepo("config", "set", "recall.limit", str(before + 3))
    assert desk.perform(most_facts, None).value == before + 3


def test_a_cache_that_was_made_anew_is_opened(ada: Machine, desk: Desk) -> None:
    paths(desk)
    cache = desk.memory.state.cache
    opened = desk.memory.cache
    for file in cache.parent.glob(f"{cache.name}*"):
        file.unlink()
    ada.ctxrepo("remember", "Tests need redis")
    assert "shop/MEMORY.md" in paths(desk)
    assert desk.memory.cache is not opened


def test_a_project_is_looked_up_for_each_operation(ada: Machine, desk: Desk) -> None:
    ada.ctxrepo("remember", "Tests need redis")
    assert "shop/MEMORY.md" in paths(desk)
    ada.ctxrepo("project", "rename", "store")
    assert "store/MEMORY.md" in paths(desk)


def test_each_operation_has_its_own_moment(ada: Machine) -> None:
    ada.init()
    moments = iter(datetime(2026, 11, 20, tzinfo=UTC) + timedelta(days=n) for n in range(9))
    desk = Desk(Call(ada.project_folder, ada.env), lambda: next(moments), sys.executable)

    def days(desk: Desk, _: None) -> tuple[int, int]:
        return desk.now.day, desk.now.day

    first, second = desk.perform(days, None), desk.perform(days, None)
    assert first[0] == first[1] != second[0] == second[1]


def test_notices_are_collected_and_taken_once(
    ada: Machine, desk: Desk, capfd: pytest.CaptureFixture[str]
) -> None:
    ada.places.config_file.parent.mkdir(parents=True, exist_ok=True)
    with ada.places.config_file.open("a") as file:
        file.write("\n[nonsense]\nkey = 1\n")
    capfd.readouterr()
    paths(desk)
    (notice,) = desk.take_notices()
    assert "nonsense" in notice
    assert desk.take_notices() == []
    assert capfd.readouterr() == ("", "")


def test_former_settings_hold_for_who_asks_for_them(ada: Machine, desk: Desk) -> None:
    before = desk.perform(most_facts, None).value
    ada.places.config_file.write_text("[recall\n")

    def limit_before(desk: Desk, _: None) -> int:
        return desk.open_memory(or_last_settings=True).settings.recall.limit

    assert desk.perform(limit_before, None) == before
    with pytest.raises(ConfigError):
        desk.perform(most_facts, None)
    ada.ctxrepo("--version")  # nobody mends it by the way
    with pytest.raises(ConfigError):
        desk.perform(most_facts, None)


def test_two_desks_of_a_process_know_nothing_of_each_other(ada: Machine, ben: Machine) -> None:
    ada.init()
    ben.init()
    here, there = desk_at(ada), desk_at(ben)
    here.notice("of ada's")
    ada.remember("Ada's own")
    before = dict(os.environ)
    assert "shop/MEMORY.md" in paths(here)
    assert "shop/MEMORY.md" not in paths(there)
    assert there.take_notices() == []
    assert dict(os.environ) == before


def fail_to_restore(desk: Desk) -> None:
    target = parse_target("shop:never-was.md")
    with pytest.raises(NotFound):
        desk.perform(restore, RestoreRequest(target))


@pytest.mark.slow  # a real worker sends, after a while of quiet
@pytest.mark.parametrize("act", [paths, fail_to_restore], ids=["a reader", "a writer that fails"])
def test_what_is_committed_besides_is_sent_though_nobody_writes_any_more(
    ada: Machine, remote: Path, act: Callable[[Desk], object]
) -> None:
    ada.init(str(remote))
    ada.remember("Tests need redis")  # and whoever wrote it was killed before it could wake a worker
    desk = desk_at(ada)
    act(desk)
    desk.close()
    wait_for_workers(ada)
    sent = subprocess.run(
        ["git", "-C", str(remote), "show", "main:shop/MEMORY.md"], capture_output=True, text=True, check=True
    )
    assert "Tests need redis" in sent.stdout
