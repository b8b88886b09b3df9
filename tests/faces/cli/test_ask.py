"""Somebody is asked at a terminal, and who interrupts a question has interrupted the command."""

from __future__ import annotations

import pytest

from ctxrepo.errors import INTERRUPTED
from ctxrepo.faces.cli.answer import ExitWith, ask, confirm


def typed(monkeypatch: pytest.MonkeyPatch, line: str | type[BaseException]) -> None:
    """What comes from the terminal next: a line, or an interruption."""

    def read(_: str) -> str:
        if isinstance(line, str):
            return line
        raise line

    monkeypatch.setattr("typer._click.termui.visible_prompt_func", read)


def test_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    typed(monkeypatch, "a word")
    assert ask("What?", "none") == "a word"
    typed(monkeypatch, "")
    assert ask("What?", "none") == "none"


def test_yes_and_no(monkeypatch: pytest.MonkeyPatch) -> None:
    typed(monkeypatch, "y")
    assert confirm("Really?")
    typed(monkeypatch, "")
    assert not confirm("Really?")


@pytest.mark.parametrize("interruption", [KeyboardInterrupt, EOFError])
def test_an_interruption(monkeypatch: pytest.MonkeyPatch, interruption: type[BaseException]) -> None:
    typed(monkeypatch, interruption)
    with pytest.raises(ExitWith) as ended:
        ask("What?", "none")
    assert ended.value.code == INTERRUPTED
    with pytest.raises(ExitWith):
        confirm("Really?")
