"""Remotes that are not what they were: gone back, rewritten, emptied, replaced."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from copies import Copies
from machines import Machine, make_machine, make_remote, make_sending

NOTE = "shop/MEMORY.md"


def git(remote: Path, *words: str) -> str:
    done = subprocess.run(["git", *words], cwd=remote, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def on(remote: Path) -> str:
    return git(remote, "show", f"main:{NOTE}")


@pytest.fixture
def mine(copies: Copies) -> Machine:
    return copies.of(after_two_commits)


@pytest.fixture
def remote(mine: Machine) -> Path:
    return mine.home.with_name("memory.git")


def after_two_commits(place: Path) -> Machine:
    """A machine that has sent two commits."""
    ada = make_sending(place)
    for fact in ("first fact", "second fact"):
        ada.remember(fact)
        ada.sync()
    return ada


def test_a_remote_that_went_back_gets_again_what_it_lost(mine: Machine, remote: Path) -> None:
    git(remote, "update-ref", "refs/heads/main", "main~1")
    assert "second" not in on(remote)
    done = mine.sync()
    assert "second fact" in on(remote)
    assert any("went back" in notice for notice in done.notices)
    assert mine.sync().notices == ()


def test_a_rewritten_history_is_merged_and_both_are_kept(mine: Machine, remote: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    git(remote, "clone", "-q", str(remote), str(other))
    git(other, "reset", "-q", "--hard", "HEAD~1")
    (other / "global").mkdir(exist_ok=True)
    (other / "global" / "theirs.md").write_text("- by hand\n")
    git(other, "add", ".")
    git(other, "-c", "user.name=x", "-c", "user.email=x@example.org", "commit", "-q", "-m", "x")
    git(other, "push", "-q", "--force", "origin", "main")
    done = mine.sync()
    assert done.remote.ok
    assert any("rewritten" in notice for notice in done.notices)
    assert "second fact" in on(remote)
    assert mine.read("global/theirs.md") == "- by hand\n"


def test_a_deleted_branch_comes_back(mine: Machine, remote: Path) -> None:
    git(remote, "update-ref", "-d", "refs/heads/main")
    done = mine.sync()
    assert done.remote.ok
    assert any("deleted" in notice for notice in done.notices)
    assert "second fact" in on(remote)


def test_an_empty_remote_in_its_place_is_filled_when_a_person_says_so(mine: Machine, remote: Path) -> None:
    shutil.rmtree(remote)
    make_remote(remote.parent)
    mine.remember("third fact")
    held = mine.sync()
    assert held.remote.outcome == "changed"
    assert git(remote, "for-each-ref") == ""
    assert "third fact" in mine.git("show", f"HEAD:{NOTE}")  # committed here all the same
    assert mine.sync(accept_remote=True).remote.ok
    assert "third fact" in on(remote)
    assert mine.sync().remote.ok


def a_stranger(tmp_path: Path, place: str) -> Path:
    """A remote with the memory of somebody else."""
    (tmp_path / place).mkdir(exist_ok=True)
    remote = make_remote(tmp_path / place)
    stranger = make_machine(tmp_path, "stranger")
    stranger.init(str(remote))
    stranger.remember("of somebody else")
    stranger.sync()
    return remote


@pytest.mark.slow
def test_another_history_in_its_place_is_merged_and_told(mine: Machine, remote: Path, tmp_path: Path) -> None:
    other = a_stranger(tmp_path, "other")
    shutil.rmtree(remote)
    other.rename(remote)
    done = mine.sync()
    assert any("another history" in notice for notice in done.notices)
    assert "second fact" in on(remote)
    assert "of somebody else" in on(remote)


def test_a_code_repository_in_its_place_waits_for_a_yes(mine: Machine, remote: Path) -> None:
    shutil.rmtree(remote)
    make_remote(remote.parent)
    code = remote.parent / "code"
    git(remote.parent, "clone", "-q", str(remote), str(code))
    (code / "main.c").write_text("int main(void) { return 0; }\n")
    git(code, "add", ".")
    git(code, "-c", "user.name=x", "-c", "user.email=x@example.org", "commit", "-q", "-m", "x")
    git(code, "push", "-q", "origin", "HEAD:main")
    tip = git(remote, "rev-parse", "main")
    done = mine.sync()
    assert (done.remote.outcome, "main.c, and no memory" in done.remote.reason) == ("changed", True)
    assert git(remote, "rev-parse", "main") == tip
    assert not (mine.clone / "main.c").exists()
    assert mine.sync(accept_remote=True).remote.ok
    assert "second fact" in on(remote)


@pytest.mark.slow
def test_another_memory_elsewhere_waits_for_a_yes(mine: Machine, remote: Path, tmp_path: Path) -> None:
    other = a_stranger(tmp_path, "other")
    theirs = git(other, "rev-parse", "main")
    config = mine.places.config_file
    config.write_text(config.read_text().replace(str(remote), str(other)))
    assert mine.sync().remote.outcome == "changed"
    assert git(other, "rev-parse", "main") == theirs
    assert "somebody else" not in mine.read(NOTE)
    assert mine.sync(accept_remote=True).remote.ok
    assert "second fact" in on(other)
    assert "of somebody else" in mine.read(NOTE)
    assert mine.sync().remote.ok


def test_the_same_memory_elsewhere_is_no_matter(mine: Machine, remote: Path, tmp_path: Path) -> None:
    moved = tmp_path / "moved.git"
    remote.rename(moved)
    config = mine.places.config_file
    config.write_text(config.read_text().replace(str(remote), str(moved)))
    mine.remember("third fact")
    assert mine.sync().remote.ok
    assert "third fact" in on(moved)


def test_the_command_names_what_to_do(mine: Machine, remote: Path, tmp_path: Path) -> None:
    shutil.rmtree(remote)
    make_remote(remote.parent)
    run = mine.ctxrepo("sync")
    assert run.returncode == 5
    assert "sync --accept remote" in run.stderr
    assert len(run.stderr.splitlines()) == 1
    assert mine.ctxrepo("sync", "--accept", "remote").returncode == 0
    assert mine.ctxrepo("sync", "--accept", "everything").returncode == 2
