"""A conversation of Antigravity by the hooks that `setup` wrote, with a real memory and a real worker.

No program of Antigravity runs without an account: what it would send is sent by the test.
"""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from machines import Machine, make_remote


def soon(is_so: Callable[[], bool]) -> bool:
    end = time.monotonic() + 30
    while not is_so() and time.monotonic() < end:
        time.sleep(0.1)
    return is_so()


@pytest.mark.slow
def test_what_is_known_comes_and_what_is_written_reaches_the_remote(ada: Machine, tmp_path: Path) -> None:
    remote = make_remote(tmp_path / "host")
    ada.init(str(remote))
    ada.write("global/MEMORY.md", "# Me\n\n- The staging database listens on port 5433\n")
    ada.sync()
    assert ada.process("setup", "antigravity", "--yes").stdout.startswith("connected antigravity:")
    assert ada.process("setup", "antigravity", "--check").stdout == "antigravity: current\n"
    config = ada.home / ".gemini/config"
    assert (config / "skills/memory-write/SKILL.md").is_file()

    def hook(event: str, **said: Any) -> Any:
        """What Antigravity reads of the command that stands in its list for this event."""
        (entry,) = json.loads((config / "hooks.json").read_text())["ctxrepo"][event]
        (handler,) = entry.get("hooks", [entry])
        common = {"conversationId": "c-1", "workspacePaths": [str(ada.project_folder)]}
        done = subprocess.run(
            ["sh", "-c", handler["command"]],
            input=json.dumps({**common, **said}),
            env=ada.env,
            cwd=config,
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert (done.returncode, done.stderr) == (0, "")
        return json.loads(done.stdout)

    assert "port 5433" in hook("PreInvocation", invocationNum=0)["injectSteps"][0]["ephemeralMessage"]
    note = ada.clone / "global/MEMORY.md"
    note.write_text(note.read_text() + "- Never restart it on Fridays\n")
    used = {"name": "write_to_file", "args": {"TargetFile": str(note)}}
    assert hook("PostToolUse", stepIdx=4, toolCall=used, error="") == {}

    def log() -> list[str]:
        said = ["git", "--git-dir", str(remote), "log", "--format=%s%n%b", "main"]
        return subprocess.run(said, capture_output=True, text=True, check=True).stdout.splitlines()

    assert soon(lambda: "Ctxrepo-Agent: antigravity" in log()), log()
    assert hook("Stop", executionNum=0, terminationReason="NO_TOOL_CALL", fullyIdle=True) == {}
    assert ada.process("setup", "antigravity", "--remove", "--yes").stdout.startswith("removed antigravity:")
    assert not (ada.home / ".gemini").exists()
