"""Anchors say what happened to a session, where, and at which message; settings leave sessions alone."""

from __future__ import annotations

import json
import shutil
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from machines import NOW, Machine
from said import Talk

from ctxrepo.errors import NoAnswer
from ctxrepo.services.anchors.session_anchors import leave_event_anchor
from ctxrepo.services.reading.tape_files import tape_here
from ctxrepo.services.worker.work import Visits
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.state.spool import SpoolEvent

S = "aaaa1111-0000-4000-8000-000000000001"


@pytest.fixture
def mine(ada: Machine) -> Machine:
    ada.init()
    return ada


def happens(machine: Machine, event: str, source: str = "", **more: Any) -> None:
    at = more.pop("at", 0.0)
    values = {"agent": "claude", "session": S, "cwd": str(machine.project_folder), **more}
    spooled = SpoolEvent(event, source=source, at=at, **values)
    leave_event_anchor(machine.open(), spooled, machine.env, NOW)


def left(machine: Machine, folder: str = "shop") -> list[str]:
    return [anchor.name for anchor in tape_here(machine.open(), folder).anchors]


def settings(machine: Machine, **tape: Any) -> None:
    for key, value in tape.items():
        done = machine.ctxrepo("config", "set", f"tape.{key}", str(value))
        assert done.returncode == 0, done.stderr


class TestWhatHappened:
    """D53."""

    @pytest.mark.parametrize(
        ("event", "source", "name"),
        [
            ("start", "startup", "session/new"),
            ("start", "", "session/new"),
            ("start", "new", "session/new"),
            ("start", "resume", "session/resume"),
            ("start", "reload", "session/resume"),
            ("start", "fork", "session/fork"),
            ("start", "clear", "session/clear"),
            ("compact", "auto", "session/compact"),
            ("end", "exit", "session/end"),
        ],
    )
    def test_d53_each_moment_has_its_name(self, mine: Machine, event: str, source: str, name: str) -> None:
        happens(mine, event, source)
        assert left(mine) == [name]

    @pytest.mark.parametrize(
        ("event", "source"), [("start", "compact"), ("prompt", ""), ("stop", ""), ("tool", "")]
    )
    def test_other_moments_leave_none(self, mine: Machine, event: str, source: str) -> None:
        happens(mine, event, source)
        assert left(mine) == []

    def test_d53_a_start_with_a_history_is_no_new_session(self, mine: Machine) -> None:
        talk = Talk(mine, S, NOW - timedelta(hours=1))
        name = talk.user("go on")
        talk.write()
        happens(mine, "start", "startup")
        (anchor,) = tape_here(mine.open(), "shop").anchors
        assert (anchor.name, anchor.entry) == ("session/resume", name)

    def test_what_is_said_before_the_worker_comes_makes_no_history(self, mine: Machine) -> None:
        talk = Talk(mine, S, NOW - timedelta(seconds=5))
        talk.user("hello")
        talk.write()
        happens(mine, "start", "startup", at=(NOW - timedelta(seconds=20)).timestamp())
        (anchor,) = tape_here(mine.open(), "shop").anchors
        assert (anchor.name, anchor.entry, anchor.timestamp) == (
            "session/new",
            "",
            "2026-11-20T11:59:40.000Z",
        )

    def test_it_knows_who_where_and_the_last_message(self, mine: Machine) -> None:
        talk = Talk(mine, S, NOW - timedelta(hours=1))
        talk.turns(3)
        talk.write()
        happens(mine, "end", transcript=str(talk.path))
        (anchor,) = tape_here(mine.open(), "shop").anchors
        assert (anchor.agent, anchor.project, anchor.session_id, anchor.entry) == (
            "claude",
            "shop",
            S,
            "aaaa-2",
        )
        assert anchor.host == mine.open().host
        assert not (mine.clone / "TAPE").exists()

    def test_outside_of_all_projects_it_is_the_global_tape(self, mine: Machine) -> None:
        happens(mine, "start", cwd=str(mine.home))
        assert left(mine, "global") == ["session/new"]


