"""What is held back because so much was deleted, what is told, and what is ordinary work."""

from __future__ import annotations

from collections.abc import Callable, Collection

import pytest

from ctxrepo.domain.git.oid import blob_id
from ctxrepo.domain.guard.deletions import (
    Deletion,
    DeletionSummary,
    HandEdit,
    contents,
    deletions,
    held_back,
    losses,
    summary_of,
)
from ctxrepo.domain.guard.refusals import Refusal, messages_of
from ctxrepo.domain.merge.tree.moves import moves_between

Edits = dict[str, HandEdit]


def note(*numbers: int, word: str = "entry") -> bytes:
    return "".join(f"- {word} {n} of the note, said {'x' * (n % 7)} once\n" for n in numbers).encode()


def deleted(edits: Edits, kept: Callable[[], Collection[tuple[str, bool, str]]] = list) -> list[Deletion]:
    gone = {path: edit.before for path, edit in edits.items() if edit.after is None}
    come = {path: edit.after for path, edit in edits.items() if edit.before is None}
    return deletions([*edits.items()], moves_between(gone, come), {}, kept)


def held(edits: Edits) -> list[str]:
    return sorted(r.path for r in held_back(deleted(edits)))


def said(edits: Edits) -> list[str]:
    return sorted(deletion.path for deletion in losses(deleted(edits)))


def gone(*sizes: int, end: bytes | None = None) -> Edits:
    """Notes of so many entries, of which nothing is left."""
    return {f"p/{n}.md": HandEdit(note(*range(n * 100, n * 100 + size)), end) for n, size in enumerate(sizes)}


@pytest.mark.parametrize("end", [None, b"", b"\n", b"---\ntags: [a]\n---\n"])
@pytest.mark.parametrize(
    ("sizes", "is_held"),
    [((15,), True), ((10,), True), ((9,), False), ((20, 20, 20, 15), True), ((4, 4), False)],
)
def test_a_note_counts_its_entries_however_they_went(
    sizes: tuple[int, ...], is_held: bool, end: bytes | None
) -> None:
    edits = gone(*sizes, end=end)
    assert held(edits) == (sorted(edits) if is_held else [])
    assert said(edits) == sorted(edits)


@pytest.mark.parametrize(("count", "is_held"), [(5, True), (4, False), (12, True)])
def test_a_note_counts_for_two_at_least(count: int, is_held: bool) -> None:
    for text in (b"- a\n", b"# only a heading\n"):
        edits = {f"p/{n}.md": HandEdit(text.replace(b"a", b"a%d" % n), None) for n in range(count)}
        assert held(edits) == (sorted(edits) if is_held else [])
        assert said(edits) == sorted(edits)


def test_an_empty_file_is_nothing_that_could_be_deleted() -> None:
    assert deleted({f"p/{n}.md": HandEdit(b"\n", None) for n in range(20)}) == []


@pytest.mark.parametrize(
    ("were", "stay", "is_held"),
    [(30, 20, True), (30, 21, False), (34, 24, False), (33, 23, True), (12, 2, True)],
)
def test_entries_of_one_note(were: int, stay: int, is_held: bool) -> None:
    edits = {"p/a.md": HandEdit(note(*range(were)), note(*range(stay)))}
    assert held(edits) == (["p/a.md"] if is_held else [])


def test_lines_and_notes_count_together() -> None:
    some = {"p/a.md": HandEdit(note(*range(8)), note(0, 1)), "q/b.md": HandEdit(note(*range(50, 54)), None)}
    assert held(some) == ["p/a.md", "q/b.md"]
    one_of_many = {"p/long.md": HandEdit(note(*range(60, 160)), note(*range(61, 160)))}
    assert held({**some, **one_of_many}) == ["p/a.md", "q/b.md"]  # less than a third of it


