"""What is gone is found by every name that was printed: without its folders, its ending or its `^`."""

from __future__ import annotations

from pathlib import Path

import pytest
from copies import Copies
from machines import Machine, make_ada
from terminal import Terminal

from ctxrepo.domain.project.target import Target
from ctxrepo.services.history.commits import gone_note

NOTES = {
    "topics/bom.md": "editors leave a mark at the beginning of a file",
    "experiments.md": "the cache was tried with two shards",
    "deep/down/many.md": "nine hundred rows came back from the billing run",
    "a/twice.md": "holidays are in the shared calendar",
    "b/twice.md": "ports above 9000 belong to the simulator",
}


@pytest.fixture
def cli(copies: Copies, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Terminal:
    """A memory with some notes."""
    return Terminal(copies.of(with_notes), monkeypatch, capsys)


def with_notes(place: Path) -> Machine:
    ada = make_ada(place)
    for path, text in NOTES.items():
        ada.ctxrepo("remember", text, "--note", path)
    ada.sync()
    return ada


@pytest.mark.parametrize("name", ["bom", "bom.md", "topics/bom", "shop/topics/bom.md", "shop:topics/bom"])
@pytest.mark.parametrize("verb", ["restore", "history"])
def test_a_forgotten_note(cli: Terminal, name: str, verb: str) -> None:
    assert cli("forget", "bom").code == 0
    answer = cli(verb, name)
    assert (answer.code, "shop/topics/bom.md" in answer.out) == (0, True)
    assert cli.machine.clone.joinpath("shop/topics/bom.md").exists() is (verb == "restore")


def test_an_archived_note_and_one_deep_down(cli: Terminal) -> None:
    cli("archive", "experiments")
    assert cli("restore", "experiments").out == "restored: shop/experiments.md\n"
    cli("forget", "many")
    restored = cli("restore", "down/many")
    assert (restored.err, restored.out) == ("", "restored: shop/deep/down/many.md\n")


def test_an_entry_by_its_id_without_the_mark(cli: Terminal) -> None:
    entry = cli("remember", "the gizmo is red", "--json").data["id"].lstrip("^")
    cli("sync")
    cli("forget", f"^{entry}")
    cli("sync")
    assert "- the gizmo is red" in cli("history", entry).out
    assert cli("restore", entry[:8]).out.startswith(f"restored: ^{entry} shop/MEMORY.md")


def test_of_several_none_is_guessed(cli: Terminal) -> None:
    for path in ("a/twice", "b/twice"):
        cli("forget", path)
    for verb in ("restore", "history"):
        refused = cli(verb, "twice")
        assert (refused.code, refused.out) == (2, "")
        assert "2 notes that are gone are named twice.md" in refused.err
        assert "They are shop/a/twice.md, shop/b/twice.md." in refused.err


def test_one_of_another_scope_is_named_and_left_alone(cli: Terminal) -> None:
    cli("forget", "bom")
    refused = cli("restore", "global:bom")
    assert (refused.code, "You may mean shop:topics/bom.md." in refused.err) == (3, True)
    assert cli("restore", "shop:topics/bom.md").code == 0


def test_what_never_was_is_not_found(cli: Terminal) -> None:
    for name in ("nosuch", "om", "opics/bom"):
        assert cli("restore", name).code == 3
    assert gone_note(cli.machine.open(), Target(path="nosuch.md"), cli.machine.project()) == ""


def test_restoring_a_version_says_what_went(cli: Terminal) -> None:
    first = cli("history", "topics/bom", "--json").data["history"][0]["commit"]
    cli("edit", "topics/bom", "--old", "editors leave", "--new", "some programs leave")
    cli("remember", "a later one", "--note", "topics/bom.md")
    printed = cli("restore", "bom", "--at", first).out.splitlines()
    assert printed[0] == "restored: shop/topics/bom.md"
    assert "  - a later one" in printed
    assert any(line.startswith("  ~ editors leave") for line in printed)
    assert printed[-1] == "`ctxrepo undo` takes this back"
    assert "a later one" in cli("undo").out


def test_commits_that_read_alike_are_told_apart(cli: Terminal) -> None:
    for words in ("the first fact", "the second fact"):
        cli("remember", words, "--note", "topics/bom.md")
        cli("sync")
    newest, before = cli("history", "--limit", "2").out.splitlines()[:2]
    assert "memory(shop): edit topics/bom  + the second fact  (" in newest
    assert "memory(shop): edit topics/bom  + the first fact  (" in before
    cli("remember", "three", "--note", "topics/bom.md")
    cli("remember", "four", "--note", "experiments.md")
    cli("sync")
    assert " … 1 more  (" in cli("history", "--limit", "1").out.splitlines()[0]
