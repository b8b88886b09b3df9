"""`review --html`: a page where it was asked for, for its user alone, and nothing opened unasked."""

from __future__ import annotations

import sys
import webbrowser
from pathlib import Path
from unittest.mock import Mock

import pytest
from terminal import Terminal

from ctxrepo.faces.cli.review import look_through


def test_the_page_lies_in_the_state_folder_for_its_user_alone(cli: Terminal) -> None:
    cli("remember", "Tests need redis")
    answer = cli("review", "--html")
    path = cli.machine.open().state.root / "review.html"
    assert (answer.code, answer.out, answer.err) == (0, f"page: {path}\n", "")
    assert path.stat().st_mode & 0o777 == 0o600
    assert "Tests need redis" in path.read_text()


def test_it_is_written_where_it_is_asked_for(cli: Terminal) -> None:
    data = cli("review", "mine.html", "--html", "--json").data
    path = cli.machine.project_folder / "mine.html"
    assert data["file"] == str(path)
    assert data["bytes"] == path.stat().st_size
    assert data["left_out"] == []
    assert path.stat().st_mode & 0o777 == 0o600


def test_it_is_printed_for_a_dash(cli: Terminal) -> None:
    answer = cli("review", "--html", "-")
    assert answer.out.startswith("<!DOCTYPE html>")
    assert answer.out.endswith("</html>\n")
    assert not (cli.machine.open().state.root / "review.html").exists()


@pytest.mark.parametrize("words", [["page.html"], ["--open"]])
def test_without_html_it_says_what_a_file_is_for(cli: Terminal, words: list[str]) -> None:
    answer = cli("review", *words)
    assert answer.code == 2
    assert "`ctxrepo review --html` writes a page" in answer.err


def test_no_browser_is_opened_where_nobody_sits(cli: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    browser = Mock(return_value=True)
    monkeypatch.setattr(webbrowser, "open", browser)
    answer = cli("review", "--html", "--open")
    assert answer.code == 0
    assert "no browser was opened" in answer.err
    browser.assert_not_called()
    assert cli("review", "--html").err == ""


def test_at_a_terminal_it_is_opened_where_it_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    browser = Mock(side_effect=[True, False])
    monkeypatch.setattr(webbrowser, "open", browser)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    look_through.open_in_browser(tmp_path / "a b.html")
    browser.assert_called_once_with(f"file://{tmp_path}/a%20b.html")
    look_through.open_in_browser(tmp_path)
    assert "no browser was found" in capsys.readouterr().err


def test_it_is_never_written_into_the_memory(cli: Terminal) -> None:
    answer = cli("review", str(cli.machine.clone / "shop" / "page.html"), "--html")
    assert answer.code == 2
    assert "in the memory itself" in answer.err
    assert not (cli.machine.clone / "shop" / "page.html").exists()
