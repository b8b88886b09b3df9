"""What needs no decision is mended, acknowledged like every write; all else stays as it is."""

from __future__ import annotations

import pytest
from machines import NOW, Machine

from ctxrepo.domain.project.target import parse_target
from ctxrepo.domain.records.conflict_copy import ConflictCopy, copy_as_file
from ctxrepo.domain.records.save import Origin
from ctxrepo.errors import Refused
from ctxrepo.services.health.note_checks import FileFix, check, fix, fixable
from ctxrepo.services.saving.commit import commit

BROKEN = b"---\ndescription: d\ntags: a, b\n---\n- caf\xe9\r\n"
MENDED = b"---\ndescription: d\ntags: [a, b]\n---\n- caf\xe9\r\n"


@pytest.fixture
def mine(ada: Machine) -> Machine:
    ada.init()
    return ada


def run(machine: Machine) -> list[FileFix]:
    memory = machine.open()
    return list(fix(memory, Origin(memory.host), NOW))


def test_it_survives_until_a_commit_holds_it(mine: Machine) -> None:
    file = mine.clone / "global/x.md"
    file.write_bytes(BROKEN)
    (planned,) = fixable(mine.open())
    assert file.read_bytes() == BROKEN
    assert run(mine) == [planned]
    assert (planned.path, planned.after, file.read_bytes()) == ("global/x.md", MENDED, MENDED)
    assert "-tags: a, b\n+tags: [a, b]\n" in planned.diff
    (write,) = mine.open().journal.read()
    assert (write.op, write.path, write.note) == ("fix", "global/x.md", "tags are a list")
    file.unlink()  # as a power cut may, before the folder was on disk
    commit(mine.open(), NOW)
    assert file.read_bytes() == MENDED


def test_a_second_time_it_finds_nothing(mine: Machine) -> None:
    (mine.clone / "global/x.md").write_bytes(BROKEN)
    (mine.clone / "global/y.md").write_bytes("- ä <!-- ^x -->\n- ö <!-- ^x -->\n".encode("utf-16"))
    assert [fix.path for fix in run(mine)] == ["global/x.md", "global/y.md"]
    assert run(mine) == fixable(mine.open()) == []
    assert [f.problem for f in check(mine.open())] == ["bytes that are not UTF-8"]


def test_what_is_fine_what_is_no_note_and_what_needs_a_person_stays(mine: Machine) -> None:
    kept = copy_as_file(ConflictCopy("global/x.md", "", "", "---\ntags: a, b\n---\n- old\n"))
    files = {
        "global/fine.md": b"---\ntags: [a]\n---\n- a\n",
        "global/markers.md": b"<<<<<<< a\n- a\n=======\n- b\n=======\n>>>>>>> b\n",
        "global/secret.md": b"---\ntags: a, b\n---\n- ghp_" + b"a1B2" * 9 + b"\n",
        "inbox/h.jsonl": b'{"torn": \r{"id": "a"}\r\n{"id": "a"}',
        "global/picture.png": "- a\n".encode("utf-16"),
        kept[0]: kept[1],
    }
    for path, data in files.items():
        (mine.clone / path).parent.mkdir(exist_ok=True)
        (mine.clone / path).write_bytes(data)
    assert run(mine) == []
    assert not mine.open().journal.names()
    assert {path: (mine.clone / path).read_bytes() for path in files} == files


def test_nothing_is_added_to_a_note_in_another_encoding_before_it_is_mended(mine: Machine) -> None:
    file = mine.clone / "global/x.md"
    file.write_bytes("- a\n".encode("utf-16"))
    with pytest.raises(Refused, match="is UTF-16") as refused:
        mine.remember("b", note=parse_target("global:x"))
    assert "check --fix" in refused.value.hint
    run(mine)
    assert file.read_bytes() == b"- a\n"


def test_markers_that_git_left_in_notes_and_tapes_are_mended_and_nothing_is_lost(mine: Machine) -> None:
    tape = "TAPE/shop__anchors.jsonl"
    first, second = '{"id":"1","v":1}\n', '{"id":"2","v":1}\n'
    files = {
        "global/a.md": conflict("- the port is 3\n", "- the port is 1\n", "- the port is 2\n"),
        tape: first + conflict(second, '{"id":"2","v":2}\n'),
    }
    for path, text in files.items():
        mine.write(path, text)
    problems = {(f.path, f.line, f.problem) for f in check(mine.open())}
    assert {("global/a.md", 1, "a conflict marker"), (tape, 2, "a conflict marker")} <= problems
    planned = fixable(mine.open())
    assert [fix.path for fix in planned] == [tape, "global/a.md"]
    assert {path: mine.read(path) for path in files} == files
    assert run(mine) == planned
    assert (mine.read("global/a.md"), mine.read(tape)) == ("- the port is 3\n", first + '{"id":"2","v":2}\n')
    kept = sorted(path.read_text() for path in (mine.clone / "conflicts").rglob("*.md"))
    assert len(kept) == 2
    assert "the port is 1" in "".join(kept)
    assert second in "".join(kept)
    assert all("is in conflicts/" in deed for fix in planned for deed in fix.deeds[1:])
    assert check(mine.open()) == []


def conflict(ours: str, theirs: str, base: str | None = None) -> str:
    middle = "" if base is None else f"||||||| base\n{base}"
    return f"<<<<<<< ours\n{ours}{middle}=======\n{theirs}>>>>>>> theirs\n"
