"""Tables that travel with the package as text, which people read and review more than code: see ADR 69.

# A comment has a line of its own.
NAME: fields before the first heading belong to no block

[heading]
field: value
other-field: a long value, which
    goes on in indented lines"""

from collections.abc import Iterator
from typing import Any

from ctxrepo.lazy import dataclass


class MalformedTable(ValueError):
    """What is wrong, after the file and the line."""


@dataclass(frozen=True)
class FieldBlock:
    """A heading with its fields; the lines of a long value are parted by line breaks."""

    heading: str
    fields: dict[str, str]
    place: str
    """The file and the line of the heading."""


def text_beside(spec: Any, file: str) -> str:
    """A file beside the module of this spec, read by the module's own loader: from a zip file, too."""
    data: bytes = spec.loader.get_data(f"{spec.origin.rpartition('/')[0]}/{file}")
    return data.decode()


def texts_beside(spec: Any, file: str) -> dict[str, str]:
    """name -> text, of such a file in which `--- name` stands above each."""
    blocks = (part.partition("\n") for part in text_beside(spec, file).split("--- ")[1:])
    return {name: text for name, _, text in blocks}


def blocks_beside(spec: Any, file: str) -> Iterator[FieldBlock]:
    """The blocks of such a file."""
    return blocks(file.rpartition("/")[2], text_beside(spec, file))


def in_one_line(value: str) -> str:
    """A long value as one sentence."""
    return value.replace("\n", " ")


def blocks(file: str, text: str) -> Iterator[FieldBlock]:
    """The blocks in order; the first has no heading and holds the fields that stand before any."""
    fields: dict[str, str] = {}
    heading, place, name = "", f"{file}:1", ""
    for number, line in enumerate(text.split("\n"), 1):
        first = line[:1]
        if first in ("", "#"):
            continue
        if first == " " and name:
            fields[name] += "\n" + line.strip()
        elif first == "[":
            yield FieldBlock(heading, fields, place)
            heading, place, name, fields = line[1:-1], f"{file}:{number}", "", {}
        else:
            name, colon, value = line.partition(":")
            if not colon or name in fields or not name.strip():
                raise MalformedTable(f"{file}:{number}: neither a new field nor a heading: {line}")
            fields[name] = value.strip()
    yield FieldBlock(heading, fields, place)
