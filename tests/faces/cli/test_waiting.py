"""What somebody waits for is said: at a terminal at once, elsewhere once, after a while."""

from __future__ import annotations

import io
import sys

import pytest

from ctxrepo.faces.cli import output, waiting
from ctxrepo.faces.cli.waiting import Waiting


class Tty(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_at_a_terminal_it_is_one_line_which_is_gone_before_anything_else_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    screen = Tty()
    monkeypatch.setattr(sys, "stderr", screen)
    waiting.begin()
    waiting.tell("building the cache: 60 of 900 notes")
    waiting.tell("building the cache: 120 of 900 notes")
    output.notice("done")
    waiting.over()
    clear = "\r\x1b[K"
    assert screen.getvalue() == (
        f"{clear}building the cache: 60 of 900 notes{clear}building the cache: 120 of 900 notes{clear}"
        "ctxrepo: done\n"
    )


def test_elsewhere_a_wait_is_told_once_and_a_short_one_not_at_all(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(waiting, "NOTICE_DELAY", 3600.0)
    short = Waiting()
    short.tell("building the cache: 60 of 900 notes")
    short.over()
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(waiting, "NOTICE_DELAY", 0.0)
    long = Waiting()
    counted = [f"building the cache: {number} of 900 notes" for number in range(60, 900, 60)]
    for words in (*counted, "searching all entries", "building the cache: 900 of 900 notes"):
        long.tell(words)
        assert long._timer
        long._timer.join()
    long.over()
    errors = capsys.readouterr().err
    assert errors == "ctxrepo: building the cache …\nctxrepo: searching all entries …\n"


def test_a_single_step_that_takes_long_is_told_while_it_lasts(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(waiting, "NOTICE_DELAY", 0.05)
    search = Waiting()
    search.tell("searching all entries")
    assert search._timer
    search._timer.join()
    search.over()
    assert capsys.readouterr().err == "ctxrepo: searching all entries …\n"
