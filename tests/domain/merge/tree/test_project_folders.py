"""Folders that two machines claimed for two projects."""

from __future__ import annotations

from trees import Files, applied, merge, merged_tree

from ctxrepo.domain.project import registry


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
    assert merged.conflict_copies == ()


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
    first, second, third = (claimed({**BASE, "shop/a.md": f"- {name}\n"}, **{name: "shop"}) for name in "cba")
    tree = merged_tree(BASE, merged_tree(BASE, first, second), third)
    projects = registry.parse(tree["ctxrepo.toml"]).projects
    assert {tree[f"{projects[f'git.example/{name}']}/a.md"] for name in "abc"} == {"- a\n", "- b\n", "- c\n"}
    assert {name: tree[f"{projects[f'git.example/{name}']}/a.md"] for name in "abc"} == {
        name: f"- {name}\n" for name in "abc"
    }
    assert projects["git.example/a"] == "shop"


def test_one_project_claimed_by_both_machines_shares_its_folder() -> None:
    ours, theirs = (claimed({**BASE, "shop/a.md": f"- of {name}\n"}, a="shop") for name in ("one", "another"))
    merged = merge(BASE, ours, theirs)
    assert merged.moves == {}
    assert set(applied(merged, ours)["shop/a.md"].splitlines()) == {"- of one", "- of another"}


def test_a_tape_in_the_old_place_moves_along() -> None:
    ours = claimed({**BASE, "TAPE/shop__anchors.jsonl": "{}\n"}, b="shop")
    theirs = claimed({**BASE, "TAPE/shop__anchors.jsonl": "[]\n"}, a="shop")
    tree = merged_tree(BASE, ours, theirs)
    assert tree["TAPE/shop-2__anchors.jsonl"] == "{}\n"
    assert tree["TAPE/shop__anchors.jsonl"] == "[]\n"


def test_a_name_that_anything_has_is_not_free() -> None:
    more = {
        "shop-2/x.md": "- x\n",
        "TAPE/SHOP-3/h.jsonl": "{}\n",
        "TAPE/shop-4__anchors.jsonl": "{}\n",
        "Shop-5": "",
    }
    base = {**BASE, **more}
    ours, theirs = claimed({**base, "shop/a.md": "- b\n"}, b="shop"), claimed(base, a="shop")
    assert merged_tree(base, ours, theirs)["shop-6/a.md"] == "- b\n"


def test_what_is_written_for_a_project_that_has_made_way_follows_it() -> None:
    """Nobody mixes into the other project what a machine that was away wrote under the old name."""
    ours = claimed({**BASE, "shop/MEMORY.md": "- one\n- two\n", "shop/x.md": "- x\n"}, b="shop")
    theirs = claimed({**BASE, "shop/MEMORY.md": "- of a\n"}, a="shop")
    merged = merged_tree(BASE, ours, theirs)
    later = {
        **ours,
        "shop/MEMORY.md": "- two\n- three\n",
        "shop/new.md": "- new\n",
        "TAPE/shop/h.jsonl": "{}\n",
    }
    del later["shop/x.md"]
    tree = merged_tree(ours, merged, later)
    assert {path: text for path, text in tree.items() if "shop" in path} == {
        "shop/MEMORY.md": "- of a\n",
        "shop-2/MEMORY.md": "- two\n- three\n",
        "shop-2/new.md": "- new\n",
        "TAPE/shop-2/h.jsonl": "{}\n",
    }
    assert merged_tree(ours, tree, later) == tree


def test_a_project_whose_folder_a_person_renamed_is_followed_too() -> None:
    base = claimed({"shop/a.md": "- a\n"}, a="shop")
    ours = claimed({**base, "store/a.md": "- a\n"}, a="store")
    del ours["shop/a.md"]
    tree = merged_tree(base, ours, {**base, "shop/a.md": "- a\n- b\n", "shop/b.md": "- b\n"})
    assert {path: text for path, text in tree.items() if path != "ctxrepo.toml"} == {
        "store/a.md": "- a\n- b\n",
        "store/b.md": "- b\n",
    }
