"""Which files may come first, rule by rule in their order."""

from __future__ import annotations

import pytest

from ctxrepo.domain.tape.selection import SelectionRules, is_ignored, listed

HERE = SelectionRules(
    memory=("/home/a/.mem/shop", "/home/a/.mem/global"), tops=("/code/shop", "/code/shop/sub")
)


def test_blacklist_is_before_whitelist_and_memory() -> None:
    lists = SelectionRules(
        HERE.memory, HERE.tops, white=("/code/shop/.env", "/x"), black=("/x/y", "/home/a/.mem/shop/old")
    )
    assert lists.lets_in("/code/shop/.env")
    assert lists.lets_in("/x/a.tmp/tmp/b")
    assert not lists.lets_in("/x/y")
    assert not lists.lets_in("/x/y/z")
    assert lists.lets_in("/x/yz")
    assert not lists.lets_in("/home/a/.mem/shop/old/a.md")
    assert lists.lets_in("/home/a/.mem/shop/new/a.md")


def test_memory_is_in_though_a_segment_has_a_dot_and_git_ignores_it() -> None:
    assert HERE.lets_in("/home/a/.mem/global/USER.md", git_ignores=True)
    assert not HERE.lets_in("/home/a/.mem/other/USER.md")


def test_outside_the_project_is_in_unless_ignored_everywhere() -> None:
    assert HERE.lets_in("/code/till/a.py", git_ignores=True)
    assert not HERE.lets_in("/tmp/a.py")
    assert not HERE.lets_in("/home/a/.ssh/config")


def test_inside_the_project_git_has_the_last_word() -> None:
    assert HERE.lets_in("/code/shop/a.py")
    assert not HERE.lets_in("/code/shop/a.py", git_ignores=True)
    assert HERE.must_be_asked("/code/shop/sub/a.py")
    assert HERE.top_of("/code/shop/sub/a.py") == "/code/shop/sub"
    for path in ("/code/shop/dist/a.js", "/code/till/a.py", "/home/a/.mem/shop/a.md"):
        assert not HERE.must_be_asked(path)


@pytest.mark.parametrize(
    "path",
    [
        *(f"{folder}/a.py" for folder in (".cache", ".git", ".hg", ".idea", ".next", ".nuxt", ".pnpm-store")),
        *(f"{folder}/a.py" for folder in (".svn", ".turbo", ".venv", ".vscode", ".yarn", "__pycache__")),
        *(f"{folder}/a.py" for folder in ("build", "coverage", "dist", ".anything")),
        *(f"a/{folder}/a.py" for folder in ("node_modules", "out", "target", "temp", "tmp", "venv")),
        *(f"a/{name}" for name in (".DS_Store", "bun.lockb", "composer.lock", "package-lock.json")),
        *("pnpm-lock.yaml", "yarn.lock", ".env", ".github/workflows/ci.yml"),
    ],
)
def test_what_is_ignored_everywhere(path: str) -> None:
    assert is_ignored(f"/code/shop/{path}", "/code/shop")


def test_what_is_above_the_project_does_not_count() -> None:
    assert not is_ignored("/tmp/.x/build/shop/src/a.py", "/tmp/.x/build/shop")
    assert not is_ignored("/code/shop/builds/a.py", "/code/shop")


def test_d19_absolute_or_below_memory_or_project() -> None:
    assert listed(["core", "/abs/x", "../up"], ["/mem/shop", "/code"]) == (
        *("/mem/shop/core", "/code/core", "/abs/x", "/mem/up", "/up"),
    )
