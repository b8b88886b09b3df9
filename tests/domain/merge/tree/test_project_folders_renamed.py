"""Projects that were renamed or linked on one machine while the other one went on writing for them."""

from __future__ import annotations

from trees import Files, merge, merged_tree

from ctxrepo.domain.project import registry
from ctxrepo.domain.project.registry import Registry
from ctxrepo.domain.records.conflict_copy import copy_as_file


def claimed(files: Files, **projects: str) -> dict[str, str]:
    text = files.get("ctxrepo.toml", "format = 1\n")
    for name, folder in projects.items():
        text = registry.with_project(text, f"git.example/{name}", folder)
    return {**files, "ctxrepo.toml": text}


def only(files: Files, base: Files) -> dict[str, str]:
    """Just these files, and the registry of the base."""
    return {**files, "ctxrepo.toml": base["ctxrepo.toml"]}


def linked(files: Files, name: str, to: str) -> dict[str, str]:
    text = registry.with_project(files["ctxrepo.toml"], f"git.example/{name}", None)
    return {**files, "ctxrepo.toml": registry.with_alias(text, f"git.example/{name}", f"git.example/{to}")}


def known(tree: Files) -> Registry:
    return registry.parse(tree["ctxrepo.toml"])


def lines(tree: Files) -> dict[str, set[str]]:
    """path -> what it says, of all but the registry."""
    return {path: set(text.splitlines()) for path, text in tree.items() if path != "ctxrepo.toml"}


def test_of_two_new_names_of_one_project_all_go_to_one() -> None:
    base = claimed({"shop/a.md": "- a\n"}, a="shop")
    ours = claimed(only({"mart/a.md": "- a\n", "mart/mart.md": "- mart\n"}, base), a="mart")
    theirs = claimed(only({"store/a.md": "- a\n", "store/store.md": "- store\n"}, base), a="store")
    assert lines(merged_tree(base, ours, theirs)) == {
        "store/a.md": {"- a"},
        "store/mart.md": {"- mart"},
        "store/store.md": {"- store"},
    }


def test_a_folder_that_another_project_took_meanwhile_is_not_mixed_into() -> None:
    """Renamed to what the other machine newly called another project, while that machine wrote on."""
    base = claimed({"shop/a.md": "- a\n"}, b="shop")
    ours = claimed(only({"store/a.md": "- a\n"}, base), b="store")
    theirs = claimed({**base, "shop/a.md": "- a\n- more\n", "store/x.md": "- x\n"}, a="store")
    tree = merged_tree(base, ours, theirs)
    assert known(tree).projects == {"git.example/a": "store", "git.example/b": "store-2"}
    assert lines(tree) == {"store/x.md": {"- x"}, "store-2/a.md": {"- a", "- more"}}


def test_a_project_that_was_linked_takes_along_what_the_other_machine_wrote_for_it() -> None:
    files = {"shop/M.md": "- s\n", "shop/same.md": "- one\n", "new/M.md": "- n\n"}
    base = claimed(files, a="shop", b="new")
    ours = linked({**base, "shop/M.md": "- s\n- n\n"}, "b", "a")
    del ours["new/M.md"]
    theirs = {**base, "new/M.md": "- n\n- more\n", "new/same.md": "- two\n", "shop/M.md": "- s\n- t\n"}
    tree = merged_tree(base, ours, theirs)
    assert lines(tree) == {
        "shop/M.md": {"- s", "- n", "- t", "- more"},
        "shop/same.md": {"- one", "- two"},
    }
    assert merged_tree(base, tree, theirs) == tree
    assert known(tree).projects == {"git.example/a": "shop"}
    assert known(tree).folder_of("git.example/b") == "shop"


def test_what_was_taken_out_beside_a_link_stays_out() -> None:
    files = {"shop/M.md": "- s\n", "new/M.md": "- n\n- old\n", "new/gone.md": "- gone\n"}
    base = claimed(files, a="shop", b="new")
    moved = {"shop/M.md": "- s\n- n\n- old\n", "shop/gone.md": "- gone\n"}
    theirs = only({"shop/M.md": "- s\n", "new/M.md": "- n\n"}, base)
    tree = merged_tree(base, linked(only(moved, base), "b", "a"), theirs)
    assert lines(tree) == {"shop/M.md": {"- s", "- n"}}


def test_a_project_that_was_linked_here_and_begun_there_is_one() -> None:
    base = claimed({"shop/M.md": "- s\n"}, a="shop")
    theirs = claimed({**base, "new/M.md": "- n\n", "TAPE/new/h.jsonl": "{}\n"}, b="new")
    tree = merged_tree(base, linked(base, "b", "a"), theirs)
    assert known(tree).projects == {"git.example/a": "shop"}
    assert lines(tree) == {"shop/M.md": {"- s", "- n"}, "TAPE/shop/h.jsonl": {"{}"}}


def test_a_link_that_both_made_is_one() -> None:
    base = claimed({"shop/M.md": "- s\n"}, a="shop")
    tree = merged_tree(base, linked(base, "b", "a"), linked({**base, "shop/M.md": "- t\n"}, "b", "a"))
    assert lines(tree) == {"shop/M.md": {"- t"}}
    assert known(tree).names_of("git.example/a") == ["git.example/b"]


def test_what_differs_where_two_folders_become_one_is_kept_aside() -> None:
    base = claimed({"shop/M.md": "---\ndescription: one\n---\n- s\n"}, a="shop")
    theirs = claimed({**base, "new/M.md": "---\ndescription: two\n---\n- n\n"}, b="new")
    ours = linked(base, "b", "a")
    (copy,) = merge(base, ours, theirs).conflict_copies
    assert copy.path == "shop/M.md"
    tree = merged_tree(base, ours, theirs)
    assert {"- s", "- n"} < lines(tree)["shop/M.md"]
    assert [path for path in tree if path.startswith("conflicts/")] == [copy_as_file(copy)[0]]


def test_a_linked_project_that_got_the_same_folder_elsewhere_has_not_to_make_way() -> None:
    base = claimed({"shop/M.md": "- s\n"}, a="shop")
    ours = claimed({**base, "mart/M.md": "- n\n"}, b="mart")
    theirs = linked(claimed(only({"mart/M.md": "- s\n"}, base), a="mart"), "b", "a")
    tree = merged_tree(base, ours, theirs)
    assert lines(tree) == {"mart/M.md": {"- s", "- n"}}
    assert known(tree).projects == {"git.example/a": "mart"}


def test_notes_of_a_project_that_left_do_not_come_back_when_its_old_folder_is_claimed_twice() -> None:
    base = claimed({"shop/M.md": "- s\n"}, a="shop")
    ours = claimed(only({"store/M.md": "- s\n", "shop/M.md": "- of c\n"}, base), a="store", c="shop")
    theirs = claimed(only({"mart/M.md": "- s\n", "shop/x.md": "- of b\n"}, base), a="mart", b="shop")
    tree = merged_tree(base, ours, theirs)
    assert lines(tree) == {"store/M.md": {"- s"}, "shop/x.md": {"- of b"}, "shop-2/M.md": {"- of c"}}
