"""JSON lines as machines left them, and what holds when they are merged."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial, reduce
from itertools import permutations
from random import Random

from merging.exchange import ROUNDS, heads, joined
from merging.note_laws import laws_of
from merging.notes import Case

from ctxrepo.domain.formats.jsonl import record
from ctxrepo.domain.merge import merge_file

PATH = "TAPE/shop/box-1a2b-202611.jsonl"


def tidy(rng: Random, sides: int = 2) -> Case:
    """Each id names one line, and machines that add lines give them ids of their own."""
    base = [_line(rng, f"a{n}") for n in range(rng.choice([0, 1, 3, 6]))]
    return _case(rng, base, [_left(rng, base, partial(_own, rng, side)) for side in "bcd"[:sides]])


def _own(rng: Random, side: str, number: int) -> str:
    return _line(rng, f"{side}{number}")


def untidy(rng: Random, sides: int = 2) -> Case:
    """Ids that two lines have, lines without one, torn ones, and tombstones for whatever."""
    base = [_any(rng) for _ in range(rng.choice([0, 1, 3, 6]))]
    return _case(rng, base, [_left(rng, base, lambda _: _any(rng)) for _ in range(sides)])


def _case(rng: Random, base: list[str], sides: list[list[str]]) -> Case:
    return Case(_written(rng, base), tuple(_written(rng, side) for side in sides))


def _written(rng: Random, lines: list[str]) -> bytes:
    text = "".join(line + "\n" for line in lines)
    text = rng.choice([text, text, text, text.rstrip("\n"), text + "\n"])
    return (text.replace("\n", "\r\n") if rng.random() < 0.1 else text).encode("utf-8", "surrogateescape")


def _left(rng: Random, base: list[str], new: Callable[[int], str]) -> list[str]:
    """The lines as a machine left them: some gone, edited, buried, new ones behind them."""
    lines: list[str] = []
    for line in base:
        what = rng.choice(["keep", "keep", "keep", "keep", "drop", "edit", "bury"])
        fields = record(line) or {}
        if what == "edit" and fields:
            line = json.dumps(fields | {"text": rng.choice(["one", "two", "é"])}, ensure_ascii=False)
        if what == "bury" and isinstance(fields.get("id"), str):
            lines.append(json.dumps({"id": fields["id"], "deleted": rng.choice(["2026-11-24", True])}))
        if what != "drop":
            lines.append(line)
    if rng.random() < 0.1:
        rng.shuffle(lines)
    return lines + [new(n) for n in range(rng.choice([0, 1, 2]))]


def _line(rng: Random, name: str) -> str:
    ts = rng.choice(["2026-11-20", "2026-11-21T10:00:00Z", 1763600000, 1763600000.5, None])
    return json.dumps(
        {"id": name, "ts": ts, "text": rng.choice(["alpha", "beta", "ü 漢"])}, ensure_ascii=False
    )


def _any(rng: Random) -> str:
    odd = [
        '{"id": "a", "deleted": "x"}',
        '{"id": "b", "deleted": "y"}',
        "torn",
        '{"id": "b", "ts": "2026-',
        '{"id": "\udcc3',
        "{}",
        "[1, 2]",
        "",
        '{"id": 3, "ts": 1e999}',
        '{"ts": 7}',
    ]
    return rng.choice(odd) if rng.random() < 0.4 else _line(rng, rng.choice("abcdef"))


def merged(base: bytes, ours: bytes, theirs: bytes) -> bytes:
    return merge_file(PATH, base, ours, theirs).data or b""


def symmetric(case: Case) -> Iterator[str]:
    """It is the same whichever side is called ours, and a version merged with its base is that version."""
    ours, theirs = case.sides
    if merge_file(PATH, case.base, ours, theirs) != merge_file(PATH, case.base, theirs, ours):
        yield "not symmetric"
    if merged(case.base, case.base, ours) != ours or merged(case.base, ours, ours) != ours:
        yield "not itself"


def says(data: bytes) -> Counter[str]:
    """Its lines, how often each."""
    return Counter(_listed(data))


def dead(*versions: bytes) -> set[str]:
    """Ids that a version's tombstone takes back."""
    records = [record(line) or {} for version in versions for line in says(version)]
    return {_id(fields) for fields in records if "deleted" in fields} - {""}


def _id(fields: dict[str, object]) -> str:
    return str(fields.get("id", ""))


def _is_buried(line: str, graves: set[str]) -> bool:
    fields = record(line) or {}
    return "deleted" not in fields and _id(fields) in graves


