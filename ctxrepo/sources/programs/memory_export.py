"""An export of ctxrepo itself, as lines of JSON: notes with all that was said of their entries, tapes and
projects (docs/reference/export-format.md)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from ctxrepo.domain.export.export_lines import MAX_BYTES, ExportHeader, MemoryExport, read_export
from ctxrepo.domain.formats.moment import counted
from ctxrepo.domain.guard.refusals import MAX_BYTES as MOST_OF_A_FILE
from ctxrepo.domain.note.entry import entries_of
from ctxrepo.domain.note.note import decode_exactly
from ctxrepo.domain.project.layout import (
    REGISTRY,
    TAPES,
    is_evidence,
    is_ignored,
    is_note,
    moved_path,
    scope_of,
    shown,
    unsafe,
)
from ctxrepo.domain.project.registry import is_folder_name
from ctxrepo.domain.records.evidence import evidence_of, in_folders, to_line
from ctxrepo.domain.secrets import mask
from ctxrepo.sources.markdown_notes import note_of
from ctxrepo.sources.source import (
    NotTaken,
    Source,
    SourceContents,
    SourceFile,
    SourceNote,
    SourceSearch,
    source_at,
)

NAME = "ctxrepo"


def read(search: SourceSearch, file: Path) -> SourceContents | None:
    """The files of an export, each where it belongs in this memory."""
    data = search.files.read_file(file, MAX_BYTES)
    if data is None:
        return None
    export = read_export(data)
    folders = _folders(search, export.header)
    notes: list[SourceNote] = []
    files: list[SourceFile] = []
    omissions = dict.fromkeys(_cut(export))  # of what stays for one reason one is told
    for path, contents in {REGISTRY: b"", **export.files}.items():
        here = _place(path, folders)
        if stays := _not_taken(path, here, len(contents), export.header):
            omissions[stays] = None
        elif is_note(here):
            notes.append(replace(note_of(path, here, contents), is_own=True))
        else:
            files.append(SourceFile(path, here, decode_exactly(contents)))
    if any(folders.get(scope) != scope for scope in export.header.scopes):
        ids = _ids_here(notes)
        files = [replace(f, text=_here(f.text, folders, ids)) if is_evidence(f.path) else f for f in files]
    pairs = export.header.projects.items()
    projects = {name: folders[folder] for name, folder in pairs if name.strip() and folder in folders}
    source = SourceContents(NAME, search.shown(file), tuple(notes), not_taken=tuple(omissions))
    return replace(source, files=tuple(files), folders=folders, projects=projects)


def _folders(search: SourceSearch, header: ExportHeader) -> Mapping[str, str]:
    """Folder there -> folder here: a project keeps its own, or has the one that it has here. One whose folder
    is another project's here has none."""
    known: dict[str, str] = {}
    for name, folder in header.projects.items():
        known[folder] = known.get(folder) or search.folder_of(name)
    folders: dict[str, str] = {}
    for scope in header.scopes:
        is_free = scope.casefold() not in search.taken or scope not in known
        free = scope if is_free and is_folder_name(scope) and scope != search.global_folder else ""
        here = search.global_folder if scope == header.global_folder else known.get(scope) or free
        folders |= {scope: here} if here else {}
    return folders


def _place(path: str, folders: Mapping[str, str]) -> str:
    """Where a file of the export belongs here; '' for nowhere."""
    if path == REGISTRY or is_evidence(path):
        return path
    there = scope_of(path)
    return moved_path(path, there, folders[there]) if there in folders else ""


def _not_taken(path: str, here: str, size: int, header: ExportHeader) -> NotTaken | None:
    """Why a file of the export isn't brought, or all in its folder; None where it is."""
    scope = scope_of(path)
    if reason := unsafe(path) or (here and unsafe(here)):
        why = f"its path {reason}"
    elif not here and scope in header.scopes:
        why = "another project has that folder here" if is_folder_name(scope) else "no folder of a project"
    elif not here:
        why = "the folder of no scope of the export"
    elif is_ignored(here) or here.rpartition("/")[2].startswith(".git"):
        why = "no note, and nothing that belongs to one"
    elif here.startswith(f"{TAPES}/") and not here.endswith(".jsonl"):
        why = "no lines of JSON"
    elif size > MOST_OF_A_FILE:  # the guard would say so when it was read
        why = f"is larger than {MOST_OF_A_FILE >> 20} MiB"
    else:
        return None
    return NotTaken(shown(mask(path if here or unsafe(path) else f"{scope}/")), why)


def _ids_here(notes: Sequence[SourceNote]) -> Mapping[str, str]:
    """Id there -> id here of each entry whose note has another path here, as ids are made from it, too."""
    moves = ((note.origin, note) for note in notes if note.origin != note.path)
    pairs = ((entries_of(path, note.text), entries_of(note.path, note.text)) for path, note in moves)
    return {was.id: now.id for before, after in pairs for was, now in zip(before, after, strict=True)}


def _here(text: str, folders: Mapping[str, str], ids: Mapping[str, str]) -> str:
    """What was said of entries, with the paths and ids that they have here; without those of scopes that
    stay."""
    records = in_folders((e for e in evidence_of(text) if scope_of(e.path) in folders), folders)
    here = (replace(e, entry=ids.get(e.entry, e.entry), to=ids.get(e.to, e.to)) for e in records)
    return "".join(f"{to_line(e)}\n" for e in here)


def _cut(export: MemoryExport) -> Iterator[NotTaken]:
    if export.unread:
        yield NotTaken(counted(export.unread, "line"), "no record that can be read", is_open=True)
    if not export.is_whole:
        number = counted(len(export.files), "file")
        yield NotTaken("what followed", f"the export breaks off after {number}", is_open=True)


SOURCES: tuple[Source, ...] = (source_at(NAME, lambda _: (), read),)  # it is where a person put it
