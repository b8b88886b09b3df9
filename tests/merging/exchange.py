"""What holds for three machines, in whatever order they merge what each other wrote."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import permutations
from random import Random

from merging.note_laws import laws_of, said, written
from merging.notes import PATH, Case, alike, clear, wild

from ctxrepo.domain.merge import merge_file
from ctxrepo.domain.note.entry import normalised

ROUNDS = 3
"""After so many rounds in which each merges from each, all have one file."""


@dataclass(frozen=True)
class Commit:
    """A version of the file with its history; `put_aside` is what lost on the way to it."""

    data: bytes
    before: frozenset[Commit] = frozenset()
    put_aside: frozenset[str] = frozenset()

    def __hash__(self) -> int:
        return id(self)

    def __eq__(self, other: object) -> bool:
        return self is other


def merge_base(first: Commit, second: Commit) -> Commit:
    """A common ancestor that no other one follows; where there are several, as git has it, one of them."""
    common = (first.before | {first}) & (second.before | {second})
    best = [c for c in common if not any(c in later.before for later in common)]
    return min(best, key=lambda c: c.data)


def joined(first: Commit, second: Commit, path: str = PATH) -> Commit:
    """What a machine at `first` has after it met `second`."""
    if first is second or second in first.before:
        return first
    if first in second.before:
        return second
    result = merge_file(path, merge_base(first, second).data, first.data, second.data)
    lost = frozenset(copy.other for copy in result.conflict_copies)
    before = first.before | second.before | {first, second}
    return Commit(result.data or b"", before, first.put_aside | second.put_aside | lost)


def heads(case: Case) -> list[Commit]:
    base = Commit(case.base)
    return [Commit(side, frozenset([base])) for side in case.sides]


def _orders(case: Case) -> Iterator[Sequence[Commit]]:
    """Who merges with whom, and the third with that; the first two may be swapped."""
    first, second, third = heads(case)
    yield from ((first, second, third), (first, third, second), (second, third, first))


def one_after_another(case: Case) -> Iterator[str]:
    """In each order in which one machine takes up the others the note says the same, as often."""
    results = [said(reduce(joined, order).data) for order in _orders(case)]
    for result in results[1:]:
        if result != results[0]:
            yield f"one order has {results[0] - result}, another {result - results[0]}"
            return


def same_words(case: Case) -> Iterator[str]:
    """In each order the same texts are there or put aside.

    Where entries are much alike, an addition may be taken for an edit of what another machine edited too; of
    the two one is put aside then, and which pair it is depends on who meets first.
    """
    results = [reduce(joined, order) for order in _orders(case)]
    texts = [
        {text for text in said(result.data) + _put_aside(result) if text[:1] != "#"} for result in results
    ]
    for words in texts[1:]:
        if words != texts[0]:
            yield f"one order has {texts[0] - words}, another {words - texts[0]}"
            return


def nothing_lost(case: Case) -> Iterator[str]:
    """In each order: what all kept and what any added is there or put aside; what one removed is not."""
    for order in _orders(case):
        yield from _wrong(case, reduce(joined, order))


def full_exchange(case: Case) -> Iterator[str]:
    """Machines that go on to merge from each other end with one file, to the byte; nothing is lost.

    Where git has several merge bases and takes one, how often a text is there may differ, not whether.
    """
    rng = Random(case.base)
    machines = heads(case)
    for _ in range(ROUNDS):
        for here, there in rng.sample(list(permutations(range(len(machines)), 2)), 6):
            machines[here] = joined(machines[here], machines[there])
    if len({machine.data for machine in machines}) > 1:
        yield f"not one file: {[machine.data for machine in machines]}"
    yield from _wrong(case, machines[0], enough=1)


def at_once(case: Case) -> Iterator[str]:
    """Also where all merge at the same moment, so that no merge is part of another one's history."""
    machines = heads(case)
    for _ in range(ROUNDS):
        for step in (1, 2):
            machines = [joined(m, machines[(n + step) % len(machines)]) for n, m in enumerate(machines)]
    for machine in machines:
        yield from _wrong(case, machine, enough=1)


def _wrong(case: Case, end: Commit, enough: int = sys.maxsize) -> Iterator[str]:
    """What all kept or any added has to be there or put aside; what one removed and none touched has not."""
    was, sides, now = said(case.base), [said(side) for side in case.sides], said(end.data)
    put_aside = _put_aside(end)
    forms, touched = written(case.base), [written(side) for side in case.sides]
    for text in {text for side in (was, *sides) for text in side}:
        counts = [side[text] for side in sides]
        # Of two copies one side may have edited this one and another side that one: both are gone then.
        kept = was[text] - sum(was[text] - count for count in counts)
        least = max(counts) if max(counts) > was[text] else max(0, kept)
        if now[text] + put_aside[text] < min(least, enough):
            yield f"lost {text!r}: {was[text]} -> {counts} = {now[text]}"
        is_untouched = all(not side[text] - forms[text] for side in touched)
        if max(counts) <= was[text] and is_untouched and min(now[text], enough) > min(counts):
            yield f"returned {text!r}: {was[text]} -> {counts} = {now[text]}"


def _put_aside(end: Commit) -> Counter[str]:
    return Counter(map(normalised, end.put_aside))


def _threes(make: Callable[[Random, int], Case]) -> Callable[[Random], Case]:
    return lambda rng: make(rng, 3)


_ALWAYS = (nothing_lost, full_exchange, at_once)

EXCHANGE = (
    laws_of("three machines, clear notes", _threes(clear), one_after_another, *_ALWAYS)
    | laws_of("three machines, alike notes", _threes(alike), same_words, *_ALWAYS)
    | laws_of("three machines, wild notes", _threes(wild), *_ALWAYS)
)
