"""The repositories that tests start from are the same whatever git is told by its surroundings."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
import repositories
from repositories import make_bare, make_checkout

URL = "https://git.example.org/ada/shop.git"


def git(folder: Path, *words: str) -> str:
    return subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True, text=True).stdout


@pytest.fixture(autouse=True)
def hostile_settings(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a developer's machine may have set; the templates are made anew among it."""
    repositories._template.cache_clear()
    (home / ".gitconfig").write_text(
        "[init]\n\tdefaultBranch = trunk\n[user]\n\tname = Ada\n\temail = ada@example.org\n"
    )
    monkeypatch.setenv("GIT_DIR", str(home / "elsewhere"))
    monkeypatch.setenv("GIT_TEMPLATE_DIR", str(home))
    monkeypatch.setenv("GIT_DEFAULT_HASH", "sha256")


def test_a_checkout_has_a_branch_main_sha1_objects_and_its_remote(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = make_checkout(tmp_path / "shop", URL)
    monkeypatch.delenv("GIT_DIR")
    assert git(folder, "symbolic-ref", "HEAD") == "refs/heads/main\n"
    assert git(folder, "rev-parse", "--show-object-format") == "sha1\n"
    assert git(folder, "remote", "get-url", "origin") == URL + "\n"
    assert not (folder / ".git" / ".gitconfig").exists()


def test_a_checkout_can_be_pushed_to_a_bare_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    remote = make_bare(tmp_path / "memory.git")
    folder = make_checkout(tmp_path / "shop", str(remote))
    monkeypatch.delenv("GIT_DIR")
    git(folder, "commit", "--quiet", "--allow-empty", "-m", "first")
    git(folder, "push", "--quiet", "origin", "main")
    assert git(remote, "rev-parse", "HEAD") == git(folder, "rev-parse", "main")


def test_a_second_copy_starts_no_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_bare(tmp_path / "memory.git")
    make_checkout(tmp_path / "shop", URL)
    monkeypatch.setenv("PATH", "")
    make_bare(tmp_path / "other.git")
    make_checkout(tmp_path / "other", URL)
    assert (tmp_path / "other/.git/config").read_bytes() == (tmp_path / "shop/.git/config").read_bytes()
