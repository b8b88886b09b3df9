"""Records of transcripts, be the file JSON lines or one JSON document, and the forms that an agent's have.

An agent indents its documents by two columns: an item of the list begins and ends with a brace that stands by
itself, two columns from the edge where the document is a list, and four where a field of it has the list."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, NamedTuple

from ctxrepo.agents.recorded import Message, Speaker, ToolUse
from ctxrepo.domain.formats.jsonl import record, text_of
from ctxrepo.domain.formats.moment import stamp

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


_MOST_VALUES = 200
"""Values of a record in which words are looked for."""


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


def table(fields: Mapping[str, Any], key: str) -> dict[str, Any]:
    """The object at this key; empty where there is none."""
    value = fields.get(key)
    return value if isinstance(value, dict) else {}


def tables(value: object) -> list[dict[str, Any]]:
    """The objects in a list; none of what is no list."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def blocks_of(message: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The blocks of a message; a mere text is a block of text."""
    content = message.get("content")
    return [{"type": "text", "text": content}] if isinstance(content, str) else tables(content)


def text_in(blocks: Iterable[Mapping[str, Any]]) -> str:
    """What the blocks of text among these say, a line each."""
    return "\n".join(text_of(block, "text") for block in blocks if block.get("type") == "text")


def tool_use(block: Mapping[str, Any], arguments: str, *paths: str) -> ToolUse:
    """The tool that a block tells of; its `arguments` stand under this key, and in them the `paths`."""
    values = table(block, arguments)
    files = tuple(filter(None, (text_of(values, path) for path in paths)))
    return ToolUse(text_of(block, "name"), files, text_of(values, "command"))


def at_millisecond(milliseconds: object) -> str:
    """A moment that is recorded in milliseconds since 1970; '' for what is none."""
    if not isinstance(milliseconds, int | float) or not 0 < milliseconds < 10**14:
        return ""
    return stamp(datetime.fromtimestamp(milliseconds / 1000, UTC))


def spoken(
    who: Speaker, text: str, fields: Mapping[str, Any], tools: Iterable[ToolUse] = (), **more: Any
) -> Message | None:
    """The message of a record that names itself `id` and its moment `timestamp`, unless `more` says it; None
    where nothing is said in it, and no tool used."""
    tools = tuple(tools)
    if not (text.strip() or tools):
        return None
    message = Message(who, text, text_of(fields, "id"), at=text_of(fields, "timestamp"), tools=tools)
    return replace(message, **more) if more else message


def texts_below(node: object, most: int = 1 << 30) -> Iterator[str]:
    """The texts in a value, in their order, among the `most` values that come first."""
    waiting = [node]
    while waiting and most:
        node, most = waiting.pop(), most - 1
        if isinstance(node, str):
            yield node
        elif isinstance(node, list | dict):
            waiting += reversed([*(node.values() if isinstance(node, dict) else node)][:most])


def may_be_message(fields: Mapping[str, Any]) -> bool:
    """Whether a record of a kind that isn't known looks like a message: three words stand somewhere in it."""
    return any(text.strip().count(" ") > 1 for text in texts_below(fields, _MOST_VALUES))
