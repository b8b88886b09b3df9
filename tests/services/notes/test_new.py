"""A new note gets a head and one place, or is refused without a trace."""

from __future__ import annotations

import pytest
from machines import NOW, Machine

from ctxrepo.domain.note.note import Note
from ctxrepo.domain.project.target import parse_target
from ctxrepo.domain.records.save import Origin
from ctxrepo.errors import Refused, UsageError
from ctxrepo.services.notes.changing import NewNote, new
from ctxrepo.services.notes.requests import NewNoteRequest
from ctxrepo.services.saving.commit import commit


@pytest.fixture
def mine(ada: Machine) -> Machine:
    ada.init()
    return ada


def make(machine: Machine, target: str, description: str = "About", body: str = "", *tags: str) -> NewNote:
    memory = machine.open()
    request = NewNoteRequest(parse_target(target), description, tags, body)
    return new(memory, request, machine.project(), Origin(memory.host), NOW)


def test_a_note_of_the_project_registers_it(mine: Machine) -> None:
    made = make(mine, "topics/release", "How we: release", "", "ci", "#release")
    assert made.path == "shop/topics/release.md"
    assert mine.read(made.path) == (
        '---\ndescription: "How we: release"\ntags: [ci, release]\n'
        "created: 2026-11-20\nupdated: 2026-11-20\n---\n"
    )
    assert '"git.example.org/ada/shop" = "shop"' in mine.read("ctxrepo.toml")
    assert mine.git("hash-object", made.path) == made.hash


def test_a_body_keeps_its_own_head_and_bytes(mine: Machine) -> None:
    body = "---\n# why\nowner: ada\ntags: [old]\n---\n- a\r\n- caf\udce9"
    made = make(mine, "global:x", "About", body, "new")
    assert (mine.clone / made.path).read_bytes() == (
        b"---\n# why\nowner: ada\ntags: [new]\ndescription: About\n---\n- a\r\n- caf\xe9\n"
    )


def test_it_survives_until_a_commit_holds_it(mine: Machine) -> None:
    made = make(mine, "global:x")
    (mine.clone / made.path).unlink()  # as a power cut may, before the folder was on disk
    commit(mine.open(), NOW)
    assert "description: About" in mine.git("show", f"HEAD:{made.path}")


def test_an_existing_note_is_refused_also_when_only_acknowledged(mine: Machine) -> None:
    make(mine, "global:x", "first")
    with pytest.raises(Refused, match=r"there is a note global/x\.md already"):
        make(mine, "global:x", "second")
    assert "first" in mine.read("global/x.md")


@pytest.mark.parametrize(
    ("target", "description", "tag", "error"),
    [
        ("^0123456789ab", "x", "t", UsageError),
        ("x", " ", "t", UsageError),
        ("x", "x", "two words", UsageError),
        ("x", "token ghp_" + "a1B2" * 9, "t", Refused),
    ],
)
def test_what_is_refused_leaves_nothing(
    mine: Machine, target: str, description: str, tag: str, error: type[Exception]
) -> None:
    before = sorted(mine.open().worktree.scan().files)
    with pytest.raises(error):
        make(mine, target, description, "", tag)
    assert sorted(mine.open().worktree.scan().files) == before
    assert not mine.open().journal.names()


@pytest.mark.parametrize("name", ["memory", "task", "user"])
def test_a_template_is_a_note_without_a_fact(mine: Machine, name: str) -> None:
    memory = mine.open()
    request = NewNoteRequest(parse_target("core/x"), template=name)
    made = new(memory, request, None, Origin(memory.host), NOW)
    note = Note(made.path, mine.read(made.path))
    assert (note.head.created, note.head.problem, note.head.updated) == ("2026-11-20", "", "")
    assert note.head.description
    assert name in note.head.tags
    assert {e.text for e in note.entries} == set()
    assert "<!--" in note.body


def test_a_template_gives_way_to_what_is_said(mine: Machine) -> None:
    memory = mine.open()
    origin = Origin(memory.host)
    request = NewNoteRequest(parse_target("x"), "Mine", ["a"], "- b\n", "task")
    made = new(memory, request, None, origin, NOW)
    assert mine.read(made.path) == ("---\ndescription: Mine\ntags: [a]\ncreated: 2026-11-20\n---\n\n- b\n")
    for name, body, message in (
        ("tasks", "", "no template 'tasks'"),
        ("task", "---\na: 1\n---\n", "of its own"),
    ):
        with pytest.raises(UsageError, match=message) as refused:
            new(memory, NewNoteRequest(parse_target("y"), "Mine", [], body, name), None, origin, NOW)
    assert not mine.open().worktree.exists("global/y.md")
    assert "--template" in refused.value.hint


@pytest.mark.parametrize("name", ["topics/Release", "Topics/release", "TOPICS/RELEASE.md"])
def test_a_name_that_differs_only_in_case_is_taken(mine: Machine, name: str) -> None:
    make(mine, "topics/release")
    with pytest.raises(Refused, match=r"there is a note shop/topics/release\.md already"):
        make(mine, name)
