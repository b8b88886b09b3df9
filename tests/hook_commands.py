"""Calls the commands that `setup` or a plugin put into an agent's list of hooks, as the agent would."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any


def run_hook(command: str, payload: Mapping[str, object], env: Mapping[str, str], folder: Path) -> Any:
    """What the agent reads of a hook's command that is told `payload`; {} where nothing is printed."""
    run = subprocess.run(
        ["sh", "-c", command],
        input=json.dumps(payload),
        env=dict(env),
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (run.returncode, run.stderr) == (0, "")
    return json.loads(run.stdout) if run.stdout else {}


def log_of(remote: Path) -> list[str]:
    """The lines of all messages on a remote, the newest commit first."""
    words = ["git", "--git-dir", str(remote), "log", "--format=%s%n%b", "main"]
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout.splitlines()


def soon(is_so: Callable[[], bool]) -> bool:
    """Whether it is so within half a minute: a worker does it in the background."""
    end = time.monotonic() + 30
    while not is_so() and time.monotonic() < end:
        time.sleep(0.1)
    return is_so()
