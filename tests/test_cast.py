"""The cast in the README is what a terminal shows, and its picture asks for nothing and can't act."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from cast.draw import picture
from cast.record import PROMPT, STORY, Typed, record
from cast.screen import CAST, HEIGHT, SVG, WIDTH, Cast, Frame, Run, Screen, Style, read, row_of, written
from needs import lacks, unless
from pages import browser, needs_browser

README = CAST.parents[2] / "README.md"


def committed() -> Cast:
    return read(CAST.read_text("utf-8"))


@pytest.mark.slow
@unless(lacks("tmux", "bash"))
def test_a_terminal_still_shows_the_same(tmp_path: Path) -> None:
    assert written(record(tmp_path)) == CAST.read_text("utf-8"), "python -m cast records it anew"


def test_the_picture_is_of_the_cast() -> None:
    assert picture(committed()) == SVG.read_text("utf-8"), "python -m cast draws it anew"


def test_it_takes_about_half_a_minute_and_shows_every_command_and_key_of_the_story() -> None:
    cast = committed()
    assert 25 < cast.seconds < 40
    texts = [frame.screen.text for frame in cast.frames]
    for step in STORY:
        shown = f"{PROMPT} {step.line}" if isinstance(step, Typed) else step.shows
        assert any(shown in text for text in texts), shown
    assert [frame.at for frame in cast.frames] == sorted(frame.at for frame in cast.frames)


def test_the_file_is_one_that_players_take() -> None:
    header, *events = map(json.loads, CAST.read_text("utf-8").splitlines())
    assert (header["version"], header["width"], header["height"]) == (2, WIDTH, HEIGHT)
    assert all(kind == "o" and isinstance(data, str) for _, kind, data in events)


def test_the_picture_asks_for_nothing_and_is_small() -> None:
    text = SVG.read_text("utf-8")
    assert len(text.encode()) < 150_000
    names = set[str]()

    class Elements(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            names.update((tag, *(name for name, _ in attrs)))

    Elements().feed(text)
    assert names.isdisjoint(("script", "href", "xlink:href", "image", "use", "foreignobject"))
    assert not [name for name in names if name.startswith("on")]
    assert not re.search(r"url\(|@import|@font-face", text)
    assert SVG.name in README.read_text("utf-8")
    assert CAST.name in README.read_text("utf-8")


def test_colours_and_signs_come_back_as_they_were_written() -> None:
    line = "\x1b[1;32mgreen\x1b[0m plain \x1b[38;2;1;2;3;48;5;196mboth\x1b[39;49m <&> \x1b[7m \x1b[27m  "
    row = row_of(line)
    assert row[0] == Run("green", Style(foreground="#a5d6a7", is_bold=True))
    assert row[2] == Run("both", Style(foreground="#010203", background="#ff0000"))
    assert row[-1] == Run(" ", Style(is_reversed=True))
    rows = (row, *(() for _ in range(HEIGHT - 1)))
    cast = Cast([Frame(0.0, Screen(rows, (3, 0))), Frame(1.5, Screen(((),) * HEIGHT, None))], 2.0)
    assert read(written(cast)) == cast
    assert "&lt;&amp;&gt;" in picture(cast)


@pytest.mark.slow
@needs_browser
@pytest.mark.parametrize(
    ("number", "motion"), [(3, "no-preference"), (30, "no-preference"), (-5, "no-preference"), (-1, "reduce")]
)
def test_a_browser_shows_each_screen_at_its_time_or_without_motion_the_last(number: int, motion: str) -> None:
    cast = committed()
    frame = cast.frames[number]
    with browser() as driver:
        wish = {"features": [{"name": "prefers-reduced-motion", "value": motion}]}
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", wish)
        driver.get(SVG.as_uri())
        shown = driver.execute_script(
            "for (const each of document.getAnimations()) { each.pause(); each.currentTime = arguments[0] }"
            "const rows = {};"
            "for (const each of document.querySelectorAll('text')) {"
            "  if (getComputedStyle(each).visibility !== 'visible') continue;"
            "  const row = Math.round((each.getAttribute('y') - 47) / 18);"
            "  (rows[row] ||= []).push([+each.getAttribute('x'), each.textContent]);"
            "}"
            "return rows",
            (frame.at + 0.01) * 1000,
        )
    texts = {int(row): " ".join(text for _, text in sorted(parts)).split() for row, parts in shown.items()}
    lines = (line.split() for line in frame.screen.text.split("\n"))
    assert texts == {row: words for row, words in enumerate(lines) if words}
