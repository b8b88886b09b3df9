"""Each entry stands once for all that became of it, whatever commits it went through."""

from __future__ import annotations

from ctxrepo.services.history.net_changes import ChangedFile, Files, NetChanges

A, B = "shop/a.md", "shop/b.md"


def told(*steps: Files) -> list[tuple[str, str, str, str]]:
    """(path, before, after, former) of each change after these steps, the oldest first."""
    return [(f.path, c.before, c.after, c.former) for f in files(*steps) for c in f.changes]


def files(*steps: Files) -> list[ChangedFile]:
    net = NetChanges()
    for step in steps:
        net.add(step)
    return net.files()


def note(*entries: str) -> bytes:
    return "".join(f"- {entry}\n" for entry in entries).encode()


def test_an_edit_of_an_edit_is_one_from_the_first_text_to_the_last() -> None:
    first, second, third = (note(f"the port of the tests is {n}", "stays") for n in (1, 2, 3))
    assert told({A: (first, second)}, {A: (second, third)}) == [
        (A, "the port of the tests is 1", "the port of the tests is 3", "")
    ]


def test_what_came_and_went_again_leaves_nothing() -> None:
    assert told({A: (note("a"), note("a", "b"))}, {A: (note("a", "b"), note("a"))}) == []
    assert told({A: (note("a", "b"), note("a"))}, {A: (note("a"), note("a", "b"))}) == []
    first, second = note("the port of the tests is 1"), note("the port of the tests is 2")
    assert files({A: (first, second)}, {A: (second, first)}) == []
    assert files({A: (None, first)}, {A: (first, None)}) == []


def test_an_entry_that_goes_elsewhere_in_one_step_or_in_two_is_moved() -> None:
    moved = [(B, "x moves on", "x moves on", A)]
    gone, come = (note("x moves on", "a"), note("a")), (note("b"), note("b", "x moves on"))
    assert told({A: gone, B: come}) == moved
    assert told({A: gone}, {B: come}) == moved
    assert told({B: come}, {A: gone}) == moved


def test_what_comes_from_another_note_is_no_edit_of_a_neighbour_that_goes_elsewhere() -> None:
    """Both stand at the same place, and are much alike."""
    archive, first, second = "shop/archive/b.md", "alpha fact number 2", "beta fact number 4"
    step = {
        A: (note(first, "a"), note("a")),
        B: (note("b", second), note("b", first)),
        archive: (None, note(second)),
    }
    assert told(step) == [(archive, second, second, B), (B, first, first, A)]
    renamed = {A: (step[A][0], None), "shop/c.md": (None, note("a")), B: step[B], archive: step[archive]}
    assert told(renamed) == [(archive, second, second, B), (B, first, first, A)]


def test_a_note_is_followed_through_its_names_and_its_entries_with_it() -> None:
    text, later = note("the port of the tests is 1", "b"), note("the port of the tests is 2", "b")
    (file,) = files({A: (text, None), B: (None, text)}, {B: (text, later)})
    assert (file.path, file.kind, file.former) == (B, "renamed", A)
    assert [(c.before, c.after) for c in file.changes] == [
        ("the port of the tests is 1", "the port of the tests is 2")
    ]
    there, back = {A: (text, None), B: (None, text)}, {B: (text, None), A: (None, text)}
    assert files(there, back) == []
    (other,) = files(there, {B: (text, later)}, {B: (later, None), A: (None, later)})
    assert (other.path, other.kind, len(other.changes)) == (A, "changed", 1)


def test_what_others_did_in_between_is_left_out() -> None:
    mine = [{A: (note("a"), note("a", "mine"))}, {A: (note("a", "mine", "theirs"), note("mine", "theirs"))}]
    net = NetChanges()
    for step in mine:
        net.add(step)
    assert [(c.before, c.after) for f in net.files() for c in f.changes] == [("a", ""), ("", "mine")]
    assert [part[2:] for part in net.contents()] == [step[A] for step in mine]


def test_files_that_are_no_notes_and_a_head_are_changed_without_entries() -> None:
    head = b"---\ntags: [a]\n---\n- a\n", b"---\ntags: [b]\n---\n- a\n"
    changed_files = files({A: head, "shop/x.png": (None, b"\x89\0")})
    assert [(f.path, f.kind, list(f.changes), f.sizes) for f in changed_files] == [
        (A, "changed", [], (22, 22)),
        ("shop/x.png", "new", [], (None, 2)),
    ]


def test_of_equal_entries_each_is_counted() -> None:
    assert told({A: (note("same"), note("same", "same", "same"))}) == [(A, "", "same", "")] * 2
