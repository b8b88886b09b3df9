"""What an operation comes to: its value, also as JSON, its exit code, and what is done before and after."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property, wraps
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from ctxrepo.domain.formats.plain_data import plain_data
from ctxrepo.errors import CtxrepoError
from ctxrepo.lazy import dataclass

if TYPE_CHECKING:
    from ctxrepo.app.desk import Desk

Value = TypeVar("Value", covariant=True)
Request = TypeVar("Request")
Answer = TypeVar("Answer")


@dataclass(frozen=True)
class Result(Generic[Value]):
    """`value` is for whoever puts it in words, `data` for programs."""

    value: Value
    shape: Mapping[str, Any] | str = ""
    """The key under which the value stands in the data; or the data themselves, where they differ from it."""
    exit_code: int = 0
    error: CtxrepoError | None = None
    """Why the operation failed; `data` holds what it found all the same."""
    proposed: tuple[str, ...] = ()
    """The ids of the proposals that the writes became, which wait for a person's yes: `value` is what holds
    then."""

    @cached_property
    def data(self) -> Mapping[str, Any]:
        """The value as JSON has it, by the rule of `plain_data` unless the operation shaped it."""
        if not isinstance(self.shape, str):
            return self.shape
        data: Any = plain_data(self.value)
        return {self.shape: data} if self.shape else data


def reads(operation: Callable[[Desk, Request], Answer]) -> Callable[[Desk, Request], Answer]:
    """An operation that sees what was written last: it is committed first."""

    @wraps(operation)
    def reading(desk: Desk, request: Request) -> Answer:
        desk.commit_pending()
        return operation(desk, request)

    return reading


def writes(operation: Callable[[Desk, Request], Result[Value]]) -> Callable[[Desk, Request], Result[Value]]:
    """An operation that leaves something to commit: a worker is woken when it is done. What an agent writes
    may be staged: its result is proposed then (ADR 89)."""

    @wraps(operation)
    def writing(desk: Desk, request: Request) -> Result[Value]:
        try:
            result = operation(desk, request)
        except CtxrepoError:
            desk.wake_to_send()  # what somebody had written by hand may have been committed first
            raise
        desk.wake()
        ids = desk.take_proposed()
        return Result(result.value, {"staged": True, "ids": ids}, proposed=ids) if ids else result

    return writing
