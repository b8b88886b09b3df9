"""Something is taken back: undo, restore."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from ctxrepo.app.result import Result
from ctxrepo.lazy import dataclass

if TYPE_CHECKING:
    from ctxrepo.app.desk import Desk
    from ctxrepo.services.history.restore import RestoreRequest, RestoreResult
    from ctxrepo.services.history.undo import Undone


@dataclass(frozen=True)
class UndoRequest:
    """What is taken back: a commit, or what the last command wrote, of this kind `only` where it is given."""

    commit: str = ""
    only: str = ""


def undo(desk: Desk, request: UndoRequest) -> Result[Undone]:
    """Take back what was written."""
    from ctxrepo.services.history.undo import undo, undo_commit

    if request.commit:
        done = undo_commit(desk.memory, request.commit, desk.origin, desk.now)
    else:
        done = undo(desk.memory, desk.origin, desk.now, only=request.only)
    desk.wake()
    return Result(done, asdict(done))


def restore(desk: Desk, request: RestoreRequest) -> Result[RestoreResult]:
    """Bring back what was forgotten, archived or edited."""
    from ctxrepo.services.history.restore import restore

    done = restore(desk.memory, request, desk.project, desk.origin, desk.now)
    desk.wake()
    return Result(done, {**asdict(done), "id": f"^{done.id}" if done.id else ""})
