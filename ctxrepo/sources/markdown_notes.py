"""Files of markdown that a program keeps, as notes: which of a folder's are brought, and what is none."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from ctxrepo.domain.formats.moment import counted
from ctxrepo.domain.note.entry import entries_of
from ctxrepo.domain.note.frontmatter import read
from ctxrepo.domain.note.note import decode_exactly, utf16
from ctxrepo.domain.project.layout import MEMORY, is_ignored
from ctxrepo.domain.project.layout import shown as one_line
from ctxrepo.lazy import lazy_pattern
from ctxrepo.sources.source import FolderContents, NotTaken, SourceNote

_NAMED = 5
"""Files of a kind that are named before the rest is counted."""

_LINK = lazy_pattern(r"\]\(<?([^()<>]+\.md)>?\)")

INDEX = NotTaken(MEMORY, "its index of the other notes: sessions are given one here")
"""What is said of a note that leads to the others, but for what stands in it alone."""


def markdown_of(
    folder: FolderContents,
    target: Callable[[str], str],
    explanations: Sequence[tuple[str, str]] = (),
    prefix: str = "",
) -> tuple[tuple[SourceNote, ...], tuple[NotTaken, ...]]:
    """(the notes of `folder`, what of it stays out). `target` says the path of each note; one at '' is
    passed over in silence.

    `explanations` are beginnings of paths of other files, with what those are to the program; `prefix` stands
    before the paths that a person is shown."""
    notes: list[SourceNote] = []
    unread = [NotTaken(prefix + path, why) for path, why in folder.unread.items()]
    for path, data in folder.notes.items():
        if not (place := target(path)):
            continue
        if is_ignored(place):
            unread.append(NotTaken(prefix + path, "it looks like a hidden or temporary file"))
            continue
        notes.append(note_of(prefix + path, place, data))
    return tuple(notes), (*unread, *_others(folder.others, explanations, prefix))


def note_of(origin: str, path: str, data: bytes) -> SourceNote:
    """One file as a note, byte for byte; UTF-16 becomes UTF-8."""
    wide = utf16(data)
    text = wide or decode_exactly(data)
    remarks = ["it was UTF-16, and is UTF-8 here"] if wide else []
    remarks += [problem.message for problem in read(text).problems]
    return SourceNote(origin, path, text, remark="; ".join(remarks))


def loose_entries(index: str, notes: Collection[str]) -> Iterator[str]:
    """The entries of an index that lead to none of these notes: facts that stand there alone."""
    for entry in entries_of(MEMORY, index):
        links = _LINK.findall(entry.text)
        if not any(link.removeprefix("./") in notes for link in links):
            yield entry.text


def _others(paths: Sequence[str], explanations: Iterable[tuple[str, str]], prefix: str) -> Iterator[NotTaken]:
    """Files that are no notes: what each kind is, once."""
    unexplained = list(paths)
    for start, why in explanations:
        these = [path for path in unexplained if path.startswith(start)]
        unexplained = [path for path in unexplained if path not in these]
        if these:
            yield NotTaken(_named(these, prefix), why)
    if unexplained:
        yield NotTaken(_named(unexplained, prefix), "no note: its name doesn't end in .md")


def _named(paths: Sequence[str], prefix: str) -> str:
    more = f" and {counted(len(paths) - _NAMED, 'other')}" if len(paths) > _NAMED else ""
    return ", ".join(one_line(prefix + path) for path in paths[:_NAMED]) + more
