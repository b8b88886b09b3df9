"""Only what is like a name is told as near it."""

from __future__ import annotations

from ctxrepo.domain.project.target import near_notes, nearest


def test_folders_and_case_do_not_make_names_unlike() -> None:
    known = ["topics/release.md", "topics/tabs.md", "core/Relase.md"]
    assert near_notes("relase.md", known) == ["core/Relase.md", "topics/release.md"]


def test_sharing_a_folder_makes_no_name_near() -> None:
    assert near_notes("topics/nope.md", ["topics/bom.md", "topics/tabs.md"]) == []


def test_no_more_than_are_asked_for() -> None:
    assert near_notes("x.md", [f"{n}/x.md" for n in range(9)], most=2) == ["0/x.md", "1/x.md"]


def test_the_word_that_is_most_like_it() -> None:
    assert nearest("serach", ["read", "search", "research"]) == "search"


def test_nothing_is_like_it() -> None:
    assert nearest("serach", ["list", "log"]) == ""
    assert nearest("serach", []) == ""
