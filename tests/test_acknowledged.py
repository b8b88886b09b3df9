"""What was acknowledged is in view, kept aside, held back and told, or gone because somebody meant it.

Whatever commands and hands do on two machines, in whatever order these meet.
"""

from __future__ import annotations

import shutil
from copy import deepcopy
from pathlib import Path

import pytest
from hands import COMMANDS, HANDS, MEETINGS, Step, Story, begin, play
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

IS_THOROUGH = settings().max_examples >= 1000
"""Whether `make long` runs this. Stories take seconds: `make test` runs a few, always the same ones."""

STEPS = st.tuples(
    st.sampled_from([*COMMANDS, *HANDS, *MEETINGS, "sync", "sync"]), st.integers(0, 1), st.integers(0, 60)
)


@pytest.fixture(scope="module")
def beginning(tmp_path_factory: pytest.TempPathFactory) -> tuple[Story, Path]:
    """Two machines before anything happens, and a copy of their folders."""
    root = tmp_path_factory.mktemp("story") / "now"
    root.mkdir()
    story = begin(root)
    kept = root.with_name("kept")
    shutil.copytree(root, kept, symlinks=True)
    return story, kept


@settings(
    max_examples=settings().max_examples if IS_THOROUGH else 5,
    derandomize=not IS_THOROUGH,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(steps=st.lists(STEPS, min_size=3, max_size=14))
def test_what_was_acknowledged_is_never_just_gone(beginning: tuple[Story, Path], steps: list[Step]) -> None:
    story, kept = beginning
    shutil.rmtree(story.root)
    shutil.copytree(kept, story.root, symlinks=True)
    play(deepcopy(story), steps)
