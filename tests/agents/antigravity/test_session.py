"""A conversation of Antigravity by the hooks that `setup` wrote, with a real memory and a real worker.

No program of Antigravity runs without an account: what it would send is sent by the test.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hook_commands import log_of, run_hook, soon
from machines import Machine, make_remote


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

    def hook(event: str, **fields: Any) -> Any:
        """What Antigravity reads of the command that stands in its list for this event."""
        (entry,) = json.loads((config / "hooks.json").read_text())["ctxrepo"][event]
        (handler,) = entry.get("hooks", [entry])
        common = {"conversationId": "c-1", "workspacePaths": [str(ada.project_folder)]}
        return run_hook(handler["command"], {**common, **fields}, ada.env, config)

    assert "port 5433" in hook("PreInvocation", invocationNum=0)["injectSteps"][0]["ephemeralMessage"]
    note = ada.clone / "global/MEMORY.md"
    note.write_text(note.read_text() + "- Never restart it on Fridays\n")
    used = {"name": "write_to_file", "args": {"TargetFile": str(note)}}
    assert hook("PostToolUse", stepIdx=4, toolCall=used, error="") == {}

    assert soon(lambda: "Ctxrepo-Agent: antigravity" in log_of(remote)), log_of(remote)
    assert hook("Stop", executionNum=0, terminationReason="NO_TOOL_CALL", fullyIdle=True) == {}
    assert ada.process("setup", "antigravity", "--remove", "--yes").stdout.startswith("removed antigravity:")
    assert not (ada.home / ".gemini").exists()
