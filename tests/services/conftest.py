"""A person at a machine of theirs, about to connect Claude Code; workers in this process wait briefly."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from ctxrepo.services.setup.connection import Machine
from ctxrepo.services.worker import work
from ctxrepo.storage.user.places import Places


@pytest.fixture(autouse=True)
def a_short_quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a worker waits for is that nothing comes any more, and that half a second shows as well as two."""
    monkeypatch.setattr(work, "QUIET", 0.5)


@pytest.fixture
def machine(home: Path) -> Machine:
    return Machine(Places.of({"HOME": str(home)}), {}, Path(sys.executable))


@pytest.fixture
def settings(home: Path) -> Path:
    return home / ".claude/settings.json"
