"""What git says of the code checkout a session runs in."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from repositories import make_bare, make_checkout

from ctxrepo.hooks.known.world import stamp_of
from ctxrepo.storage.user.code import CodeCheckout, changed_files, describe_checkout, first_commit


def git(folder: Path, *words: str) -> str:
    done = subprocess.run(["git", *words], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def look(folder: Path, worktrees: str = "share") -> CodeCheckout:
    checkout = describe_checkout(folder, dict(os.environ), worktrees)
    assert checkout is not None
    return checkout


def first(folder: Path) -> str:
    return first_commit(folder, dict(os.environ))


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A repository with a remote and one commit."""
    shop = tmp_path / "shop"
    (shop / "deep/er").mkdir(parents=True)
    make_checkout(shop)
    git(shop, "commit", "-q", "--allow-empty", "-m", "first")
    return shop


def test_a_checkout_is_the_same_from_any_folder_in_it(shop: Path) -> None:
    git(shop, "remote", "add", "origin", "https://h/ada/shop.git")
    git(shop, "remote", "add", "fork", "git@h:ben/shop.git")
    top = look(shop)
    assert (top.top, top.config) == (shop, shop / ".git/config")
    assert top.remotes == {"origin": "https://h/ada/shop.git", "fork": "git@h:ben/shop.git"}
    assert (top.name, top.worktree, top.explicit, top.common) == ("shop", "", "", shop / ".git")
    assert look(shop / "deep/er") == top


