"""Prompts to measure recall by, with the lines that answer them."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from ctxrepo.domain.formats.jsonl import record, render, trouble
from ctxrepo.domain.note.note import decode
from ctxrepo.domain.records.recall_quality import Line
from ctxrepo.errors import Unreadable, UsageError
from ctxrepo.lazy import dataclass
from ctxrepo.storage.disk.foreign import read

SILENT = "null"
"""A category that begins so holds prompts that deserve silence."""

ADVERSARIAL = "adversarial"
"""The category of prompts that no answer is right for; they are left out of means."""

_FILES = ("memory", "queries.jsonl", "qrels.jsonl")


@dataclass(frozen=True)
class Label:
    """What a prompt deserves: its evidence, or silence."""

    category: str
    evidence: frozenset[Line]

    @property
    def is_silent(self) -> bool:
        return self.category.startswith(SILENT)

    @property
    def counts(self) -> bool:
        """Whether it is part of the means of answers."""
        return not self.is_silent and self.category != ADVERSARIAL


@dataclass(frozen=True)
class DataSet:
    """One memory with its prompts, each of which has a label."""

    folder: Path
    queries: "tuple[Query, ...]"
    labels: Mapping[str, Label]

    @property
    def name(self) -> str:
        return self.folder.resolve().name

    @property
    def memory(self) -> Path:
        return self.folder / "memory"

    @cached_property
    def texts(self) -> dict[str, list[str]]:
        """path -> lines of every note, the archived too: another program may have answered with one."""
        return _texts(self.memory)


def data_sets(folders: Iterable[Path]) -> list[DataSet]:
    """The data sets that these folders are, or hold; UsageError for a folder that is and holds none."""
    found = [read_data_set(folder) for given in folders for folder in _folders(given)]
    seen: dict[str, Path] = {}
    for data in found:
        for name in data.labels:
            if name in seen:
                raise UsageError(
                    f"{data.folder} and {seen[name]} both have a prompt {name!r}", "Ask them apart."
                )
            seen[name] = data.folder
    return found


def read_data_set(folder: Path) -> DataSet:
    """BadLines tells which lines can't be understood, or name a line that isn't in the memory."""
    queries = read_queries(folder / "queries.jsonl")
    texts = _texts(folder / "memory")
    known = {query.id for query in queries}
    lines = objects_in(folder / "qrels.jsonl", _wrong_label(texts, known))
    labels = {
        line["id"]: Label(line["category"], frozenset((r["path"], r["line"]) for r in line["relevant"]))
        for line in lines
    }
    if missing := [query.id for query in queries if query.id not in labels]:
        more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        raise UsageError(f"{folder / 'qrels.jsonl'} says nothing of the prompt {missing[0]!r}{more}")
    return DataSet(folder, tuple(queries), labels)


def _folders(given: Path) -> list[Path]:
    if _is_one(given):
        return [given]
    if not given.is_dir():
        raise UsageError(f"{given} isn't a folder", "Name one with memory/, queries.jsonl and qrels.jsonl.")
    below = sorted(folder for folder in given.iterdir() if _is_one(folder))
    if not below:
        missing = ", ".join(name for name in _FILES if not (given / name).exists())
        raise UsageError(f"{given} has no {missing}, nor has a folder in it", "A data set has all three.")
    return below


def _is_one(folder: Path) -> bool:
    return all((folder / name).exists() for name in _FILES)


def _texts(memory: Path) -> dict[str, list[str]]:
    files = sorted(file for file in memory.rglob("*") if file.suffix.lower() == ".md" and file.is_file())
    texts = ((file, decode(read(file) or b"").replace("\r\n", "\n")) for file in files)
    return {file.relative_to(memory).as_posix(): text.split("\n") for file, text in texts}


def _wrong_label(texts: Mapping[str, list[str]], known: set[str]) -> Callable[[Mapping[str, Any]], str]:
    """Why a line of qrels.jsonl is no label, going on from "the line"."""

    def wrong(fields: Mapping[str, Any]) -> str:
        category, relevant = fields.get("category"), fields.get("relevant")
        if fields["id"] not in known:
            return f"is of {fields['id'][:80]!r}, which is no prompt of queries.jsonl"
        if not isinstance(category, str) or not category:
            return 'has no "category", which is a text'
        if not isinstance(relevant, list) or not all(map(_is_place, relevant)):
            return 'has no "relevant", which is a list of {"path", "line"}'
        if not relevant and Label(category, frozenset()).counts:
            return f'has no "relevant" lines, and its category does not begin with {SILENT}'
        for one in relevant:
            if not 1 <= one["line"] <= len(texts.get(one["path"], ())):
                return f"names {one['path']}#L{one['line']}, which is not in memory/"
        return ""

    return wrong


def _is_place(one: object) -> bool:
    match one:
        case {"path": str(), "line": int()}:
            return True
    return False


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
    found = objects_in(file, _wrong_query)
    return [Query(line["id"], line["query"], tuple(line.get("before", ()))) for line in found]


def read_answers(file: Path) -> dict[str, QueryAnswer]:
    """What a program answered, by id, in the form of `render_answers`."""
    return {line["id"]: _answered(line) for line in objects_in(file, _wrong_answer)}


def render_answers(answers: Iterable[QueryAnswer]) -> str:
    """A line each: `{"id", "results": [{"id": "path#L10", "score": 1.0}], "ms": 2.1}`."""
    return "".join(render(_fields(answer)) + "\n" for answer in answers)


def objects_in(file: Path, wrong: Callable[[Mapping[str, Any]], str]) -> list[dict[str, Any]]:
    """The objects of a file, one a line, each with its own id; `wrong` says why one isn't as expected, going
    on from "the line", or ''. BadLines tells of every line that can't be understood."""
    found: dict[str, dict[str, Any]] = {}
    bad = []
    for number, line in _lines(file):
        fields = record(line) or {}
        why = trouble(line) or _wrong_id(fields, found) or wrong(fields)
        if why:
            bad.append(f"{file}, line {number} {why}")
        else:
            found[fields["id"]] = fields
    if bad:
        raise BadLines(file, bad)
    return list(found.values())


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


def _wrong_answer(fields: Mapping[str, Any]) -> str:
    results = fields.get("results")
    if not isinstance(results, list):
        return 'has no "results", which is a list'
    if not all(isinstance(r, dict) and isinstance(r.get("id"), str) for r in results):
        return 'has a result without an "id", which is a text like path#L10'
    numbers = [fields.get("ms"), *(r.get("score", 0) for r in results)]
    is_number = all(n is None or (isinstance(n, int | float) and not isinstance(n, bool)) for n in numbers)
    return "" if is_number else 'has a "score" or "ms" that is not a number'


def _answered(fields: Mapping[str, Any]) -> QueryAnswer:
    results = tuple((result["id"], float(result.get("score") or 0)) for result in fields["results"])
    return QueryAnswer(fields["id"], results, fields.get("ms"))


def _fields(answer: QueryAnswer) -> dict[str, Any]:
    results = [{"id": place, "score": score} for place, score in answer.results]
    return {"id": answer.id, "results": results, "ms": answer.ms}
