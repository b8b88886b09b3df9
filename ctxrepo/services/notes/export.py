"""One scope of the memory as a plain folder of files."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path

from ctxrepo.errors import NotFound, UsageError
from ctxrepo.lazy import dataclass
from ctxrepo.services.locate.identify import Project
from ctxrepo.services.projects.sparse import widen
from ctxrepo.services.reading.find import scope_named
from ctxrepo.storage.disk.folders import fill, require_empty
from ctxrepo.storage.memory import Memory


@dataclass(frozen=True)
class ExportResult:
    """`files` copies of what is in the scope's `folder` are at `place`; `skipped` is path -> why."""

    scope: str
    folder: str
    place: Path
    files: int
    skipped: Mapping[str, str]


def export(memory: Memory, name: str, there: Path, project: Project | None, now: datetime) -> ExportResult:
    """Copy every file of a scope, byte for byte and without following links, to a new or empty folder.
    NotFound when the scope holds nothing; UsageError for a folder that holds something or lies in the
    memory."""
    scope = scope_named(memory, name, project)
    require_empty(there)
    if there.resolve().is_relative_to(memory.root.resolve()):
        raise UsageError(f"{there} is in the memory itself", "Name a folder outside of it.")
    widen(memory, scope.project, now)  # a sparse clone may not have it on disk
    found = memory.worktree.scan(scope.folder)
    if not found.files:
        raise NotFound(f"there is nothing in {scope.folder} yet", "`ctxrepo list` shows the notes in view.")
    count = fill(there, _copies(memory, scope.folder, sorted(found.files)))
    return ExportResult(scope.name, scope.folder, there, count, found.skipped)


def _copies(memory: Memory, folder: str, paths: list[str]) -> Iterator[tuple[str, bytes]]:
    for path in paths:
        data = memory.worktree.read(path)
        if data is not None:  # else it went away meanwhile
            yield path.removeprefix(f"{folder}/"), data
