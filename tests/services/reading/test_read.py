"""Read shows the worktree as it is now, with the id that tells whether it changed since."""

from __future__ import annotations

import pytest
from machines import Machine

from ctxrepo.domain.project.target import Target, parse_target
from ctxrepo.errors import NotFound
from ctxrepo.services.reading.targets import read


@pytest.fixture
def mine(ada: Machine) -> Machine:
    ada.init()
    return ada


@pytest.mark.parametrize(
    "data", [b"- a\n", b"", b"---\r\na: b\r\n---\r\n- a\r\n", b"- \xe9 \xff\0\n", b"\xef\xbb\xbf- a"]
)
def test_the_hash_is_that_of_the_bytes_on_disk(mine: Machine, data: bytes) -> None:
    (mine.clone / "global/x.md").write_bytes(data)
    reading = read(mine.open(), parse_target("global:x"), None)
    assert reading.hash == mine.git("hash-object", "global/x.md")
    assert reading.entry is None


def test_an_edit_by_hand_is_read_before_any_commit(mine: Machine) -> None:
    mine.remember("one")
    mine.sync()
    first = read(mine.open(), parse_target("MEMORY"), mine.project())
    mine.write("shop/MEMORY.md", mine.read("shop/MEMORY.md") + "- two\n")
    second = read(mine.open(), parse_target("MEMORY"), mine.project())
    assert [e.plain for e in second.note.entries] == ["one", "two"]
    assert first.hash != second.hash


def test_an_entry_comes_with_its_note(mine: Machine) -> None:
    made = mine.remember("one")
    mine.remember("two")
    reading = read(mine.open(), Target(entry_id=made.id), mine.project())
    assert reading.entry is not None
    assert (reading.entry.plain, reading.entry.at) == ("one", made.at)
    assert len(reading.note.entries) == 2
    assert reading.hash == mine.git("hash-object", "shop/MEMORY.md")


def test_an_id_ends_with_its_text(mine: Machine) -> None:
    made = mine.remember("port is 6379")
    mine.write("shop/MEMORY.md", mine.read("shop/MEMORY.md").replace("6379", "6380"))
    with pytest.raises(NotFound):
        read(mine.open(), Target(entry_id=made.id), mine.project())