class TestLeftAlone:
    def test_d13_without_a_tape_none_is_left_and_anchors_by_hand_are(self, mine: Machine) -> None:
        settings(mine, enabled="false")
        happens(mine, "start")
        assert left(mine) == []
        assert mine.ctxrepo("anchor", "by/hand").returncode == 0
        assert left(mine) == ["by/hand"]

    def test_d14_outside_git_where_only_git_counts(self, mine: Machine) -> None:
        settings(mine, only_git="true")
        happens(mine, "start", cwd=str(mine.home))
        happens(mine, "start")
        assert (left(mine, "global"), left(mine)) == ([], ["session/new"])

    def test_d15_in_folders_that_are_excluded(self, mine: Machine, tmp_path: Path) -> None:
        settings(mine, exclude_dirs=str(mine.home))
        happens(mine, "start")
        happens(mine, "start", cwd=str(tmp_path))
        assert (left(mine), left(mine, "global")) == ([], ["session/new"])

    def test_a_checkout_that_is_not_trusted_yet_leaves_nothing(self, mine: Machine) -> None:
        mine.remember("a fact")
        settings_file = mine.places.config_file
        settings_file.write_text(f'{settings_file.read_text()}\n[project]\ntrust = "ask"\n')
        other = mine.home / "Downloads/shop"
        shutil.copytree(mine.project_folder, other)
        happens(mine, "start", cwd=str(other))
        assert (left(mine), left(mine, "global")) == ([], [])


class TestShared:
    def test_all_anchors_reach_the_other_machines_and_no_tape_of_pis(self, mine: Machine) -> None:
        settings(mine, sync="all")
        mine.write("TAPE/shop__anchors.jsonl", "")
        happens(mine, "start", at=(NOW - timedelta(minutes=1)).timestamp())
        happens(mine, "end")
        mine.sync()
        (path,) = (mine.clone / "TAPE/shop").iterdir()
        assert [json.loads(line)["name"] for line in path.read_text().splitlines()] == [
            "session/new",
            "session/end",
        ]
        assert mine.read("TAPE/shop__anchors.jsonl") == ""
        assert left(mine) == ["session/new", "session/end"]

    def test_undo_takes_back_what_the_user_did_last(self, mine: Machine) -> None:
        settings(mine, sync="all")
        mine.ctxrepo("anchor", "by/hand")
        happens(mine, "end")
        mine.sync()
        assert mine.ctxrepo("undo").returncode == 0
        assert left(mine) == ["session/end"]

    @pytest.mark.slow
    def test_handoffs_that_stay_here_are_acknowledged_and_told_to_the_next_session(
        self, mine: Machine
    ) -> None:
        settings(mine, sync="none")
        mine.remember("a fact")
        mine.sync()
        made = mine.json("anchor", "next/step", "--summary", "Ask the bank")
        assert (made["exit"], made["data"]["path"]) == (0, "")
        assert not (mine.clone / "TAPE").exists()
        assert left(mine) == ["next/step"]
        start = json.dumps({"session_id": "s", "cwd": str(mine.project_folder), "source": "startup"})
        assert "Ask the bank" in mine.ctxrepo("hook", "claude", "SessionStart", stdin=start).stdout
        assert mine.ctxrepo("cache", "rebuild").returncode == 0
        assert "Ask the bank" in mine.ctxrepo("context").stdout
        assert "Ask the bank" in mine.ctxrepo("handoff", "--show").stdout

    def test_what_stays_here_follows_a_project_that_is_renamed(self, mine: Machine) -> None:
        settings(mine, sync="none")
        mine.ctxrepo("anchor", "next/step", "--summary", "Ask the bank")
        happens(mine, "start")
        mine.sync()
        assert mine.ctxrepo("project", "rename", "store").returncode == 0
        mine.sync()
        assert set(left(mine, "store")) == {"next/step", "session/new"}
        assert left(mine) == []
        assert "Ask the bank" in mine.ctxrepo("context").stdout

    def test_a_secret_stays_out_of_them_too(self, mine: Machine) -> None:
        settings(mine, sync="none")
        done = mine.ctxrepo("anchor", "x", "--summary", "ghp_" + "a1B2" * 9)
        assert (done.returncode, left(mine)) == (6, [])


def test_one_session_that_can_not_be_looked_at_keeps_no_other_from_it(
    mine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def leave(memory: Memory, event: SpoolEvent, *rest: Any) -> None:
        if event.session == "odd":
            raise NoAnswer("its folder hangs")
        leave_event_anchor(memory, event, *rest)

    monkeypatch.setattr("ctxrepo.services.worker.work.leave_event_anchor", leave)
    log: list[str] = []
    visits = Visits(mine.open(), mine.env, lambda: datetime.now(NOW.tzinfo), log.append)
    visits.leave_anchors([SpoolEvent("start", "claude", s, str(mine.project_folder)) for s in ("odd", S)])
    assert (left(mine), log) == (["session/new"], ["its folder hangs"])
