"""The two themes, and which of them a terminal calls for. Every colour has a sign or a word beside it."""

from __future__ import annotations

from collections.abc import Mapping

from textual.theme import Theme

DARK, LIGHT = "ctxrepo-dark", "ctxrepo-light"

_VARIABLES = {
    DARK: {
        "muted": "#97a1af",
        "here": "#2c4266",
        "here-text": "#ffffff",
        "head": "#1f2631",
        "added": "#5fd0b0",
        "removed": "#f4a36c",
        "place": "#8fb4ff",
        "wrong": "#ff8f7d",
        "scrollbar": "#3a4553",
        "scrollbar-background": "#12161c",
    },
    LIGHT: {
        "muted": "#59636e",
        "here": "#c9defa",
        "here-text": "#10151b",
        "head": "#e6e9ee",
        "added": "#0a5f4c",
        "removed": "#96390a",
        "place": "#0b4da2",
        "wrong": "#a3200f",
        "scrollbar": "#b5bdc8",
        "scrollbar-background": "#fbfcfd",
    },
}

THEMES = (
    Theme(
        DARK,
        primary="#8fb4ff",
        accent="#8fb4ff",
        foreground="#dde3ea",
        background="#12161c",
        surface="#12161c",
        panel="#1f2631",
        variables=_VARIABLES[DARK],
    ),
    Theme(
        LIGHT,
        primary="#0b4da2",
        accent="#0b4da2",
        foreground="#1b2128",
        background="#fbfcfd",
        surface="#fbfcfd",
        panel="#e6e9ee",
        dark=False,
        variables=_VARIABLES[LIGHT],
    ),
)

DEFAULTS: Mapping[str, str] = _VARIABLES[DARK]

_LIGHT_GROUNDS = {"7", "15"}


def theme_of(environment: Mapping[str, str]) -> str:
    """The theme for a terminal, by what it says of itself; dark where it says nothing."""
    ground = environment.get("COLORFGBG", "").rpartition(";")[2]
    return LIGHT if ground in _LIGHT_GROUNDS else DARK
