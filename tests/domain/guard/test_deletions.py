"""What is held back as a mass deletion, and what is ordinary work."""

from __future__ import annotations

import pytest

from ctxrepo.domain.guard.refusals import HandEdit, Refusal, mass_deletions, messages_of


def note(*numbers: int, word: str = "entry") -> bytes:
    return "".join(f"- {word} {n} of the note, said {'x' * (n % 7)} once\n" for n in numbers).encode()


def held(edits: dict[str, HandEdit], files: int = 1000) -> list[str]:
    return sorted(r.path for r in mass_deletions(edits, lambda: files))


def gone(count: int) -> dict[str, HandEdit]:
    return {f"p/{n}.md": HandEdit(note(n * 100), None) for n in range(count)}


@pytest.mark.parametrize(
    ("count", "files", "is_held"),
    [(11, 1000, True), (10, 1000, False), (5, 24, True), (5, 25, False), (4, 8, False), (10, 11, True)],
)
def test_files(count: int, files: int, is_held: bool) -> None:
    assert held(gone(count), files) == (sorted(gone(count)) if is_held else [])


@pytest.mark.parametrize(
    ("were", "stay", "is_held"),
    [(30, 20, True), (30, 21, False), (34, 24, False), (33, 23, True), (12, 2, True)],
)
def test_entries_of_one_note(were: int, stay: int, is_held: bool) -> None:
    edits = {"p/a.md": HandEdit(note(*range(were)), note(*range(stay)))}
    assert held(edits) == (["p/a.md"] if is_held else [])


def test_what_was_moved_elsewhere_or_put_in_other_words_is_not_gone() -> None:
    whole = range(40)
    assert (
        held(
            {"p/a.md": HandEdit(note(*whole), note(*range(5))), "p/b.md": HandEdit(None, note(*range(5, 40)))}
        )
        == []
    )
    assert held({f"{folder}/{n}.md": edit for n in range(20) for folder, edit in moved(n)}) == []
    assert held({"p/a.md": HandEdit(note(*whole), note(*whole, word="entries"))}) == []


def moved(n: int) -> list[tuple[str, HandEdit]]:
    return [("p", HandEdit(note(n * 100), None)), ("archive", HandEdit(None, note(n * 100)))]


def test_the_rest_goes_on_and_one_line_tells_of_them_all() -> None:
    edits = {**gone(12), "p/new.md": HandEdit(None, note(1)), "p/small.md": HandEdit(note(1, 2), note(1))}
    refusals = mass_deletions(edits, lambda: 100)
    assert {r.path for r in refusals} == gone(12).keys()
    (line,) = messages_of(refusals)
    assert "p/0.md and 11 more" in line
    assert "sync --accept deletions" in line
    assert messages_of([Refusal("a.md", "secret", "it holds a secret")]) == [
        "a.md is held back: it holds a secret"
    ]
