"""Odd states of a clone: writes are acknowledged, sync says one line, and what waited arrives."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from catalogue import arrived, heal, output_of, quiet_hooks, remember, sync
from long import rotating
from machines import Machine
from needs import needs_root

LOCKS = ("index", "refs/heads/main", "refs/remotes/origin/main", "packed-refs", "config", "HEAD", "shallow")


class TestLocks:
    @pytest.mark.parametrize("name", rotating(LOCKS, keep=2))
    def test_one_left_behind_is_in_nobodys_way(
        self, mine: Machine, ben: Machine, remote: Path, git_dir: Path, name: str
    ) -> None:
        lock = git_dir / f"{name}.lock"
        lock.touch()
        remember(mine, "with a lock")
        sync(mine)
        if name != "packed-refs":  # which may or may not have been asked for
            assert lock.exists() == (name in ("index", "config", "HEAD", "shallow"))
        lock.unlink(missing_ok=True)
        remember(mine, "without it")
        sync(mine)
        arrived(mine, ben, remote, "with a lock", "without it", "committed here")

    def test_old_ones_are_listed_and_moved_aside_when_asked(self, mine: Machine, git_dir: Path) -> None:
        for name in LOCKS:
            (git_dir / f"{name}.lock").touch()
        assert ".lock" not in output_of(mine.ctxrepo("doctor"))
        for name in LOCKS:
            os.utime(git_dir / f"{name}.lock", (time.time() - 90,) * 2)
        assert sum(f"{name}.lock" in output_of(mine.ctxrepo("doctor")) for name in LOCKS[:2]) == 2
        words = output_of(mine.ctxrepo("doctor", "--fix"))
        assert all(f"moved {Path(name).name}.lock aside" in words for name in LOCKS)
        assert not list(git_dir.glob("*.lock"))
        assert list(git_dir.glob("ctxrepo/broken/*/refs/heads/main.lock"))


class TestIndex:
    @pytest.mark.parametrize("data", rotating([b"garbage", b"", b"DIRC" + bytes(90), None], keep=2))
    def test_corrupt_or_missing(
        self, mine: Machine, ben: Machine, remote: Path, git_dir: Path, data: bytes | None
    ) -> None:
        index = git_dir / "index"
        index.unlink() if data is None else index.write_bytes(data)
        remember(mine, "with no index")
        sync(mine)
        quiet_hooks(mine)
        output_of(mine.ctxrepo("doctor", "--fix"))
        remember(mine, "with an index again")
        sync(mine)
        arrived(mine, ben, remote, "with no index", "with an index again", "committed here")

    def test_what_a_person_staged_stays_staged(self, mine: Machine, ben: Machine, remote: Path) -> None:
        mine.write("global/staged.md", "- staged by hand\n")
        mine.git("add", "global/staged.md")
        remember(mine, "beside it")
        sync(mine)
        arrived(mine, ben, remote, "staged by hand", "beside it")
        assert len(mine.git("log", "--format=%h", "--", "global/staged.md").split()) == 1


class TestAPersonAtWork:
    """Nobody touches what a person has begun: writes are kept, and committed when it is ended."""

    @pytest.fixture
    def rebase(self, mine: Machine) -> Machine:
        mine.git("-c", "sequence.editor=sed -i 1s/pick/edit/", "rebase", "-q", "-i", "HEAD~1")
        return mine

    def waits(self, machine: Machine, words: str) -> None:
        before = machine.git("rev-parse", "HEAD"), machine.git("for-each-ref", "refs/heads")
        remember(machine, "written meanwhile")
        assert words in sync(machine, code=1)
        quiet_hooks(machine)
        output_of(machine.ctxrepo("doctor", "--fix"))
        assert words in output_of(machine.ctxrepo("doctor"))
        assert (machine.git("rev-parse", "HEAD"), machine.git("for-each-ref", "refs/heads")) == before

    def goes_on(self, machine: Machine, ben: Machine, remote: Path) -> None:
        sync(machine)
        arrived(machine, ben, remote, "written meanwhile", "sent before", "committed here")

    def test_a_rebase(self, rebase: Machine, ben: Machine, remote: Path) -> None:
        self.waits(rebase, "a rebase is unfinished")
        rebase.git("stash", "-q")
        rebase.git("rebase", "--abort")
        self.goes_on(rebase, ben, remote)

    def test_a_merge(self, mine: Machine, ben: Machine, remote: Path) -> None:
        mine.git("switch", "-q", "-c", "idea", "HEAD~1")
        mine.git("commit", "-q", "--allow-empty", "-m", "an idea")
        mine.git("switch", "-q", "main")
        mine.git("merge", "-q", "--no-ff", "--no-commit", "idea")
        self.waits(mine, "a merge is unfinished")
        mine.git("merge", "--quit")
        self.goes_on(mine, ben, remote)

    @pytest.mark.parametrize(
        ("switch", "there"), rotating([("-cidea", "idea"), ("--detach", "no branch")], keep=1)
    )
    def test_another_commit_is_left_when_asked(
        self, mine: Machine, ben: Machine, remote: Path, switch: str, there: str
    ) -> None:
        mine.git("switch", "-q", switch, "HEAD~1")
        before = mine.git("rev-parse", "HEAD"), mine.git("for-each-ref", "refs/heads")
        remember(mine, "written meanwhile")
        assert f"is on {there}, not on main" in sync(mine, code=1)
        quiet_hooks(mine)
        assert f"is on {there}, not on main" in output_of(mine.ctxrepo("doctor"))
        assert (mine.git("rev-parse", "HEAD"), mine.git("for-each-ref", "refs/heads")) == before
        assert f"was on {there} and is on main again" in output_of(mine.ctxrepo("doctor", "--fix"))
        self.goes_on(mine, ben, remote)


class TestTheCloneAsAWhole:
    def test_without_a_remote_everything_stays_here(self, ada: Machine) -> None:
        ada.init()
        remember(ada, "stays here")
        assert "there is no remote" in sync(ada)
        assert "stays here" in ada.git("grep", "-h", "stays", "HEAD")

    def test_a_shallow_one_is_deepened(
        self, mine: Machine, ben: Machine, remote: Path, git_dir: Path
    ) -> None:
        mine.sync()
        (git_dir / "shallow").write_text(mine.git("rev-parse", "HEAD") + "\n")
        remember(mine, "on shallow ground")
        ben.remember("from elsewhere")
        ben.sync()
        sync(mine)
        assert not (git_dir / "shallow").exists()
        arrived(mine, ben, remote, "on shallow ground", "from elsewhere", "committed here")

    def test_a_garbled_note_of_shallowness(
        self, mine: Machine, ben: Machine, remote: Path, git_dir: Path
    ) -> None:
        (git_dir / "shallow").write_text("garbage\n")
        remember(mine, "on garbled ground")
        sync(mine)  # which doesn't read that note; the person's own git does
        assert "shallow is corrupt" in mine.ctxrepo("doctor").stdout
        assert mine.ctxrepo("doctor", "--fix").returncode in (0, 1)
        arrived(mine, ben, remote, "on garbled ground", "committed here")

    @pytest.mark.parametrize("link", [False, True], ids=["moved", "linked"])
    def test_moved(self, mine: Machine, ben: Machine, remote: Path, link: bool) -> None:
        elsewhere = mine.home / "elsewhere"
        mine.clone.rename(elsewhere)
        if link:
            mine.clone.symlink_to(elsewhere)
        there = mine if link else Machine(mine.home, {"CTXREPO_HOME": str(elsewhere)})
        remember(there, "after the move")
        sync(there)
        mine.clone.unlink(missing_ok=True)
        elsewhere.rename(mine.clone)
        sync(mine)
        arrived(mine, ben, remote, "after the move", "committed here")

    @needs_root
    def test_owned_by_somebody_else(self, mine: Machine, ben: Machine, remote: Path, git_dir: Path) -> None:
        for path in (mine.clone, git_dir):
            os.chown(path, 12345, 12345)
        try:
            for words in (("remember", "not mine"), ("sync",)):
                run = mine.ctxrepo(*words)
                assert run.returncode != 0
                assert "another user" in output_of(run)
                assert len(output_of(run).splitlines()) <= 3
        finally:
            for path in (mine.clone, git_dir):
                os.chown(path, 0, 0)
        remember(mine, "mine again")
        heal(mine)
        arrived(mine, ben, remote, "mine again", "committed here")

    def test_a_repository_inside_it_is_passed_over(self, mine: Machine, ben: Machine, remote: Path) -> None:
        subprocess.run(["git", "init", "-q", str(mine.clone / "global/inner")], check=True)
        mine.write("global/inner/x.md", "- not of the memory\n")
        remember(mine, "beside it")
        sync(mine)
        assert "global/inner" in output_of(mine.ctxrepo("status")) + output_of(mine.ctxrepo("check"))
        assert "not of the memory" not in mine.git("grep", "-h", "", "HEAD")
        shutil.rmtree(mine.clone / "global/inner")
        arrived(mine, ben, remote, "beside it", "committed here")
