"""The folders of a sparse clone, and the patterns that git reads."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxrepo.domain.git.gitfiles import Cone, parse, render

names = st.text(st.sampled_from("ab-*?[]\\é "), min_size=1, max_size=4).filter(lambda n: n.strip() == n)
folders = st.lists(st.lists(names, min_size=1, max_size=3).map("/".join), max_size=5)


@given(folders)
def test_what_is_written_is_read_back(paths: list[str]) -> None:
    cone = Cone.of([]).with_folders(sorted(paths, key=len))
    assert parse(render(cone)).holds("top.md")
    for folder in paths:
        assert parse(render(cone)).holds(f"{folder}/deep/a.md")


@pytest.mark.parametrize(
    ("path", "is_held"),
    [
        ("top.md", True),
        ("global/a.md", True),
        ("global/deep/er/a.md", True),
        ("TAPE/shop__anchors.jsonl", True),
        ("TAPE/shop/a.jsonl", True),
        ("TAPE/other/a.jsonl", False),
        ("globally/a.md", False),
        ("other/a.md", False),
    ],
)
def test_what_a_cone_holds(path: str, is_held: bool) -> None:
    assert Cone.of(["global", "TAPE/shop"]).holds(path) is is_held


def test_git_understands_it_and_writes_the_same(tmp_path: Path) -> None:
    def git(*words: str) -> str:
        run = subprocess.run(["git", *words], cwd=tmp_path, capture_output=True, text=True, check=True)
        return run.stdout

    git("init", "-q")
    git("-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "--allow-empty", "-m", "x")
    wanted = ["TAPE/shop", "global", "odd name"]
    git("sparse-checkout", "set", "--cone", *wanted)
    file = tmp_path / ".git" / "info" / "sparse-checkout"
    assert parse(file.read_text()) == Cone.of(wanted)
    file.write_text(render(Cone.of(wanted)))
    assert git("sparse-checkout", "list").splitlines() == wanted
