"""Of what use a report of 6,800 bytes is: how many of its lines name a file that is soon touched.

The candidates are lines of documents that name files, at a moment each month; of use is a line of whose files
one is touched in the next two weeks. Orders are compared with any order: newest first, the seed's decay, by
activity of the files, the packet of a session's start, and the order of ctxrepo's scores. An order by
activity has the advantage of the label, which is activity, too.
"""

from __future__ import annotations

import argparse
import tempfile
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from recall.datasets import DataSet
from recall.start import started

from living.figures import columns, parts, share
from living.material.documents import facts, is_document
from living.material.histories import DAY, Commit, History, chance
from living.material.names import Snapshot, paths_in
from living.runs import Run, parser, run_of, shown
from living.seams import Changes, ReportEntry
from living.staleness import decay

BUDGET = 6800
"""Bytes of a report."""

BINDING = 20
"""From so many moments on the figures of a repository count by themselves."""

_AHEAD, _RECENT = 14, 14
"""Days in which a touched file makes a line useful, and days that count as recent."""

FEWEST, _STEP, _LATEST = 40, 30, 730
"""Candidates below which a moment is left out; days between two moments, and how far back they go."""


@dataclass(frozen=True)
class Moment:
    """The candidates of a report at `at`, and which of them are of use in the days after it; `changed`: path
    -> when the file was changed."""

    repository: str
    at: int
    entries: list[ReportEntry]
    useful: list[bool]
    changed: Changes


@dataclass(frozen=True)
class ReportOutcome:
    """For each order, how many lines it gave and how many of them were of use; any order: all lines."""

    repository: str
    given: Mapping[str, tuple[int, int]]


Key = Callable[[ReportEntry, int], Any]


def _last(entry: ReportEntry, _: int) -> int:
    return -max(entry.touches, default=0)


def _recent(entry: ReportEntry, at: int) -> tuple[int, int]:
    return -sum(touch > at - _RECENT * DAY for touch in entry.touches), _last(entry, at)


ORDERS: Mapping[str, Key] = {
    "newest first": lambda entry, _: -entry.stated,
    "seed's decay": lambda entry, at: -decay((at - entry.stated) / DAY),
    "oldest first": lambda entry, _: entry.stated,
    "touched last": _last,
    "touched often lately": _recent,
    "touched often ever": lambda entry, _: -len(entry.touches),
}
ANY, PACKET, OURS = "any order", "packet", "ctxrepo"


def main(argv: list[str]) -> int:
    return shown(_measured, parser("report", __doc__, 24).parse_args(argv))


def _measured(options: argparse.Namespace) -> tuple[dict[str, Any], str]:
    rows = figures(list(measure(run_of(options))))
    return rows, columns(rows, with_each=options.each)


def measure(run: Run) -> Iterator[ReportOutcome]:
    for history in run.named():
        for moment in moments(history, run.cases):
            yield reported(moment, run)


def moments(history: History, most: int) -> Iterator[Moment]:
    """The newest `most` moments with enough candidates."""
    grid = history.grid(_STEP, _LATEST)
    first: dict[str, int] = {}
    eligible = []
    for look in grid:
        lines = _naming(history, look)
        for line in lines:
            first.setdefault(line, look.at)
        if len(lines) >= FEWEST and look.at + _AHEAD * DAY <= history.head.at:
            candidates = [
                _candidate(history, line, paths, first[line], look.at) for line, paths in lines.items()
            ]
            entries, useful = map(list, zip(*candidates, strict=True))
            eligible.append(Moment(history.name, look.at, entries, useful, _changed(history, look.at)))
    yield from eligible[-most:]


def _naming(history: History, look: Commit) -> dict[str, list[str]]:
    """line -> the files that it names, of all documents of a commit."""
    snapshot = Snapshot(look, history.tree(look.oid))
    documents = [blob for path, blob in snapshot.tree.items() if is_document(path)]
    lines = dict.fromkeys(line for blob in documents for line in _facts(history, blob))
    named = {
        line: [name.name for name in paths_in(line, snapshot) if name.name in snapshot.tree] for line in lines
    }
    return {line: paths for line, paths in named.items() if paths}


