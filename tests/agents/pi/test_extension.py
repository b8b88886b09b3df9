"""The extension for pi: pi's own types, its part that hands events on, and short sessions of the real pi."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from checkout import PYTHONPATH
from live import install, pi, pi_types
from needs import unless
from nodejs import AGENTS, NODE, needs_node

from ctxrepo.agents.pi.install import MODULES

TYPES = pi_types.root()
DRIVE = Path(__file__).with_name("drive.mjs")

needs_types = unless(
    ""
    if pi_types.are_there(TYPES)
    else "pi's types aren't here, and no test fetches them unasked: `make pi-types` does, and checks the same"
)


needs_pi = unless(
    ""
    if install.find(pi.NAME, pi.PACKAGE, AGENTS)
    else f"{pi.PACKAGE.wanted} isn't installed, and no test fetches it unasked: `python -m live pi` does"
)


FILES = [pi_types.SOURCE, *sorted((pi_types.FOLDER / "ctxrepo").glob("*.ts"))]

FROM_PI = ("@earendil-works/pi-coding-agent", "typebox")
"""Packages that pi itself has for extensions."""


def test_setup_writes_every_file_of_it() -> None:
    assert [file.stem for file in FILES[1:]] == list(MODULES)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_its_files_are_short_and_need_nothing_but_node_and_pi(file: Path) -> None:
    text = file.read_text("utf-8")
    assert len(text.splitlines()) <= 200
    assert max(map(len, text.splitlines())) <= 120
    imported = re.findall(r'^import (type )?.* from "(.*)";$', text, re.MULTILINE)
    assert len(imported) == text.count("\nimport ")
    for is_type, package in imported:
        assert is_type or package.startswith(("node:", "./")) or package in FROM_PI


def test_what_memory_write_writes_to_is_no_path_to_pi_memory_md() -> None:
    """It reads in all transcripts which files `memory_write` was called with: by the argument `path`."""
    tools = (pi_types.FOLDER / "ctxrepo" / "tools.ts").read_text("utf-8")
    (written,) = re.findall(r'name: "memory_write",.*?args:', tools, re.DOTALL)
    parameters = re.findall(r"^      (\w+): ", written, re.MULTILINE)
    assert "content" in parameters
    assert "path" not in parameters


@needs_types
def test_it_agrees_with_the_types_of_pi() -> None:
    assert pi_types.complaints(TYPES) == ""


@needs_types
@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("event.reason", "event.raison"),
        ('"agent_settled", quietly', '"agent_unsettled", quietly'),
        ("display: false", 'display: "no"'),
        ("ctx.cwd", "ctx.pwd"),
        ("systemPromptOptions.sections", "systemPromptOptions.parts"),
        ("({ action }) =>", "({ deed }) =>"),
        ("fact.existing", "fact.existed"),
        ("getArgumentCompletions", "getCompletions"),
    ],
)
def test_the_types_are_not_just_any(right: str, wrong: str) -> None:
    assert any(right in file.read_text("utf-8") for file in FILES)
    assert "error TS" in pi_types.complaints(TYPES, right, wrong)


def driven(folder: Path, line: str, patience: int = 20_000) -> dict[str, Any]:
    """What the extension makes of a few events with this hook line; node complains of nothing."""
    for file in FILES[1:]:
        (folder / file.name).write_text(file.read_text("utf-8"))
    delivery = folder / "delivery.ts"
    assert "= 10_000;" in delivery.read_text()
    delivery.write_text(delivery.read_text().replace("= 10_000;", f"= {patience};"))
    words = [NODE, "--disable-warning=ExperimentalWarning", str(DRIVE), str(delivery), line]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, env={"PATH": os.defpath})
    assert (done.returncode, done.stderr) == (0, "")
    report: dict[str, Any] = json.loads(done.stdout)
    assert report["ended"] is None
    return report


@needs_node
def test_what_the_hook_prints_is_added_to_the_result(tmp_path: Path) -> None:
    kept = tmp_path / "said.json"
    line = f'cat >> {kept}; echo >> {kept}; echo \'{{"context": "héron"}}\' # pi EVENT '
    assert driven(tmp_path, line)["added"] == "héron"
    *prompts, last = [json.loads(line) for line in kept.read_text().splitlines()]
    assert [prompt["prompt"] for prompt in prompts] == ["about leaves", "", "/etc/hosts is odd"]
    assert (last["session"], last["cwd"], last["tool"]) == ("s1", "/", "write")
    assert len(last["input"]["content"]) == 3_000_000
    assert len(last["error"]) < 10_000


@needs_node
@pytest.mark.parametrize(
    "line",
    [
        'echo \'{"context": "to\' # torn',
        "echo nonsense",
        "echo null",
        "echo '{}'",
        "exec <&-; true",
        "exit 2",
        "kill -9 $$",
        "/no/such/python 2>/dev/null || :",
        "echo oh no >&2",
    ],
)
def test_whatever_the_hook_does_pi_goes_on(line: str, tmp_path: Path) -> None:
    assert driven(tmp_path, line)["added"] is None


@needs_node
def test_a_hook_that_hangs_is_killed_with_all_that_it_started(tmp_path: Path) -> None:
    late = tmp_path / "late"
    report = driven(tmp_path, f"(sleep 2; touch {late}) & sleep 2; touch {late}", patience=300)
    assert report["added"] is None
    assert report["took"] < 1500
    time.sleep(2.5)
    assert not late.exists()


@needs_pi
def test_sessions_of_the_real_pi(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "live", "pi", "--keep", str(tmp_path / "live"), "--patience", "20"]
    env = {**os.environ, "PYTHONPATH": PYTHONPATH, "CTXREPO_LIVE": str(AGENTS)}
    done = subprocess.run(
        [*words, "row-given", "row-edits", "pi-tree", "pi-beside-another"],
        env=env,
        capture_output=True,
        text=True,
        timeout=400,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "all well" in done.stdout
