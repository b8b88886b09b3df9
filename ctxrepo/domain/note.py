"""A note: one markdown file, read leniently."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from ctxrepo.domain import frontmatter
from ctxrepo.domain.entry import Entry, entries_of
from ctxrepo.domain.frontmatter import Head


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


def decode(data: bytes) -> str:
    """Bytes of a note for reading: unreadable bytes become U+FFFD, so that the readable part survives."""
    return data.decode("utf-8", "replace")


def decode_exactly(data: bytes) -> str:
    """Bytes of a note for editing: `encode` gives back every byte, the unreadable ones too."""
    return data.decode("utf-8", "surrogateescape")


def encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def bump_updated(text: str, today: str) -> str:
    """Set `updated` where the note has it; never add it."""
    return (
        frontmatter.set_field(text, "updated", today) if "updated" in frontmatter.read(text).fields else text
    )
