"""Which entries name what is no longer there, and who notices: age, the seed's decay, detectors.

Lines of documents that name a file, a symbol or a command are stated at a commit, and looked at a month later
and each month for half a year. Git tells what became of the names. An entry is stale when one of them is gone
or has another name by then. Beside that: entries that cite a line of code which has changed.
"""

from __future__ import annotations

import argparse
import math
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

from living.figures import auc, columns, parts, share
from living.material.documents import facts, is_document
from living.material.histories import DAY, Commit, History, chance, checkout_at
from living.material.memories import moment
from living.material.names import Name, Snapshot, commands_in, paths_in, snapshots, symbols_in
from living.runs import Run, parser, run_of, shown
from living.seams import StaleKind, StatedEntry

STEP, STEPS = 30, 6
"""Days between two looks, and how many there are."""

_EVERY, _LATEST = 90, 730
"""Days between two commits at which entries are stated; the last days that are looked at."""

_KINDS: Mapping[str, StaleKind] = {"path": "gone", "symbol": "symbol", "command": "command"}
_SPARE = 4
"""So many times the lines are taken that are wanted: of many the symbols turn out not to be in the code."""

_DROPPED = 0.4
"""Below it the seed's profile drops an entry (behaviour B3)."""


@dataclass(frozen=True)
class Observation:
    """One entry at its look number `step`: `stale` is why it is stale, '' for one that holds; `is_changed`
    whether the line that it cites has changed, None where it cites none."""

    repository: str
    id: str
    text: str
    commit: str
    at: int
    cites: list[str]
    later: str
    later_at: int
    step: int
    stale: str
    is_changed: bool | None


@dataclass(frozen=True)
class StaleOutcome:
    """An observation and what the detectors say of it, '' for nothing."""

    seen: Observation
    doubt: str

    @property
    def is_stale(self) -> bool:
        return bool(self.seen.stale)

    @property
    def entry(self) -> tuple[str, str]:
        return self.seen.repository, self.seen.id

    @property
    def key(self) -> tuple[str, str, int]:
        return *self.entry, self.seen.step

    @property
    def age(self) -> float:
        """Days since it was stated."""
        return (self.seen.later_at - self.seen.at) / DAY


def main(argv: list[str]) -> int:
    return shown(_measured, parser("staleness", __doc__, 40).parse_args(argv))


def _measured(options: argparse.Namespace) -> tuple[dict[str, Any], str]:
    rows = figures(list(measure(run_of(options))))
    return rows, columns(rows, with_each=options.each)


def measure(run: Run) -> Iterator[StaleOutcome]:
    for history in run.named():
        seen = run.corpus("staleness", history, lambda history: observations(history, run.cases), Observation)
        yield from _detected(history, seen, run)


