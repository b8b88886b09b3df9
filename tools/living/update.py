"""Whether a session is given the new value of a fact that changed, and not the old one as if it still held.

One-for-one changes of lines in documents are replayed into a memory, as agents would write them: the old
line among its neighbours, thirty days later the new one, without a word of what it replaces. A prompt then
asks with the words that both share. Lines that were only added show what is doubted that still holds, and
which twins are named at writing that are none. Half of the new lines are written into another note.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ctxrepo.domain.words.prompt_terms import words
from ctxrepo.services.notes.remarks import RememberResult
from ctxrepo.services.recall.recall import Question
from living.figures import columns, parts, share
from living.material.documents import Change, changes, facts
from living.material.histories import DAY, History, chance
from living.material.memories import PassingMemory, holds_secret, may_be_written, moment, passing_memory
from living.runs import Run, parser, run_of, shown

NEIGHBOURS = 30
"""Entries of the same document that stand beside the old one."""

_FEWEST_NEIGHBOURS, _FEWEST_SHARED, _MOST_SHARED = 10, 3, 12
_MOST_OF_COMMIT = 4
"""Cases taken of one commit: one that rewrites all documents tells little more than another."""

_VALUE = re.compile(r"`[^`]+`|[\w./-]*\d[\w./-]*|\b[a-z]+[A-Z]\w*|\b\w+_\w+")

_GAP = 30 * DAY
_COMMIT_EACH = 8
"""So many writes wait for a commit: a journal that grows long makes each write slower."""

_NOTES = ("topics/notes.md", "topics/more.md")


@dataclass(frozen=True)
class UpdateCase:
    """A line that came at `at`, with the lines of its document that stayed; `old` is what it replaced, '' for
    nothing. `is_elsewhere`: it is written into another note. `query` are the words that both share."""

    repository: str
    at: int
    old: str
    new: str
    neighbours: list[str]
    query: str
    is_elsewhere: bool


@dataclass(frozen=True)
class UpdateOutcome:
    """What came of a case. `near`: a twin was named at writing, `near_right`: the one that is replaced.
    `doubted` of `held` entries that still hold are doubted; of the old one `is_old_doubted` tells."""

    case: UpdateCase
    has_new: bool
    has_old: bool
    is_old_marked: bool
    near: int
    near_right: int
    held: int
    doubted: int
    is_old_doubted: bool

    @property
    def is_clean(self) -> bool:
        return self.has_new and (not self.has_old or self.is_old_marked)


class Written(NamedTuple):
    """A case in the memory: its folder, the ids of the old entry, '' for none, and of its neighbours; what
    was answered when the new one was written."""

    case: UpdateCase
    folder: str
    old: str
    others: list[str]
    new: RememberResult


def main(argv: list[str]) -> int:
    return shown(_measured, parser("update", __doc__, 40).parse_args(argv))


def _measured(options: argparse.Namespace) -> tuple[dict[str, Any], str]:
    outcomes = list(measure(run_of(options)))
    rows = figures(outcomes)
    return rows, columns(rows, with_each=options.each)


def measure(run: Run) -> Iterator[UpdateOutcome]:
    """The outcomes of all cases, a memory for each repository and a project in it for each case."""
    for history in run.named():
        cases = run.corpus("update", history, lambda history: update_cases(history, run.cases), UpdateCase)
        with passing_memory() as memory:
            yield from _replayed(memory, cases, run)


def update_cases(history: History, most: int) -> list[UpdateCase]:
    """At most `most` updates and as many additions, chosen by a hash of what they say."""
    seen: set[tuple[str, str]] = set()
    by_commit: Counter[tuple[str, bool]] = Counter()
    chosen: dict[bool, list[UpdateCase]] = {True: [], False: []}
    for change in sorted(changes(history), key=lambda change: chance(change.commit, change.path, change.new)):
        is_update = bool(change.old)
        key = change.commit, is_update
        if (
            len(chosen[is_update]) >= most
            or by_commit[key] >= _MOST_OF_COMMIT
            or (change.old, change.new) in seen
        ):
            continue
        seen.add((change.old, change.new))
        if case := _case(history, change, len(chosen[is_update])):
            by_commit[key] += 1
            chosen[is_update].append(case)
    return [*chosen[True], *chosen[False]]


def _case(history: History, change: Change, number: int) -> UpdateCase | None:
    """The change as a case; None where it says nothing new, or its document has too few lines around it."""
    shared, old_words = words(change.new), set(words(change.old))
    if change.old:
        new_words, shared = set(shared), [word for word in shared if word in old_words]
        if not (new_words - old_words) or not (old_words - new_words):
            return None  # another form of the same, or only more of it
    if len(shared) < _FEWEST_SHARED or not (may_be_written(change.new) and may_be_written(change.old or " ")):
        return None
    before, after = (facts(history.read(f"{change.commit}{at}:{change.path}") or "") for at in ("^1", ""))
    if (change.old and change.old not in before) or change.new in before or change.new not in after:
        return None
    staying = set(after) - {change.new, change.old}
    neighbours = [line for line in _around(before, after, change) if line in staying and may_be_written(line)]
    if len(neighbours) < _FEWEST_NEIGHBOURS or holds_secret([change.old, *neighbours, change.new]):
        return None
    query, is_elsewhere = " ".join(shared[:_MOST_SHARED]), number % 2 == 1
    return UpdateCase(history.name, change.at, change.old, change.new, neighbours, query, is_elsewhere)


def is_other_value(old: str, new: str) -> bool:
    """Whether the two differ in numbers, or in names of code: what an agent would act on."""
    return set(_VALUE.findall(old)) != set(_VALUE.findall(new))


def _around(before: Sequence[str], after: Sequence[str], change: Change) -> list[str]:
    """The lines of the document before the change that are nearest to it."""
    lines, wanted = (before, change.old) if change.old else (after, change.new)
    middle = lines.index(wanted) if wanted in lines else 0
    nearest = sorted(range(len(lines)), key=lambda number: abs(number - middle))
    return [lines[number] for number in sorted(nearest[1 : NEIGHBOURS + 1])]


def _replayed(memory: PassingMemory, cases: Sequence[UpdateCase], run: Run) -> Iterator[UpdateOutcome]:
    """All old entries are written and committed, a month later the new ones; then doubts are looked for."""
    now = max((case.at for case in cases), default=0)
    paths = [f"case{number}/{_NOTES[0]}" for number in range(len(cases))]
    held = {
        path: [*filter(None, [case.old]), *case.neighbours] for path, case in zip(paths, cases, strict=True)
    }
    ids = memory.state(held, now - _GAP)
    memory.commit(now - _GAP)
    written = []
    for path, case in zip(paths, cases, strict=True):
        folder = path.partition("/")[0]
        new = memory.remember(folder, [case.new], now, _NOTES[case.is_elsewhere])[0]
        old, others = (ids[path][0], ids[path][1:]) if case.old else ("", ids[path])
        written.append(Written(case, folder, old, others, new))
        if len(written) % _COMMIT_EACH == 0:
            memory.commit(now)
    memory.commit(now)
    run.seams.scan(memory.memory, None, moment(now + DAY))
    doubts = run.seams.doubts(memory.memory)
    yield from (_outcome(memory, each, now + DAY, run, doubts) for each in written)


def _outcome(
    memory: PassingMemory, written: Written, at: float, run: Run, doubts: Mapping[str, str]
) -> UpdateOutcome:
    case, old, new = written.case, written.old, written.new
    given = {
        hit.id.lstrip("^"): hit
        for hit in memory.recall([written.folder], Question(case.query, purpose="prompt"), at).hits
    }
    near = {*(twin.id for twin in new.near), *new.replaced}
    holding = [*written.others, new.id]
    return UpdateOutcome(
        case,
        has_new=new.id in given,
        has_old=old in given,
        is_old_marked=old in given and bool(run.seams.mark(given[old])),
        near=len(near),
        near_right=int(old in near),
        held=len(holding),
        doubted=sum(entry in doubts for entry in holding),
        is_old_doubted=old in doubts,
    )


def figures(outcomes: Sequence[UpdateOutcome]) -> dict[str, Any]:
    """The figures of all, of each half and of each repository."""
    return {name: _row(part) for name, part in parts(outcomes, lambda each: each.case.repository)}


def _row(outcomes: Sequence[UpdateOutcome]) -> dict[str, Any]:
    updates = [each for each in outcomes if each.case.old]
    additions = [each for each in outcomes if not each.case.old]
    number = len(updates)
    row: dict[str, Any] = {"updates": number, "additions": len(additions)}
    row["clean"] = share(sum(each.is_clean for each in updates), number)
    row["new"] = share(sum(each.has_new for each in updates), number)
    row["both"] = share(
        sum(each.has_new and each.has_old and not each.is_old_marked for each in updates), number
    )
    values = [each for each in updates if is_other_value(each.case.old, each.case.new)]
    row["of a value"] = len(values)
    row["of a value: clean"] = share(sum(each.is_clean for each in values), len(values))
    row["of a value: old doubted"] = share(sum(each.is_old_doubted for each in values), len(values))
    row["old alone"] = share(sum(each.has_old and not each.has_new for each in updates), number)
    row["old doubted"] = share(sum(each.is_old_doubted for each in updates), number)
    row["holding doubted"] = share(
        sum(each.doubted for each in outcomes), sum(each.held for each in outcomes)
    )
    row["holding"] = sum(each.held for each in outcomes)
    for name, is_elsewhere in (("same", False), ("other", True)):
        there = [each for each in outcomes if each.case.is_elsewhere == is_elsewhere]
        right, named = sum(each.near_right for each in there), sum(each.near for each in there)
        row[f"twin recall, {name} note"] = share(right, sum(bool(each.case.old) for each in there))
        row[f"twin precision, {name} note"] = share(right, named)
    return row
