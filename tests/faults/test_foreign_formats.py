"""Clones and remotes in formats of git that ctxrepo can't use are refused, and never written into."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from gits import git_3, knows_reftable, make_reftable, make_sha256
from machines import Machine
from needs import unless

from ctxrepo.errors import CtxrepoError, RepositoryState

FORMATS = {"SHA-256": make_sha256, "reftable": make_reftable}
COMMANDS = (
    "init", "status", "doctor", "doctor --fix", "check", "check --fix", "remember something", "sync", "pull",
    "push", "history", "undo",
)  # fmt: skip


def contents(clone: Path) -> dict[str, bytes]:
    """Every file of the clone, but for the folder of ours in it."""
    files = [path for path in clone.rglob("*") if path.is_file()]
    return {str(p.relative_to(clone)): p.read_bytes() for p in files if "/.git/ctxrepo/" not in str(p)}


@pytest.fixture(params=FORMATS, ids=str)
def foreign(request: pytest.FixtureRequest, ada: Machine) -> tuple[Machine, str]:
    ada.init()
    make: Callable[[Machine], None] = FORMATS[request.param]
    make(ada)
    return ada, request.param


def test_every_command_says_so_and_changes_nothing(foreign: tuple[Machine, str]) -> None:
    ada, name = foreign
    before = contents(ada.clone)
    for words in COMMANDS:
        completed = ada.ctxrepo(*words.split())
        output = completed.stdout + completed.stderr
        assert completed.returncode == 1, (words, output)
        assert f"{ada.clone} is a {name} repository, and ctxrepo works with SHA-1 and refs in files" in output
        assert ("fast-export" if name == "SHA-256" else "refs migrate") in output
        assert contents(ada.clone) == before, words
    assert ada.json("sync")["error"]["code"] == "repository_state"


def test_notes_can_still_be_read(foreign: tuple[Machine, str]) -> None:
    ada, _ = foreign
    completed = ada.ctxrepo("read", "global/MEMORY.md")
    assert completed.returncode == 0
    assert "description:" in completed.stdout


def test_a_worker_tells_sessions_and_writes_nothing(foreign: tuple[Machine, str]) -> None:
    from ctxrepo.services.faults.faults import standing, tell_at_once

    ada, name = foreign
    before = contents(ada.clone)
    memory = ada.open()
    tell_at_once(memory)
    with pytest.raises(RepositoryState, match=name):
        ada.worker().run()
    assert [name in fault.fault for fault in standing(memory)] == [True]
    assert contents(ada.clone) == before


def test_a_converted_clone_of_sha_256_is_taken_with_all_its_history(ada: Machine) -> None:
    """The way on that the message gives, word by word."""
    ada.init()
    ada.write("global/tides.md", "- the tide turns at noon\n")
    make_sha256(ada)
    converted, old = ada.home / "new", ada.clone
    for words in (
        f"git init -q -b main --object-format=sha1 {converted}",
        f"git -C {old} fast-export --all | git -C {converted} fast-import --quiet",
        f"git -C {converted} checkout -q main",
    ):
        subprocess.run(words, shell=True, env=ada.env, check=True)
    shutil.rmtree(old)
    converted.rename(old)
    ada.init()
    ada.remember("the ferry leaves at ten")
    assert ada.sync().created
    assert "everything" in ada.git("log", "--format=%s")
    assert ada.git("fsck", "--no-dangling") == ""
    assert "noon" in ada.read("global/tides.md")


@unless("" if knows_reftable() else "git before 2.46 can't convert refs: `git refs migrate` came with it")
def test_a_converted_clone_of_reftable_is_taken(ada: Machine) -> None:
    ada.init()
    make_reftable(ada)
    ada.git("refs", "migrate", "--ref-format=files")
    ada.init()
    ada.remember("the ferry leaves at ten")
    assert ada.sync().created


@pytest.fixture
def sha256_remote(tmp_path: Path) -> Path:
    """An empty bare SHA-256 repository, as a forge makes one that was asked for it."""
    folder = tmp_path / "sha256.git"
    words = ["git", "init", "-q", "--bare", "-b", "main", "--object-format=sha256", str(folder)]
    subprocess.run(words, check=True)
    return folder


def fill(remote: Path, machine: Machine) -> None:
    """Push a SHA-256 memory of this machine's to the remote."""
    machine.init()
    make_sha256(machine)
    machine.git("push", "-q", str(remote), "main")


@pytest.mark.parametrize("is_empty", [True, False])
def test_nothing_of_a_sha_256_remote_is_cloned(
    ada: Machine, ben: Machine, sha256_remote: Path, is_empty: bool
) -> None:
    if not is_empty:
        fill(sha256_remote, ben)
    with pytest.raises(
        CtxrepoError, match=r"could not be cloned: it.* (is sha256|SHA-256 repository)"
    ) as caught:
        ada.init(str(sha256_remote))
    assert "git init --bare --object-format=sha1" in caught.value.hint
    assert not ada.clone.exists()
    assert not ada.places.config_file.exists()


@pytest.mark.parametrize("is_empty", [True, False])
def test_a_memory_is_not_connected_with_a_sha_256_remote(
    ada: Machine, ben: Machine, sha256_remote: Path, is_empty: bool
) -> None:
    if not is_empty:
        fill(sha256_remote, ben)
    ada.init()
    before = contents(ada.clone)
    with pytest.raises(CtxrepoError, match="could not be reached: its object format is sha256"):
        ada.init(str(sha256_remote))
    assert contents(ada.clone) == before
    assert ada.open().repository.remote == ""


def test_a_remote_that_became_sha_256_is_an_outcome_of_its_own(
    ada: Machine, ben: Machine, remote: Path, sha256_remote: Path
) -> None:
    fill(sha256_remote, ben)
    ada.init(str(remote))
    shutil.rmtree(remote)
    sha256_remote.rename(remote)
    ada.remember("something to send")
    completed = ada.ctxrepo("sync")
    assert completed.returncode == 5
    assert "ctxrepo works with SHA-1 repositories only" in completed.stderr
    assert "the next sync sends it" not in completed.stderr
    assert ada.json("sync")["data"]["remote"] == "format"
    assert "another format of git" in ada.open().remote_trouble()


def test_a_git_whose_defaults_are_others_makes_what_we_ask_for(
    ada: Machine, ben: Machine, remote: Path, tmp_path: Path
) -> None:
    """git 3, played: it makes SHA-256 and reftable when it isn't told otherwise."""
    path, log = git_3(tmp_path / "bin")
    probe = tmp_path / "probe"
    subprocess.run(["git", "init", "-q", str(probe)], env={"PATH": path, "HOME": str(tmp_path)}, check=True)
    assert "objectformat = sha256" in (probe / ".git" / "config").read_text()
    log.write_text("")

    alone, cloned = (Machine(machine.home, {"PATH": path}) for machine in (ada, ben))
    alone.init()
    cloned.init(str(remote))
    for machine in (alone, cloned):
        machine.remember("the tide turns at noon")
        assert machine.sync().remote.ok
        assert "extensions" not in (machine.clone / ".git" / "config").read_text()
        assert (machine.clone / ".git" / "refs" / "heads" / "main").is_file()
        assert machine.git("fsck", "--no-dangling") == ""
    lines = log.read_text().splitlines()
    begun = [line for line in lines if " init " in line or " clone " in line]
    assert len(begun) == 2
    assert all(line.startswith("sha1 files ") for line in begun)