def test_a_note_that_was_moved_or_put_in_other_words_is_not_deleted() -> None:
    whole = note(*range(40))
    parts = {"p/a.md": HandEdit(whole, note(*range(5))), "p/b.md": HandEdit(None, note(*range(5, 40)))}
    assert deleted(parts) == []
    folder = {f"{folder}/{n}.md": edit for n in range(20) for folder, edit in moved(n)}
    assert deleted(folder) == []
    assert deleted({"p/a.md": HandEdit(whole, note(*range(40), word="entries"))}) == []
    pictures = {"p/a.bin": HandEdit(b"\n\n ", None), "q/a.bin": HandEdit(None, b"\n\n ")}
    assert deleted(pictures) == []


def moved(n: int) -> list[tuple[str, HandEdit]]:
    return [("p", HandEdit(note(n * 100), None)), ("archive", HandEdit(None, note(n * 100)))]


def test_a_note_that_was_renamed_and_put_in_other_words_is_no_deletion() -> None:
    whole = note(*range(8))
    reworded = whole.replace(b"entry 3 of the note, said", b"entry 3 of this note, repeated")
    edits = {"p/a.md": HandEdit(whole, None), "p/b.md": HandEdit(None, reworded)}
    assert deleted(edits) == []
    fewer = {**edits, "p/b.md": HandEdit(None, note(*range(5)))}
    assert said(fewer) == ["p/a.md"]
    assert summary(fewer) == "3 entries of p/a.md"
    assert summary({**edits, "p/b.md": HandEdit(None, note(7, 90, 91))}) == "7 entries in all of p/a.md"


def test_what_went_before_a_command_removed_a_note_counts_though_another_note_moved_to_its_place() -> None:
    edits = [
        ("p/a.md", HandEdit(note(1, 2, 3), None)),
        ("p/b.md", HandEdit(None, note(1, 2, 3))),
        ("p/b.md", HandEdit(note(*range(50, 62)), note(50))),
    ]
    (lost,) = deletions(edits, {"p/a.md": "p/b.md"}, {}, list)
    assert (lost.path, lost.entries) == ("p/b.md", 11)


def test_two_notes_that_said_the_same_have_not_both_moved_to_one() -> None:
    whole = note(*range(12))
    edits = {f"p/{name}.md": HandEdit(whole, None) for name in "ab"}
    assert len(held(edits)) == 2
    assert len(held({**edits, "p/c.md": HandEdit(None, whole)})) == 1


def test_a_note_whose_copy_stays_in_its_scope_is_not_deleted() -> None:
    whole = note(*range(12))
    edits = {"p/a.md": HandEdit(whole, None)}
    assert deleted(edits, lambda: {contents("p/b.md", blob_id(whole))}) == []
    others = {contents(path, blob_id(whole)) for path in ("q/a.md", "p/a.txt")}
    assert deleted(edits, lambda: others) != []


def summary(edits: Edits) -> str:
    return str(summary_of(losses(deleted(edits))) or "")


def parsed(text: str) -> DeletionSummary:
    """A summary as it is read from the message of a commit, which has it word for word."""
    summary = DeletionSummary.parse(text)
    assert str(summary) == text
    assert summary
    return summary


def test_whatever_goes_is_told_unless_something_came_in_its_place() -> None:
    def edit(were: int, *now: int) -> Edits:
        return {"p/a.md": HandEdit(note(*range(were)), note(*now, word="quite another matter is"))}

    assert summary({"p/a.md": HandEdit(note(1, 2, 3), note(2, 3))}) == "1 entry of p/a.md"
    assert summary({"p/a.md": HandEdit(note(*range(6)), note(*range(3)))}) == "3 entries of p/a.md"
    assert said(edit(6, 90, 91, 92, 93, 94, 95)) == []
    assert summary(edit(6, 90)) == "5 entries of p/a.md"


