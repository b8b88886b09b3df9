"""What is there is changed: edit, move, archive, forget, touch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from ctxrepo.app.result import Result
from ctxrepo.domain.project.target import Target
from ctxrepo.lazy import dataclass

if TYPE_CHECKING:
    from ctxrepo.app.desk import Desk
    from ctxrepo.services.notes.edit import EditRequest, EditResult
    from ctxrepo.services.notes.forget import Forgotten
    from ctxrepo.services.notes.move import MoveResult
    from ctxrepo.services.notes.touch import TouchResult


@dataclass(frozen=True)
class TargetRequest:
    """The note or entry that something is done to."""

    target: Target


@dataclass(frozen=True)
class MoveRequest:
    """`to` is where it goes, as `parse_destination` reads it."""

    target: Target
    to: Target


def edit(desk: Desk, request: EditRequest) -> Result[EditResult]:
    """Change a passage of a note or entry, or all of it."""
    from ctxrepo.services.notes.edit import edit

    done = edit(desk.memory, request, desk.project, desk.origin, desk.now)
    desk.wake()
    return Result(done, _with_id(asdict(done)))


def move(desk: Desk, request: MoveRequest) -> Result[MoveResult]:
    """Move a note elsewhere, or an entry to another note."""
    from ctxrepo.services.notes.move import move

    done = move(desk.memory, request.target, request.to, desk.project, desk.origin, desk.now)
    desk.wake()
    return Result(done, _with_id(asdict(done)))


def archive(desk: Desk, request: TargetRequest) -> Result[MoveResult]:
    """Move a note or entry to the archive."""
    from ctxrepo.services.notes.move import archive

    done = archive(desk.memory, request.target, desk.project, desk.origin, desk.now)
    desk.wake()
    return Result(done, _with_id(asdict(done)))


def forget(desk: Desk, request: TargetRequest) -> Result[Forgotten]:
    """Remove a note or an entry."""
    from ctxrepo.services.notes.forget import forget

    done = forget(desk.memory, request.target, desk.project, desk.origin, desk.now)
    desk.wake()
    return Result(done, _with_id(asdict(done)))


def touch(desk: Desk, request: TargetRequest) -> Result[TouchResult]:
    """Say that a note still holds: its `updated` becomes today."""
    from ctxrepo.services.notes.touch import touch

    done = touch(desk.memory, request.target, desk.project, desk.origin, desk.now)
    desk.wake()
    if not done.updated:
        desk.notice(f"{done.path} has no `updated` in its head, and none is added")
    return Result(done, asdict(done))


def _with_id(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {**fields, "id": f"^{fields['id']}" if fields["id"] else ""}
