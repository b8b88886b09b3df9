"""Which project a folder is in, by walking up and looking in a table."""

from __future__ import annotations

import _sqlite3
import subprocess
from pathlib import Path

import pytest
from repositories import make_checkout
from world import repo_with

from ctxrepo.hooks.known.locate import BY_NAME, SessionFolder, inside, place_of, top_of
from ctxrepo.hooks.known.world import World, open_hooks, stamp_of
from ctxrepo.storage.state.compiled import (
    CompiledCheckout,
    CompiledRepository,
    compile_settings,
    record_checkout,
)

NOWHERE, UNKNOWN = ("", "", True), ("", "", False)


@pytest.fixture
def state(tmp_path: Path) -> Path:
    compile_settings(tmp_path / "state", {}, [CompiledRepository("a" * 12, tmp_path / "memory")])
    return tmp_path / "state"


@pytest.fixture
def code(tmp_path: Path) -> Path:
    code = tmp_path / "code"
    (code / "src/deep").mkdir(parents=True)
    (code / ".git").mkdir()
    (code / ".git/config").write_text("[core]\n")
    return code


def place(state: Path, cwd: Path, home: Path) -> tuple[str, str, bool]:
    db = open_hooks(str(state))
    assert isinstance(db, _sqlite3.Connection)
    world = World({}, str(state), repo_with(state, home))
    place = place_of(db, world, SessionFolder(str(cwd)))
    db.close()
    return place.project, place.folder, place.is_known


def record(state: Path, code: Path, top: Path | None = None) -> None:
    config = str(code / ".git/config")
    own = "github.com/ada/shop"
    record_checkout(state, CompiledCheckout(str(top or code), config, stamp_of(config), own, "shop", own))


def test_a_checkout_is_known_once_recorded(state: Path, code: Path, tmp_path: Path) -> None:
    memory = tmp_path / "memory"
    assert place(state, code / "src/deep", memory) == UNKNOWN
    record(state, code)
    assert place(state, code / "src/deep", memory) == ("github.com/ada/shop", "shop", True)
    assert place(state, code, memory) == ("github.com/ada/shop", "shop", True)


