"""Queries for recall, and its answers, as lines of JSON."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ctxrepo.domain.formats.jsonl import record, render, trouble
from ctxrepo.errors import Unreadable, UsageError
from ctxrepo.lazy import dataclass
from ctxrepo.storage.disk.foreign import read

_SHOWN = 20
_MAX_BYTES = 256 * 1024 * 1024


@dataclass(frozen=True)
class Query:
    """A prompt to answer; `before` are those of its session before it, oldest first."""

    id: str
    text: str
    before: tuple[str, ...] = ()


@dataclass(frozen=True)
class QueryAnswer:
    """What was recalled for the query `id`: (place, score), best first, and how long it took. `given` are the
    places that a prompt would be given, in a block of `size` bytes; None where only the answer is known."""

    id: str
    results: tuple[tuple[str, float], ...] = ()
    ms: float | None = None
    given: tuple[str, ...] | None = None
    size: int = 0


class BadLines(UsageError):
    """`lines` say what is wrong, one sentence a line that can't be understood."""

    def __init__(self, file: Path, lines: Sequence[str]) -> None:
        wrong = "a line" if len(lines) == 1 else f"{len(lines)} lines"
        super().__init__(f"{file}: {wrong} can't be understood", "Mend what is named; nothing was answered.")
        self.lines = [*lines[:_SHOWN], *(["and more like that"] if len(lines) > _SHOWN else [])]


def read_queries(file: Path) -> list[Query]:
    """The queries in a file, `{"id", "query"}` a line, and `"before"` where there are earlier prompts."""
    lines = objects_in(file, _wrong_query)
    return [Query(line["id"], line["query"], tuple(line.get("before", ()))) for line in lines]


def render_answers(answers: Iterable[QueryAnswer]) -> str:
    """A line each: `{"id", "results": [{"id": "path#L10", "score": 1.0}], "ms": 2.1}`."""
    return "".join(render(_fields(answer)) + "\n" for answer in answers)


def objects_in(file: Path, wrong: Callable[[Mapping[str, Any]], str]) -> list[dict[str, Any]]:
    """The objects of a file, one a line, each with its own id; `wrong` says why one isn't as expected, going
    on from "the line", or ''. BadLines tells of every line that can't be understood."""
    objects: dict[str, dict[str, Any]] = {}
    bad = []
    for number, line in _lines(file):
        fields = record(line) or {}
        why = trouble(line) or _wrong_id(fields, objects) or wrong(fields)
        if why:
            bad.append(f"{file}, line {number} {why}")
        else:
            objects[fields["id"]] = fields
    if bad:
        raise BadLines(file, bad)
    return list(objects.values())


def _lines(file: Path) -> Iterator[tuple[int, str]]:
    """The lines that aren't blank, each with its number."""
    try:
        data = read(file, _MAX_BYTES)
        text = (data or b"").decode("utf-8-sig")
    except Unreadable as error:
        raise UsageError(error.message) from error
    except UnicodeDecodeError as error:
        line = 1 + error.object[: error.start].count(b"\n")
        raise UsageError(f"{file}, line {line} is not UTF-8", "Save it as UTF-8.") from error
    if data is None:
        raise UsageError(f"{file} can't be read: No such file or directory")
    return ((number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip())


def _wrong_id(fields: Mapping[str, Any], known: Mapping[str, object]) -> str:
    name = fields.get("id")
    if not isinstance(name, str) or not name:
        return 'has no "id", which is a text'
    return f"has the id {name[:80]!r}, as a line before it" if name in known else ""


def _wrong_query(fields: Mapping[str, Any]) -> str:
    if not isinstance(fields.get("query"), str):
        return 'has no "query", which is a text'
    before = fields.get("before", [])
    is_list = isinstance(before, list) and all(isinstance(prompt, str) for prompt in before)
    return "" if is_list else 'has a "before" that is no list of texts'


def _fields(answer: QueryAnswer) -> dict[str, Any]:
    results = [{"id": place, "score": score} for place, score in answer.results]
    return {"id": answer.id, "results": results, "ms": answer.ms}
