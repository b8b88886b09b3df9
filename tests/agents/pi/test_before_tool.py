"""Before pi uses a tool: the extension asks where rules are enforced, and blocks what is refused."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from checkout import CHECKOUT
from nodejs import NODE, needs_node

DRIVE = Path(__file__).with_name("before.mjs")
FILES = sorted((CHECKOUT / "hooks/pi/ctxrepo").glob("*.ts"))

pytestmark = needs_node


def driven(folder: Path, says: str, enforces: str = "yes") -> dict[str, Any]:
    """What comes of a call where the hook prints this before it; node complains of nothing."""
    for file in FILES:
        (folder / file.name).write_text(file.read_text("utf-8"))
    (folder / "says").write_text(says)
    line = f"set -- pi EVENT ; [ $2 != tool_call ] || {{ cat > {folder}/told; cat {folder}/says; }}"
    words = [
        NODE,
        "--disable-warning=ExperimentalWarning",
        str(DRIVE),
        str(folder / "delivery.ts"),
        line,
        enforces,
    ]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, env={"PATH": os.defpath})
    assert (done.returncode, done.stderr) == (0, "")
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def test_a_call_is_blocked_with_the_reason_and_the_hook_is_told_of_it(tmp_path: Path) -> None:
    assert driven(tmp_path, '{"refusal": "not by hand"}')["before"] == {
        "block": True,
        "reason": "not by hand",
    }
    event = json.loads((tmp_path / "told").read_text())
    assert event == {"session": "s1", "cwd": "/shop", "tool": "bash", "input": {"command": "kubectl apply"}}


def test_a_warning_stands_behind_the_result_of_its_call(tmp_path: Path) -> None:
    came = driven(tmp_path, '{"context": "mind the step"}')
    assert came == {"asks": True, "before": None, "texts": ["ran", "mind the step"]}


@pytest.mark.parametrize("says", ["", "{}", "null", "nonsense", '{"refusal": "to'])
def test_whatever_else_the_hook_says_the_call_goes_on(tmp_path: Path, says: str) -> None:
    assert driven(tmp_path, says) == {"asks": True, "before": None, "texts": ["ran"]}


def test_nothing_is_asked_where_rules_are_not_enforced(tmp_path: Path) -> None:
    came = driven(tmp_path, '{"refusal": "not by hand"}', enforces="no")
    assert came == {"asks": False, "before": None, "texts": ["ran"]}
