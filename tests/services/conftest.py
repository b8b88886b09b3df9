"""A person at a machine of theirs, about to connect Claude Code."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from ctxrepo.services.setup.connection import Machine
from ctxrepo.storage.user.places import Places


@pytest.fixture
def machine(home: Path) -> Machine:
    return Machine(Places.of({"HOME": str(home)}), {}, Path(sys.executable))


@pytest.fixture
def settings(home: Path) -> Path:
    return home / ".claude/settings.json"
