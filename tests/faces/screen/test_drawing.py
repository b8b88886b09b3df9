"""Views as lines of a screen: folded by cells, below what they belong to, and nothing in them acts."""

from __future__ import annotations

import pytest

from ctxrepo.app.views.view import Diff, Field, Table, TextLine, View, ViewSection
from ctxrepo.faces.screen.panes import ScreenLine, folded, lines_of

VIEW = View(
    "title",
    (
        ViewSection((Field("from", ("claude",)), Field("since", ("today", "or so")))),
        ViewSection(
            (Diff(("@@ -1 +1 @@", "-- a", "+- b\tc")), TextLine("below", 1), Table(("n",), (("1",),))), "diff"
        ),
    ),
)


def test_signs_of_a_difference_stand_apart_and_labels_in_a_column() -> None:
    assert [(line.text, line.look) for line in lines_of(VIEW)] == [
        ("from   claude", "label"),
        ("since  today", "label"),
        ("       or so", "label"),
        ("", ""),
        ("diff", "heading"),
        ("@@ -1 +1 @@", "place"),
        ("- - a", "removed"),
        ("+ - b    c", "added"),
        ("  below", ""),
        ("n", ""),
        ("1", ""),
    ]


@pytest.mark.parametrize(
    "text", ["word " * 30, "支付在夜间运行" * 9, "x" * 95, "🚀 " * 40, "الخادم يعمل " * 9]
)
def test_no_line_is_wider_than_its_place_and_nothing_is_lost(text: str) -> None:
    parts = folded(ScreenLine(f"label  {text}", "label", 7), 40)
    assert max(part.cell_length for part in parts) <= 40
    assert all(part.plain.startswith(" " * 7) for part in parts[1:])
    assert "".join("".join(part.plain for part in parts).split()) == "label" + "".join(text.split())


def test_a_folded_line_of_a_difference_keeps_its_sign() -> None:
    (line,) = lines_of(View("", (ViewSection((Diff(("+" + "word " * 20,)),)),)))
    assert {part.plain[:2] for part in folded(line, 30)} == {"+ "}


def test_controls_and_marks_of_direction_are_written_out() -> None:
    (line,) = lines_of(View("", (ViewSection((TextLine("a\x1b[2Jb\u202ec"),)),)))
    assert line.text == "a\\u{1b}[2Jb\\u{202e}c"
