"""Something is taken back: undo, restore."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from ctxrepo.app.result import Result
from ctxrepo.domain.project.target import Target

if TYPE_CHECKING:
    from ctxrepo.app.desk import Desk
    from ctxrepo.services.history.restore import Restored
    from ctxrepo.services.history.undo import Undone


@dataclass(frozen=True)
class UndoRequest:
    """What is taken back: a commit, or what the last command wrote, of this kind `only` where it is given."""

    commit: str = ""
    only: str = ""


@dataclass(frozen=True)
class RestoreRequest:
    """What was at `target`, as it was in the commit `version`; it goes to `to` instead of where it was."""

    target: Target
    to: Target | None = None
    version: str = ""


def undo(desk: Desk, request: UndoRequest) -> Result[Undone]:
    """Take back what was written."""
    from ctxrepo.services.history.undo import undo, undo_commit

    if request.commit:
        done = undo_commit(desk.memory, request.commit, desk.origin, desk.now)
    else:
        done = undo(desk.memory, desk.origin, desk.now, only=request.only)
    desk.wake()
    return Result(done, asdict(done))


def restore(desk: Desk, request: RestoreRequest) -> Result[Restored]:
    """Bring back what was forgotten, archived or edited."""
    from ctxrepo.services.history.restore import restore

    done = restore(
        desk.memory,
        request.target,
        desk.project,
        desk.origin,
        desk.now,
        to=request.to,
        start=request.version,
    )
    desk.wake()
    return Result(done, {**asdict(done), "id": f"^{done.id}" if done.id else ""})
