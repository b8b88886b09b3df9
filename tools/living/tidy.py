"""Whether tidying keeps what still holds.

Into memories whose prompts have known answers are put: twins of 30 % of the entries, said in other words and
stated later; an older value of 10 %; another value of 5 %, stated at the same time. Then comes the part of
tidying that needs no model. Prompts are asked before all that, with it, and after the tidying.
"""

from __future__ import annotations

import argparse
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from recall.datasets import data_sets

from ctxrepo.domain.note.entry import Entry, normalised
from ctxrepo.domain.project.layout import is_archived
from living.figures import columns, mean, parts, share
from living.material.histories import DAY, chance
from living.material.known import STATED, Answer, KnownAnswers, answers, text_of
from living.material.memories import PassingMemory, may_be_written, moment, passing_memory
from living.runs import data_parser, shown
from living.seams import Seams, seams_named

Kind = Literal["twin", "outdated", "contradictory"]

SHARES: Sequence[tuple[float, Kind]] = ((0.30, "twin"), (0.40, "outdated"), (0.45, "contradictory"))
_NOTES: dict[Kind, tuple[str, int]] = {
    "outdated": ("topics/earlier.md", STATED - 60 * DAY),
    "contradictory": ("topics/others.md", STATED),
    "twin": ("topics/later.md", STATED + 60 * DAY),
}
"""The note that injected entries are put into, and when."""

_LATER = STATED + 90 * DAY
_SHORTEST, _LONGEST = 40, 300

_NUMBER = re.compile(r"(?<![\w.-])(\d{1,5})(?![\w.-]*\w)")
_SPAN = re.compile(r"`([^`\n]{3,40})`")
_OTHER_WORDS = {
    "must": "has to",
    "don't": "do not",
    "can't": "cannot",
    "never": "at no time",
    "always": "every time",
    "because": "since",
    "but": "though",
    "only": "just",
    "use": "take",
    "after": "following",
    "before": "prior to",
}


class Injected(NamedTuple):
    """What was put beside an entry: `text` says the same (twin) or something that doesn't hold."""

    kind: Kind
    original: str
    folder: str
    text: str


@dataclass(frozen=True)
class TidyRow:
    """One memory: its answers without what is injected, with it, and after tidying; then what is left."""

    known: KnownAnswers
    injected: Sequence[Injected]
    clean: Sequence[Answer]
    before: Sequence[Answer]
    after: Sequence[Answer]
    bytes_before: tuple[int, int]
    bytes_after: tuple[int, int]
    texts_after: frozenset[str]
    """Of all entries that stand in a note that isn't archived."""
    archived: frozenset[str]


def main(argv: list[str]) -> int:
    return shown(_measured, data_parser("tidy", __doc__).parse_args(argv))


def _measured(options: argparse.Namespace) -> tuple[dict[str, Any], str]:
    seams = seams_named(options.seams)
    numbers = figures([measure(KnownAnswers(data), seams) for data in data_sets(options.data)])
    return numbers, columns(numbers, with_each=options.each)


def measure(known: KnownAnswers, seams: Seams) -> TidyRow:
    """Ask, put it in, ask, tidy, ask."""
    injected = list(injections(known))
    with passing_memory() as memory:
        known.fill(memory)
        clean = list(answers(known, memory, _LATER))
    with passing_memory() as memory:
        for kind in ("outdated", "contradictory", "twin"):
            if kind == "contradictory":
                known.fill(memory)
            _put(memory, kind, injected)
        seams.scan(memory.memory, None, moment(_LATER))
        before, bytes_before = list(answers(known, memory, _LATER)), _bytes(known, memory)
        seams.tidy(memory.memory, moment(_LATER))
        memory.commit(_LATER)
        seams.scan(memory.memory, None, moment(_LATER))
        after, bytes_after = list(answers(known, memory, _LATER)), _bytes(known, memory)
        there = memory.entries()
    live = frozenset(text_of(entry) for entry in there if not is_archived(entry.path))
    archived = frozenset(text_of(entry) for entry in there if is_archived(entry.path))
    return TidyRow(known, injected, clean, before, after, bytes_before, bytes_after, live, archived)


def _put(memory: PassingMemory, kind: Kind, injected: Iterable[Injected]) -> None:
    notes: dict[str, list[str]] = defaultdict(list)
    name, at = _NOTES[kind]
    for each in injected:
        if each.kind == kind:
            notes[f"{each.folder}/{name}"].append(each.text)
    memory.state(notes, at)
    memory.commit(at)


def _bytes(known: KnownAnswers, memory: PassingMemory) -> tuple[int, int]:
    """(bytes of all entries that are delivered from, bytes that sessions are given at their start)."""
    entries = [entry for entry in memory.entries() if not is_archived(entry.path)]
    starts = (memory.start(folder) for folder in known.scopes)
    return sum(len(entry.text.encode()) for entry in entries), sum(len(text.encode()) for text in starts)


def injections(known: KnownAnswers) -> Iterator[Injected]:
    """What is put into a memory, chosen by a hash of each entry."""
    spans = sorted({span for entry in known.entries for span in _SPAN.findall(entry.plain)})
    there = {text_of(entry) for entry in known.entries}
    for entry in known.entries:
        draw = chance(known.data.name, entry.plain)
        kind = next((kind for limit, kind in SHARES if draw < limit), None)
        text = _changed(kind, entry, spans) if kind and _is_eligible(entry) else ""
        if kind and text and normalised(text) not in there and may_be_written(text):
            there.add(normalised(text))
            yield Injected(kind, text_of(entry), entry.path.partition("/")[0], text)


