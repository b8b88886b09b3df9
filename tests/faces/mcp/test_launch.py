"""How a server starts: what it says where it can't, and to a person who starts one at a terminal."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from hosts import COMMAND
from machines import Machine

from ctxrepo.faces.mcp.launch import _AT_TERMINAL, _CLOSED, _MISSING

_WITHOUT = """
import sys

class Blocker:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name.partition(".")[0] == sys.argv[1] or name == sys.argv[1]:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Blocker)
from ctxrepo.faces.mcp.launch import main
sys.exit(main())
"""


def start_without(module: str, machine: Machine) -> subprocess.CompletedProcess[str]:
    """Start a server where this module can't be imported."""
    words = [sys.executable, "-I", "-c", _WITHOUT, module]
    return subprocess.run(words, env=machine.env, input="", capture_output=True, text=True, timeout=20)


@pytest.mark.parametrize("module", ["mcp", "mcp_types", "anyio", "pydantic"])
def test_without_the_extra_a_line_says_how_to_install_it(ada: Machine, module: str) -> None:
    run = start_without(module, ada)
    assert (run.returncode, run.stdout, run.stderr) == (1, "", f"{_MISSING}\n")
    assert len(_MISSING.splitlines()) == 1
    assert "pipx inject ctxrepo mcp" in _MISSING


def test_what_is_missing_of_our_own_is_not_called_the_extra(ada: Machine) -> None:
    run = start_without("ctxrepo.faces.mcp.host", ada)
    assert run.returncode == 1
    assert _MISSING not in run.stderr
    assert "No module named 'ctxrepo.faces.mcp.host'" in run.stderr


@pytest.mark.parametrize("closed", ["<&-", ">&-"])
def test_with_a_closed_stream_a_line_says_so(ada: Machine, closed: str) -> None:
    words = ["/bin/sh", "-c", f'exec "$@" {closed}', "sh", *COMMAND]
    run = subprocess.run(words, env=ada.env, input="", capture_output=True, text=True, timeout=20)
    assert (run.returncode, run.stdout, run.stderr) == (1, "", f"{_CLOSED}\n")


def test_at_a_terminal_a_person_is_told_what_it_waits_for(ada: Machine) -> None:
    ours, theirs = os.openpty()
    with subprocess.Popen(
        COMMAND, env=ada.env, stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as server:
        os.close(theirs)
        assert server.stderr
        assert server.stderr.readline() == f"{_AT_TERMINAL}\n"
        os.write(ours, b"\x04")  # Ctrl-D
        out, errors = server.communicate(timeout=20)
    os.close(ours)
    assert (server.returncode, out, errors) == (0, "", "")


def test_words_after_it_are_a_mistake_of_the_command_line(ada: Machine) -> None:
    run = ada.process("mcp", "serve")
    assert run.returncode == 2
    assert "Traceback" not in run.stderr
    assert run.stderr.startswith("ctxrepo: ")
