"""What every peer is given and gives: a memory with its prompts, and for each prompt places in rank order."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from ctxrepo.domain.note.entry import Entry, entries_of

MOST = 50
"""Places that a peer is asked for, where it doesn't have a limit of its own: more than 8,000 bytes hold."""

Found = tuple[Sequence[str], float]
"""(places, best first: `path`, `path#L10` or `path#L10-L12`; milliseconds it took)"""


class NotHereError(Exception):
    """A program that a peer needs isn't installed; says the command that installs it."""


@dataclass(frozen=True)
class Prompt:
    id: str
    text: str
    before: tuple[str, ...]
    """What was asked earlier in the session, oldest first; only ctxrepo looks at it."""
    category: str
    relevant: frozenset[tuple[str, int]]
    """(path, line) of every line that holds an answer."""


@dataclass(frozen=True)
class Memory:
    """A folder of notes, and what is asked of it."""

    folder: Path
    prompts: Sequence[Prompt]

    @property
    def name(self) -> str:
        return self.folder.parent.name

    @classmethod
    def read(cls, data: Path) -> Memory:
        """From `memory/`, `queries.jsonl` and `qrels.jsonl` in `data`."""
        labels = {row["id"]: row for row in _rows(data / "qrels.jsonl")}
        prompts = [
            Prompt(
                row["id"],
                row["query"],
                tuple(row.get("before", ())),
                labels[row["id"]]["category"],
                frozenset((place["path"], place["line"]) for place in labels[row["id"]]["relevant"]),
            )
            for row in _rows(data / "queries.jsonl")
        ]
        return cls(data / "memory", prompts)

    @cached_property
    def notes(self) -> dict[str, str]:
        """path -> text of every note, by path."""
        files = sorted(self.folder.rglob("*.md"))
        return {file.relative_to(self.folder).as_posix(): file.read_text("utf-8") for file in files}

    @cached_property
    def entries(self) -> list[Entry]:
        return [entry for path, text in self.notes.items() for entry in entries_of(path, text)]


@dataclass(frozen=True)
class Tools:
    """Where programs are that aren't on every machine."""

    npm: Path | None = None
    """A folder in which npm has installed packages."""
    model: Path | None = None
    """A folder with an embedding model."""


@dataclass(frozen=True)
class Peer:
    """A method to find what helps with a prompt."""

    name: str
    unit: str
    """What it gives: `file` or `entry`."""
    program: Callable[[Tools], str]
    """What runs, with its version; NotHereError when it can't."""
    ask: Callable[[Tools, Memory], Iterator[Found]]
    """An answer to each prompt, in their order."""


def timed(memory: Memory, find: Callable[[str], Sequence[str]]) -> Iterator[Found]:
    """What `find` answers to each prompt's text, and how long that takes."""
    for prompt in memory.prompts:
        began = time.perf_counter()
        places = find(prompt.text)
        yield places, (time.perf_counter() - began) * 1000


def _rows(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text("utf-8").splitlines() if line.strip()]
