"""The demo memory: what is in it has come about as in any other, and whatever goes wrong leaves nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from copies import Copies
from invented import HOSTS, NOW, invent
from machines import Machine

from ctxrepo.services.demo import play_story
from ctxrepo.services.demo.play_story import DAYS, _Deeds, make_demo, read_story
from ctxrepo.services.review.items import items_to_decide
from ctxrepo.services.usage.entry_usage import counted_here
from ctxrepo.services.usage.read_traces import traces


def made(root: Path) -> Machine:
    return invent(root)


@pytest.fixture
def machine(copies: Copies) -> Machine:
    return copies.of(made)


def test_everything_that_can_wait_does(machine: Machine) -> None:
    kinds = [item.kind for item in items_to_decide(machine.open())]
    assert {kind: kinds.count(kind) for kind in kinds} == {
        "deletion": 1,
        "held": 1,
        "conflict": 2,
        "proposal": 3,
    }


def test_the_history_tells_of_two_people_all_machines_and_several_agents_in_four_weeks(
    machine: Machine,
) -> None:
    lines = machine.git("log", "--format=%an %at").splitlines()
    assert {line.split()[0] for line in lines} == {"Ada", "Ben"}
    moments = [int(line.split()[1]) for line in lines]
    assert NOW - timedelta(hours=24) < NOW.fromtimestamp(max(moments), NOW.tzinfo) < NOW
    assert timedelta(days=26) < timedelta(seconds=max(moments) - min(moments)) < timedelta(days=28)
    messages = machine.git("log", "--format=%B")
    for who in (*HOSTS.values(), "claude", "codex", "gemini"):
        assert who in messages, who
    for word in ("accept", "decline", "merge", "remove"):
        assert f": {word}" in messages, word


def test_the_memories_of_all_machines_are_sound_and_the_first_one_is_sent(machine: Machine) -> None:
    for name in HOSTS:
        other = Machine(machine.home.parent / name)
        assert other.git("fsck", "--strict", "--no-dangling") == ""
        assert {path.name for path in other.clone.iterdir()} >= {"global", "shop", "site", "till"}
    status = machine.json("status")["data"]
    assert [status[name] for name in ("waiting", "ahead", "behind")] == [0, 0, 0]
    assert status["agents"] == [{"agent": "claude", "state": "current"}]


def test_what_was_given_used_and_said_is_told_by_the_records_of_sessions(machine: Machine) -> None:
    memory = machine.open()
    given = [trace for trace in traces(memory) if trace.given]
    assert len(given) > 60
    assert any(trace.silence for trace in traces(memory))
    counts = counted_here(memory)
    assert sum(usage.used for usage in counts) > 10
    assert sum(usage.opened for usage in counts) > 10
    why = machine.json("why", "global:MEMORY.md")["data"]["changes"][0]
    assert why["session"]["prompt"] == "You pushed to main?!"
    hits = machine.json("search", "--in", "sessions", "Valkey")["data"]["hits"]
    assert hits


def test_its_command_is_told_nothing_of_what_is_somebodys_own(machine: Machine, tmp_path: Path) -> None:
    own = tmp_path / "own"
    own.mkdir()
    places = {"HOME": own, "CTXREPO_HOME": own / "memory", "CTXREPO_STATE": own / "s", "XDG_CONFIG_HOME": own}
    env = {
        **{name: str(place) for name, place in places.items()},
        "CLAUDECODE": "1",
        "PATH": os.environ["PATH"],
    }
    command = machine.home.parent / "ctxrepo"
    done = subprocess.run(
        [str(command), "status", "--json"], env=env, cwd="/", capture_output=True, text=True
    )
    status = json.loads(done.stdout)["data"]
    assert status["root"] == str(machine.clone)
    assert list(own.iterdir()) == []


@pytest.mark.slow
def test_the_same_moment_makes_the_same_notes(machine: Machine, tmp_path: Path) -> None:
    def notes(of: Machine) -> dict[str, str]:
        paths = of.git("ls-files", "*.md").splitlines()
        return {path: of.read(path) for path in paths if (of.clone / path).exists()}

    assert notes(invent(tmp_path)) == notes(machine)


def test_where_it_fails_nothing_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(play_story, "sync", fail)
    with pytest.raises(KeyboardInterrupt):
        make_demo(tmp_path / "demo", os.environ, sys.executable, NOW, lambda _: None)
    assert not (tmp_path / "demo").exists()


MIDNIGHT = datetime(2026, 11, 27, tzinfo=UTC)


@pytest.mark.parametrize("hour", range(0, 24, 3))
def test_all_of_it_is_past_whenever_one_looks(hour: int) -> None:
    now = MIDNIGHT + timedelta(hours=hour, minutes=1)
    moments = [scene.at(now) for scene in read_story().scenes_until(now)]
    assert moments == sorted(moments)
    assert moments[-1] + timedelta(minutes=15) < now
    assert moments[-1] > now - timedelta(hours=26)
    assert moments[0] > now - timedelta(days=DAYS + 1)


def test_everyday_sessions_are_on_working_days_and_no_two_sessions_have_one_id() -> None:
    story = read_story()
    everyday = [scene for scene in story.scenes_until(MIDNIGHT) if scene not in story.scenes]
    assert {scene.at(MIDNIGHT).weekday() for scene in everyday} == set(range(5))
    assert len(everyday) > 30
    sessions = [scene.session for scene in [*everyday, *story.scenes] if scene.session]
    assert len(set(sessions)) == len(sessions)
    assert all(len(scene.turns) == 3 for scene in everyday)


def test_scenes_name_machines_projects_verbs_and_texts_that_there_are() -> None:
    story = read_story()
    for scene in story.scenes:
        assert scene.machine in story.machines
        assert scene.project in story.projects
        for deed in scene.deeds:
            verb = next(iter(deed))
            assert hasattr(_Deeds, verb), verb
            assert verb != "write" or deed["text"] in story.texts
    used = {deed["text"] for scene in story.scenes for deed in scene.deeds if "write" in deed}
    assert used == set(story.texts)
