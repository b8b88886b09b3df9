"""A conversation of Cursor by the hooks that `setup` wrote, with a real memory and a real worker.

No program of Cursor runs without an account: what it would send is sent by the test.
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


def hook(machine: Machine, event: str, **said: Any) -> dict[str, Any]:
    """What Cursor reads of the command that stands in its list for this event; {} for nothing."""
    listed = json.loads((machine.home / ".cursor/hooks.json").read_text())["hooks"][event]
    common = {
        "conversation_id": "c-1",
        "hook_event_name": event,
        "workspace_roots": [str(machine.project_folder)],
        "user_email": "ada@example.org",
    }
    done = subprocess.run(
        ["sh", "-c", listed[0]["command"]],
        input=json.dumps({**common, **said}),
        env=machine.env | {"CURSOR_VERSION": "3.20.17"},
        cwd=machine.home / ".cursor",
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout) if done.stdout else {}


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
    assert ada.process("setup", "cursor", "--yes").stdout.startswith("connected cursor:")
    assert ada.process("setup", "cursor", "--check").stdout == "cursor: current\n"
    assert "port 5433" in hook(ada, "sessionStart", session_id="c-1")["additional_context"]
    note = ada.clone / "global/MEMORY.md"
    note.write_text(note.read_text() + "- Never restart it on Fridays\n")
    edits = [{"old_string": "", "new_string": "- Never restart it on Fridays\n"}]
    assert hook(ada, "afterFileEdit", file_path=str(note), edits=edits) == {}
    used = {"tool_name": "Write", "tool_input": {"path": str(note)}, "tool_output": "{}"}
    assert hook(ada, "postToolUse", **used) == {}

    def log() -> list[str]:
        said = ["git", "--git-dir", str(remote), "log", "--format=%s%n%b", "main"]
        return subprocess.run(said, capture_output=True, text=True, check=True).stdout.splitlines()

    # No hook at an end is waited for: the tool's hook has it sent.
    assert soon(lambda: "Ctxrepo-Agent: cursor" in log()), log()
    assert log().count("Ctxrepo-Agent: cursor") == 1, "an edit that two events tell is one version"
    assert ada.git("status", "--short") == ""
    assert hook(ada, "stop", status="completed", loop_count=0) == {}
    assert ada.process("setup", "cursor", "--remove", "--yes").stdout.startswith("removed cursor:")
    assert not (ada.home / ".cursor/hooks.json").exists()
    assert not (ada.home / ".agents").exists()
