"""Which source reads a file or a folder that a person names: what it is tells."""

from pathlib import Path

from ctxrepo.domain.export.export_lines import BEGINNING, MAX_BYTES
from ctxrepo.domain.project.layout import COMPATIBLE, GLOBAL, TAPES
from ctxrepo.sources.source import SourceFiles


def source_of(files: SourceFiles, place: Path) -> str:
    """The name of the source for what is at `place`: the folders of several scopes, an export of ours, JSON,
    or markdown."""
    if files.is_folder(place):
        is_memory = any(files.is_folder(place / name) for name in (TAPES, GLOBAL))
        return COMPATIBLE if is_memory else "markdown"
    if (files.read_file(place, MAX_BYTES) or b"").startswith(BEGINNING):
        return "ctxrepo"
    return "jsonl" if place.suffix.lower() in (".json", ".jsonl") else "markdown"
