"""The sources by their names, and what each has here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from ctxrepo.errors import NotFound, Unreadable, UsageError
from ctxrepo.services.imports import pi_memory, pi_memory_md, scored
from ctxrepo.services.imports.values import SourceContents, SourceSearch
from ctxrepo.storage.disk.foreign import shown

SOURCES: Mapping[str, Callable[[SourceSearch], Iterator[SourceContents]]] = {
    pi_memory_md.NAME: pi_memory_md.find,
    pi_memory.NAME: pi_memory.find,
    scored.NAME: scored.find,
}


def require_source(name: str) -> None:
    """UsageError for a name that no source has."""
    if name not in SOURCES:
        raise UsageError(f"there is no source {name!r}", f"There are {', '.join(SOURCES)}.")


def contents(name: str, search: SourceSearch) -> list[SourceContents]:
    """What the source has; NotFound where it has nothing, UsageError where it takes a project to know whose
    notes these are."""
    require_source(name)
    found = list(SOURCES[name](search))
    if not found:
        where = f" in {shown(search.chosen)}" if search.chosen else " here"
        raise NotFound(f"there is nothing of {name}{where}", "`ctxrepo import` lists what there is.")
    if search.chosen and not any(one.notes or one.tapes for one in found):
        told = [kept for one in found for kept in one.not_taken]
        raise Unreadable(told[0].why if told else f"there are no notes in {shown(search.chosen)}")
    if search.project is None and any(_is_projects(one, search) for one in found):
        scored.require_project(search)
    return found


def survey(search: SourceSearch) -> list[SourceContents]:
    """All that any source has here."""
    return [one for find in SOURCES.values() for one in find(search)]


def _is_projects(found: SourceContents, search: SourceSearch) -> bool:
    """Whether what was found is a project's, of which nothing is known."""
    return found.source != pi_memory_md.NAME and any(
        not note.path.startswith(f"{search.global_folder}/") for note in found.notes
    )
