"""A folder of markdown of another program as notes of ours: every file under its own path in a scope."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from ctxrepo.domain.formats.moment import counted
from ctxrepo.domain.note.frontmatter import read
from ctxrepo.domain.note.note import decode_exactly, utf16
from ctxrepo.domain.project.layout import is_ignored
from ctxrepo.lazy import dataclass
from ctxrepo.services.imports.values import NotTaken, SourceNote
from ctxrepo.storage.sources.folder import SourceFolder

_NAMED = 5
"""Files of a kind that are named before the rest is counted."""


@dataclass(frozen=True)
class MarkdownContents:
    """The notes of a folder, and what of it stays out."""

    notes: tuple[SourceNote, ...]
    not_taken: tuple[NotTaken, ...]


def contents_of(
    found: SourceFolder,
    target: Callable[[str], str],
    known: Sequence[tuple[str, str]] = (),
    shown: str = "",
) -> MarkdownContents:
    """The notes of `found`, each at the path that `target` says; '' is one that is passed over in silence.

    `known` are beginnings of paths of other files, with what those are to the program; `shown` stands before
    the paths that a person is told.
    """
    notes: list[SourceNote] = []
    unread = [NotTaken(shown + path, why) for path, why in found.unread.items()]
    for path, data in found.notes.items():
        if not (place := target(path)):
            continue
        if is_ignored(place):
            unread.append(NotTaken(shown + path, "it looks like a hidden or temporary file"))
            continue
        notes.append(note_of(shown + path, place, data))
    unread += _others(found.others, known, shown)
    return MarkdownContents(tuple(notes), tuple(unread))


def note_of(origin: str, path: str, data: bytes) -> SourceNote:
    """One file as a note, byte for byte; UTF-16 becomes UTF-8."""
    wide = utf16(data)
    text = wide or decode_exactly(data)
    said = ["it was UTF-16, and is UTF-8 here"] if wide else []
    said += [problem.message for problem in read(text).problems]
    return SourceNote(origin, path, text, remark="; ".join(said))


def _others(paths: Sequence[str], known: Iterable[tuple[str, str]], shown: str) -> Iterator[NotTaken]:
    """Files that are no notes: what each kind is, once."""
    left = list(paths)
    for start, why in known:
        these = [path for path in left if path.startswith(start)]
        left = [path for path in left if path not in these]
        if these:
            yield NotTaken(_named(these, shown), why)
    if left:
        yield NotTaken(_named(left, shown), "no note: its name doesn't end in .md")


def _named(paths: Sequence[str], shown: str) -> str:
    more = f" and {counted(len(paths) - _NAMED, 'other')}" if len(paths) > _NAMED else ""
    return ", ".join(shown + path for path in paths[:_NAMED]) + more
