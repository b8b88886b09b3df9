"""A conversation of Cursor by the hooks that `setup` wrote, with a real memory and a real worker.

No program of Cursor runs without an account: what it would send is sent by the test.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hook_commands import log_of, run_hook, soon
from machines import Machine, make_remote


def hook(machine: Machine, event: str, **fields: Any) -> dict[str, Any]:
    """What Cursor reads of the command that stands in its list for this event; {} for nothing."""
    listed = json.loads((machine.home / ".cursor/hooks.json").read_text())["hooks"][event]
    common = {
        "conversation_id": "c-1",
        "hook_event_name": event,
        "workspace_roots": [str(machine.project_folder)],
        "user_email": "ada@example.org",
    }
    env = machine.env | {"CURSOR_VERSION": "3.20.17"}
    answer: dict[str, Any] = run_hook(
        listed[0]["command"], {**common, **fields}, env, machine.home / ".cursor"
    )
    return answer


@pytest.mark.slow
def test_what_is_known_comes_and_what_is_written_reaches_the_remote(ada: Machine, tmp_path: Path) -> None:
    remote = make_remote(tmp_path / "host")
    ada.init(str(remote))
    ada.write("global/MEMORY.md", "# Me\n\n- The staging database listens on port 5433\n")
    ada.sync()
    assert ada.process("setup", "cursor", "--yes").stdout.startswith("connected cursor:")
    assert ada.process("setup", "cursor", "--check").stdout == "cursor: current, --mcp\n"
    assert "port 5433" in hook(ada, "sessionStart", session_id="c-1")["additional_context"]
    note = ada.clone / "global/MEMORY.md"
    note.write_text(note.read_text() + "- Never restart it on Fridays\n")
    edits = [{"old_string": "", "new_string": "- Never restart it on Fridays\n"}]
    assert hook(ada, "afterFileEdit", file_path=str(note), edits=edits) == {}
    used = {"tool_name": "Write", "tool_input": {"path": str(note)}, "tool_output": "{}"}
    assert hook(ada, "postToolUse", **used) == {}

    # No hook at an end is waited for: the tool's hook has it sent.
    assert soon(lambda: "Ctxrepo-Agent: cursor" in log_of(remote)), log_of(remote)
    assert log_of(remote).count("Ctxrepo-Agent: cursor") == 1, "an edit that two events tell is one version"
    assert ada.git("status", "--short") == ""
    assert hook(ada, "stop", status="completed", loop_count=0) == {}
    assert ada.process("setup", "cursor", "--remove", "--yes").stdout.startswith("removed cursor:")
    assert not (ada.home / ".cursor/hooks.json").exists()
    assert not (ada.home / ".agents").exists()
