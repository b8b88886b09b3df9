"""A note: one markdown file, read leniently."""

import re
from collections import Counter
from collections.abc import Iterator
from functools import cached_property

from ctxrepo.domain.note import frontmatter
from ctxrepo.domain.note.entry import Entry, entries_of, normalised
from ctxrepo.domain.note.frontmatter import Head, Problem
from ctxrepo.domain.project.layout import is_note
from ctxrepo.lazy import dataclass, lazy_pattern

_MARKER = lazy_pattern(r"^(<{7} |>{7} |={7}$)", re.MULTILINE)
_UNREADABLE = lazy_pattern("[\udc80-\udcff]")

UNMARK = (
    "`ctxrepo check --fix` keeps both sides where it can tell them apart; else keep what holds and remove "
    "the marker lines."
)

_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True)
class Note:
    """The note at `path` (relative to the memory repository, `/` between its parts) and its text."""

    path: str
    text: str

    @cached_property
    def head(self) -> Head:
        return frontmatter.read(self.text)

    @cached_property
    def entries(self) -> list[Entry]:
        return entries_of(self.path, self.text)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What is wrong with the note by itself: with its head, and with how it was saved."""
        return (*self.head.problems, *_problems_of(self.text, self.head))

    @property
    def problem(self) -> str:
        """All problems in one line, '' without one."""
        return "; ".join(problem.message for problem in self.problems)

    @property
    def body(self) -> str:
        return frontmatter.split(self.text)[1]

    @property
    def scope_folder(self) -> str:
        """The first part of the path: `global`, or a project's folder."""
        return self.path.split("/", 1)[0]

    def entries_at(self, first: int, last: int) -> list[Entry]:
        """The entries of which a line is among these."""
        return [e for e in self.entries if e.first_line <= last and first <= e.last_line]


def _problems_of(text: str, head: Head) -> Iterator[Problem]:
    bytes_left = (_UNREADABLE, "bytes that are not UTF-8", "Save the file as UTF-8.")
    for pattern, message, remedy in (bytes_left, (_MARKER, "a conflict marker", UNMARK)):
        place = pattern.search(text)
        line = text[: place.start()].count("\n") + 1 if place else 0
        if line and not any(problem.line == line and message in problem.message for problem in head.problems):
            yield Problem(line, message, remedy)
    if "\r" in text and "\n" not in text:
        remedy = "`ctxrepo check --fix` ends its lines as all others end."
        yield Problem(1, "its lines end in carriage returns alone", remedy)
    if text.startswith("\ufeff") and not head.lines:
        yield Problem(
            1, "a byte order mark hides what the first line is", "`ctxrepo check --fix` takes it away."
        )


def decode_note(data: bytes) -> str:
    """Bytes of a note as its text; unreadable bytes stay what they are."""
    return utf16(data) or decode_exactly(data)


def decode(data: bytes) -> str:
    """Bytes of a note for reading: unreadable bytes become U+FFFD, so that the readable part survives."""
    return utf16(data) or data.decode("utf-8", "replace")


def decode_exactly(data: bytes) -> str:
    """Bytes of a note for editing: `encode` gives back every byte, the unreadable ones too."""
    return data.decode("utf-8", "surrogateescape")


def utf16(data: bytes) -> str:
    """The text of a file that another program saved as UTF-16, with its mark at the front and all of it
    readable; '' for any other: it may as well be no text at all."""
    if data[:2] not in _UTF16_MARKS or b"\0" not in data:
        return ""
    try:
        text = data.decode("utf-16")
    except UnicodeDecodeError:
        return ""
    return "" if "\0" in text else text


def encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def encoded(text: str | None) -> bytes | None:
    """`encode` of a file's text; None for no file."""
    return None if text is None else encode(text)


def bump_updated(text: str, today: str) -> str:
    """Set `updated` where the note has it; never add it."""
    is_dated = "updated" in frontmatter.read(text).fields
    return frontmatter.set_field(text, "updated", today) if is_dated else text


def units_of(path: str, data: bytes | None) -> Counter[str]:
    """The entries of a note, normalised, or the lines of any other file; nothing where there is no file."""
    if data is None:
        return Counter()
    if is_note(path):
        return Counter(normalised(entry.text) for entry in entries_of(path, decode(data)))
    return Counter(line for line in decode(data).splitlines() if line.strip())
