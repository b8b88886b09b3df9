"""Which source reads a file or a folder that a person names: what is in it tells."""

from pathlib import Path

from ctxrepo.domain.export.export_lines import BEGINNING
from ctxrepo.domain.formats.jsonl import document, record
from ctxrepo.domain.note.note import decode
from ctxrepo.domain.project.layout import COMPATIBLE, GLOBAL, TAPES, is_note
from ctxrepo.sources.source import SourceFiles

_MOST = 64 * 1024
"""So many bytes tell what a file is."""


def source_of(files: SourceFiles, place: Path) -> str:
    """The name of the source for what is at `place`: an export of ours, JSON records, the folders of several
    scopes, or markdown. Unreadable where there is nothing to be read."""
    if files.is_folder(place):
        is_memory = any(files.is_folder(place / name) for name in (TAPES, GLOBAL))
        return COMPATIBLE if is_memory else "markdown"
    data = files.read_beginning(place, _MOST)
    if data.startswith(BEGINNING):
        return "ctxrepo"
    return (
        "jsonl" if not is_note(place.name) and _has_records(data, is_whole=len(data) < _MOST) else "markdown"
    )


def _has_records(data: bytes, *, is_whole: bool) -> bool:
    """Whether a file begins as JSON lines or a JSON list does; markdown may begin with a bracket, too."""
    text = decode(data).removeprefix("\ufeff").lstrip()
    if not text.startswith(("{", "[")):
        return False
    _, why = document(text)
    lines = [line for line in text.split("\n")[:3] if line.strip()]
    return not why or any(map(record, lines)) or (not is_whole and "breaks off" in why)
