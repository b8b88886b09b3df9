"""`review` without a screen: what waits as text and as JSON; and nothing but `review` loads textual."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
from machines import Machine
from terminal import Terminal

from ctxrepo.faces.cli.review import look_through


def test_without_a_terminal_it_prints_what_waits_and_says_where_the_screen_is(cli: Terminal) -> None:
    answer = cli("review")
    assert (answer.code, answer.out) == (0, cli("inbox").out)
    assert answer.err == "ctxrepo: at a terminal `ctxrepo review` shows a screen\n"
    assert cli("review", "--plain").err == ""
    assert cli("review", "--json").data == cli("inbox", "--json").data


def test_without_textual_it_says_how_it_is_had(cli: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(look_through, "find_spec", lambda name: None)
    answer = cli("review")
    assert answer.out == "nothing waits for a decision\n"
    assert "pipx inject ctxrepo textual" in answer.err
    assert "uv tool install --with textual" in answer.err


def test_at_a_terminal_it_shows_the_screen(cli: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[Any] = []
    monkeypatch.setattr("ctxrepo.faces.screen.screen_app.run", lambda *given: shown.append(given))
    monkeypatch.setattr(look_through, "is_seen", lambda: True)
    assert cli("review", TERM="xterm").code == 0
    ((desk, editor, write_page),) = shown
    assert desk.call.cwd == cli.machine.project_folder
    assert callable(editor.which)
    assert callable(write_page)


_ASK = """
import sys
from ctxrepo.__main__ import main
try:
    main()
finally:
    print(*sys.modules, file=sys.stderr)
"""


@pytest.mark.parametrize("words", [("list",), ("status",), ("review", "--plain"), ("--help",)])
def test_textual_is_loaded_by_the_screen_alone(cli: Terminal, words: tuple[str, ...]) -> None:
    machine: Machine = cli.machine
    run = subprocess.run(
        [sys.executable, "-c", _ASK, *words],
        env=machine.env,
        cwd=machine.project_folder,
        capture_output=True,
        text=True,
    )
    loaded = {name.split(".")[0] for name in run.stderr.splitlines()[-1].split()}
    assert "ctxrepo" in loaded
    assert "textual" not in loaded
