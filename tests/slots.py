"""A value with slots as a tuple, so that two can be compared."""

from __future__ import annotations

from typing import Any


def fields(value: Any) -> tuple[Any, ...]:
    return tuple(getattr(value, name) for name in value.__slots__)
