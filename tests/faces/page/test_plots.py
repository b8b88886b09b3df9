"""Plots say the figures that they are given, and stay within their frame."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

from pages import Parsed

from ctxrepo.faces.page.plots import bar, columns, legend, timeline

DAYS = [date(2026, 11, 1) + timedelta(days=number) for number in range(28)]


def test_a_column_a_day_and_a_part_for_each_series() -> None:
    plot = Parsed.of(columns("Some", DAYS, {"a": [1] * 28, "b": [0] * 27 + [7]}))
    parts = [attributes for name, attributes in plot.elements if name == "rect"]
    assert len(parts) == 29
    assert [float(part["height"] or 0) for part in parts[-2:]][1] > 6 * float(parts[0]["height"] or 0)
    assert all(0 <= float(part["y"] or -1) <= 132 for part in parts)
    assert "Sat 28 Nov: 7 b" in plot.text


def test_no_figures_make_an_empty_plot() -> None:
    assert "rect" not in columns("Some", DAYS, {})
    assert "rect" not in bar([("given", 0)], 0)
    assert timeline("Some", ["shop"], [], DAYS).count("lane") == 1


def test_a_mark_stands_at_its_moment_and_an_old_one_at_the_edge() -> None:
    marks = [
        ("shop", datetime(2026, 11, 28, 23, tzinfo=UTC), True, "late"),
        ("shop", datetime(2026, 11, 2, 0, tzinfo=UTC), False, "soon"),
        ("shop", datetime(2025, 1, 1, tzinfo=UTC), False, "before"),
    ]
    plot = Parsed.of(timeline("Some", ["shop"], marks, DAYS))
    circles = [float(attributes["cx"] or 0) for name, attributes in plot.elements if name == "circle"]
    assert circles[1] == 96
    assert 96 < circles[0] < 150
    (diamond,) = (attributes["d"] or "" for name, attributes in plot.elements if name == "path")
    assert 650 < float(diamond[1:].split(" ")[0]) < 720


def test_more_series_than_colours_begin_again() -> None:
    assert legend([str(number) for number in range(7)]).count("swatch s0") == 2
