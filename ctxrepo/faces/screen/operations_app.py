"""A screen that waits for no operation: the thread that owns the memory carries them out in turn (ADR 64)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from textual.app import App

from ctxrepo.app.desk import Call, Desk
from ctxrepo.app.surprise import log_traceback
from ctxrepo.errors import CtxrepoError


class OperationsApp(App[None]):
    """`desk` must be a shared one."""

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self._call = desk.call

    def _failed(self, error: CtxrepoError) -> None:
        """An operation failed, and nobody said what to do then."""

    def _perform(
        self,
        operation: Callable[[Desk, Any], Any],
        request: object,
        then: Callable[[Any], None],
        or_else: Callable[[CtxrepoError], None] | None = None,
    ) -> None:
        """Perform an operation elsewhere, and go on here with its result, or with why there is none."""

        def work() -> None:
            try:
                result = self._ask(operation, request)
            except CtxrepoError as error:
                self._tell(partial(or_else or self._failed, error))
            else:
                self._tell(partial(then, result))

        self._work(work)

    def _ask(self, operation: Callable[[Desk, Any], Any], request: object) -> Any:
        call = Call(self._call.cwd, self._call.environment, self._call.session)
        try:
            return self._desk.perform(operation, request, call)
        except CtxrepoError:
            raise
        except Exception as error:
            report = log_traceback(self._call.environment)
            raise CtxrepoError(f"unexpected: {type(error).__name__}: {error}", report) from error

    def _work(self, work: Callable[[], None]) -> None:
        self.run_worker(work, thread=True, exit_on_error=False)

    def _tell(self, then: Callable[[], None]) -> None:
        if self.is_running:
            self.call_from_thread(then)
