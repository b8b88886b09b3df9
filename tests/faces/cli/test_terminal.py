"""What a command prints at a terminal, and that pipes are given the same text as it is."""

from __future__ import annotations

import io
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from machines import Machine

from ctxrepo.faces.cli.output import OutputLine, lines_of, painted

FACT = "shop/topics/decision.md#L8 — payments are settled at night ^4743d9a90833"


@pytest.fixture(autouse=True)
def _narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    for name in ("NO_COLOR", "FORCE_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)


def test_long_lines_are_folded_at_words_and_an_id_is_never_torn() -> None:
    assert painted(lines_of(f"{FACT}\n  short"), io.StringIO()).split("\n") == [
        "shop/topics/decision.md#L8 — payments",
        "  are settled at night ^4743d9a90833",
        "  short",
    ]


def test_what_stands_behind_a_label_stays_behind_it() -> None:
    field = OutputLine("remote   a place with a long name, last exchange 2 minutes ago", 9)
    assert painted([field], io.StringIO()).split("\n") == [
        "remote   a place with a long name, last",
        "         exchange 2 minutes ago",
    ]


def test_a_word_that_is_wider_than_the_terminal_loses_nothing() -> None:
    word = "x" * 95
    assert painted(lines_of(word), io.StringIO()).replace("\n", "").replace(" ", "") == word


def test_colours_mark_places_ids_and_what_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    text = painted(
        [OutputLine(FACT), OutputLine("a fault", mark="wrong"), OutputLine("+ added", mark="diff")],
        io.StringIO(),
    )
    assert "\x1b[36mshop/topics/decision.md#L8\x1b[0m" in text.replace("\x1b[0m\x1b[36m", "")
    assert "\x1b[33m^4743d9a90833\x1b[0m" in text
    assert "\x1b[31ma fault" in text
    assert "\x1b[32m+ added" in text
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[3" not in painted([OutputLine(FACT)], io.StringIO())


def at_terminal(ada: Machine, *words: str, **env: str) -> str:
    """What a terminal of 24 lines shows."""
    ours, theirs = pty.openpty()
    size = (24).to_bytes(2, sys.byteorder) + (80).to_bytes(2, sys.byteorder) + bytes(4)
    import fcntl
    import termios

    fcntl.ioctl(theirs, termios.TIOCSWINSZ, size)
    process = subprocess.Popen(
        [sys.executable, "-m", "ctxrepo", *words],
        cwd=ada.project_folder,
        env={**ada.env, "TERM": "xterm", **env},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    shown = b""
    try:
        while data := os.read(ours, 65536):
            shown += data
    except OSError:  # the other end is closed
        pass
    process.wait()
    os.close(ours)
    return shown.decode().replace("\r\n", "\n")


@pytest.mark.slow
def test_more_lines_than_the_screen_has_go_to_the_pager(ada: Machine, tmp_path: Path) -> None:
    ada.init()
    ada.write("shop/many.md", "".join(f"- fact {n} \x1b[2J of many\n" for n in range(40)))
    ada.sync()
    pager = f"tee {tmp_path / 'paged'}"
    shown = at_terminal(ada, "search", "many", "facts", "--limit", "30", CTXREPO_PAGER=pager)
    paged = (tmp_path / "paged").read_text()
    assert shown.endswith(paged)
    assert "\x1b[36mshop/many.md#L1\x1b[0m" in paged
    assert "\x1b[2J" not in paged, "what a note holds acts on no terminal"
    (tmp_path / "paged").unlink()
    few = at_terminal(ada, "search", "many", "facts", "--limit", "3", CTXREPO_PAGER=pager)
    assert few.count("many.md") == 3
    assert not (tmp_path / "paged").exists()
    assert "\x1b" not in ada.ctxrepo("search", "many").stdout
