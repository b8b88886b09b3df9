"""Calls a hook as an agent does through our plugin: a command line, with the event as JSON on its input."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping, Sequence

from machines import Machine


def answer_to(machine: Machine, words: Sequence[str], payload: Mapping[str, str], **env: str) -> str:
    """What the agent would get in the project; the hook ends with 0, and complains of nothing."""
    run = subprocess.run(
        words,
        input=json.dumps({"cwd": str(machine.project_folder), **payload}),
        env=machine.env | env,
        cwd=machine.project_folder,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (run.returncode, run.stderr) == (0, "")
    return run.stdout