def test_a_project_named_by_the_environment_has_the_id_that_was_recorded(
    state: Path, code: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = "https://ada:secret@github.com/ada/shop.git"
    monkeypatch.setenv("CTXREPO_PROJECT", url)
    assert place(state, code, tmp_path / "memory") == UNKNOWN
    own = "github.com/ada/shop"
    record_checkout(state, CompiledCheckout(BY_NAME + url, "", "", own, "shop", own))
    assert place(state, code, tmp_path / "memory") == (own, "shop", True)


def test_a_changed_git_config_makes_it_unknown_again(state: Path, code: Path, tmp_path: Path) -> None:
    record(state, code)
    (code / ".git/config").write_text('[remote "origin"]\n')
    assert place(state, code, tmp_path / "memory") == UNKNOWN


def test_a_linked_worktree_is_found_by_its_file(state: Path, code: Path, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    (tree / "src").mkdir(parents=True)
    (tree / ".git").write_text("gitdir: elsewhere\n")
    record(state, code, tree)
    assert place(state, tree / "src", tmp_path / "memory")[1] == "shop"


def test_a_link_to_a_checkout_is_the_checkout(state: Path, code: Path, tmp_path: Path) -> None:
    record(state, code)
    (tmp_path / "link").symlink_to(code / "src")
    assert place(state, tmp_path / "link", tmp_path / "memory")[1] == "shop"


def test_no_project_outside_git_at_home_and_in_the_memory(
    state: Path, code: Path, home: Path, tmp_path: Path
) -> None:
    (home / ".git").mkdir()
    (home / "sub").mkdir()
    (tmp_path / "plain").mkdir()
    for cwd in (home, home / "sub", tmp_path / "plain", tmp_path / "gone"):
        assert place(state, cwd, tmp_path / "memory") == NOWHERE
    assert place(state, code / "src", code) == NOWHERE
    (home / "sub/.git").mkdir()
    assert place(state, home / "sub", tmp_path / "memory") == UNKNOWN


def test_inside_knows_folders_from_prefixes(tmp_path: Path) -> None:
    (tmp_path / "memory/a").mkdir(parents=True)
    (tmp_path / "memory-two").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "memory")
    assert inside(str(tmp_path / "memory/a/n.md"), str(tmp_path / "memory")) == "a/n.md"
    assert inside(str(tmp_path / "link/a/n.md"), str(tmp_path / "memory")) == "a/n.md"
    assert inside(str(tmp_path / "memory/a/n.md"), str(tmp_path / "link")) == "a/n.md"
    assert inside(str(tmp_path / "memory"), str(tmp_path / "memory/")) == ""
    assert inside(str(tmp_path / "memory-two/x"), str(tmp_path / "memory")) is None
    assert inside(str(tmp_path / "memory/../x"), str(tmp_path / "memory")) is None


class TestNewWorktree:
    """The first session of a worktree has the project of the other ones, by what git wrote there itself."""

    @pytest.fixture
    def main(self, tmp_path: Path) -> Path:
        main = make_checkout(tmp_path / "main")
        git = ["git", "-C", str(main)]
        subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "one"], check=True)
        subprocess.run([*git, "worktree", "add", "-q", str(tmp_path / "tree")], check=True)
        (tmp_path / "tree/src").mkdir()
        return main

    def share(self, state: Path, policy: str = "share") -> None:
        repository = CompiledRepository("a" * 12, state.parent / "memory")
        compile_settings(state, {"worktrees": policy}, [repository])

    def test_it_is_in_the_project_of_its_main_one(self, state: Path, main: Path, tmp_path: Path) -> None:
        self.share(state)
        assert place(state, tmp_path / "tree/src", tmp_path / "memory") == UNKNOWN
        record(state, main)
        assert place(state, tmp_path / "tree/src", tmp_path / "memory") == (
            "github.com/ada/shop",
            "shop",
            True,
        )
        subprocess.run(["git", "-C", str(main), "config", "a.b", "c"], check=True)
        assert place(state, tmp_path / "tree/src", tmp_path / "memory") == UNKNOWN

    def test_a_path_relative_to_it_leads_there_too(self, state: Path, main: Path, tmp_path: Path) -> None:
        self.share(state)
        record(state, main)
        (tmp_path / "tree/.git").write_text("gitdir: ../main/.git/worktrees/tree\n")
        assert place(state, tmp_path / "tree", tmp_path / "memory")[1] == "shop"

    @pytest.mark.parametrize("policy", ["isolate", ""])
    def test_where_each_is_a_project_of_its_own_it_is_unknown(
        self, state: Path, main: Path, tmp_path: Path, policy: str
    ) -> None:
        self.share(state, policy)
        record(state, main)
        assert place(state, tmp_path / "tree", tmp_path / "memory") == UNKNOWN

    def test_two_that_disagree_decide_nothing(self, state: Path, main: Path, tmp_path: Path) -> None:
        self.share(state)
        record(state, main)
        config = str(main / ".git/config")
        other = CompiledCheckout(str(tmp_path / "x"), config, stamp_of(config), "other", "other", "other")
        record_checkout(state, other)
        assert place(state, tmp_path / "tree", tmp_path / "memory") == UNKNOWN

    @pytest.mark.parametrize("text", ["", "gitdir: ", "gitdir: /nowhere", "gitdir: ../main/.git", "\0\n"])
    def test_what_leads_nowhere_is_unknown(self, state: Path, main: Path, tmp_path: Path, text: str) -> None:
        self.share(state)
        record(state, main)
        (tmp_path / "tree/.git").write_text(text)
        assert place(state, tmp_path / "tree", tmp_path / "memory") == UNKNOWN


def test_a_worktree_whose_files_name_no_folder_is_unknown(state: Path, code: Path, tmp_path: Path) -> None:
    record(state, code)
    tree, own = tmp_path / "tree", tmp_path / "own"
    tree.mkdir()
    own.mkdir()
    (tree / ".git").write_text(f"gitdir: {own}\n")
    (own / "commondir").write_bytes(b"../code\0/.git\n")
    assert place(state, tree, tmp_path / "memory") == UNKNOWN


def test_the_top_above_a_folder_is_known_without_git(tmp_path: Path) -> None:
    (tmp_path / "shop" / ".git").mkdir(parents=True)
    assert top_of(f"{tmp_path}/shop/src/gone") == f"{tmp_path}/shop"
    assert top_of(f"{tmp_path}/shop") == f"{tmp_path}/shop"
    assert top_of(f"{tmp_path}/else") != f"{tmp_path}/shop"
