"""Builders for tests of recall by meaning: a tiny model, a memory in it, and a helper that is at work."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from world import World

NOTES = {
    "shop/topics/db.md": "---\ndescription: Where data is\n---\n- The postgres endpoint is 5433\n",
    "shop/topics/pets.md": "- The office puppy is called Rex\n- The kitten sleeps upstairs\n",
    "shop/topics/ops.md": "- A rollout takes ten minutes\n- Invoice numbers begin at 1000\n",
    "global/MEMORY.md": "- I like swift answers\n",
}


def within(seconds: float, holds: Callable[[], object]) -> bool:
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def _stamp(place: Path) -> tuple[int, int] | None:
    return (place.stat().st_ino, place.stat().st_ctime_ns) if place.exists() else None


@contextmanager
def helper(world: World) -> Iterator[subprocess.Popen[bytes]]:
    """A helper of this world, from when it answers on its socket until the test is done."""
    words = [sys.executable, "-I", "-m", "ctxrepo", "_warm", "--state", str(world.state)]
    place = world.folder / "warm.sock"
    left = _stamp(place)  # by one that was killed
    process = subprocess.Popen(words, env={**os.environ, "CTXREPO_HOOK": "1"})
    try:
        assert within(30, lambda: place.is_socket() and _stamp(place) != left)
        assert process.poll() is None
        yield process
    finally:
        process.terminate()
        process.wait(10)
