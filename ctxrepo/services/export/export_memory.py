"""A memory is written where a person asked for it: as lines of JSON, as its own files, or as another program
keeps its notes."""

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import Path

from ctxrepo.domain.export.basic_memory_note import basic_memory_note
from ctxrepo.domain.export.export_lines import BEGINNING, ExportHeader, end_line, entry_line, file_line
from ctxrepo.domain.formats.moment import counted
from ctxrepo.domain.note.entry import entries_of
from ctxrepo.domain.note.frontmatter import read
from ctxrepo.domain.note.note import decode_note, encode
from ctxrepo.domain.project.layout import COMPATIBLE, anchors_file, is_note, shown
from ctxrepo.domain.records.entry_evidence import by_entry
from ctxrepo.domain.records.evidence import marks
from ctxrepo.domain.secrets import mask
from ctxrepo.domain.tape.anchors import tape_of, to_anchors_file_line
from ctxrepo.errors import NotFound, UsageError
from ctxrepo.lazy import dataclass
from ctxrepo.services.export.exported_files import ExportedFiles
from ctxrepo.services.locate.identify import Project
from ctxrepo.services.projects.sparse import widen_to_named
from ctxrepo.services.reading.find import folders_left_out, scope_named
from ctxrepo.services.reading.marks import evidence_now
from ctxrepo.services.reading.tape_files import tape_files
from ctxrepo.storage.disk.folders import fill, require_empty, require_place, write_parts
from ctxrepo.storage.disk.foreign import open_regular
from ctxrepo.storage.memory import Memory

LINES, FOLDER, BASIC_MEMORY = "jsonl", "folder", "basic-memory"

_PRIVATE = 0o600
"""Whoever exports a memory to a file is the only one to read it, until they say otherwise."""

STREAM = "-"
"""The place that stands for standard output."""

File = tuple[str, bytes]


@dataclass(frozen=True)
class ExportResult:
    """`files` of the `folders` are at `place` in this `form`, of lines with so many `entries`; `scope` is the
    one that was named, '' for all. `skipped` is path -> why of files that stayed."""

    scope: str
    folders: tuple[str, ...]
    place: str
    form: str
    files: int
    skipped: Mapping[str, str]
    entries: int = 0


@dataclass(frozen=True)
class Destination:
    """A folder or file, or `-`; `form` is '' where the name tells, and `write` takes what goes to `-`."""

    place: str
    form: str = ""
    write: Callable[[bytes], object] | None = None

    @property
    def usual_form(self) -> str:
        is_file = self.place == STREAM or self.place.lower().endswith(".jsonl")
        return self.form or (LINES if is_file else FOLDER)


def export(
    memory: Memory, scope: str, there: Destination, project: Project | None, now: datetime
) -> ExportResult:
    """Write one scope, or all without one, to a place outside of the memory: a new or empty folder, or a file
    that is new or an earlier export. NotFound where there is nothing."""
    place = scope_named(memory, scope, project) if scope else None
    _require_outside(memory, there)
    widen_to_named(memory, [place.folder] if place else sorted(folders_left_out(memory)), now)
    files = ExportedFiles(memory, place)
    if next(files.notes(), None) is None:
        raise NotFound(
            f"there is nothing in {', '.join(files.folders)} yet", "`ctxrepo list` shows the notes."
        )
    form = there.usual_form
    counts: Counter[str] = Counter()
    if form == LINES:
        parts = (f"{line}\n".encode() for line in _lines(files, counts))
        if there.write:
            for part in parts:
                there.write(part)
        else:
            write_parts(Path(there.place), parts, _PRIVATE)
    else:
        counts["files"] = fill(Path(there.place), _LAYOUTS[form](files))
    name, skipped = place.name if place else "", files.skipped
    return ExportResult(name, files.folders, there.place, form, counts["files"], skipped, counts["entries"])


def _require_outside(memory: Memory, there: Destination) -> None:
    """UsageError for a place that can't be written to, before the work is done."""
    form = there.usual_form
    if form not in (forms := (LINES, *_LAYOUTS)):
        raise UsageError(f"there is no form {shown(form, 40)!r}", f"There are {', '.join(forms)}.")
    if there.place == STREAM:
        if form != LINES:
            raise UsageError(f"{form} is a folder, and doesn't fit on standard output", "Name a folder.")
        return
    place = Path(there.place)
    if place.resolve().is_relative_to(memory.root.resolve()):
        raise UsageError(f"{place} is in the memory itself", "Name a place outside of it.")
    if form != LINES:
        require_empty(place)
        return
    require_place(place)
    if os.path.lexists(place) and not _is_export(place):
        raise UsageError(f"{place} is there and is no export", "Name a new file, or an earlier export.")


def _is_export(file: Path) -> bool:
    try:
        handle = open_regular(file, follow=False)
    except OSError:
        return False
    with os.fdopen(handle, "rb") as opened:
        return opened.read(len(BEGINNING)) == BEGINNING


def _lines(files: ExportedFiles, counts: Counter[str]) -> Iterator[str]:
    """The lines of an export; `counts` gets how many are files and entries."""
    evidence = by_entry(files.evidence())
    scopes = tuple(folder for folder in files.folders if folder == mask(folder))
    yield ExportHeader(scopes, files.memory.global_folder, files.projects).line()
    for path, data in files.all():
        counts["files"] += 1
        yield file_line(path, data)
        text = decode_note(data) if is_note(path) else ""
        head = read(text)
        for entry in entries_of(path, text):
            counts["entries"] += 1
            known = evidence.get(entry.id)
            since = known.worded[:10] if known else ""
            yield entry_line(entry, known, since or head.created or head.updated)
    yield end_line(counts["files"], counts["entries"])


def _plain(files: ExportedFiles) -> Iterator[File]:
    """The files as they are: of one scope without its folder."""
    for path, data in files.notes():
        yield path.partition("/")[2] if files.scope else path, data


def _for_basic_memory(files: ExportedFiles) -> Iterator[File]:
    """Its notes, by the same paths."""
    struck = marks(evidence_now(files.memory)).struck
    others = 0
    for path, data in files.notes():
        place = path.partition("/")[2] if files.scope else path
        if is_note(path):
            text = decode_note(data)
            lines = [entry.first_line for entry in entries_of(path, text) if entry.id in struck]
            yield place, encode(basic_memory_note(place, text, lines))
        else:
            others += 1
    if others:
        files.skipped[counted(others, "file")] = "beside the notes, which alone basic-memory reads"


def _in_repository(files: ExportedFiles) -> Iterator[File]:
    """As a repository that another program reads: a folder for each scope, and its anchors in one file."""
    yield from files.notes()
    for folder in files.folders:
        tape = tape_of(tape_files(files.memory, folder), folder)
        if tape.anchors:
            lines = "".join(f"{to_anchors_file_line(anchor)}\n" for anchor in tape.anchors)
            yield from files.guarded(anchors_file(folder), encode(lines))


_LAYOUTS: Mapping[str, Callable[[ExportedFiles], Iterable[File]]] = {
    FOLDER: _plain,
    BASIC_MEMORY: _for_basic_memory,
    COMPATIBLE: _in_repository,
}