def _is_eligible(entry: Entry) -> bool:
    plain = entry.plain
    is_short = "\n" not in plain and _SHORTEST <= len(plain) <= _LONGEST
    return is_short and not is_archived(entry.path) and not entry.is_pinned


def _changed(kind: Kind, entry: Entry, spans: Sequence[str]) -> str:
    return reworded(entry.plain) if kind == "twin" else revalued(entry.plain, spans)


def reworded(text: str) -> str:
    """The same in other words; '' for a text in which there is nothing to say otherwise."""
    words = [_OTHER_WORDS.get(word.lower(), word) for word in text.split(" ")]
    kept = [word for word in words if word.lower() not in ("the", "a", "an")]
    other = " ".join(kept).removesuffix(".")
    if other == text.removesuffix("."):
        head, comma, rest = other.partition(", ")
        other = f"{rest}: {head}" if comma else ""
    return other and f"Note that {other[0].lower()}{other[1:]}"


def revalued(text: str, spans: Sequence[str]) -> str:
    """The same with another number or another name in marks of code; '' for a text that has neither."""
    if number := _NUMBER.search(text):
        other = int(number[1]) + 1 + int(chance(text) * 9)
        return f"{text[: number.start()]}{other}{text[number.end() :]}"
    if (span := _SPAN.search(text)) and len(spans) > 1:
        others = [other for other in spans if other != span[1]]
        return text.replace(span[0], f"`{others[int(chance(text) * len(others))]}`")
    return ""


def figures(rows: Sequence[TidyRow]) -> dict[str, Any]:
    """The figures of all memories, of each half and of each memory."""
    halves = {row.known.data.name: row.known.half for row in rows}
    return {
        name: _row(part) for name, part in parts(rows, lambda row: row.known.data.name, halves.__getitem__)
    }


def _row(rows: Sequence[TidyRow]) -> dict[str, Any]:
    row: dict[str, Any] = {"entries": sum(len(each.known.entries) for each in rows)}
    for kind in ("twin", "outdated", "contradictory"):
        row[f"{kind}s" if kind == "twin" else kind] = len(_of(rows, kind))
    for name in ("clean", "before", "after"):
        row[f"recall@8, {name}"] = mean(
            value for each in rows for value in _recalls(each, getattr(each, name))
        )
    for name in ("before", "after"):
        row[f"wrong among the 8, {name}"] = mean(
            value for each in rows for value in _wrong(each, getattr(each, name))
        )
    for number, what in enumerate(("entries", "starts")):
        sums = [
            sum(size[number] for size in sizes)
            for sizes in zip(*((e.bytes_before, e.bytes_after) for e in rows), strict=True)
        ]
        row |= {f"bytes of {what}, before": sums[0], f"bytes of {what}, after": sums[1]}
    facts = [
        (each, text_of(entry)) for each in rows for entry in each.known.entries if not is_archived(entry.path)
    ]
    row["true facts lost"] = share(sum(not _has(each, fact) for each, fact in facts), len(facts))
    return row | _twins(rows) | _left(rows)


def _recalls(row: TidyRow, answers: Sequence[Answer]) -> Iterator[float]:
    """The share of what answers a prompt among the first eight: itself, or its twin."""
    twins = {each.original: normalised(each.text) for each in row.injected if each.kind == "twin"}
    for answer in answers:
        if not answer.is_silent and answer.wanted:
            ranked = {*answer.ranked}
            yield sum(bool({fact, twins.get(fact, fact)} & ranked) for fact in answer.wanted) / len(
                answer.wanted
            )


def _wrong(row: TidyRow, answers: Sequence[Answer]) -> Iterator[float]:
    """How many of the first eight say what doesn't hold."""
    wrong = {normalised(each.text) for each in row.injected if each.kind != "twin"}
    yield from (sum(text in wrong for text in answer.ranked) for answer in answers if not answer.is_silent)


def _of(rows: Sequence[TidyRow], kind: str) -> list[tuple[TidyRow, Injected]]:
    return [(row, each) for row in rows for each in row.injected if each.kind == kind]


def _has(row: TidyRow, fact: str) -> bool:
    """Whether a fact stands in a note that isn't archived, in its words or its twin's."""
    twin = next(
        (normalised(each.text) for each in row.injected if (each.kind, each.original) == ("twin", fact)), fact
    )
    return bool({fact, twin} & row.texts_after)


def _twins(rows: Sequence[TidyRow]) -> dict[str, float | None]:
    """Of the pairs: how many became one, and whether the older one is left then."""
    pairs = [
        (each.original in row.texts_after, normalised(each.text) in row.texts_after)
        for row, each in _of(rows, "twin")
    ]
    joined = [pair for pair in pairs if pair != (True, True)]
    return {
        "twins joined": share(len(joined), len(pairs)),
        "the older one stays": share(sum(older for older, _ in joined), len(joined)),
    }


def _left(rows: Sequence[TidyRow]) -> dict[str, float | None]:
    """Of the outdated and contradictory: how many stand in the files as before, and how many archived."""
    wrong = [
        (row, normalised(each.text))
        for kind in ("outdated", "contradictory")
        for row, each in _of(rows, kind)
    ]
    stays = sum(text in row.texts_after for row, text in wrong)
    archived = sum(text in row.archived for row, text in wrong)
    return {
        "overtaken, untouched": share(stays, len(wrong)),
        "overtaken, archived": share(archived, len(wrong)),
    }
