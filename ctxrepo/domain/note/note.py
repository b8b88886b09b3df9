"""A note: one markdown file, read leniently."""

from collections import Counter
from functools import cached_property

from ctxrepo.domain.note import frontmatter
from ctxrepo.domain.note.entry import Entry, entries_of, normalised
from ctxrepo.domain.note.frontmatter import Head
from ctxrepo.domain.project.layout import is_note
from ctxrepo.lazy import dataclass

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
    def body(self) -> str:
        return frontmatter.split(self.text)[1]

    @property
    def scope_folder(self) -> str:
        """The first part of the path: `global`, or a project's folder."""
        return self.path.split("/", 1)[0]

    def entry(self, entry_id: str) -> Entry | None:
        return next((e for e in self.entries if e.id == entry_id), None)

    def entries_at(self, first: int, last: int) -> list[Entry]:
        """The entries of which a line is among these."""
        return [e for e in self.entries if e.first_line <= last and first <= e.last_line]


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
