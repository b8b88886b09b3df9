"""The theme follows what a terminal says of itself, and both can be read."""

from __future__ import annotations

import os
import pty
import termios
from threading import Thread, Timer
from time import monotonic

import pytest
from textual.theme import Theme

from ctxrepo.faces.screen import operations_app
from ctxrepo.faces.screen.operations_app import DARK, LIGHT, THEMES, ask_ground, theme_of


@pytest.mark.parametrize(
    ("colours", "theme"), [("0;15", LIGHT), ("0;default;7", LIGHT), ("15;0", DARK), ("", DARK), ("odd", DARK)]
)
def test_the_theme_follows_the_terminal(colours: str, theme: str) -> None:
    assert theme_of({"COLORFGBG": colours}) == theme
    assert theme_of({}) == DARK


@pytest.mark.parametrize(
    ("answer", "theme"),
    [
        (b"\x1b]11;rgb:ffff/ffff/f0f0\x1b\\\x1b[?62c", LIGHT),
        (b"\x1b]11;rgb:1c/1c/1c\x07\x1b[?1;2c", DARK),
        (b"\x1b]11;rgba:0000/0000/0000/ffff\x07\x1b[?1;2c", DARK),
        (b"\x1b[?1;2c", DARK),
    ],
)
def test_a_terminal_is_asked_for_its_ground_and_nobody_waits_for_more(answer: bytes, theme: str) -> None:
    ours, terminal = pty.openpty()
    questions: list[bytes] = []

    def play_terminal() -> None:
        questions.append(os.read(ours, 100))
        os.write(ours, answer)

    playing = Thread(target=play_terminal)
    playing.start()
    try:
        before = termios.tcgetattr(terminal)
        answered = ask_ground(terminal, terminal)
        assert termios.tcgetattr(terminal) == before
    finally:
        playing.join()
        os.close(ours)
        os.close(terminal)
    assert questions == [b"\x1b]11;?\x1b\\\x1b[c"]
    assert theme_of({}, answered) == theme


def test_an_answer_over_a_slow_line_is_no_keys() -> None:
    """Left to the screen, its letters would be keys that decide: `a` accepts, `d` deletes."""
    ours, terminal = pty.openpty()
    answer = b"\x1b]11;rgb:adad/adad/adad\x1b\\\x1b[?1;2c"
    Timer(0.6, os.write, (ours, answer)).start()
    assert ask_ground(terminal, terminal) == answer
    os.close(ours)
    os.close(terminal)


def test_a_terminal_that_answers_nothing_is_left_alone_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(operations_app, "_SECONDS", 0.1)
    ours, terminal = pty.openpty()
    began = monotonic()
    assert ask_ground(terminal, terminal) == b""
    assert monotonic() - began < 5
    os.close(ours)
    os.close(terminal)


def light(colour: str) -> float:
    """The relative luminance of a colour, by WCAG."""
    parts = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_every_text_has_a_contrast_of_four_and_a_half_to_one(theme: Theme) -> None:
    names = ("muted", "added", "removed", "place", "wrong")
    inks = [str(theme.foreground), *(theme.variables[name] for name in names)]
    pairs = [(ink, str(theme.background)) for ink in inks]
    pairs += [(theme.variables["here-text"], theme.variables["here"])]
    pairs += [(str(theme.background), theme.primary), (theme.variables["muted"], theme.variables["head"])]
    for ink, ground in pairs:
        bright, dark = sorted((light(ink), light(ground)), reverse=True)
        assert (bright + 0.05) / (dark + 0.05) >= 4.5, (ink, ground)
