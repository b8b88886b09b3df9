"""Versions that lost a merge, as they stand under conflicts/."""

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime

from ctxrepo.domain.merge.resolve import stands
from ctxrepo.domain.note.entry import normalised
from ctxrepo.domain.note.note import decode_exactly
from ctxrepo.domain.project.layout import CONFLICTS, is_conflict_copy, is_ignored, is_note, shown, unsafe
from ctxrepo.domain.project.target import resolve_id
from ctxrepo.domain.records.conflict_copy import ConflictCopy, copy_id, read_copy
from ctxrepo.errors import Unreadable
from ctxrepo.lazy import dataclass
from ctxrepo.services.history.versions import came, whereabouts
from ctxrepo.services.reading.evidence_view import evidence_in_view
from ctxrepo.services.reading.marks import Files
from ctxrepo.storage.cache.entries import entries_by_words
from ctxrepo.storage.memory import Memory

_WORDS = 70
"""Characters of a version that a list shows."""

_WORDS_OF_ENTRY, _LOOKED_AT = 8, 50
"""So many words of a version are searched for in other notes, and so many entries that have them compared."""


@dataclass(frozen=True)
class Conflict:
    """A file under conflicts/ and the version that it keeps, named by `id`. Without `copy` and `id` the file
    is none of ours: written by hand, torn, unreadable. `since` is when it was committed, here or where it was
    merged; None before. `copy.path` is where its file is by now, whatever it was called in the merge."""

    file: str
    id: str = ""
    copy: ConflictCopy | None = None
    since: datetime | None = None

    @property
    def words(self) -> str:
        """How the version that lost begins, on one line."""
        return shown(normalised(self.copy.other[: 4 * _WORDS]), _WORDS) if self.copy else ""


def conflicts(memory: Memory) -> list[Conflict]:
    """Every file under conflicts/, by the file it belongs to; those that are none of ours last."""
    scan = memory.worktree.scan(CONFLICTS)
    files = [path for path in sorted({*scan.files, *scan.skipped}) if is_conflict_copy(path)]
    files = [path for path in files if not path.rpartition("/")[2].startswith(".")]
    tip = memory.head if files else None
    since = came(memory.objects, tip, CONFLICTS, files) if tip else {}
    copies = {file: _read(memory, file) if file in scan.files else None for file in files}
    versions = [Conflict(f, copy_id(f) if copy else "", copy, since.get(f)) for f, copy in copies.items()]
    return sorted(versions, key=lambda c: (c.copy is None, c.copy.path if c.copy else c.file, c.id))


def find_conflict(memory: Memory, name: str) -> Conflict:
    """The version named by its id, its first four digits or more, or the path of its file. NotFound for none,
    UsageError for several, Unreadable when it is none of ours."""
    known = conflicts(memory)
    by_name = {key: conflict for conflict in known for key in (conflict.file, conflict.id) if key}
    missing = f"there is no version {name} in {CONFLICTS}/"
    id_ = name if name in by_name else name.lower()
    version = by_name[resolve_id(id_, by_name, missing, "`ctxrepo conflicts` lists them.")]
    if version.copy is None:
        raise Unreadable(f"{version.file} keeps no version that can be read", "Look at it in an editor.")
    return version


def file_now(memory: Memory, path: str) -> str | None:
    """The file that a version belongs to as it is now, with bytes that are no text as half surrogates."""
    data = memory.worktree.read(path) if not is_out_of_reach(path) else None
    return None if data is None else decode_exactly(data)


def is_out_of_reach(path: str) -> bool:
    """Whether no file of the memory may stand at `path`."""
    return unsafe(path) is not None or is_ignored(path)


def paths_without_kept_version(before: Files, after: Files, there: Files) -> Iterator[str]:
    """The files of which a version would be put aside again, by undoing what put it into them, while the one
    that stood in its place is there no more."""
    texts = [decode_exactly(data) for path, data in there.items() if data and not is_conflict_copy(path)]
    is_dropped = all(map(is_conflict_copy, after))  # what stood there holds
    for file in (path for path in after if is_conflict_copy(path) and not is_dropped):
        copy = read_copy(file, before[file] or b"")
        if copy and copy.kept and not any(stands(text, copy, copy.kept) for text in texts):
            yield copy.path


def _read(memory: Memory, path: str) -> ConflictCopy | None:
    try:
        data = memory.worktree.read(path)
    except Unreadable:
        return None
    copy = None if data is None else read_copy(path, data)
    if copy is None or is_out_of_reach(copy.path):
        return copy
    return _followed(memory, copy, whereabouts(memory, copy.path)[0])


def _followed(memory: Memory, copy: ConflictCopy, path: str) -> ConflictCopy:
    """The copy with where its file is by now, `path`, or where the entry is that was kept: a command may have
    moved it to another note."""
    text = file_now(memory, path) if copy.kept and is_note(path) else None
    if text is not None and not stands(text, copy, copy.kept):
        wording = normalised(copy.kept)
        words = re.findall(r"[^\W_]+", wording)[:_WORDS_OF_ENTRY]
        likely = [row.entry for row, *_ in memory.cache.ask(entries_by_words, words, _LOOKED_AT)]
        records = evidence_in_view(memory).naming({entry.id for entry in likely}) if likely else ()
        new_ids = {record.to for record in records if record.kind == "moved"}
        paths = {entry.path for entry in likely if entry.id in new_ids and normalised(entry.text) == wording}
        path = paths.pop() if len(paths) == 1 else path
    return replace(copy, path=path)
