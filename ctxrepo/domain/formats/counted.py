"""A number and what it counts, in English."""

from __future__ import annotations


def counted(number: int, one: str, many: str = "") -> str:
    """`1 note`, `2 notes`."""
    return f"{number} {one if number == 1 else many or f'{one}s'}"
