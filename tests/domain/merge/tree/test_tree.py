"""Trees merged file by file."""

from __future__ import annotations

from trees import changed, key, merge, merged_tree, names_in

from ctxrepo.domain.merge.tree.trees import merge_trees


def test_what_only_they_changed_is_taken_by_its_key() -> None:
    base = {"a.md": "- a\n", "b.md": "- b\n", "c.md": "- c\n"}
    theirs = {"a.md": "- a\n- new\n", "c.md": "- c\n", "d.md": "- d\n"}
    merged = merge(base, base, theirs)
    assert merged.changes == {"a.md": key("- a\n- new\n"), "b.md": None, "d.md": key("- d\n")}
    assert merge(base, theirs, base).changes == {}


def test_what_both_changed_is_merged() -> None:
    base = {"a.md": "- a\n"}
    assert merged_tree(base, {"a.md": "- a\n- mine is here\n"}, {"a.md": "- a\n- yours\n"}) == {
        "a.md": "- a\n- mine is here\n- yours\n"
    }


def test_a_deletion_yields_to_an_edit() -> None:
    base = {"a.md": "- a\n", "b.md": "- b\n"}
    assert (
        merged_tree(base, {"b.md": "- b\n"}, {"a.md": "- a\n- new\n", "b.md": "- b\n"})["a.md"]
        == "- a\n- new\n"
    )
    assert merged_tree(base, {"b.md": "- b\n"}, base) == {"b.md": "- b\n"}


def test_what_lost_is_among_the_changes() -> None:
    base = {"a.md": "- the answer is 41\n"}
    merged = merge(base, {"a.md": "- the answer is 42\n"}, {"a.md": "- the answer is 43\n"})
    (copy,) = merged.conflict_copies
    assert (copy.kept, copy.other) == ("- the answer is 43", "- the answer is 42")
    (path,) = (path for path in merged.changes if path.startswith("conflicts/"))
    kept = merged.changes[path]
    assert isinstance(kept, bytes)
    assert b"answer is 42" in kept
    assert merged.changes["a.md"] == key("- the answer is 43\n")


def test_what_one_removed_and_added_again_is_an_edit() -> None:
    base = {"a.md": "- a\n"}
    assert merged_tree(base, {"a.md": "- quite another\n"}, {}) == {"a.md": "- quite another\n"}
    assert merged_tree(base, base, {}) == {}


def test_a_file_that_both_created_holds_both() -> None:
    tree = merged_tree({}, {"a.md": "- one\n"}, {"a.md": "- two\n"})
    assert set(tree["a.md"].splitlines()) == {"- one", "- two"}


def test_only_folders_where_a_new_name_could_meet_another_are_looked_into() -> None:
    base = {"a/x.md": "- x\n", "a/deep/y.md": "- y\n", "b/z.md": "- z\n", "c.md": "- c\n"}
    asked: list[str] = []

    def names(folder: str) -> dict[str, str | None]:
        asked.append(folder)
        return names_in(base)(folder)

    def merge_of(ours: dict[str, str], theirs: dict[str, str]) -> None:
        below, mine, other = (changed(side, base, ours, theirs) for side in (base, ours, theirs))
        merge_trees(below, mine, other, read=bytes.fromhex, names_in=names)

    merge_of({**base, "a/x.md": "- X\n"}, {**base, "b/z.md": "- Z\n", "a/x.md": "- x\n- 2\n"})
    assert asked == []
    merge_of({**base, "a/new.md": "- new\n"}, {**base, "c.md": "- C\n"})
    assert sorted(asked) == ["", "a"]
