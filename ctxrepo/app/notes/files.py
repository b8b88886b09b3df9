"""Notes as files: found for an editor, committed after it, and copied to a folder."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ctxrepo.app.result import Result
from ctxrepo.errors import Refused
from ctxrepo.lazy import dataclass

if TYPE_CHECKING:
    from ctxrepo.app.desk import Desk
    from ctxrepo.app.notes.change import TargetRequest
    from ctxrepo.services.reading.read import Reading


@dataclass(frozen=True)
class FileRequest:
    """A note by its path in the repository."""

    path: str


@dataclass(frozen=True)
class ExportRequest:
    """A scope, and the folder it is copied to."""

    scope: str
    folder: Path


@dataclass(frozen=True)
class ExportedScope:
    """A scope's `folder` in the repository, how many `files` of it are `there` now, and why others aren't."""

    folder: str
    there: Path
    files: int
    skipped: Mapping[str, str]


def find(desk: Desk, request: TargetRequest) -> Result[Reading]:
    """Find the note or entry that somebody is to edit."""
    from ctxrepo.services.reading.read import read

    reading = read(desk.memory, request.target, desk.project)
    return Result(reading, {"path": reading.note.path, "hash": reading.hash, "text": reading.text})


def find_file(desk: Desk, request: TargetRequest) -> Result[str]:
    """Find the path of a note, as it is or with a target in it."""
    from ctxrepo.services.reading.resolve import find_note

    path = find_note(desk.memory, request.target, desk.project).path
    return Result(path, {"path": path})


def commit_file(desk: Desk, request: FileRequest) -> Result[str]:
    """Commit what an editor left in a note; Refused when it may not become part of the memory."""
    from ctxrepo.services.saving.commit import CommitRequest, commit

    done = commit(desk.memory, desk.now, CommitRequest(only=[request.path]))
    desk.wake()
    for refusal in done.held:
        if refusal.path == request.path:
            raise Refused(f"{refusal.at}: {refusal.message}", "The file is as you left it, and in no commit.")
    return Result(request.path, {"path": request.path})


def export(desk: Desk, request: ExportRequest) -> Result[ExportedScope]:
    """Copy one scope to a plain folder."""
    from ctxrepo.services.notes.export import export

    there = desk.cwd / request.folder.expanduser()
    done = export(desk.memory, request.scope, there, desk.project, desk.now)
    for path, why in done.skipped.items():
        desk.notice(f"{path} {why}, and is not exported")
    data = {"scope": done.scope, "folder": str(there), "files": done.files, "skipped": dict(done.skipped)}
    return Result(ExportedScope(done.folder, there, done.files, done.skipped), data)