def observations(history: History, most: int) -> list[Observation]:
    """At most `most` lines of each commit of a grid, each looked at every month."""
    grid = history.grid(STEP, _LATEST)
    stated = dict(_stated(history, grid[:: _EVERY // STEP], _SPARE * most))
    wanted = {
        name.name
        for lines in stated.values()
        for _, _, names in lines
        for name in names
        if name.kind == "symbol"
    }
    known = snapshots(history, grid, wanted)
    observations = list[Observation]()
    for commit, lines in stated.items():
        named = (
            _Line(commit, document, line, tuple(filter(known[commit].has, names)), number)
            for number, (document, line, names) in enumerate(lines)
        )
        for line in islice((line for line in named if line.names), most):
            observations += _looks(history, line, grid, known)
    return observations


@dataclass(frozen=True)
class _Line:
    """A line of a document, with the names in it that are there at `commit`."""

    commit: Commit
    document: str
    text: str
    names: tuple[Name, ...]
    number: int


def _stated(
    history: History, commits: Sequence[Commit], most: int
) -> Iterator[tuple[Commit, list[tuple[str, str, list[Name]]]]]:
    """For each commit the lines that are stated then, each once in all, with what they seem to name."""
    seen: set[str] = set()
    for commit in commits:
        snapshot = Snapshot(commit, history.tree(commit.oid))
        documents = {f"{commit.oid}:{path}": path for path in snapshot.tree if is_document(path)}
        lines = [
            (documents[spec], line)
            for spec, text in history.read_all(documents).items()
            for line in facts(text)
        ]
        chosen: list[tuple[str, str, list[Name]]] = []
        for document, line in sorted(lines, key=lambda pair: chance(history.name, pair[1])):
            if len(chosen) < most and line not in seen and (names := _names(line, document, snapshot)):
                chosen.append((document, line, names))
                seen.add(line)
        yield commit, chosen


def _names(line: str, document: str, snapshot: Snapshot) -> list[Name]:
    named = paths_in(line, snapshot)
    named += [Name("symbol", symbol) for symbol in symbols_in(line)]
    return named + [Name("command", command) for command in commands_in(line)]


def _looks(
    history: History, line: _Line, grid: Sequence[Commit], known: Mapping[Commit, Snapshot]
) -> Iterator[Observation]:
    """The line at each later look."""
    names = line.names
    start = grid.index(line.commit)
    cite, cited = _cited(history, line, names, known[line.commit])
    for step, commit in enumerate(grid[start + 1 : start + 1 + STEPS], 1):
        yield Observation(
            history.name,
            f"{line.commit.at}-{line.number}",
            line.text,
            line.commit.oid,
            line.commit.at,
            [cite] if cite else [],
            commit.oid,
            commit.at,
            step,
            _stale(history, names, line.commit, known[commit]),
            _is_changed(history, cite, cited, known[commit]) if cite else None,
        )


def _stale(history: History, names: Sequence[Name], since: Commit, later: Snapshot) -> str:
    """Why a line with these names is stale, '' if it holds."""
    for name in names:
        if not later.has(name):
            if name.kind == "path" and later.has_path(history.renamed(name.name, since.at, later.commit.at)):
                return "renamed"
            return _KINDS[name.kind]
    return ""


def _cited(history: History, line: _Line, names: Sequence[Name], first: Snapshot) -> tuple[str, str]:
    """(`PATH@COMMIT#L3`, that line): where the one file that is named has the first symbol; else ('', '')."""
    files = [name.name for name in names if name.kind == "path" and name.name in first.tree]
    symbols = [name.name for name in names if name.kind == "symbol"]
    if len(files) != 1 or not symbols:
        return "", ""
    for number, text in enumerate(_lines(history, first.tree[files[0]]), 1):
        if symbols[0] in text:
            return f"{files[0]}@{line.commit.oid}#L{number}", text
    return "", ""


def _is_changed(history: History, cite: str, cited: str, later: Snapshot) -> bool:
    """Whether the file no longer has the cited line, wherever it stands in it."""
    blob = later.tree.get(cite.partition("@")[0])
    return blob is None or cited not in _lines(history, blob)


@lru_cache(maxsize=4096)
def _lines(history: History, blob: str) -> tuple[str, ...]:
    """The lines of a version of a file, without what is blank at their ends."""
    return tuple(line.strip() for line in (history.read(blob) or "").splitlines())


def _detected(history: History, seen: Sequence[Observation], run: Run) -> Iterator[StaleOutcome]:
    """Ask the detectors at each later commit of everything that was stated before."""
    by_later: dict[tuple[str, int], list[Observation]] = defaultdict(list)
    for each in seen:
        by_later[each.later, each.later_at].append(each)
    with tempfile.TemporaryDirectory(prefix="ctxrepo-living-") as there:
        for (later, at), looked in by_later.items():
            checkout = checkout_at(history, later, Path(there) / "code")
            entries = [
                StatedEntry(each.id, each.text, each.commit, each.at, tuple(each.cites)) for each in looked
            ]
            doubts = run.seams.stale(entries, checkout, moment(at))
            yield from (StaleOutcome(each, doubts.get(each.id, "")) for each in looked)


def figures(outcomes: Sequence[StaleOutcome]) -> dict[str, Any]:
    """The figures of all, of each half and of each repository."""
    return {name: _row(part) for name, part in parts(outcomes, lambda each: each.seen.repository)}


def _row(outcomes: Sequence[StaleOutcome]) -> dict[str, Any]:
    stale = sum(each.is_stale for each in outcomes)
    entries = {each.entry for each in outcomes}
    row: dict[str, Any] = {"entries": len(entries), "observations": len(outcomes), "stale": stale}
    row["base rate"] = share(stale, len(outcomes))
    row["AUC of age"] = auc((each.age, each.is_stale) for each in outcomes)
    row |= {f"oldest, {name}": value for name, value in _oldest(outcomes, stale).items()}
    row |= {
        f"seed, {name}": value
        for name, value in _judged(outcomes, lambda each: decay(each.age) < _DROPPED).items()
    }
    row |= {f"detectors, {name}": value for name, value in _judged(outcomes, _is_doubted).items()}
    for kind in ("gone", "renamed", "symbol", "command"):
        there = [each for each in outcomes if each.seen.stale == kind]
        row[f"{kind}: stale"] = len(there)
        row[f"{kind}: recall"] = share(sum(map(_is_doubted, there)), len(there))
    return row | _cite_row(outcomes)


def _is_doubted(outcome: StaleOutcome) -> bool:
    return outcome.doubt not in ("", "changed")


def _oldest(outcomes: Sequence[StaleOutcome], most: int) -> dict[str, float | None]:
    """As many of the oldest as there are stale ones."""
    oldest = sorted(outcomes, key=lambda each: (-each.age, chance(each.seen.id, each.seen.text)))[:most]
    chosen = {each.key for each in oldest}
    return _judged(outcomes, lambda each: each.key in chosen)


def decay(days: float, evidence: int = 1, cue: float = 1.0, unit: float = 60) -> float:
    """The seed's stability of a lesson that was stated once, so many days ago (behaviour B2)."""
    return cue * math.exp(-days / unit) * math.log(1 + evidence)


def _judged(
    outcomes: Sequence[StaleOutcome], is_doubted: Callable[[StaleOutcome], bool]
) -> dict[str, float | None]:
    """Precision and recall; how many of a hundred entries are doubted in a month though they hold."""
    doubted = [each for each in outcomes if is_doubted(each)]
    right = sum(each.is_stale for each in doubted)
    false = {each.entry for each in doubted if not each.is_stale}
    return {
        "precision": share(right, len(doubted)),
        "recall": share(right, sum(each.is_stale for each in outcomes)),
        "false a month per 100": share(100 * len(false), len(outcomes)),
    }


def _cite_row(outcomes: Sequence[StaleOutcome]) -> dict[str, Any]:
    """Of observations of an entry that cites a line: whether the line changed, and whether that was told."""
    citing = [each for each in outcomes if each.seen.is_changed is not None]
    changed = sum(bool(each.seen.is_changed) for each in citing)
    doubted = [each for each in citing if each.doubt]
    right = sum(bool(each.seen.is_changed) for each in doubted)
    row: dict[str, Any] = {"cites": len(citing), "cites: changed": share(changed, len(citing))}
    return row | {"cites: precision": share(right, len(doubted)), "cites: recall": share(right, changed)}
