"""A clone that has only the global notes and those of projects that are worked on here."""

from datetime import datetime

from ctxrepo.domain.git.gitfiles import Cone
from ctxrepo.domain.project.layout import BOOKKEEPING, CONFLICTS, INBOX, tapes_of
from ctxrepo.services.locate.identify import Project
from ctxrepo.storage.memory import Memory


def always(global_folder: str) -> Cone:
    """The folders that every sparse clone has on disk."""
    return Cone.of([global_folder, tapes_of(global_folder), CONFLICTS, INBOX, BOOKKEEPING])


def widen(memory: Memory, project: Project | None, now: datetime) -> None:
    """Bring a project's notes and tapes to a sparse clone, once it is worked on here."""
    cone = memory.clone.cone
    if cone is None or project is None:
        return
    wider = cone.with_folders({project.folder, tapes_of(project.folder)})
    if wider == cone:
        return
    from ctxrepo.services.saving.commit import commit  # the write path; every command comes by here

    with memory.writing(), memory.building():
        # In this order: what is not on disk yet must not read as deleted, wherever we are killed.
        files = memory.objects.files(memory.head_tree, cone=wider)
        memory.checkout.base_on(dict.fromkeys(path for path in files if not cone.holds(path)))
        memory.clone.set_cone(wider)
        memory.user_index.forget()
        memory.cache.clear()
    commit(memory, now)