def test_less_than_a_third_of_a_long_note_is_told_and_not_held_back() -> None:
    whole = note(*range(200))
    cut = note(*range(10), *range(60, 200))
    edits = {
        "p/a.md": HandEdit(whole, cut),
        "p/b.md": HandEdit(note(*range(300, 320)), note(*range(301, 320))),
    }
    assert held(edits) == []
    assert summary(edits) == "51 entries of p/a.md and 1 more"
    others = "".join(f"- alpha{n} beta{n} gamma{n}\n" for n in range(60)).encode()
    assert summary({"p/a.md": HandEdit(whole, cut + others)}) == "50 entries of p/a.md"
    reworded = whole.replace(b"entry 17 of", b"entry number 17 of")
    assert summary({"p/a.md": HandEdit(whole, reworded)}) == ""
    assert summary({"p/a.md": HandEdit(whole, note(*range(100, 200), *range(100)))}) == ""


@pytest.mark.parametrize(
    ("edit", "now"),
    [
        (HandEdit(note(*range(4)), None), "4 of its 4 entries are gone"),
        (HandEdit(note(*range(30)), note(*range(29))), "1 of its 30 entries is gone"),
    ],
)
def test_what_is_held_back_already_stays_so_however_little_is_missing_by_now_and_says_how_little(
    edit: HandEdit, now: str
) -> None:
    known = [Refusal("shop/a.md", "deletions", "15 of its 30 entries are gone")]
    few = deleted({"shop/a.md": edit, "shop/b.md": HandEdit(note(1), None)})
    assert held_back(few) == []
    assert held_back(few, known) == [Refusal("shop/a.md", "deletions", now)]
    assert held_back(deleted({"shop/b.md": HandEdit(note(1), None)}), known) == []


def test_few_entries_are_for_sync_alone() -> None:
    assert parsed("4 entries of p/a.md").is_few
    assert not parsed("5 entries of p/a.md").is_few
    assert not parsed(summary(gone(1))).is_few
    assert not parsed(summary(gone(0) | {"p/a.txt": HandEdit(b"x\n", None)})).is_few


def test_the_rest_goes_on_and_one_line_tells_of_them_all() -> None:
    edits = {
        **gone(*[1] * 12),
        "p/new.md": HandEdit(None, note(1)),
        "p/s.md": HandEdit(note(1, 2), note(1, 2, 3)),
    }
    refusals = held_back(deleted(edits))
    assert {r.path for r in refusals} == gone(*[1] * 12).keys()
    (line,) = messages_of(refusals)
    assert "p/0.md and 11 more" in line
    assert "12 files that lost 12 entries" in line
    assert "sync --accept deletions" in line
    (line,) = messages_of(held_back(deleted(gone(15))))
    assert "15 of its 15 entries are gone" in line
    assert messages_of([Refusal("a.md", "secret", "it holds a secret")]) == [
        "a.md is held back: it holds a secret"
    ]


def test_what_is_not_held_back_is_told_with_the_way_back() -> None:
    commit = "0123456789abcdef"
    assert parsed(summary(gone(3, 4))).line(commit) == (
        "p/0.md and 1 more: 7 entries deleted by hand; `ctxrepo undo 0123456789` brings them back"
    )
    assert parsed(summary(gone(1))).line(commit) == (
        "p/0.md: 1 entry deleted by hand; `ctxrepo undo 0123456789` brings it back"
    )


def test_what_is_told_is_the_note_and_not_what_is_recorded_of_its_entries() -> None:
    records = HandEdit(b'{"id": "1"}\n{"id": "2"}\n', b'{"id": "1"}\n')
    evidence = ".ctx/evidence/laptop-202611.jsonl"
    gone = HandEdit(note(1, 2), note(2))
    assert summary({evidence: records, "p/a.md": gone}) == "1 entry of p/a.md"
    assert summary({"ctxrepo.toml": records, "p/a.md": gone}) == "2 entries of p/a.md and 1 more"
    assert summary({evidence: records}) == f"1 entry of {evidence}"
