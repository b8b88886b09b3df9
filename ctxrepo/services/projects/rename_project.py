"""A project's folder in the memory gets another name, on every machine."""

from __future__ import annotations

import unicodedata
from datetime import datetime

from ctxrepo.domain.git.origin import Origin
from ctxrepo.domain.project.layout import REGISTRY, TAPES, fold, scope_of, shown
from ctxrepo.domain.project.registry import is_folder_name, with_project
from ctxrepo.errors import Refused, UsageError
from ctxrepo.lazy import dataclass
from ctxrepo.services.locate.identify import Project, folders_in, read_registry
from ctxrepo.services.projects.sparse import widen
from ctxrepo.services.saving.commit import commit
from ctxrepo.services.saving.relocate import Relocation, relocate, require_nothing_held_back
from ctxrepo.services.saving.write import drafting
from ctxrepo.storage.memory import Memory


@dataclass(frozen=True)
class RenameResult:
    """The folder's old and new name, and what went along."""

    id: str
    before: str
    folder: str
    relocated: Relocation


def rename_project(
    memory: Memory, project: Project, name: str, origin: Origin, now: datetime
) -> RenameResult:
    """Call a project's folder `name`, in one acknowledged write; what it held is in a commit before.

    UsageError for what no folder may be called, Refused for a name that something has, and while a file of
    the project is held back. A project that nothing was written for yet will begin in that folder.
    """
    new = unicodedata.normalize("NFC", name.strip().rstrip("/"))
    if not is_folder_name(new):
        raise UsageError(
            f"`{shown(name, 80)}` can't be a project's folder",
            "One name without slashes; global, TAPE, inbox, conflicts and archive have a meaning already.",
        )
    require_nothing_held_back(commit(memory, now).held, project.folder)
    _require_free(memory, project, new)
    widen(memory, Project(project.id, new, is_registered=True), now)
    with drafting(memory, "rename", origin, now) as draft:
        draft.saying = f"{project.folder} is {new}"
        draft.register(project)
        _require_free(memory, project, new)
        draft.put(REGISTRY, with_project(draft.text(REGISTRY) or "", project.id, new))
        relocated = relocate(draft, project.folder, new, now)
    return RenameResult(project.id, project.folder, new, relocated)


def _require_free(memory: Memory, project: Project, new: str) -> None:
    if new == project.folder:
        raise Refused(f"the project's folder is called {new} already", "`ctxrepo project show` tells more.")
    files = memory.worktree.scan(TAPES).files
    names = folders_in(memory) | folders_in(memory, TAPES) | {scope_of(path) for path in files}
    for existing in sorted(names | set(read_registry(memory).projects.values())):
        if fold(existing) == fold(new):
            raise Refused(f"there is {existing}/ in the memory already", "Choose a name that nothing has.")
