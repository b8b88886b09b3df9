"""An export of ctxrepo itself, as lines of JSON: notes with all that was said of their entries, tapes and
projects (docs/reference/export-format.md)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from ctxrepo.domain.export.export_lines import MAX_BYTES, ExportHeader, MemoryExport, read_export
from ctxrepo.domain.formats.jsonl import record, render, text_of
from ctxrepo.domain.formats.moment import counted
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
from ctxrepo.domain.secrets import mask
from ctxrepo.errors import Unreadable
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


def _nowhere(_: SourceSearch) -> Iterator[Path]:
    """An export is where a person put it."""
    yield from ()


def read(search: SourceSearch, file: Path) -> SourceContents | None:
    """The files of an export, each where it belongs in this memory."""
    place = search.shown(file)
    data = search.files.read_file(file, MAX_BYTES)
    if data is None:
        return None
    try:
        export = read_export(data)
    except Unreadable as error:
        raise Unreadable(f"{place}: {error.message}") from error
    folders = _folders(search, export.header)
    notes: list[SourceNote] = []
    files: list[SourceFile] = []
    left = [*_cut(export), *_of_others(export.header, folders)]
    for path, contents in export.files.items():
        here = _place(path, folders)
        if why := _why_not(path, here):
            left += [NotTaken(shown(mask(path)), why)] if _is_told(path, export.header, folders) else []
        elif is_note(here) and not here.startswith(f"{TAPES}/"):
            notes.append(replace(note_of(path, here, contents), is_own=True))
        else:
            files.append(SourceFile(path, here, decode_exactly(contents)))
    if any(folders.get(scope) != scope for scope in export.header.scopes):
        ids = _ids_here(notes)
        files = [replace(f, text=_here(f.text, folders, ids)) if is_evidence(f.path) else f for f in files]
    told, own = tuple(left), tuple(files)
    return SourceContents(NAME, place, tuple(notes), not_taken=told, files=own, folders=folders)


def _folders(search: SourceSearch, header: ExportHeader) -> Mapping[str, str]:
    """Folder there -> folder here: a project keeps its own, or has the one that it has here. One whose folder
    is another project's here has none."""
    folders = {header.global_folder: search.global_folder}
    ids = {folder: name for name, folder in header.projects.items()}
    for scope in header.scopes:
        known = search.folder_of(ids[scope]) if scope in ids else ""
        is_free = scope.casefold() not in search.taken or scope not in ids
        if known or (is_free and is_folder_name(scope) and scope != search.global_folder):
            folders.setdefault(scope, known or scope)
    return folders


def _place(path: str, folders: Mapping[str, str]) -> str:
    """Where a file of the export belongs here; '' for nowhere."""
    if path == REGISTRY or is_evidence(path):
        return path
    there = scope_of(path)
    return moved_path(path, there, folders[there]) if there in folders else ""


def _why_not(path: str, here: str) -> str:
    """Why a file of the export isn't brought; '' where it is."""
    if reason := unsafe(path) or (here and unsafe(here)):
        return f"its path {reason}"
    if not here:
        return "it is in the folder of no scope of the export"
    if is_ignored(here) or here.rpartition("/")[2].startswith(".git"):
        return "no note, and nothing that belongs to one"
    if here.startswith((f"{TAPES}/", ".")) and not here.endswith(".jsonl"):
        return "no lines of JSON"
    return ""


def _is_told(path: str, header: ExportHeader, folders: Mapping[str, str]) -> bool:
    """Whether a file is told by itself: those of a scope that stays are told at once."""
    parts = path.split("/")[:2]
    return not any(part in header.scopes and part not in folders for part in parts)


def _of_others(header: ExportHeader, folders: Mapping[str, str]) -> Iterator[NotTaken]:
    for scope in header.scopes:
        if scope not in folders:
            why = (
                "another project has that folder here" if is_folder_name(scope) else "no folder of a project"
            )
            yield NotTaken(f"{shown(scope)}/", why)


def _ids_here(notes: Sequence[SourceNote]) -> Mapping[str, str]:
    """Id there -> id here of each entry whose note has another path here, as ids are made from it, too."""
    moved = ((note.origin, note) for note in notes if note.origin != note.path)
    pairs = ((entries_of(path, note.text), entries_of(note.path, note.text)) for path, note in moved)
    return {was.id: now.id for before, after in pairs for was, now in zip(before, after, strict=True)}


def _here(text: str, folders: Mapping[str, str], ids: Mapping[str, str]) -> str:
    """What was said of entries, with the paths and ids that they have here; without those of scopes that
    stay."""
    lines = []
    for line in text.split("\n"):
        fields = record(line)
        path = text_of(fields, "path") if fields else ""
        if fields is None or (path and scope_of(path) not in folders):
            continue
        paths = ("path", "to") if text_of(fields, "kind") == "renamed" else ("path",)
        changed: dict[str, str] = {}
        for key in {"path", "entry", "to"} & fields.keys():
            was = text_of(fields, key)
            here = folders.get(scope_of(was), "") if key in paths else ""
            changed[key] = moved_path(was, scope_of(was), here) or was if key in paths else ids.get(was, was)
        lines.append(render({**fields, **changed}))
    return "".join(f"{line}\n" for line in lines)


def _cut(export: MemoryExport) -> Iterator[NotTaken]:
    if export.unread:
        yield NotTaken(counted(export.unread, "line"), "no record that can be read", is_open=True)
    if not export.is_whole:
        number = counted(len(export.files), "file")
        yield NotTaken("what followed", f"the export breaks off after {number}", is_open=True)


SOURCES: tuple[Source, ...] = (source_at(NAME, _nowhere, read),)
