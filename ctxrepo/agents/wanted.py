"""The parts of which an agent's installation is made: documents into which something of ours is put, files
that are all ours, and folders."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Protocol

from ctxrepo.lazy import dataclass

Line = Callable[[str], str]
"""The command of a hook, for an event as the agent writes it."""


class Document(Protocol):
    """How a file that is the user's or the agent's reads, and how ours stands in it.

    Each function takes the whole text; ValueError, saying where, when it can't be read.

    Example usage::

        connected = document.connect(text, lambda event: line(name, event))
        assert document.disconnect(connected, text) == text"""

    def connect(self, text: str, line: Line, original: str | None = None, /) -> str:
        """`text` with what is ours in it, in place of an older version's; nothing else changes.

        What a person allowed in `original`, the text before we came, stays; None: we never were here."""
        ...

    def disconnect(self, text: str, original: str | None = None) -> str:
        """`text` without what is ours and without what that leaves empty.

        What is empty in `original`, the text before we came, stays empty."""
        ...

    def lines(self, text: str, /) -> Mapping[str, Sequence[str]]:
        """The commands of our hooks in it, by event."""
        ...

    def is_blank(self, text: str) -> bool:
        """Whether it says nothing at all."""
        ...


@dataclass(frozen=True)
class EditedDocument:
    """A document into which something of ours is put; the undo takes that out again.

    `hooks` are the commands that stand in it, by event."""

    path: Path
    document: Document
    hooks: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class OwnFile:
    """A file that is all ours; the undo gives back what was there before, mostly nothing."""

    path: Path
    content: bytes | None
    """None where the file isn't to be there, with what was asked for."""
    hooks: Mapping[str, str] = field(default_factory=dict)


RULES_HEAD = "# Written by `ctxrepo setup`, and taken away by `ctxrepo setup --permissions none`.\n"
"""The first line of a file of rules that is all ours."""


@dataclass(frozen=True)
class ShippedFile:
    """A file that is all ours and that ctxrepo brings along: `source` below `hooks/`, in which each of the
    `places` stands in braces, inside a text in double quotes. JSON spells what takes its place there."""

    path: Path
    source: str
    places: Mapping[str, str | Sequence[str]]
    hooks: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class SkillsFolder:
    """The folder into which our skills go; the undo takes away those that are as we wrote them."""

    path: Path


@dataclass(frozen=True)
class GrantedFolder:
    """A folder of ours that the agent's sandbox lets commands write to. It has to be there before; the undo
    leaves it, with what was handed over and isn't taken in yet."""

    path: Path
    spelling: str
    """How it stands in the sandbox's list of folders."""
    document: Path
    """The file with that list."""


Wanted = EditedDocument | OwnFile | ShippedFile | SkillsFolder | GrantedFolder
"""A part of an installation, of one of the kinds that there are."""
