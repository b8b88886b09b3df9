"""Before OpenCode uses a tool: the bridge asks where rules are enforced, and throws what refuses."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from checkout import CHECKOUT
from nodejs import NODE, needs_node

DRIVE = Path(__file__).with_name("drive.mjs")
BRIDGE = CHECKOUT / "hooks/opencode/ctxrepo.js"
BEFORE = "tool.execute.before"

pytestmark = needs_node


def driven(
    folder: Path, says: str, tool: str = "bash", enforces: str = "yes", **args: str
) -> tuple[Mapping[str, Any], list[dict[str, Any]]]:
    """What comes of a call, twice, where the hook prints this before it; and what the hook was told then."""
    record, answer = folder / "told", folder / "says"
    answer.write_text(says)
    line = (
        f"set -- opencode EVENT ; case $2 in {BEFORE}) cat >> {record}; echo >> {record}; cat {answer};; esac"
    )
    text = BRIDGE.read_text("utf-8")
    for name, value in {"{line}": line, "{enforces}": enforces}.items():
        assert text.count(json.dumps(name)) == 1
        text = text.replace(json.dumps(name), json.dumps(value))
    bridge = folder / "ctxrepo.mjs"
    bridge.write_text(text)
    words = [NODE, str(DRIVE), str(bridge), tool, json.dumps(args)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    lines = record.read_text().splitlines() if record.exists() else []
    return json.loads(done.stdout), [json.loads(line) for line in lines]


def test_a_refusal_is_thrown_and_the_hook_told_of_the_call(tmp_path: Path) -> None:
    came, calls = driven(tmp_path, '{"refusal": "not by hand"}', command="kubectl apply")
    assert came["refused"] == "not by hand"
    assert [(call["session"], call["cwd"], call["tool"], call["args"]) for call in calls] == [
        ("s1", "/shop", "bash", {"command": "kubectl apply"})
    ] * 2


def test_a_warning_stands_behind_the_output_of_its_call(tmp_path: Path) -> None:
    came, _ = driven(tmp_path, "mind the step", command="ls")
    assert came == {"refused": "", "outputs": ["ran\nmind the step"] * 2}


def test_nothing_is_asked_where_rules_are_not_enforced(tmp_path: Path) -> None:
    for word in ("no", "{enforces}"):
        came, calls = driven(tmp_path, '{"refusal": "not by hand"}', enforces=word, command="ls")
        assert (came, calls) == ({"refused": "", "outputs": ["ran"] * 2}, [])


def test_whatever_else_the_hook_says_the_call_goes_on(tmp_path: Path) -> None:
    came, _ = driven(tmp_path, "", command="ls")
    assert came == {"refused": "", "outputs": ["ran"] * 2}


def test_the_files_of_a_patch_are_told(tmp_path: Path) -> None:
    patch = (
        "*** Begin Patch\n*** Update File: a.py\n@@\n-x\n+*** Add File: no.py\n*** Add File: b c.py\n+y\n"
        "*** Update File: d.py\n*** Move to: e.py\n*** Delete File: f.py\n*** End Patch"
    )
    _, calls = driven(tmp_path, "", tool="apply_patch", patchText=patch)
    assert [file["filePath"] for file in calls[0]["files"]] == ["a.py", "b c.py", "d.py", "e.py", "f.py"]
    _, calls = driven(tmp_path, "", command="ls")
    assert calls[-1]["files"] == []
