"""A view: what a person is shown of a result, as values. Each face draws it in its own way.

A view has no colours, widths or line breaks of a terminal; whether a line reports something wrong is said by
its mark. See docs/adr/0070-views-are-values.md."""

from collections.abc import Iterable
from typing import Literal

from ctxrepo.lazy import dataclass

Mark = Literal["", "wrong"]


@dataclass(frozen=True)
class TextLine:
    """A line of text; `depth` is how far it belongs below the line before, from 0."""

    text: str
    depth: int = 0
    mark: Mark = ""


@dataclass(frozen=True)
class Field:
    """Something with a name: `remote`, and what is to be said of it, in one or more lines."""

    label: str
    lines: tuple[str, ...]
    mark: Mark = ""


@dataclass(frozen=True)
class Table:
    """Rows under column names; a cell is text, also where it is a number."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Diff:
    """Lines of a unified diff."""

    lines: tuple[str, ...]


Part = TextLine | Field | Table | Diff


@dataclass(frozen=True)
class ViewSection:
    """Parts that belong together, under a heading if they have one."""

    parts: tuple[Part, ...]
    heading: str = ""


@dataclass(frozen=True)
class View:
    """What a result looks like. `title` names it, for a face that shows several; `hints` are sentences that
    say what could be done next."""

    title: str
    sections: tuple[ViewSection, ...]
    hints: tuple[str, ...] = ()


def one_section(title: str, parts: Iterable[Part], *hints: str) -> View:
    """A view that is one list of parts."""
    return View(title, (ViewSection(tuple(parts)),), hints)