def test_through_a_link_it_is_the_same_place(shop: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(shop)
    assert look(tmp_path / "link/deep") == look(shop)


def test_the_first_commit_is_the_lowest_of_several(shop: Path) -> None:
    assert first(shop) == git(shop, "rev-list", "--max-parents=0", "HEAD")
    git(shop, "checkout", "-q", "--orphan", "other")
    git(shop, "commit", "-q", "--allow-empty", "-m", "other root")
    git(shop, "merge", "-q", "--allow-unrelated-histories", "-m", "both", "main")
    assert first(shop) == min(git(shop, "rev-list", "--max-parents=0", "HEAD").split())


def test_a_shallow_clone_does_not_know_its_first_commit(shop: Path, tmp_path: Path) -> None:
    git(shop, "commit", "-q", "--allow-empty", "-m", "second")
    git(tmp_path, "clone", "-q", "--depth=1", f"file://{shop}", "shallow")
    assert git(tmp_path / "shallow", "rev-list", "--max-parents=0", "HEAD")
    assert first(tmp_path / "shallow") == ""


def test_of_several_addresses_the_first_counts(shop: Path) -> None:
    git(shop, "remote", "add", "origin", "https://h/ada/shop.git")
    git(shop, "remote", "set-url", "--add", "origin", "https://mirror/ada/shop.git")
    assert look(shop).remotes == {"origin": "https://h/ada/shop.git"}


def test_what_the_user_set_comes_first(shop: Path) -> None:
    git(shop, "config", "ctxrepo.project", "team/thing")
    assert look(shop).explicit == "team/thing"


def test_a_linked_worktree_is_its_main_one_unless_isolated(shop: Path, tmp_path: Path) -> None:
    git(shop, "worktree", "add", "-q", str(tmp_path / "fix"))
    shared, alone = look(tmp_path / "fix"), look(tmp_path / "fix", "isolate")
    assert (shared.top, shared.config) == (tmp_path / "fix", shop / ".git/config")
    assert (shared.name, shared.worktree) == ("shop", "")
    assert (alone.name, alone.worktree) == ("shop", "fix")
    assert look(shop, "isolate").worktree == ""


def test_a_submodule_is_a_project_of_its_own(shop: Path, tmp_path: Path) -> None:
    library = make_checkout(tmp_path / "library")
    git(library, "commit", "-q", "--allow-empty", "-m", "x")
    git(shop, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(library), "lib")
    checkout = look(shop / "lib")
    assert (checkout.top, checkout.name, checkout.worktree) == (shop / "lib", "lib", "")
    assert checkout.remotes == {"origin": str(library)}


@pytest.mark.parametrize("bare", ["shop.git", "shop/.bare"])
def test_worktrees_of_a_bare_repository_are_one_project(shop: Path, tmp_path: Path, bare: str) -> None:
    place = tmp_path / "place"
    (place / bare).parent.mkdir(parents=True)
    git(shop, "clone", "-q", "--bare", str(shop), str(place / bare))
    for name in ("main", "fix"):
        git(place / bare, "worktree", "add", "-q", "-f", str(place / name), "main")
    checkouts = [look(place / name) for name in ("main", "fix")]
    assert [(checkout.top, checkout.name, checkout.worktree) for checkout in checkouts] == [
        (place / "main", "shop", ""),
        (place / "fix", "shop", ""),
    ]
    assert checkouts[0].config == checkouts[1].config == place / bare / "config"
    assert look(place / "fix", "isolate").worktree == "fix"


def test_the_folder_around_a_bare_repository_and_its_worktrees_is_the_project_too(
    shop: Path, tmp_path: Path
) -> None:
    around = tmp_path / "around"
    (around / "notes").mkdir(parents=True)
    git(shop, "clone", "-q", "--bare", str(shop), str(around / ".bare"))
    (around / ".git").write_text("gitdir: ./.bare\n")
    checkout = look(around / "notes")
    assert (checkout.top, checkout.name, checkout.common) == (around, "around", around / ".bare")
    make_bare(around / "other.git")
    assert describe_checkout(around / "other.git", dict(os.environ), "share") is None


def test_a_repository_without_commits_is_one_too(tmp_path: Path) -> None:
    make_checkout(tmp_path)
    assert look(tmp_path).top == tmp_path
    assert first(tmp_path) == ""


@pytest.mark.parametrize(
    "name", ["a b", "it's", 'say "so"', "größe", "日本", "$HOME", "a;b", "-x", "a\u2028b"]
)
def test_any_name_of_a_folder_is_understood(tmp_path: Path, name: str) -> None:
    folder = tmp_path / name / "deep"
    folder.mkdir(parents=True)
    make_checkout(tmp_path / name)
    assert (look(folder).top, look(folder).name) == (tmp_path / name, name)


def test_where_there_is_no_checkout_there_is_none(shop: Path, tmp_path: Path) -> None:
    make_bare(tmp_path / "bare.git")
    outside = tmp_path / "outside"
    outside.mkdir()
    for folder in (outside, tmp_path / "bare.git", shop / ".git", tmp_path / "missing", shop / ".git/config"):
        assert describe_checkout(folder, dict(os.environ), "share") is None, folder


def test_git_variables_of_the_caller_do_not_steer_it(shop: Path, tmp_path: Path) -> None:
    other = make_checkout(tmp_path / "other")
    env = {**os.environ, "GIT_DIR": str(other / ".git"), "GIT_WORK_TREE": str(other)}
    checkout = describe_checkout(shop, env, "share")
    assert checkout is not None
    assert checkout.top == shop


def test_the_stamp_changes_with_the_config_and_asks_nothing(shop: Path) -> None:
    config = shop / ".git/config"
    before = stamp_of(str(config))
    assert look(shop).stamp == before
    git(shop, "config", "some.key", "value")
    assert stamp_of(str(config)) != before
    assert stamp_of(str(shop / "none")) == ""


def test_files_that_changed_since_then_have_the_time_of_their_last_commit(shop: Path) -> None:
    def commit(at: int, *names: str) -> None:
        for name in names:
            (shop / name).write_text(f"{at}\n")
        git(shop, "add", ".")
        subprocess.run(
            ["git", "commit", "-q", "-m", "x"],
            cwd=shop,
            env={**os.environ, "GIT_COMMITTER_DATE": f"{at} +0000"},
            check=True,
        )

    env = dict(os.environ)
    day = 1_790_000_000
    commit(day, "deep/a.py", "old.py")
    commit(day + 10, "deep/a.py", "größe b.py")
    commit(day + 20, "c.py")
    assert changed_files(shop, day + 5, env) == {
        "deep/a.py": [day + 10],
        "größe b.py": [day + 10],
        "c.py": [day + 20],
    }
    assert sorted(changed_files(shop, day, env)["deep/a.py"]) == [day, day + 10]
    assert changed_files(shop, day + 30, env) == {}


def test_a_checkout_without_commits_has_changed_nothing(tmp_path: Path) -> None:
    make_checkout(tmp_path)
    assert changed_files(tmp_path, 0, dict(os.environ)) == {}


def test_what_a_configuration_names_is_not_run(shop: Path, tmp_path: Path) -> None:
    proof = tmp_path / "proof"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {proof}\ncat\n")
    program.chmod(0o755)
    for key in ("diff.external", "gpg.program", "core.fsmonitor", "core.pager", "diff.x.textconv"):
        git(shop, "config", key, str(program))
    git(shop, "config", "log.showSignature", "true")
    (shop / ".gitattributes").write_text("* diff=x filter=x\n")
    (shop / "a").write_text("a")
    git(shop, "-c", "core.fsmonitor=", "add", ".")
    git(shop, "-c", "core.fsmonitor=", "commit", "-q", "-m", "x")
    proof.unlink(missing_ok=True)
    assert set(changed_files(shop, 0, dict(os.environ))) == {"a", ".gitattributes"}
    assert not proof.exists()