def _changed(history: History, at: int) -> Changes:
    """path -> when it was changed, up to a moment."""
    before = ((path, bisect_right(moments, at), moments) for path, moments in history.touched.items())
    return {path: moments[:number] for path, number, moments in before if number}


@lru_cache(maxsize=20_000)
def _facts(history: History, blob: str) -> tuple[str, ...]:
    return tuple(facts(history.read(blob) or ""))


def _candidate(
    history: History, line: str, paths: Sequence[str], stated: int, at: int
) -> tuple[ReportEntry, bool]:
    """The line as a candidate at a moment, and whether it is of use."""
    touches = sorted(touch for path in paths for touch in history.touched.get(path, ()))
    now = bisect_right(touches, at)
    return ReportEntry(line, stated, tuple(touches[:now])), bisect_right(touches, at + _AHEAD * DAY) > now


def reported(moment: Moment, run: Run) -> ReportOutcome:
    """What each order gives at a moment."""
    given = {ANY: (len(moment.useful), sum(moment.useful))}
    numbers = range(len(moment.entries))
    for name, key in ORDERS.items():
        order = sorted(
            numbers, key=lambda n: (key(moment.entries[n], moment.at), chance(moment.entries[n].text))
        )
        given[name] = _of_use(moment, _within(moment, order))
    given[PACKET] = _of_use(moment, _packet(moment))
    given[OURS] = _of_use(moment, _within(moment, run.seams.order(moment.entries, moment.changed, moment.at)))
    return ReportOutcome(moment.repository, given)


def _within(moment: Moment, order: Sequence[int]) -> list[int]:
    """As many as fit."""
    given, room = [], BUDGET
    for number in order:
        room -= len(moment.entries[number].text.encode()) + 3
        if room < 0:
            break
        given.append(number)
    return given


def _packet(moment: Moment) -> list[int]:
    """What stands in the packet of a session: the lines were appended to MEMORY.md as they were stated."""
    order = sorted(range(len(moment.entries)), key=lambda number: moment.entries[number].stated)
    with tempfile.TemporaryDirectory(prefix="ctxrepo-living-") as there:
        note = Path(there) / "memory" / "project" / "MEMORY.md"
        note.parent.mkdir(parents=True)
        note.write_text("".join(f"- {moment.entries[number].text}\n" for number in order))
        return [order[piece.first - 1] for piece in started(DataSet(Path(there), (), {}))]


def _of_use(moment: Moment, given: Sequence[int]) -> tuple[int, int]:
    return len(given), sum(moment.useful[number] for number in given)


def figures(outcomes: Sequence[ReportOutcome]) -> dict[str, Any]:
    """The figures of all, of each half and of each repository."""
    return {name: _row(part) for name, part in parts(outcomes, lambda each: each.repository)}


def _row(outcomes: Sequence[ReportOutcome]) -> dict[str, Any]:
    """Means over moments of the share of lines that are of use, and how much that is of any order's."""
    row: dict[str, Any] = {"moments": len(outcomes), "is binding": str(len(outcomes) >= BINDING)}
    row["candidates"] = round(sum(each.given[ANY][0] for each in outcomes) / max(len(outcomes), 1))
    base = _share(outcomes, ANY)
    for name in (ANY, *ORDERS, PACKET, OURS):
        row[name] = _share(outcomes, name)
    for name in (*ORDERS, PACKET, OURS):
        row[f"{name} × any"] = share(row[name] or 0, base or 0)
    for name in (PACKET, OURS):
        row[f"lines, {name}"] = round(sum(each.given[name][0] for each in outcomes) / max(len(outcomes), 1))
    return row


def _share(outcomes: Sequence[ReportOutcome], name: str) -> float | None:
    shares = [useful / given for each in outcomes for given, useful in [each.given[name]] if given]
    return sum(shares) / len(shares) if shares else None
