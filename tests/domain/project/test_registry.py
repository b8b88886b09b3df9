"""Which folder is which project's."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxrepo.domain.project.layout import moved_path, scope_of
from ctxrepo.domain.project.registry import (
    Registry,
    folder_for,
    is_folder_name,
    parse,
    rename_links,
    with_alias,
    with_project,
)

TEXT = 'format = 1\n\n[projects]\n"git.example/shop" = "shop"\n\n[policy]\nmax = 3\n'


def test_it_reads_projects_and_passes_over_other_tables() -> None:
    registry = parse(TEXT)
    assert registry.projects == {"git.example/shop": "shop"}
    assert parse("") == Registry()


@pytest.mark.parametrize("rules", ['["projct=stge"]', '"project=stage"', "[1]", '["stage", ""]'])
def test_a_rule_that_is_none_is_a_problem(rules: str) -> None:
    """Nobody can tell then whose writes are to wait, so the last version that can be read holds."""
    assert "which is no rule such as project=stage" in parse(f"[policy]\ninbox = {rules}\n").problem


def test_what_cannot_be_read_is_a_problem() -> None:
    assert "ctxrepo.toml" in parse("[").problem
    assert parse("projects = 3\nformat = 'x'\npolicy = []\n") == Registry()


@pytest.mark.parametrize(
    "name",
    [
        "",
        "a/b",
        "..",
        ".x",
        "global",
        "Global",
        "TAPE",
        "tape",
        "inbox",
        "conflicts",
        "archive",
        ".git",
        ".ctx",
    ],
)
def test_what_is_called_otherwise_is_no_project_folder(name: str) -> None:
    assert not is_folder_name(name)
    assert parse(f'[projects]\nx = "{name}"\ny = "y"\nz = 3\n').projects == {"y": "y"}


def test_a_project_is_added_and_nothing_else_changes() -> None:
    text = with_project(TEXT, "git.example/a", "a")
    assert text == TEXT.replace('= "shop"\n', '= "shop"\n"git.example/a" = "a"\n')
    assert with_project("", "x", "y") == 'format = 1\n\n[projects]\nx = "y"\n'


def test_a_folder_is_the_last_part_of_the_id() -> None:
    assert folder_for("git.example/me/shop", Registry(), []) == "shop"
    assert folder_for("git.example/me/shop/", Registry(), []) == "shop"
    assert folder_for("root:abc:My Shop!", Registry(), []) == "My-Shop"
    assert folder_for("///", Registry(), []) == "project"


def test_a_folder_that_is_claimed_or_reserved_gets_a_number() -> None:
    registry = parse(TEXT)
    assert folder_for("other.example/Shop", registry, []) == "Shop-2"
    assert folder_for("other.example/shop", registry, ["shop", "SHOP-2"]) == "shop-3"
    assert folder_for("x/global", Registry(), []) == "global-2"
    assert folder_for("x/readme.md", Registry(), [], ["README.md"]) == "readme.md-2"


def test_a_folder_that_nobody_claims_is_adopted() -> None:
    assert folder_for("git.example/notes", Registry(), ["notes"]) == "notes"


@given(
    st.text(),
    st.dictionaries(st.text(max_size=3), st.sampled_from(["a", "b", "a-2"])),
    st.lists(st.text(max_size=3)),
)
def test_any_id_gets_a_folder_of_its_own(project: str, projects: dict[str, str], folders: list[str]) -> None:
    folder = folder_for(project, Registry(projects=projects), folders)
    assert is_folder_name(folder)
    assert folder.casefold() not in {f.casefold() for f in projects.values()}


ALIASED = 'format = 1\n[projects]\na = "shop"\n[aliases]\nb = "a"\nc = "b"\nx = "y"\ny = "x"\nz = 3\n'


def test_a_further_name_stands_for_its_project() -> None:
    registry = parse(ALIASED)
    assert [registry.folder_of(name) for name in "abcd"] == ["shop", "shop", "shop", ""]
    assert registry.names_of("a") == registry.names_of("c") == ["b", "c"]
    assert registry.canonical("d") == "d"


def test_names_that_stand_for_each_other_are_the_lowest() -> None:
    registry = parse(ALIASED)
    assert registry.canonical("x") == registry.canonical("y") == "x"
    assert registry.names_of("x") == ["y"]


def test_names_are_added_and_taken_away() -> None:
    text = with_alias(TEXT, "git.example/store", "git.example/shop")
    assert text.startswith(TEXT)
    assert parse(text).folder_of("git.example/store") == "shop"
    assert parse(with_alias(text, "git.example/store", None)).aliases == {}
    assert parse(with_project(text, "git.example/shop", None)).projects == {}


def test_what_is_a_project_s_own_moves_and_nothing_else() -> None:
    own = ["shop/a/b.md", "TAPE/shop/h.jsonl", "TAPE/shop__anchors.jsonl"]
    others = ["shop.md", "shop-2/a.md", "TAPE/x/shop"]
    assert [moved_path(path, "shop", "store") for path in (*own, *others)] == [
        "store/a/b.md",
        "TAPE/store/h.jsonl",
        "TAPE/store__anchors.jsonl",
        "",
        "",
        "",
    ]
    assert [scope_of(path) for path in own] == ["shop"] * 3


def test_only_links_that_name_the_folder_are_changed() -> None:
    text = "[[shop/a b]] [[topics/shop/x]] [[shop]] [[shop-2/x]] [[shop/x [[shop/y|z]]\n"
    assert rename_links(text, "shop", r"s\1") == text.replace("[[shop/a", r"[[s\1/a").replace(
        "[[shop/y", r"[[s\1/y"
    )
