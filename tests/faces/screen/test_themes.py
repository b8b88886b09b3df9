"""The theme follows what a terminal says of itself, and both can be read."""

from __future__ import annotations

import pytest

from ctxrepo.faces.screen.themes import DARK, LIGHT, THEMES, theme_of


@pytest.mark.parametrize(
    ("said", "theme"), [("0;15", LIGHT), ("0;default;7", LIGHT), ("15;0", DARK), ("", DARK), ("odd", DARK)]
)
def test_the_theme_follows_the_terminal(said: str, theme: str) -> None:
    assert theme_of({"COLORFGBG": said}) == theme
    assert theme_of({}) == DARK


def light(colour: str) -> float:
    """The relative luminance of a colour, by WCAG."""
    parts = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_every_text_has_a_contrast_of_four_and_a_half_to_one(theme: object) -> None:
    names = ("muted", "added", "removed", "place", "wrong")
    inks = [theme.foreground, *(theme.variables[name] for name in names)]  # type: ignore[attr-defined]
    pairs = [(ink, theme.background) for ink in inks]  # type: ignore[attr-defined]
    pairs += [(theme.variables["here-text"], theme.variables["here"])]  # type: ignore[attr-defined]
    pairs += [(theme.background, theme.primary), (theme.variables["muted"], theme.variables["head"])]  # type: ignore[attr-defined]
    for ink, ground in pairs:
        bright, dark = sorted((light(ink), light(ground)), reverse=True)
        assert (bright + 0.05) / (dark + 0.05) >= 4.5, (ink, ground)
