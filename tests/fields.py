"""A value of a plain class as a tuple, so that two can be compared."""

from __future__ import annotations

from typing import Any


def fields(value: Any) -> tuple[Any, ...]:
    return tuple(vars(value).values())
