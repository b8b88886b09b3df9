"""Spoiled or missing HEAD and refs: what was acknowledged arrives, and the history is kept."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from catalogue import arrived, heal, output_of, quiet_hooks, remember
from long import rotating
from machines import NOW, Machine

from ctxrepo.services.saving.commit import commit


class TestHeadAndRefs:
    @pytest.mark.parametrize(
        ("name", "data"),
        rotating(
            [("HEAD", b""), ("HEAD", b"garbage\n"), ("HEAD", None), ("refs/heads/main", b""),
             ("refs/heads/main", bytes(41)), ("refs/heads/main", None),
             ("refs/remotes/origin/main", b"garbage\n"),
             ("refs/remotes/origin/main", None), ("refs/ctxrepo/wt", b""), ("refs/ctxrepo/wt", None),
             ("refs/ctxrepo/wt-next", bytes(41)), ("refs/ctxrepo/index", b"")],
            keep=4,
        ),
    )  # fmt: skip
    def test_spoiled_or_gone(
        self, mine: Machine, ben: Machine, remote: Path, git_dir: Path, name: str, data: bytes | None
    ) -> None:
        (git_dir / name).unlink() if data is None else (git_dir / name).write_bytes(data)
        remember(mine, "beside a ref")
        heal(mine)
        arrived(mine, ben, remote, "beside a ref", "committed here", "sent before")
        assert mine.git("log", "--format=%h").count("\n") >= 2, "the history is kept"

    @pytest.mark.parametrize("name", rotating(["HEAD", "refs/heads/main"], keep=1))
    def test_hooks_are_silent_meanwhile(self, mine: Machine, git_dir: Path, name: str) -> None:
        (git_dir / name).write_text("")
        quiet_hooks(mine)
        output = output_of(mine.ctxrepo("doctor"))
        assert "can't be read" in output or (git_dir / name).read_text()  # a worker has healed it by now

    @pytest.mark.parametrize("data", [b"garbage\n", bytes(300), b"\xff\xfe" * 40])
    def test_packed_refs(self, mine: Machine, ben: Machine, remote: Path, git_dir: Path, data: bytes) -> None:
        mine.git("pack-refs", "--all")
        (git_dir / "packed-refs").write_bytes(data)
        remember(mine, "beside packed refs")
        heal(mine)
        arrived(mine, ben, remote, "beside packed refs", "committed here", "sent before")

    def test_without_any_log_of_the_branch(
        self, mine: Machine, ben: Machine, remote: Path, git_dir: Path
    ) -> None:
        (git_dir / "refs/heads/main").unlink()
        shutil.rmtree(git_dir / "logs")
        remember(mine, "beside no ref")
        heal(mine)
        arrived(mine, ben, remote, "beside no ref", "committed here", "sent before")

    def test_without_any_trace_of_the_branch(
        self, mine: Machine, ben: Machine, remote: Path, git_dir: Path
    ) -> None:
        shutil.rmtree(git_dir / "logs")
        (git_dir / "refs/heads/main").unlink()
        (git_dir / "refs/ctxrepo/wt").write_bytes(bytes(41))
        heal(mine)
        arrived(mine, ben, remote, "committed here", "sent before")

    def test_an_older_packed_value_is_not_taken_for_the_branch(
        self, mine: Machine, ben: Machine, remote: Path, git_dir: Path
    ) -> None:
        mine.git("pack-refs", "--all")
        mine.remember("after packing")
        commit(mine.open(), NOW)
        (git_dir / "refs/heads/main").unlink()
        heal(mine)
        arrived(mine, ben, remote, "after packing", "committed here", "sent before")

    def test_a_clone_that_lost_its_head_is_not_looked_for_above(self, mine: Machine, git_dir: Path) -> None:
        """A home folder may be a repository of its own: nothing of the memory may get into it."""
        subprocess.run(["git", "init", "-q", "-b", "main", str(mine.home)], check=True)
        (git_dir / "HEAD").unlink()
        remember(mine, "for the memory only")
        heal(mine)
        there = ["git", "for-each-ref"]
        assert subprocess.run(there, cwd=mine.home, capture_output=True, text=True).stdout == ""
        assert "for the memory only" in mine.git("grep", "-h", "memory only", "HEAD")
