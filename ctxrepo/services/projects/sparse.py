"""A clone that has only the global notes and those of projects that are worked on here."""

from collections.abc import Iterable
from datetime import datetime

from ctxrepo.domain.git.gitfiles import Cone
from ctxrepo.domain.project.layout import BOOKKEEPING, CONFLICTS, INBOX, scope_of, tapes_of
from ctxrepo.domain.project.target import ids_meant
from ctxrepo.domain.records.evidence import names_in
from ctxrepo.errors import GitFailed
from ctxrepo.services.locate.identify import Project, read_registry
from ctxrepo.services.reading.evidence_view import evidence_in_view
from ctxrepo.services.reading.find import folders_left_out
from ctxrepo.storage.cache.entries import entries_beginning
from ctxrepo.storage.memory import Memory


def always(global_folder: str) -> Cone:
    """The folders that every sparse clone has on disk."""
    return Cone.of([global_folder, tapes_of(global_folder), CONFLICTS, INBOX, BOOKKEEPING])


def widen_to_named(memory: Memory, names: Iterable[str], now: datetime) -> None:
    """Bring the notes of projects to a sparse clone that a command names, by id, by folder or by an ^ID:
    what it wrote without them would be a note beside the one that is meant."""
    if not (left_out := folders_left_out(memory)):
        return
    registry = read_registry(memory)
    for name in names:
        folders = (
            _folders_of(memory, name[1:]) if name.startswith("^") else [registry.folder_of(name) or name]
        )
        for folder in left_out & {*folders}:
            if not memory.why_read_only:
                widen(memory, Project("", folder, is_registered=True), now)
            elif memory.notice:
                memory.notice(f"the notes of {folder}/ are not on this machine: {memory.why_read_only}")


def _folders_of(memory: Memory, name: str) -> set[str]:
    """The folders that an entry was in which isn't here, by what was recorded of it."""
    if memory.cache.ask(entries_beginning, name, 1):
        return set()
    records = evidence_in_view(memory).beginning(name)
    ids = {*ids_meant(name, (entry_id for record in records for entry_id in names_in(record)))}
    return {scope_of(record.path) for record in records if not ids.isdisjoint((record.entry, record.to))}


def widen_to_changed(memory: Memory, commit: str, now: datetime) -> None:
    """The same for the projects whose notes a commit changed."""
    objects = memory.objects
    before = objects.tree_of(next(iter(objects.parents(commit)), None))
    widen_to_named(memory, sorted(map(scope_of, objects.diff(before, objects.tree_of(commit)))), now)


def widen(memory: Memory, project: Project | None, now: datetime) -> None:
    """Bring a project's notes and tapes to a sparse clone, once it is worked on here. GitFailed, and nothing
    changed, where the remote has them still and can't be asked."""
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
        new = {path: key for path, key in files.items() if not cone.holds(path)}
        try:  # first: with folders that can't be written here nothing could be committed any more
            memory.objects.need(new.values())
        except GitFailed as error:
            raise GitFailed(
                f"the notes of {project.folder}/ are not on this machine, and the remote can't be asked",
                "Nothing was changed. Run it again when `ctxrepo sync` reaches the remote.",
            ) from error
        memory.checkout.base_on(dict.fromkeys(path for path in new if not memory.worktree.exists(path)))
        memory.clone.set_cone(wider)
        memory.user_index.forget()
        memory.cache.clear()
    commit(memory, now)
