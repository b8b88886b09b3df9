"""What is noted of a session is so at once, and is in its ledger after it was saved."""

from __future__ import annotations

from pathlib import Path

import pytest
from world import NOTES, World

from ctxrepo.hooks.session.ledger import given_before_writes, read_ledger, switch_memory
from ctxrepo.hooks.session.ledger_words import ASKED, FAULT, GENERATION, MOVED, NO_TEXT, OWN, PROJECT, SOUGHT
from ctxrepo.hooks.session.session import Session
from ctxrepo.storage.state.compiled import CompiledRepository, compile_settings

REPO, OTHER = "a" * 12, "b" * 12
QUESTION = "which port is the staging database on?"


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A session that was given its packet and an entry."""
    world = World(tmp_path)
    world.cache("c1", NOTES)
    world.run("SessionStart")
    assert "5433" in world.run("UserPromptSubmit", prompt=QUESTION)
    return world


def test_what_is_noted_is_so_at_once_and_saved_in_its_order(tmp_path: Path) -> None:
    session = Session(str(tmp_path), REPO, "claude", "s-1")
    session.note_given({"abc": "h1"})
    assert session.record.entries == {"abc": "h1"}
    session.note(GENERATION, 7)
    session.note(ASKED, "staging port")
    assert (session.record.generation, session.record.asked) == (7, ["staging port"])
    assert read_ledger(session.path, REPO).entries == {}
    session.save()
    session.save()
    assert (
        Path(session.path).read_text() == f"@{REPO} entry abc h1\n@{REPO} generation 7\nasked staging port\n"
    )


def test_what_it_wrote_itself_was_not_given_to_it(tmp_path: Path) -> None:
    session = Session(str(tmp_path), REPO, "claude", "s-1")
    session.note(OWN, "own", "h1")
    session.note(OWN, "both", "h1")
    session.note_given({"both": "h2", "given": "h1"})
    session.note(OWN, "given", "h2")
    assert session.record.entries.keys() - session.record.own == {"both", "given"}


def test_the_last_of_what_it_made_of_a_note_counts(tmp_path: Path) -> None:
    session = Session(str(tmp_path), REPO, "claude", "s-1")
    session.note_write("shop/a b.md", b"one")
    session.note(MOVED, "shop/a b.md", "h2")
    session.note_write("shop/gone.md", None)
    assert session.record.wrote == {"shop/a b.md": "h2", "shop/gone.md": NO_TEXT}


def test_a_write_comes_with_what_was_given_before_it(tmp_path: Path) -> None:
    session = Session(str(tmp_path), REPO, "claude", "s-1")
    session.note_given({"abc": "h1"})
    session.note_write("shop/a.md", None)
    session.note_given({"def": "h2"})
    session.note_write("shop/b.md", None)
    session.save()
    assert given_before_writes(session.path, REPO) == [
        ("shop/a.md", {"abc": "h1"}),
        ("shop/b.md", {"abc": "h1", "def": "h2"}),
    ]


def test_only_what_is_so_of_the_session_itself_survives_forgetting(tmp_path: Path) -> None:
    session = Session(str(tmp_path), REPO, "claude", "s-1")
    session.begin("/code")
    session.note_given({"abc": "h1"})
    session.save()
    session.forget_given()
    assert (session.record.entries, session.record.cwd, session.record.began > 0) == ({}, "/code", True)


def test_what_two_repositories_gave_is_told_apart(tmp_path: Path) -> None:
    """Ids of entries may be equal, and each cache has a generation of its own."""
    ours, theirs = (Session(str(tmp_path), repo, "claude", "s-1") for repo in (REPO, OTHER))
    ours.note_given({"abc": "h1"})
    ours.note(GENERATION, 7)
    ours.note(FAULT, "f1")
    ours.note(PROJECT, "shop")
    ours.note_write("shop/a.md", None)
    ours.save()
    theirs.note_given({"abc": "h2"})
    theirs.note(OWN, "own", "h1")
    theirs.note(GENERATION, 2)
    theirs.save()
    first, second = (read_ledger(ours.path, repo) for repo in (REPO, OTHER))
    assert ours.path == theirs.path
    assert (first.entries, first.generation, first.faults, first.project) == (
        {"abc": "h1"},
        7,
        {"f1"},
        "shop",
    )
    assert (second.entries, second.generation) == ({"abc": "h2", "own": "h1"}, 2)
    assert (second.faults, second.project, second.wrote) == (set(), None, {})
    assert given_before_writes(ours.path, REPO) == [("shop/a.md", {"abc": "h1"})]
    assert given_before_writes(ours.path, OTHER) == []


def test_what_is_so_of_the_session_itself_is_so_for_all_repositories(tmp_path: Path) -> None:
    first, second = (Session(str(tmp_path), repo, "claude", "s-1") for repo in (REPO, OTHER))
    first.begin("/code")
    first.note(ASKED, "staging port")
    first.note(SOUGHT, "1:2")
    first.save()
    switch_memory(first.path, True)
    assert (second.record.cwd, second.record.asked, second.record.sought) == (
        "/code",
        ["staging port"],
        "1:2",
    )
    assert second.record.is_off
    second.note_given({"abc": "h1"})
    second.save()
    first.forget_given()
    assert read_ledger(first.path, OTHER).entries == {}, "it forgot what all of them gave"


def test_a_copy_holds_what_all_repositories_gave(tmp_path: Path) -> None:
    for repo in (REPO, OTHER):
        given = Session(str(tmp_path), repo, "claude", "s-1")
        given.note_given({"abc": repo})
        given.save()
    fork = Session(str(tmp_path), OTHER, "claude", "s-2")
    fork.begin_as_copy_of("s-1")
    assert fork.record.entries == {"abc": OTHER}
    fork.save()
    assert read_ledger(fork.path, REPO).entries == {"abc": REPO}


def test_a_session_is_given_the_entries_of_another_repository_that_have_the_same_ids(world: World) -> None:
    """And what it was told of the one is not what it was told of the other."""
    repositories = {REPO: world.memory, OTHER: world.root / "other"}

    def prompt(repo: str) -> str:
        compile_settings(world.state, world.settings, [CompiledRepository(repo, repositories[repo])])
        return world.run("UserPromptSubmit", prompt=QUESTION)

    world.folder = world.state / OTHER
    world.folder.mkdir(mode=0o700)
    for commit in ("c1", "c2", "c3"):
        world.cache(commit, NOTES)
    output = prompt(OTHER)
    assert "5433" in output
    assert "Notes that changed" not in output, "the generation that it has seen is the other one's"
    assert "5433" not in prompt(OTHER)
    assert prompt(REPO) == ""
    assert world.errors() == ""
