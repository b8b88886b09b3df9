"""Memories whose prompts have known answers (tools/recall), in ctxrepo itself, and how well it answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from recall.datasets import DataSet, Label
from recall.measures import Piece

from ctxrepo.domain.note.entry import Entry, entries_of, normalised
from ctxrepo.domain.project.layout import GLOBAL
from ctxrepo.services.recall.queries import Query
from ctxrepo.services.recall.recall import Question, RecalledEntry
from living.material.memories import PassingMemory

DATA = Path(__file__).resolve().parents[2] / "recall"
HELD_OUT = "held_out"
"""Where such memories are, and the folder of those that nothing is tuned by."""

STATED = 1_790_000_000
"""Unix seconds at which the entries of such a memory are stated."""

DEPTH = 8


@dataclass(frozen=True)
class KnownAnswers:
    """The prompts of a data set with what answers them, by the texts of entries: ids change with places."""

    data: DataSet

    @property
    def half(self) -> str:
        return "held-out" if self.data.folder.resolve().parent.name == HELD_OUT else "tuned"

    @cached_property
    def notes(self) -> dict[str, str]:
        """path -> text of what is in a scope."""
        return {path: "\n".join(lines) for path, lines in self.data.texts.items() if "/" in path}

    @cached_property
    def entries(self) -> list[Entry]:
        return [entry for path, text in self.notes.items() for entry in entries_of(path, text)]

    @cached_property
    def scopes(self) -> list[str]:
        """The folders of the memory, the global one last."""
        folders = {path.partition("/")[0] for path in self.notes}
        return sorted(folders, key=lambda name: (name == GLOBAL, name))

    @cached_property
    def asked(self) -> list[tuple[Query, Label]]:
        """The prompts that deserve an answer or silence."""
        pairs = ((query, self.data.labels[query.id]) for query in self.data.queries)
        return [(query, label) for query, label in pairs if label.counts or label.is_silent]

    @cached_property
    def answers(self) -> Mapping[str, frozenset[str]]:
        """Query id -> the texts of the entries that answer it."""
        pieces = [
            (Piece(entry.path, entry.first_line, entry.last_line), text_of(entry)) for entry in self.entries
        ]
        return {
            query.id: frozenset(
                text for there, text in pieces for line in label.evidence if there.holds(line)
            )
            for query, label in self.asked
        }

    def fill(self, memory: PassingMemory, at: float = STATED) -> None:
        """Write all notes into a memory, as an import does."""
        memory.put(self.notes, at)
        memory.commit(at)


def text_of(entry: Entry) -> str:
    return normalised(entry.plain)


@dataclass(frozen=True)
class Answer:
    """What one prompt was given, as texts of entries, best first; and the first `DEPTH` of all that fits."""

    query: Query
    is_silent: bool
    wanted: frozenset[str]
    given: tuple[str, ...]
    ranked: tuple[str, ...]
    size: int


def answers(known: KnownAnswers, memory: PassingMemory, at: float) -> Iterator[Answer]:
    """The answers of a memory as it is, to all prompts."""
    texts = {entry.id: text_of(entry) for entry in memory.entries()}
    for query, label in known.asked:
        hits = memory.recall(known.scopes, Question(query.text, query.before, purpose="prompt"), at).hits
        everything = Question(query.text, query.before, DEPTH, purpose="all")
        ranked = memory.recall(known.scopes, everything, at).hits[:DEPTH]
        size = sum(len(hit.text.encode()) for hit in hits)
        yield Answer(
            query, label.is_silent, known.answers[query.id], _texts(hits, texts), _texts(ranked, texts), size
        )


def _texts(hits: Sequence[RecalledEntry], texts: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(texts.get(hit.id.lstrip("^"), "") for hit in hits)
