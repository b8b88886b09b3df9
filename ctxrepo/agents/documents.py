"""Records of transcripts, be the file JSON lines or one JSON document, and the forms that an agent's have.

An agent indents its documents by two columns: an item of the list begins and ends with a brace that stands by
itself, two columns from the edge where the document is a list, and four where a field of it has the list."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ctxrepo.agents.recorded import Message, may_be_message, tables
from ctxrepo.domain.formats.jsonl import record

_BOM = "\ufeff"
_ENDS = {"  {": "  }", "    {": "    }"}
"""How the line of an item's end looks, by that of its beginning, both without a comma."""


def records_in(lines: Iterable[str], words: Sequence[str] = ("",)) -> Iterator[tuple[int, dict[str, Any]]]:
    """(number of its line, the record) of each line of JSON in which one of the `words` stands, of each item
    of a list on one line, and of each item of an indented document, whose other fields are records of one
    field. What can't be read is passed over."""
    item: list[str] = []
    end, is_document = "", False
    for number, line in enumerate(lines):
        bare = line.removeprefix(_BOM).rstrip().rstrip(",")
        is_document = is_document or bare in ("{", "[")
        if bare[:1] not in ("", " ", "}", "]") and len(bare) > 1:
            item, is_document = [], False  # what looked like a document's first line was torn
        if item:
            item.append(bare if bare == end else line)
            if bare == end:
                if fields := record("".join(item) + "}" * item[0].startswith("{")):
                    yield number - len(item) + 1, fields
                item = []
        elif not is_document:
            if any(word in bare for word in words):
                yield from ((number, fields) for fields in _on_line(bare))
        elif bare in _ENDS:
            item, end = [line], _ENDS[bare]
        elif bare.startswith('  "') and bare.endswith(": {"):
            item, end = ["{" + bare], "  }"
        elif bare.startswith('  "') and (fields := record(f"{{{bare}}}")):
            yield number, fields


def _on_line(line: str) -> list[dict[str, Any]]:
    """The record on a line, or those in the list on it."""
    if line.startswith("["):
        return tables((record(f'{{"list": {line}}}') or {}).get("list"))
    fields = record(line)
    return [fields] if fields else []


class Form(NamedTuple):
    """A shape of an agent's records: which of them have it, and the message that one makes, None where nobody
    says anything in it."""

    has: Callable[[Mapping[str, Any]], bool]
    message: Callable[[Mapping[str, Any]], Message | None] = lambda _: None


def of_type(*types: str) -> Callable[[Mapping[str, Any]], bool]:
    """What tells records of these types."""
    return lambda fields: fields.get("type") in types


def message_in(forms: Iterable[Form], fields: Mapping[str, Any]) -> Message | None:
    """The message that a record makes by the first of the forms that it has."""
    return next((form.message(fields) for form in forms if form.has(fields)), None)


def are_known(forms: Iterable[Form], records: Iterable[Mapping[str, Any]]) -> bool:
    """Whether each of these records has one of the forms, or looks like no message."""
    return all(any(form.has(fields) for form in forms) or not may_be_message(fields) for fields in records)
