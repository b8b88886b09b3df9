"""The pictures in the pages are what the screen shows: `python tests/pictures.py` makes them anew."""

from __future__ import annotations

import pytest
from copies import Copies
from long import rotating
from pictures import FOLDER, PICTURES, drawn, make_pictured


@pytest.mark.slow
@pytest.mark.parametrize("name", rotating(PICTURES, 2))
def test_a_picture_shows_what_the_screen_does(copies: Copies, name: str) -> None:
    machine = copies.of(make_pictured)
    assert drawn(machine, name) == (FOLDER / f"{name}.svg").read_text("utf-8")


def test_every_picture_is_in_a_page_and_asks_the_network_for_nothing() -> None:
    pages = "".join(page.read_text("utf-8") for page in FOLDER.parent.rglob("*.md"))
    for name in PICTURES:
        assert f"pictures/{name}.svg" in pages, name
        text = (FOLDER / f"{name}.svg").read_text("utf-8")
        assert "url(http" not in text
        assert "@import" not in text
    of_the_screen = {file.stem for file in FOLDER.glob("*.svg")} - {"ctxrepo-cast"}
    assert of_the_screen == {*PICTURES}
