"""Whether doubts take away what prompts need: the recall corpora before and after doubts are looked for.

All that these memories hold is true, so whatever is delivered less is harm.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any, NamedTuple

from recall.datasets import data_sets

from living.figures import columns, mean, parts, share
from living.material.histories import DAY
from living.material.known import STATED, Answer, KnownAnswers, answers
from living.material.memories import moment, passing_memory
from living.runs import data_parser, shown
from living.seams import Seams, seams_named

_LATER = STATED + 60 * DAY


class HarmRow(NamedTuple):
    """One prompt without and with doubts; the entries of its memory, and how many of them are doubted."""

    known: KnownAnswers
    off: Answer
    on: Answer
    entries: int
    doubted: int


def main(argv: list[str]) -> int:
    return shown(_measured, data_parser("harm", __doc__).parse_args(argv))


def _measured(options: argparse.Namespace) -> tuple[dict[str, Any], str]:
    seams = seams_named(options.seams)
    rows = [row for data in data_sets(options.data) for row in measure(KnownAnswers(data), seams)]
    numbers = figures(rows)
    return numbers, columns(numbers, with_each=options.each)


def measure(known: KnownAnswers, seams: Seams) -> list[HarmRow]:
    """Ask all prompts, look for doubts, and ask them again."""
    with passing_memory() as memory:
        known.fill(memory)
        off = list(answers(known, memory, _LATER))
        seams.scan(memory.memory, None, moment(_LATER))
        on = list(answers(known, memory, _LATER))
        doubted = len(seams.doubts(memory.memory))
    return [HarmRow(known, *pair, len(known.entries), doubted) for pair in zip(off, on, strict=True)]


def figures(rows: Sequence[HarmRow]) -> dict[str, Any]:
    """The figures of all memories, of each half and of each memory."""
    halves = {row.known.data.name: row.known.half for row in rows}
    return {
        name: _row(part) for name, part in parts(rows, lambda row: row.known.data.name, halves.__getitem__)
    }


def _row(rows: Sequence[HarmRow]) -> dict[str, Any]:
    off, on = answer_row([row.off for row in rows]), answer_row([row.on for row in rows])
    memories = {row.known.data.name: (row.entries, row.doubted) for row in rows}.values()
    row: dict[str, Any] = {"prompts": off["prompts"], "deserve silence": off["silence"]}
    for name in ("recall@8", "delivered", "bytes", "false", "noise"):
        row |= {f"{name}, off": off[name], f"{name}, on": on[name]}
    return row | {
        "doubted": share(sum(number for _, number in memories), sum(number for number, _ in memories))
    }


def answer_row(rows: Sequence[Answer]) -> dict[str, float | None]:
    """recall@8: the share of the entries that answer a prompt among the first eight; delivered: among what it
    was given; false: prompts that deserve silence and were given something; noise: bytes these were given."""
    wanted = [row for row in rows if not row.is_silent and row.wanted]
    silent = [row for row in rows if row.is_silent]
    return {
        "prompts": len(wanted),
        "recall@8": mean(len(row.wanted & {*row.ranked}) / len(row.wanted) for row in wanted),
        "delivered": mean(len(row.wanted & {*row.given}) / len(row.wanted) for row in wanted),
        "bytes": mean(row.size for row in wanted),
        "silence": len(silent),
        "false": share(sum(bool(row.given) for row in silent), len(silent)),
        "noise": mean(row.size for row in silent),
    }
