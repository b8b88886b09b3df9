from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from ctxrepo.agents.hook_line import HookLine, is_ours

LINE = HookLine(Path("/usr/bin/python3"), Path("/opt/ctxrepo/hook.py"), Path("/var/state"))
ODD = HookLine(Path("/o'b/my python"), Path("/a $HOME/é/ctxrepo/hook.py"), Path('/s "t"/`x`'))


STRAIGHT = "/usr/bin/python3 -I -S /opt/ctxrepo/hook.py claude Stop /var/state"
"""A line of the version before, which fell back to nothing."""


def test_a_line_starts_the_interpreter_bare_and_falls_back_in_silence() -> None:
    assert LINE("claude", "Stop") == (
        f"{STRAIGHT} 2>/dev/null || sh /var/state/hook claude Stop $? 2>/dev/null || :"
    )


@pytest.mark.parametrize("line", [LINE, ODD])
def test_a_line_survives_the_shell_and_is_known_again(line: HookLine) -> None:
    command = line("claude", "Stop")
    assert shlex.split(command)[3:6] == [str(line.hook), "claude", "Stop"]
    assert HookLine.read(command) == line
    assert is_ours(command, "claude")
    assert not is_ours(command, "codex")


def test_a_line_of_the_version_before_is_known_again() -> None:
    assert HookLine.read(STRAIGHT) == LINE
    assert is_ours(STRAIGHT, "claude")


@pytest.mark.parametrize(
    "command",
    [
        "",
        "echo claude",
        "/x/ctxrepo/hook.py claudette Stop",
        "cat /x/ctxrepo/hook.pyc claude",
        None,
        3,
        ["x"],
    ],
)
def test_other_commands_are_not_ours(command: object) -> None:
    assert not is_ours(command, "claude")


@pytest.mark.parametrize(
    "command",
    [
        "",
        "a 'b",
        "python /x/ctxrepo/hook.py claude",
        f"timeout 5 {STRAIGHT}",
        f"{STRAIGHT} || true",
        STRAIGHT.replace("-I", "-E"),
        LINE("claude", "Stop").replace("$?", "0"),
        LINE("claude", "Stop").replace("/var/state/", "/other/"),
    ],
)
def test_a_line_written_otherwise_names_no_places(command: str) -> None:
    assert HookLine.read(command) is None
