"""A desk that says what it notices at once, for commands that are no operations yet."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from ctxrepo.app.desk import Desk
from ctxrepo.faces.cli import answer, output, waiting

if TYPE_CHECKING:
    from ctxrepo.services.saving.committed import Committed
    from ctxrepo.storage.memory import Memory


class Runtime(Desk):
    def __init__(self, *, is_lenient: bool = False) -> None:
        self._is_lenient = is_lenient
        super().__init__(dict(os.environ), answer._here(), answer.clock, sys.executable, waiting.tell)

    def open_memory(self, *, or_as_before: bool = False) -> Memory:
        return super().open_memory(or_as_before=or_as_before or self._is_lenient)

    def notice(self, text: str) -> None:
        output.notice(text)

    def settle(self) -> Committed | None:
        return self.commit_pending()
