"""How many deliveries bring an entry that sessions were given before and none ever used.

Simulated: sessions ask the prompts of the recall corpora, in an order of their own; an entry that answers the
prompt it is given for is used. With --usage the counts of a real memory on this machine (`usage.db`, of which
nothing but the sums is shown).
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from recall.datasets import Label, data_sets

from ctxrepo.domain.records.entry_use import Usage
from ctxrepo.errors import UsageError
from ctxrepo.services.freshness.find_doubts import scan
from ctxrepo.services.recall.queries import Query
from ctxrepo.services.recall.recall import Question
from ctxrepo.storage.state.usage import UsageStore
from living.figures import columns, parts, share
from living.material.histories import DAY, chance
from living.material.known import STATED, KnownAnswers, text_of
from living.material.memories import PassingMemory, moment, passing_memory
from living.runs import data_parser, shown

SESSIONS, PROMPTS = 60, 6
"""Sessions of a memory, two a day, and prompts of each."""

_OFTEN = 3


class DeliveryRow(NamedTuple):
    """One entry given to one session: whether it was used, how many sessions had been given it before, and
    whether one of those had used it."""

    memory: KnownAnswers
    is_used: bool
    earlier: int
    was_used: bool


@dataclass
class _Past:
    """What sessions before were given of an entry."""

    sessions: int = 0
    is_used: bool = False


def main(argv: list[str]) -> int:
    options = data_parser("repeats", __doc__)
    options.add_argument(
        "--usage", type=Path, metavar="FILE", help="a usage.db, instead of simulated sessions"
    )
    return shown(_measured, options.parse_args(argv))


def _measured(options: argparse.Namespace) -> tuple[dict[str, Any], str]:
    if options.usage:
        numbers = {"all": usage_row(_counted(options.usage))}
    else:
        numbers = figures([row for data in data_sets(options.data) for row in measure(KnownAnswers(data))])
    return numbers, columns(numbers, with_each=options.each)


def measure(known: KnownAnswers) -> list[DeliveryRow]:
    """The deliveries of all sessions; what they used is counted in the memory's own usage.db."""
    past: dict[str, _Past] = {}
    rows: list[DeliveryRow] = []
    with passing_memory() as memory:
        known.fill(memory)
        for session in range(SESSIONS):
            at = STATED + (session + 1) * DAY // 2
            given = _session(known, memory, session, at)
            _count(memory, session, given, at)
            scan(memory.memory, moment(at))
            for entry, is_used in given.items():
                before = past.setdefault(entry, _Past())
                rows.append(DeliveryRow(known, is_used, before.sessions, before.is_used))
                before.sessions += 1
                before.is_used |= is_used
    return rows


def _session(known: KnownAnswers, memory: PassingMemory, session: int, at: float) -> dict[str, bool]:
    """Entry id -> whether it was used, of what the prompts of a session are given; none is given twice."""
    texts = {entry.id: text_of(entry) for entry in memory.entries()}
    given: dict[str, bool] = {}
    for query, _ in _prompts(known, session):
        hits = memory.recall(known.scopes, Question(query.text, query.before, purpose="prompt"), at).hits
        for entry in (hit.id.lstrip("^") for hit in hits):
            given[entry] = given.get(entry, False) or texts.get(entry) in known.answers[query.id]
    return given


def _prompts(known: KnownAnswers, session: int) -> Iterator[tuple[Query, Label]]:
    """What a session asks, by chance: some things come again, as they do."""
    for number in range(PROMPTS):
        yield known.asked[int(chance(known.data.name, session, number) * len(known.asked))]


def _count(memory: PassingMemory, session: int, given: dict[str, bool], at: float) -> None:
    paths = {entry.id: entry.path for entry in memory.entries()}
    with UsageStore.writing(memory.memory.state.usage) as store:
        for entry, is_used in given.items():
            store.note("delivered", f"simulated {session}", entry, paths.get(entry, ""), at)
            if is_used:
                store.note("used", f"simulated {session}", entry, paths.get(entry, ""), at)


def figures(rows: Sequence[DeliveryRow]) -> dict[str, Any]:
    """The figures of all memories, of each half and of each memory."""
    halves = {row.memory.data.name: row.memory.half for row in rows}
    return {
        name: _row(part) for name, part in parts(rows, lambda row: row.memory.data.name, halves.__getitem__)
    }


def _row(rows: Sequence[DeliveryRow]) -> dict[str, Any]:
    number = len(rows)
    idle = [row for row in rows if row.earlier and not row.was_used]
    often = [row for row in idle if row.earlier >= _OFTEN]
    return {
        "deliveries": number,
        "used": share(sum(row.is_used for row in rows), number),
        "given before": share(sum(row.earlier > 0 for row in rows), number),
        "given before, never used": share(len(idle), number),
        "of these used now": share(sum(row.is_used for row in idle), len(idle)),
        f"given {_OFTEN} times or more, never used": share(len(often), number),
        f"of these used now, after {_OFTEN}": share(sum(row.is_used for row in often), len(often)),
    }


def _counted(file: Path) -> list[Usage]:
    if not file.is_file():
        raise UsageError(f"{file} isn't there", "Name the usage.db of a memory's state.")
    with tempfile.TemporaryDirectory() as there:
        copy = Path(shutil.copy(file, there))  # to open it is to write to it
        with UsageStore.writing(copy) as store:
            return store.all()


def usage_row(counted: Sequence[Usage]) -> dict[str, Any]:
    """The same of real counts; an entry that was never used or opened is repeated in all but one session."""
    sessions = sum(each.sessions for each in counted)
    idle = [each for each in counted if each.sessions and not each.used and not each.opened]
    return {
        "deliveries": sessions,
        "used": share(sum(each.used for each in counted), sessions),
        "given before": share(sum(max(each.sessions - 1, 0) for each in counted), sessions),
        "given before, never used": share(sum(each.sessions - 1 for each in idle), sessions),
    }
