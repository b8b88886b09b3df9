"""A memory repository where there was none, or the one that is elsewhere already; and never two."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from machines import NOW, Machine

from ctxrepo.errors import ConfigError, CtxrepoError, UsageError
from ctxrepo.services.repository.init import InitRequest, InitResult, init
from ctxrepo.services.saving.commit import commit


def run(machine: Machine, remote: str = "") -> InitResult:
    return init(machine.places, machine.env, InitRequest(remote), sys.executable, NOW)


def test_a_new_memory_is_an_ordinary_clone_with_its_first_files(ada: Machine) -> None:
    assert run(ada).action == "created"
    assert ada.git("status", "--porcelain") == ""
    assert ada.git("ls-files").split() == [
        ".gitattributes",
        ".gitignore",
        "README.md",
        "ctxrepo.toml",
        "global/MEMORY.md",
    ]
    assert (ada.places.state.stat().st_mode | ada.clone.stat().st_mode) & 0o077 == 0


def test_a_second_run_changes_nothing(ada: Machine, remote: Path) -> None:
    run(ada, str(remote))
    before = {p: p.read_bytes() for p in (ada.places.config_file, ada.clone / "ctxrepo.toml")}
    head = ada.git("rev-parse", "HEAD")
    for again in ("", str(remote)):
        assert run(ada, again).action == "unchanged"
    assert {p: p.read_bytes() for p in before} == before
    assert ada.git("rev-parse", "HEAD") == head


def test_what_would_be_done_is_told_and_nothing_is_done_without_agreement(ada: Machine, remote: Path) -> None:
    actions: list[str] = []

    def plan(address: str = "") -> str:
        def begins(planned: InitResult) -> bool:
            actions.append(planned.action)
            return False

        request = InitRequest(address, begins=begins)
        planned = init(ada.places, ada.env, request, sys.executable, NOW)
        assert (planned.root, planned.synced, planned.action) == (ada.clone, None, actions[-1])
        return planned.action

    assert (plan(), plan(str(remote))) == ("created", "cloned")
    assert not ada.clone.exists()
    assert not ada.places.config_file.exists()
    run(ada)
    settings = ada.places.config_file.read_text()
    assert (plan(), plan(str(remote))) == ("unchanged", "connected")
    assert ada.places.config_file.read_text() == settings
    assert run(ada, str(remote)).action == "connected"
    assert plan(str(remote)) == "unchanged"


def test_the_second_machine_gets_what_the_first_has_and_adds_no_files(pair: tuple[Machine, Machine]) -> None:
    ada, ben = pair
    assert ben.git("rev-parse", "HEAD") == ada.git("rev-parse", "HEAD")
    assert ben.read("global/MEMORY.md") == ada.read("global/MEMORY.md")


def test_another_remote_is_refused_naming_both(ada: Machine, remote: Path, tmp_path: Path) -> None:
    run(ada, str(remote))
    with pytest.raises(UsageError) as caught:
        run(ada, str(tmp_path / "other.git"))
    assert str(remote) in caught.value.message
    assert "other.git" in caught.value.message
    assert str(remote) in ada.places.config_file.read_text()


@pytest.mark.slow
def test_a_remote_is_added_to_a_memory_that_had_none(ada: Machine, ben: Machine, remote: Path) -> None:
    run(ben, str(remote))
    run(ada)
    ada.remember("before there was a remote")
    assert run(ada, str(remote)).action == "connected"
    ben.sync()
    assert "before there was a remote" in ben.read("shop/MEMORY.md")
    assert ada.tree() == ben.tree()


@pytest.mark.slow
def test_a_memory_that_is_on_another_branch_than_the_remote_it_gets_goes_to_that_one(
    ada: Machine, ben: Machine, remote: Path
) -> None:
    ben.write("shop/topics/doors.md", "- The doors are blue\n")
    ben.git("init", "-q", "-b", "master")
    ben.git("add", "-A")
    ben.git("commit", "-qm", "notes")
    run(ben, str(remote))
    assert 'branch = "master"' in ben.places.config_file.read_text()
    run(ada)
    ada.remember("before there was a remote")
    run(ada, str(remote))
    assert ada.git("branch", "--format=%(refname:short)") == "master"
    ben.sync()
    assert "before there was a remote" in ben.read("shop/MEMORY.md")
    assert ada.tree() == ben.tree()
    assert (
        subprocess.check_output(["git", "-C", str(remote), "branch", "--format=%(refname:short)"])
        == b"master\n"
    )


def test_code_in_the_place_of_the_memory_is_not_sent(ada: Machine, remote: Path) -> None:
    ada.write("main.c", "int main;")
    ada.git("init", "-q", "-b", "main")
    ada.git("add", "-A")
    ada.git("commit", "-qm", "code")
    with pytest.raises(UsageError, match=r"\.ctxrepo holds code \(main.c\) and no memory"):
        run(ada, str(remote))
    assert not subprocess.check_output(["git", "-C", str(remote), "for-each-ref"])
    assert (ada.clone / "main.c").is_file()


def test_an_empty_remote_gets_main_whatever_git_calls_new_branches(ada: Machine, remote: Path) -> None:
    with (ada.home / ".gitconfig").open("a") as config:
        config.write("[init]\n\tdefaultBranch = trunk\n")
    run(ada, str(remote))
    assert subprocess.check_output(["git", "-C", str(remote), "rev-parse", "--verify", "main"])


@pytest.mark.slow
def test_the_branch_of_an_existing_remote_is_kept(ada: Machine, ben: Machine, tmp_path: Path) -> None:
    remote = tmp_path / "old.git"
    subprocess.run(["git", "init", "-q", "--bare", "-b", "master", str(remote)], check=True)
    seed = tmp_path / "seed"
    for words in (
        ["git", "clone", "-q", str(remote), str(seed)],
        ["git", "-C", str(seed), "checkout", "-q", "-B", "master"],
        ["git", "-C", str(seed), "commit", "-q", "--allow-empty", "-m", "old"],
        ["git", "-C", str(seed), "push", "-q", "origin", "master"],
    ):
        subprocess.run(words, check=True, capture_output=True)
    for machine in (ada, ben):
        run(machine, str(remote))
        assert machine.git("symbolic-ref", "--short", "HEAD") == "master"
    ada.remember("on the old branch")
    ada.sync()
    ben.sync()
    assert "on the old branch" in ben.read("shop/MEMORY.md")


def test_a_remote_that_is_not_there_changes_nothing(ada: Machine, tmp_path: Path) -> None:
    with pytest.raises(CtxrepoError, match="could not be cloned"):
        run(ada, str(tmp_path / "nowhere.git"))
    assert not ada.clone.exists()
    assert not ada.places.config_file.exists()
    assert list(ada.home.glob(".ctxrepo*")) == []


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("--upload-pack=touch sprung", "not the address"),
        ("ext::sh -c touch% sprung", "not the address"),
        ("http://git.example.org/x.git", "not supported"),
        ("git://git.example.org/x.git", "not supported"),
        ("https://me:hunter2secret@git.example.org/x.git", "carries a password"),
    ],
)
def test_an_address_that_could_do_harm_is_refused_in_one_line(ada: Machine, url: str, message: str) -> None:
    with pytest.raises(UsageError, match=message) as caught:
        run(ada, url)
    assert "hunter2secret" not in caught.value.message
    assert not ada.clone.exists()


def test_a_folder_that_is_something_else_is_left_alone(ada: Machine) -> None:
    ada.clone.mkdir()
    (ada.clone / "diary.txt").write_text("mine")
    with pytest.raises(UsageError, match="not a git repository"):
        run(ada)
    assert (ada.clone / "diary.txt").read_text() == "mine"


def test_a_file_that_stands_where_a_first_file_would_is_kept(ada: Machine) -> None:
    subprocess.run(["git", "init", "-q", "-b", "main", str(ada.clone)], check=True)
    (ada.clone / "README.md").write_text("my own words\n")
    run(ada)
    assert ada.git("show", "HEAD:README.md") == "my own words"


def test_links_in_a_clone_never_reach_the_disk(tmp_path: Path, ada: Machine, remote: Path) -> None:
    seed = tmp_path / "seed"
    subprocess.run(["git", "clone", "-q", str(remote), str(seed)], check=True, capture_output=True)
    (seed / "passwd.md").symlink_to("/etc/passwd")
    (seed / "global").mkdir()
    (seed / "global/ok.md").write_text("- fine\n")
    (seed / "global/run.md").write_text("- x\n")
    (seed / "global/run.md").chmod(0o755)
    for words in (["add", "."], ["commit", "-qm", "x"], ["push", "-q", "origin", "HEAD:main"]):
        subprocess.run(["git", *words], cwd=seed, check=True)
    run(ada, str(remote))
    assert not (ada.clone / "passwd.md").is_symlink()
    assert ada.read("global/ok.md") == "- fine\n"
    assert (ada.clone / "global/run.md").stat().st_mode & 0o111 == 0
    ada.remember("and it stays in the tree")
    ada.sync()
    assert "120000" in ada.git("ls-tree", "HEAD", "passwd.md")


def test_ctxrepo_home_does_not_quietly_take_over_from_the_configured_clone(
    ada: Machine, tmp_path: Path
) -> None:
    run(ada)
    config = ada.places.config_file.read_bytes()
    elsewhere = Machine(ada.home, {"CTXREPO_HOME": str(tmp_path / "elsewhere")})
    for act in (lambda: run(elsewhere), elsewhere.open):
        with pytest.raises(ConfigError) as caught:
            act()
        assert str(ada.clone) in caught.value.message
        assert "elsewhere" in caught.value.message
    assert ada.places.config_file.read_bytes() == config


def test_a_clone_that_was_moved_is_found_where_ctxrepo_home_says(ada: Machine, tmp_path: Path) -> None:
    run(ada)
    known = ada.open().clone.repo_id()
    ada.clone.rename(tmp_path / "moved")
    moved = Machine(ada.home, {"CTXREPO_HOME": str(tmp_path / "moved")})
    assert moved.open().clone.repo_id() == known


def test_a_copied_clone_gets_a_state_of_its_own(ada: Machine, tmp_path: Path) -> None:
    run(ada)
    ada.remember("of the first one")
    shutil.copytree(ada.clone, tmp_path / "copy")
    more = {"CTXREPO_HOME": str(tmp_path / "copy"), "CTXREPO_CONFIG": str(tmp_path / "config.toml")}
    copy = Machine(ada.home, more).open()
    assert copy.clone.repo_id() != ada.open().clone.repo_id()
    assert not copy.journal.names()
    assert ada.open().journal.names()


def test_what_git_died_of_is_named_and_no_secret_is(ada: Machine, remote: Path) -> None:
    token = "ghp_" + "a1B2" * 9
    (remote / "config").write_text(f"[core\n{token}")
    with pytest.raises(CtxrepoError, match="could not be cloned: fatal: bad config line 1") as refused:
        ada.init(str(remote))
    assert "Cloning into" not in refused.value.message
    (remote / "config").write_text(f"[core]\n\trepositoryformatversion = {token}\n")
    with pytest.raises(CtxrepoError, match="could not be cloned: fatal: bad numeric") as refused:
        ada.init(str(remote))
    assert token not in refused.value.message


@pytest.mark.parametrize("is_committed", [True, False])
def test_what_the_clone_before_had_and_this_one_has_not_is_told(
    ada: Machine, remote: Path, is_committed: bool
) -> None:
    ada.init(str(remote))
    ada.remember("alpha")
    ada.sync()
    shutil.rmtree(ada.clone)
    assert "was here before" not in ada.ctxrepo("init", str(remote)).stderr
    ada.remember("beta")
    if is_committed:
        commit(ada.open(), NOW)
    before = ada.open().state.root
    shutil.rmtree(ada.clone)
    (before.parent / "handover").mkdir(exist_ok=True)
    os.mkfifo(before.parent / "handover" / "clone")
    message = ada.ctxrepo("init", str(remote)).stderr
    assert f"had 1 write that this one hasn't; {before} has their texts" in message
    files = [before / "writes.done", *before.glob("journal/*")]
    assert "beta" in "".join(file.read_text() for file in files if file.exists())
