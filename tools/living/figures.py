"""Figures: shares with what they are of, how well a number foretells a fact, and tables."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from living.material.histories import HALVES, half_of

Row = TypeVar("Row")
Figures = Mapping[str, Any]
"""What was measured, by name: a number, words, or None for what can't be told."""


def share(part: float, whole: float) -> float | None:
    """`part` of `whole`, None of nothing."""
    return part / whole if whole else None


def mean(values: Iterable[float]) -> float | None:
    """The mean, None of no values."""
    numbers = list(values)
    return sum(numbers) / len(numbers) if numbers else None


def cell(value: object) -> str:
    """A number as a table shows it, - for None."""
    if value is None:
        return "-"
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def auc(rows: Iterable[tuple[float, bool]]) -> float | None:
    """How often a true row has the larger number than a false one, equal ones half: .5 tells nothing. None
    where all are true or all false."""
    rows = list(rows)
    false = sorted(number for number, is_true in rows if not is_true)
    true = [number for number, is_true in rows if is_true]
    if not true or not false:
        return None
    wins = sum(bisect_left(false, number) + bisect_right(false, number) for number in true)
    return wins / 2 / len(true) / len(false)


def parts(
    rows: Sequence[Row], repository: Callable[[Row], str], half: Callable[[str], str] = half_of
) -> Iterator[tuple[str, list[Row]]]:
    """All rows, then those of each half and of each repository that has any."""
    yield "all", list(rows)
    names = sorted({repository(row) for row in rows})
    for label in HALVES[:2]:
        if part := [row for row in rows if half(repository(row)) == label]:
            yield label, part
    for name in names:
        yield name, [row for row in rows if repository(row) == name]


def columns(figures: Mapping[str, Mapping[str, Any]], *, with_each: bool = False) -> str:
    """A table with a row for each figure, and a column for all and each half, or for each repository too."""
    shown = [name for name in figures if with_each or name in ("all", *HALVES)]
    names = list(figures["all"])
    return table(["", *shown], ([name, *(figures[part][name] for part in shown)] for name in names))


def table(head: Sequence[object], rows: Iterable[Sequence[object]]) -> str:
    """A table in markdown, numbers to the right."""
    cells = [[cell(value) for value in row] for row in (head, *rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    rule = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]
    return "\n".join(
        "| "
        + " | ".join(
            _laid(value, width, number) for number, (value, width) in enumerate(zip(row, widths, strict=True))
        )
        + " |"
        for row in (cells[0], rule, *cells[1:])
    )


def _laid(value: str, width: int, column: int) -> str:
    return value.ljust(width) if column == 0 else value.rjust(width)
