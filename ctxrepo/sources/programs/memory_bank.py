"""The memory bank that Cline and Roo Code have their model keep: markdown in a folder of the checkout.

The form is that of docs.cline.bot, Memory Bank, of 2026: `projectbrief.md`, five more, others as needed."""

from collections.abc import Iterator
from pathlib import Path

from ctxrepo.domain.project.layout import PROJECT
from ctxrepo.sources.markdown_notes import markdown_of
from ctxrepo.sources.source import SourceContents, SourceSearch, source_at

NAME = "memory-bank"

_FOLDERS = ("memory-bank", ".clinerules/memory-bank", ".roo/memory-bank", "memory_bank")


def _places(search: SourceSearch) -> Iterator[Path]:
    if search.checkout:
        yield from filter(search.is_in_checkout, map(search.checkout.joinpath, _FOLDERS))


def read(search: SourceSearch, place: Path) -> SourceContents | None:
    """The notes in the folder, for the project."""
    if not search.files.is_folder(place):
        return None
    scope = search.scope or (search.project if search.is_in_checkout(place) else "")
    folder = f"{scope or PROJECT}/topics"
    notes, others = markdown_of(search.files.read_folder(place), lambda path: f"{folder}/{path}")
    if not notes:
        return None
    return SourceContents(NAME, search.shown(place), notes, not_taken=others, lacks_project=not scope)


SOURCES = (source_at(NAME, _places, read),)
