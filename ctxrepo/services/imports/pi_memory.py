"""pi-memory's folders of markdown: the user's own, with daily logs and scratchpad, and that of a checkout."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from ctxrepo.domain.settings.pi import expanded
from ctxrepo.errors import UsageError
from ctxrepo.services.imports.markdown import contents_of
from ctxrepo.services.imports.pi_facts import NAME as NAME
from ctxrepo.services.imports.pi_facts import contents_of_facts, files_of_facts
from ctxrepo.services.imports.values import NotTaken, SourceContents, SourceSearch
from ctxrepo.storage.disk.foreign import shown
from ctxrepo.storage.sources.folder import is_folder, read_folder

TOPICS = "topics"
"""The folder of a checkout's memory in which the scored design keeps its notes."""

_THEIRS = (
    ("config.json", "pi-memory's own settings, which ctxrepo has no use for"),
    ("page-table", "made from the notes, and made anew here"),
    ("writeback-journal", "what waits to be written: run `/memory flush` in pi, then import again"),
    ("trace", "a record of what pi-memory gave to sessions"),
    ("memory.db", "its facts are told apart"),
)

_SCORED = (
    ("memory-scores.json", "of the scored design: `ctxrepo import scored`"),
    ("embeddings.json", "of the scored design: `ctxrepo import scored`"),
)


def find(search: SourceSearch) -> Iterator[SourceContents]:
    """What pi-memory has here: of both programs of that name."""
    if search.chosen is None:
        yield from _markdown(search, _own_folder(search))
        if search.checkout and is_folder(search.outside, memory_of(search.checkout)):
            yield from _of_checkout(search, memory_of(search.checkout))
        for file, goes_to_project in files_of_facts(search):
            yield from contents_of_facts(search, file, goes_to_project=goes_to_project)
        return
    place = search.chosen
    if not is_folder(search.outside, place):
        yield from contents_of_facts(search, place, goes_to_project=False)
        return
    yield from contents_of_facts(search, place / "memory.db", goes_to_project=False)
    if search.checkout and os.path.realpath(place) == os.path.realpath(memory_of(search.checkout)):
        yield from _of_checkout(search, place)
    else:
        require_here(search, place)
        yield from _markdown(search, place)


def memory_of(checkout: Path) -> Path:
    """Where both designs that keep a project's memory with its code have it."""
    return checkout / ".pi" / "memory"


def require_here(search: SourceSearch, place: Path) -> None:
    """UsageError for the memory of a checkout that nobody stands in: which project it is, is not known."""
    whole, home = (Path(os.path.realpath(path)) for path in (place, search.places.user_home))
    top = whole.parent.parent
    is_memory = whole.parts[-2:] == (".pi", "memory") and top != home
    if is_memory and (search.checkout is None or top != Path(os.path.realpath(search.checkout))):
        raise UsageError(f"{shown(place)} is the memory of another checkout", f"Run it in {shown(top)}.")


def _own_folder(search: SourceSearch) -> Path:
    home = search.places.user_home
    if named := search.env.get("PI_MEMORY_DIR", "").strip():
        return Path(expanded(named, str(home)))
    return home / ".pi" / "agent" / "memory"


def _markdown(search: SourceSearch, folder: Path) -> Iterator[SourceContents]:
    """The folder's notes for the global scope; nothing for a folder that isn't there or is empty."""
    if not folder.is_absolute() or not is_folder(search.outside, folder):
        return
    found = read_folder(search.outside, folder)
    if not (found.notes or found.unread):
        return
    made = contents_of(found, lambda path: f"{search.global_folder}/{path}", _THEIRS)
    yield SourceContents(NAME, search.shown(folder), made.notes, not_taken=made.not_taken)


def _of_checkout(search: SourceSearch, folder: Path) -> Iterator[SourceContents]:
    """A checkout's notes, for its project; what the scored design keeps beside them is left to that."""
    found = read_folder(search.outside, folder)
    project = search.project
    scope = project.folder if project else "project"

    def target(path: str) -> str:
        return "" if path.startswith(f"{TOPICS}/") else f"{scope}/{path}"

    made = contents_of(found, target, (*_THEIRS, *_SCORED))
    if not made.notes:
        return
    yield SourceContents(
        NAME,
        search.shown(folder),
        made.notes,
        not_taken=(*made.not_taken, *_scored(list(found.notes))),
        project=project,
    )


def _scored(paths: Sequence[str]) -> Iterator[NotTaken]:
    if any(path.startswith(f"{TOPICS}/") for path in paths):
        yield NotTaken(f"{TOPICS}/", "of the scored design: `ctxrepo import scored`")
