"""What an operation comes to: its value, the same as JSON, and the exit code."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Generic, TypeVar

from ctxrepo.errors import CtxrepoError
from ctxrepo.lazy import dataclass

Value = TypeVar("Value", covariant=True)


@dataclass(frozen=True)
class Result(Generic[Value]):
    """`value` is for whoever puts it in words, `data` for programs."""

    value: Value
    data: Mapping[str, Any]
    exit_code: int = 0
    error: CtxrepoError | None = None
    """Why the operation failed; `data` holds what it found all the same."""
