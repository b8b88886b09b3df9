"""What is said twice, and keys without a value: told with place and remedy, and nothing else is."""

from __future__ import annotations

import pytest
from machines import Machine

from ctxrepo.domain.note.note import Note
from ctxrepo.domain.records.evidence import Evidence, Kind
from ctxrepo.services.health.note_checks import between_entries, check

HEAD = "---\ndescription: {}\n---\n\n"


def told(*notes: tuple[str, str], evidence: tuple[Evidence, ...] = ()) -> list[tuple[str, str]]:
    """(place, what is wrong) of notes given as (path, text)."""
    findings = between_entries([Note(path, text) for path, text in notes], evidence)
    return [(f"{finding.path}#L{finding.line}", finding.problem) for finding in findings if finding.remedy]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("- Deploy with make ship\n- other\n- deploy with  MAKE ship\n", ["shop/a.md#L3"]),
        ("- x\n- x\n- x\n", ["shop/a.md#L2"]),
        ("- Tests need redis on 6380\n- tests need redis on 6380.\n", ["shop/a.md#L2"]),
        ("- Use make ship\n- Use make ship #release\n- use **make ship**!\n", ["shop/a.md#L2"]),
        ("- Use `npm ci` here\n- Use npm ci here\n", ["shop/a.md#L2"]),
        ("- run rm *.log\n- run rm .log\n- see #12\n- see #13\n- #a\n- #b\n", []),
        ("- max_conn is 5\n- maxconn is 5\n- port 1.\n- port 10\n", []),
        ("## One\n\n- x\n\n## Two\n\n- x\n", []),
        ("- port: 1\n- port: 2\n", []),
    ],
)
def test_an_entry_that_is_there_twice(text: str, lines: list[str]) -> None:
    pairs = told(("shop/a.md", text))
    assert [at for at, _ in pairs] == lines
    assert all("says the same as line 1" in problem for _, problem in pairs)


def test_a_note_that_is_a_copy_of_another_one() -> None:
    body = "# T\n\n- x\n- y\n"
    notes = [
        ("shop/a.md", HEAD.format("a") + body),
        ("shop/b.md", HEAD.format("b") + body),
        ("other/a.md", body),
    ]
    assert told(*notes) == [("shop/b.md#L7", "the note says the same as shop/a.md")]


def test_an_entry_that_another_note_has_as_well() -> None:
    fact, other = "- Deploy with make ship\n", "- deploy WITH `make ship`. #ci\n"
    notes = [("shop/a.md", fact), ("shop/b.md", "- first\n" + other), ("till/a.md", fact)]
    assert told(*notes) == [("shop/b.md#L2", "it says the same as shop/a.md#L1")]
    note = Note(*notes[0])
    struck = said(1, "superseded", note, 1, to="0123456789ab")
    assert [at for at, problem in told(*notes, evidence=(struck,)) if "same as" in problem] == []


def test_where_the_same_may_stand_twice() -> None:
    twice = "- 10:00 +0000 built\n- 10:00 +0000 built\n"
    empty = HEAD.format("x") + "# T\n"
    assert told(("shop/daily/2026-11-20.md", twice), ("shop/a.md", empty), ("shop/b.md", empty)) == []
    assert told(("shop/archive/a.md", "- x\n- x\n"), ("conflicts/shop/a.md--1.md", "- x\n- x\n")) == []
    assert told(("shop/archive/a.md", "- x\n"), ("shop/a.md", "- x\n")) == []
    assert told(("shop/b.md", "- see the wiki\n- x\n"), ("shop/a.md", "- see the wiki\n")) == []
    logged = "- 10:00 +0000 built the new release\n"
    assert told(("shop/daily/2026-11-20.md", logged), ("shop/a.md", logged + "- x\n")) == []


def said(number: int, kind: Kind, note: Note, line: int, to: str = "") -> Evidence:
    entry = note.entries[line - 1].id
    return Evidence(f"e{number}", f"2026-11-{number:02}", kind, entry, note.path, to)


def test_a_key_whose_newest_entry_is_superseded_by_nothing_that_is_there() -> None:
    note = Note("shop/a.md", "- Port: 5433\n- other\n")
    lost = said(1, "superseded", note, 1, to="0123456789ab")
    ((at, problem),) = told((note.path, note.text), evidence=(lost,))
    assert (at, problem) == ("shop/a.md#L1", '"Port: 5433" is superseded, and what superseded it is gone')
    stated = said(2, "stated", note, 1)
    assert told((note.path, note.text), evidence=(lost, stated)) == []


def test_a_key_that_something_else_stands_for_is_fine() -> None:
    note = Note("shop/a.md", "- port: 5433\n- see compose\n- see the compose file\n")
    old, new, newer = (entry.id for entry in note.entries)
    by = said(1, "superseded", note, 1, to=new)
    assert told((note.path, note.text), evidence=(by,)) == []
    edited = Evidence("e2", "2026-11-02", "moved", new, note.path, newer)
    without = note.text.replace("- see compose\n", "")
    assert told((note.path, without), evidence=(by, edited)) == []
    elsewhere = Note("shop/archive/a.md", "- see compose\n")
    archived = Evidence("e2", "2026-11-02", "moved", new, note.path, elsewhere.entries[0].id)
    notes = ((note.path, without), (elsewhere.path, elsewhere.text))
    assert told(*notes, evidence=(by, archived)) == []
    two = "- port: 5433\n- port: 5434\n"
    pair = Note("shop/a.md", two)
    assert told((pair.path, two), evidence=(said(1, "superseded", pair, 1, to="gone"),)) == []
    assert old != new


def test_check_tells_it_with_the_rest(ada: Machine) -> None:
    ada.init()
    ada.write("global/a.md", "- x y z\n- X y z\n")
    (finding,) = check(ada.open())
    assert (finding.path, finding.line, finding.problem) == ("global/a.md", 2, "it says the same as line 1")


def test_notes_that_only_some_machines_can_hold_together(ada: Machine) -> None:
    ada.init()
    ada.write("global/gotcha.md", "- x\n")
    ada.write("global/Gotcha.md", "- y\n")
    (finding,) = check(ada.open())
    assert (finding.path, finding.problem) == (
        "global/gotcha.md",
        "its name differs from global/Gotcha.md only in case or spelling",
    )


def test_two_values_of_a_key_that_a_command_gave() -> None:
    notes = [
        ("shop/a.md", "- port: 1\n"),
        ("shop/b.md", "- other: 1\n- Port: 2\n"),
        ("global/c.md", "- port: 3\n"),
    ]
    given = Evidence("1", "2026", "stated", "x", "shop/a.md", key="port")
    assert told(*notes) == []
    assert told(*notes, evidence=(given,)) == [
        ("shop/b.md#L2", "shop/a.md#L1 is a value of the key Port as well")
    ]
    struck = Evidence("2", "2027", "superseded", Note(*notes[0]).entries[0].id, "shop/a.md", to="y")
    assert told(*notes, evidence=(given, struck)) == []
