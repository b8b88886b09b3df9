"""Which folder is which project's."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxrepo.domain.registry import Registry, folder_for, is_folder, parse, with_project

TEXT = 'format = 1\n\n[projects]\n"git.example/shop" = "shop"\n\n[policy]\nmax = 3\n'


def test_it_reads_projects_and_policy() -> None:
    registry = parse(TEXT)
    assert (registry.format, registry.projects, registry.policy) == (
        1,
        {"git.example/shop": "shop"},
        {"max": 3},
    )
    assert parse("") == Registry()


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
    assert not is_folder(name)
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


def test_a_folder_that_nobody_claims_is_adopted() -> None:
    assert folder_for("git.example/notes", Registry(), ["notes"]) == "notes"


@given(
    st.text(),
    st.dictionaries(st.text(max_size=3), st.sampled_from(["a", "b", "a-2"])),
    st.lists(st.text(max_size=3)),
)
def test_any_id_gets_a_folder_of_its_own(project: str, projects: dict[str, str], folders: list[str]) -> None:
    folder = folder_for(project, Registry(projects=projects), folders)
    assert is_folder(folder)
    assert folder.casefold() not in {f.casefold() for f in projects.values()}
