"""The parts of which an agent's installation is made: documents into which something of ours is put, files
that are all ours, and folders."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
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

    def lines(self, _text: str, /) -> Mapping[str, Sequence[str]]:
        """The commands of our hooks in it, by event; none where no hook stands in it."""
        return {}

    def is_blank(self, text: str) -> bool:
        """Whether it says nothing at all."""
        ...


class ServerList(Document, Protocol):
    """A document, or a part of one, that lists an agent's MCP servers.

    Example usage::

        there = servers.server(text)
        print(command_of(there) if there else "it hasn't our server")"""

    def server(self, text: str) -> object:
        """The entry that has the name of our server; None where there is none."""
        ...


@dataclass(frozen=True)
class JointDocument:
    """A document of several `parts`, each of which puts something else of ours into it."""

    parts: Sequence[Document]

    def connect(self, text: str, line: Line, original: str | None = None, /) -> str:
        for part in self.parts:
            text = part.connect(text, line, original)
        return text

    def disconnect(self, text: str, original: str | None = None) -> str:
        for part in reversed(self.parts):
            text = part.disconnect(text, original)
        return text

    def lines(self, text: str, /) -> Mapping[str, Sequence[str]]:
        return {event: lines for part in self.parts for event, lines in part.lines(text).items()}

    def is_blank(self, text: str) -> bool:
        return self.parts[0].is_blank(text)


@dataclass(frozen=True)
class EditedDocument:
    """A document into which something of ours is put; the undo takes that out again.

    `hooks` are the commands that stand in it, by event, and `servers` is the list of MCP servers in it."""

    path: Path
    document: Document
    hooks: Mapping[str, str] = field(default_factory=dict)
    servers: ServerList | None = None
    outline: Callable[[str], str] | None = None
    """What `disconnect` has to know of a text. The receipt holds that in place of a copy of a file that the
    agent writes while it runs, and in which it keeps what is private."""

    @property
    def has_servers_alone(self) -> bool:
        """Whether nothing of ours but the MCP server may stand in it."""
        return self.document is self.servers

    @property
    def without_servers(self) -> "EditedDocument | None":
        """The document with its list of servers left alone; None where nothing else of ours is in it."""
        if self.servers is None:
            return self
        parts = self.document.parts if isinstance(self.document, JointDocument) else (self.document,)
        others = tuple(part for part in parts if part is not self.servers)
        return replace(self, document=JointDocument(others), servers=None) if others else None


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
