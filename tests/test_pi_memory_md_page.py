"""docs/reference/pi-memory-md.md tells the truth: nothing is left out, and each row has its test."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from live import pi, rows

CHECKOUT = Path(__file__).resolve().parents[1]
TEXT = (CHECKOUT / "docs/reference/pi-memory-md.md").read_text("utf-8")
ROWS = [line for line in TEXT.splitlines() if line.startswith("| ") and not line.endswith("shown by |")]

SETTINGS = [
    "enabled",
    "memoryDir.repoUrl",
    "repoUrl",
    "memoryDir.localPath",
    "localPath",
    "memoryDir.globalMemory",
    "delivery",
    "injection",
    "hooks.sessionStart",
    "hooks.sessionEnd",
    "hooks.beforeAgentStart",
    "autoSync.onSessionStart",
    "tape.enabled",
    "tape.onlyGit",
    "tape.excludeDirs",
    "tape.context.strategy",
    "tape.context.fileLimit",
    "tape.context.memoryScan",
    "tape.context.whitelist",
    "tape.context.blacklist",
    "tape.anchor.mode",
    "tape.anchor.labelPrefix",
    "tape.anchor.keywords",
    "tape.tapePath",
]
COMMANDS = ["/memory-refresh", "/memory-check", "/skill:memory-init", "/memory-anchor", "/memory-review"]
TOOLS = [
    "memory_sync",
    "memory_list",
    "memory_search",
    "memory_check",
    "tape_handoff",
    "tape_list",
    "tape_delete",
    "tape_info",
    "tape_search",
    "tape_read",
    "tape_reset",
]
SKILLS = ["memory-init", "memory-import", "memory-write", "memory-digest"]


@pytest.mark.parametrize("name", [*SETTINGS, *COMMANDS, *TOOLS, *SKILLS])
def test_all_that_it_has_stands_in_a_first_column(name: str) -> None:
    assert any(re.search(rf"`{re.escape(name)}[`\s]", row.split(" | ")[0]) for row in ROWS)


def test_a_row_names_a_test_or_says_not_yet() -> None:
    assert len(ROWS) > 50
    for row in ROWS:
        assert "`tests/" in row or "`live:" in row or "**Not yet**" in row, row


def test_the_tests_it_names_exist() -> None:
    named = re.findall(r"`(tests/[\w/]+\.py)(?:::(Test\w+))?::(\w+)`", TEXT)
    files = re.findall(r"`(tests/[\w/]+\.py)`", TEXT)
    assert len(named) + len(files) == TEXT.count("`tests/") > 40
    for file, group, name in named:
        text = (CHECKOUT / file).read_text("utf-8")
        indent = "    " if group else ""
        below = text.split(f"\nclass {group}", 1)[1] if group else text
        assert re.search(rf"^{indent}def {name}\(", below, re.MULTILINE), (file, name)
    for file in files:
        assert (CHECKOUT / file).exists(), file


def test_the_sessions_it_names_are_played() -> None:
    known = {*pi.OWN, *(f"row-{name}" for name in rows.ALL)}
    named = set(re.findall(r"`live:([^`]*)`", TEXT)) - {"NAME"}
    assert named <= known
    assert len(named) > 12


def test_each_tool_and_command_of_ours_is_told() -> None:
    folder = CHECKOUT / "hooks/pi/ctxrepo"
    modules = [(folder / file).read_text("utf-8") for file in ("tools.ts", "tape.ts")]
    tools = [name for text in modules for name in re.findall(r'name: "((?:memory|tape)_\w+)"', text)]
    commands = re.findall(r'registerCommand\("([\w-]+)"', (folder / "commands.ts").read_text("utf-8"))
    assert len(tools) == 14
    assert len(commands) == 8
    for word in (*tools, *(f"/{command}" for command in commands)):
        assert f"`{word}" in TEXT, word
