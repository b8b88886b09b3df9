"""Prompts to measure recall by, with the lines that answer them, and what programs answered."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from recall.measures import Line

from ctxrepo.domain.note.note import decode
from ctxrepo.errors import UsageError
from ctxrepo.services.recall.queries import Query, QueryAnswer, objects_in, read_queries
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
    queries: tuple[Query, ...]
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
    sets = [read_data_set(folder) for given in folders for folder in _folders(given)]
    seen: dict[str, Path] = {}
    for data in sets:
        for name in data.labels:
            if name in seen:
                raise UsageError(
                    f"{data.folder} and {seen[name]} both have a prompt {name!r}", "Ask them apart."
                )
            seen[name] = data.folder
    return sets


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
        for place in relevant:
            if not 1 <= place["line"] <= len(texts.get(place["path"], ())):
                return f"names {place['path']}#L{place['line']}, which is not in memory/"
        return ""

    return wrong


def _is_place(value: object) -> bool:
    match value:
        case {"path": str(), "line": int()}:
            return True
    return False


def read_answers(file: Path) -> dict[str, QueryAnswer]:
    """What a program answered, by id, in the form of `render_answers`."""
    return {line["id"]: _answered(line) for line in objects_in(file, _wrong_answer)}


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
