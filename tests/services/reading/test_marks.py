"""What stands for an entry that somebody edited or moved is found where a record says that it went."""

from __future__ import annotations

import time
from collections.abc import Iterable

import pytest
from copies import Copies
from machines import Machine, make_ada

from ctxrepo.domain.note.entry import Entry, entries_of
from ctxrepo.domain.project.layout import EVIDENCE
from ctxrepo.domain.records.evidence import Evidence, Kind, to_line
from ctxrepo.services.reading.marks import standing_heirs

WAS, NOW_IN = "shop/topics/was.md", "shop/topics/now.md"


@pytest.fixture
def mine(copies: Copies) -> Machine:
    return copies.of(make_ada)


def entries(path: str, word: str, count: int) -> list[Entry]:
    return entries_of(path, "".join(f"- {word} {number}\n" for number in range(count)))


def record(number: int, kind: Kind, old: Entry, path: str, new: Entry) -> Evidence:
    return Evidence(f"e{number}", f"2026-11-20T10:00:{number % 60:02d}Z", kind, old.id, path, to=new.id)


def heirs(machine: Machine, there: Iterable[Entry], evidence: Iterable[Evidence]) -> dict[str, str]:
    """What stands for each entry that the note had, after these records and with these entries in the other
    note."""
    machine.write(NOW_IN, "".join(f"{entry.text}\n" for entry in there))
    machine.write(f"{EVIDENCE}/other-0000-2026-11.jsonl", "".join(f"{to_line(e)}\n" for e in evidence))
    machine.git("add", "--force", "--all")
    machine.git("commit", "-q", "-m", "received")
    memory = machine.open()
    tree = memory.objects.tree_of(memory.head)
    by_entry = standing_heirs(memory.objects, tree, {WAS: GONE}, {WAS: None})
    return {old.id: new.id for old, new in by_entry.items()}


GONE = b"".join(b"- old %d\n" % number for number in range(1500))


def test_of_a_thousand_entries_that_were_moved_in_moments(mine: Machine) -> None:
    olds, news = entries(WAS, "old", 1500), entries(NOW_IN, "new", 1500)
    pairs = list(zip(olds, news, strict=True))
    records = [record(number, "moved", pair[0], NOW_IN, pair[1]) for number, pair in enumerate(pairs)]
    begun = time.process_time()
    assert heirs(mine, news, records) == {old.id: new.id for old, new in pairs}
    assert time.process_time() - begun < 10  # it was a minute and more


def test_that_it_superseded_another_one_says_not_where_it_is(mine: Machine) -> None:
    (old, other), (new,) = entries(WAS, "old", 2), entries(NOW_IN, "new", 1)
    records = [record(0, "moved", old, NOW_IN, new), record(1, "superseded", other, WAS, new)]
    assert heirs(mine, [new], records) == {old.id: new.id}
