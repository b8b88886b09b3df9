"""The story of the demo has ended, at whatever hour one looks at it, and all that it says is known."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from ctxrepo.services.demo.play_story import _Deeds
from ctxrepo.services.demo.story import DAYS, read_story

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