def kept(case: Case) -> Iterator[str]:
    """What both have or one added is there or put aside, save what a tombstone names; nothing else is."""
    result = merge_file(PATH, case.base, *case.sides)
    was, (us, them), now = says(case.base), map(says, case.sides), says(result.data or b"")
    put_aside, graves = (
        {copy.other.rstrip("\r\n") for copy in result.conflict_copies},
        dead(result.data or b""),
    )
    for line in us | them:
        few, many = sorted((us[line], them[line]))
        least = many if many > was[line] else few
        if now[line] < least and line not in put_aside and not _is_buried(line, graves):
            yield f"lost {line!r}: {was[line]} -> {us[line]}, {them[line]} = {now[line]}"
        if few < many == was[line] and now[line] > few:
            yield f"returned {line!r}: {was[line]} -> {us[line]}, {them[line]} = {now[line]}"
    for line in now:
        if now[line] > max(us[line], them[line]):
            yield f"made up {line!r}"
        if not _is_one_sided(case) and _is_buried(line, graves):
            yield f"a tombstone and what it takes back: {line!r}"


def _is_one_sided(case: Case) -> bool:
    """Whether one side's lines are as they were, or both sides' the same.

    Then the other file is taken as it is, with the lines that its own tombstones name.
    """
    ours, theirs = map(_listed, case.sides)
    return _listed(case.base) in (ours, theirs) or ours == theirs


def _listed(data: bytes) -> list[str]:
    return [
        line.removesuffix("\r")
        for line in data.decode("utf-8", "surrogateescape").split("\n")
        if line.strip()
    ]


def graves(case: Case) -> Iterator[str]:
    """A tombstone stays, and what it names does not come back."""
    result = merged(case.base, *case.sides)
    if _is_one_sided(case):
        return
    new = dead(*case.sides) - dead(case.base)
    if new - dead(result):
        yield f"no tombstone for {new - dead(result)}"
    for line in says(result):
        if _is_buried(line, new):
            yield f"returned {line!r}"


def again(case: Case) -> Iterator[str]:
    """A merged file that meets one of its sides again stays, byte for byte."""
    result = merged(case.base, *case.sides)
    for side in case.sides:
        for base in (case.base, side):
            if (now := merged(base, result, side)) != result:
                yield f"not settled: {result!r} with {side!r} -> {now!r}"


def settled(case: Case) -> Iterator[str]:
    """A merged file that meets one of its sides again has the same lines.

    Of two with one id either may be an edit of the first, so where they stand may change.
    """
    result = merged(case.base, *case.sides)
    for side in case.sides:
        for base in (case.base, side):
            if (now := says(merged(base, result, side))) != says(result):
                yield f"not settled: {result!r} with {side!r}: {says(result) - now} {now - says(result)}"


def one_after_another(case: Case) -> Iterator[str]:
    """In each order in which one machine takes up the others the file is the same, to the byte."""
    ends = {reduce(partial(joined, path=PATH), order).data for order in permutations(heads(case))}
    if len(ends) > 1:
        yield f"{len(ends)} files: {ends}"


def full_exchange(case: Case) -> Iterator[str]:
    """Machines that go on to merge from each other end with one file, and no line of any is lost."""
    rng = Random(case.base)
    machines = heads(case)
    for _ in range(ROUNDS):
        for here, there in rng.sample(list(permutations(range(len(machines)), 2)), 6):
            machines[here] = joined(machines[here], machines[there], path=PATH)
    ends = {machine.data for machine in machines}
    if len(ends) > 1:
        yield f"not one file: {ends}"
    graves = dead(*case.sides)
    for line in {line for side in case.sides for line in says(side)} - set(says(case.base)):
        is_there = line in says(machines[0].data) or line in {
            lost.rstrip("\r\n") for lost in machines[0].put_aside
        }
        if not is_there and not _is_buried(line, graves):
            yield f"lost {line!r}"


def _threes(rng: Random) -> Case:
    return tidy(rng, 3)


def _wild_threes(rng: Random) -> Case:
    return untidy(rng, 3)


JSON_LINES = (
    laws_of("tidy JSON lines", tidy, symmetric, kept, graves, again)
    | laws_of("untidy JSON lines", untidy, symmetric, kept, graves, settled)
    | laws_of("three machines, tidy JSON lines", _threes, one_after_another, full_exchange)
    | laws_of("three machines, untidy JSON lines", _wild_threes, full_exchange)
)
