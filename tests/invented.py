"""The demo memory at a fixed moment, for pictures and for tests of what shows a memory."""

from __future__ import annotations

import os
import sys
from datetime import UTC, datetime
from pathlib import Path

from machines import Machine

from ctxrepo.services.demo.play_story import make_demo, read_story

NOW = datetime(2026, 11, 27, 15, 40, tzinfo=UTC)
"""When one looks at it."""

HOSTS = {name: host for name, (_, host) in read_story().machines.items()}

SECRET = "sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc"


def invent(root: Path) -> Machine:
    """Make it below `root`, and return the machine at which one looks."""
    demo = make_demo(root / "demo", os.environ, sys.executable, NOW, lambda _: None)
    return Machine(demo.home)
