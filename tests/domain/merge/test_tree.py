"""Trees merged file by file, and folders that two machines claimed for two projects."""

from __future__ import annotations

from collections.abc import Mapping

from ctxrepo.domain import registry
from ctxrepo.domain.merge.tree import TreeMerge, merge_trees

Files = Mapping[str, str]


def merge(base: Files, ours: Files, theirs: Files) -> TreeMerge:
    """Merge trees whose keys are `key:` and what the file says."""
    return merge_trees(*(changed(side, base, ours, theirs) for side in (base, ours, theirs)), read=content)


def changed(side: Files, base: Files, ours: Files, theirs: Files) -> dict[str, str]:
    return {
        path: f"key:{text}"
        for path, text in side.items()
        if not base.get(path) == ours.get(path) == theirs.get(path)
    }


def content(key: str) -> bytes:
    return key.removeprefix("key:").encode()


def applied(merged: TreeMerge, ours: Files) -> dict[str, str]:
    """Ours with the changes."""
    tree = dict(ours)
    for path, new in merged.changes.items():
        tree.pop(path, None)
        if new is not None:
            tree[path] = (content(new) if isinstance(new, str) else new).decode()
    return tree


def merged_tree(base: Files, ours: Files, theirs: Files) -> dict[str, str]:
    """The merged tree, which must be the same from either side."""
    tree = applied(merge(base, ours, theirs), ours)
    assert tree == applied(merge(base, theirs, ours), theirs)
    return tree


def test_what_only_they_changed_is_taken_by_its_key() -> None:
    base = {"a.md": "- a\n", "b.md": "- b\n", "c.md": "- c\n"}
    theirs = {"a.md": "- a\n- new\n", "c.md": "- c\n", "d.md": "- d\n"}
    merged = merge(base, base, theirs)
    assert merged.changes == {"a.md": "key:- a\n- new\n", "b.md": None, "d.md": "key:- d\n"}
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
    (aside,) = merged.aside
    assert (aside.kept, aside.other) == ("- the answer is 43", "- the answer is 42")
    (path,) = (path for path in merged.changes if path.startswith("conflicts/"))
    assert b"answer is 42" in merged.changes[path]  # type: ignore[operator]  # new files are bytes
    assert merged.changes["a.md"] == "key:- the answer is 43\n"


def claimed(files: Files, **projects: str) -> dict[str, str]:
    text = files.get("ctxrepo.toml", "format = 1\n")
    for name, folder in projects.items():
        text = registry.with_project(text, f"git.example/{name}", folder)
    return {**files, "ctxrepo.toml": text}


BASE = claimed({"old/a.md": "- a\n"}, old="old")


def test_of_two_projects_in_one_folder_the_lower_id_keeps_it() -> None:
    ours = claimed({**BASE, "shop/MEMORY.md": "- b\n", "TAPE/shop/h.jsonl": "{}\n"}, b="shop")
    theirs = claimed({**BASE, "shop/MEMORY.md": "- a\n", "TAPE/shop/g.jsonl": "[]\n"}, a="shop")
    merged = merge(BASE, ours, theirs)
    assert merged.renames == (("shop", "shop-2"),)
    tree = applied(merged, ours)
    assert tree == merged_tree(BASE, ours, theirs)
    assert {path: text for path, text in tree.items() if path != "ctxrepo.toml"} == {
        "old/a.md": "- a\n",
        "shop/MEMORY.md": "- a\n",
        "shop-2/MEMORY.md": "- b\n",
        "TAPE/shop/g.jsonl": "[]\n",
        "TAPE/shop-2/h.jsonl": "{}\n",
    }
    assert registry.parse(tree["ctxrepo.toml"]).projects == {
        "git.example/old": "old",
        "git.example/a": "shop",
        "git.example/b": "shop-2",
    }
    assert merged.aside == ()


def test_the_next_free_folder_is_taken_whatever_its_case() -> None:
    ours = claimed({**BASE, "Shop/a.md": "- b\n", "SHOP-2/x.md": "- x\n"}, b="Shop")
    theirs = claimed({**BASE, "shop/a.md": "- a\n"}, a="shop")
    tree = merged_tree(BASE, ours, theirs)
    assert tree["Shop-3/a.md"] == "- b\n"
    assert tree["shop/a.md"] == "- a\n"


def test_a_folder_that_was_there_before_stays_where_it_is() -> None:
    base = {**BASE, "shop/old.md": "- old\n", "shop/other.md": "- other\n"}
    ours = claimed({**base, "shop/old.md": "- old\n- of b\n"}, b="shop")
    theirs = claimed({**base, "shop/other.md": "- other\n- of a\n"}, a="shop")
    tree = merged_tree(base, ours, theirs)
    assert tree["shop/old.md"] == "- old\n"
    assert tree["shop/other.md"] == "- other\n- of a\n"
    assert tree["shop-2/old.md"] == "- old\n- of b\n"
    assert "shop-2/other.md" not in tree


def test_three_machines_that_claim_one_folder_agree() -> None:
    one, two, three = (claimed({**BASE, "shop/a.md": f"- {name}\n"}, **{name: "shop"}) for name in "cba")
    tree = merged_tree(BASE, merged_tree(BASE, one, two), three)
    projects = registry.parse(tree["ctxrepo.toml"]).projects
    assert {tree[f"{projects[f'git.example/{name}']}/a.md"] for name in "abc"} == {"- a\n", "- b\n", "- c\n"}
    assert {name: tree[f"{projects[f'git.example/{name}']}/a.md"] for name in "abc"} == {
        name: f"- {name}\n" for name in "abc"
    }
    assert projects["git.example/a"] == "shop"


def test_one_project_claimed_by_both_machines_shares_its_folder() -> None:
    ours, theirs = (claimed({**BASE, "shop/a.md": f"- of {name}\n"}, a="shop") for name in ("one", "another"))
    merged = merge(BASE, ours, theirs)
    assert merged.renames == ()
    assert set(applied(merged, ours)["shop/a.md"].splitlines()) == {"- of one", "- of another"}
