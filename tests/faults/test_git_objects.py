"""Spoiled objects and packs: what was acknowledged arrives, and git finds the clone whole again."""

from __future__ import annotations

import shutil
import subprocess
import threading
from pathlib import Path

import pytest
from catalogue import arrived, heal, is_whole, object_of, output_of, quiet_hooks, remember, spoil
from damage import run
from long import mostly_long, rotating
from machines import NOW, Machine

from ctxrepo.services.saving.commit import commit


@pytest.mark.parametrize("number", mostly_long([6, 1], keep=1))
def test_whatever_is_spoiled_nothing_is_lost(tmp_path: Path, number: int) -> None:
    """`python tests/damage.py --seeds 200` tries more."""
    assert run(tmp_path, [number]) == []


class TestObjects:
    @pytest.mark.parametrize(
        ("name", "size"),
        rotating(
            [("HEAD", 0), ("HEAD", 40), ("HEAD^{tree}", 0), ("HEAD:shop", 20), ("HEAD~1", 30),
             ("HEAD~1:shop/MEMORY.md", 0), ("refs/ctxrepo/wt", 0), ("HEAD:shop/MEMORY.md", 0)],
        ),
    )  # fmt: skip
    def test_one_that_is_empty_or_cut_short(
        self, mine: Machine, ben: Machine, remote: Path, name: str, size: int
    ) -> None:
        file = object_of(mine, name)
        spoil(file, file.read_bytes()[:size])
        remember(mine, "beside a hole")
        quiet_hooks(mine)
        heal(mine)
        arrived(mine, ben, remote, "beside a hole", "committed here", "sent before")
        assert is_whole(mine)

    def test_a_spoiled_one_is_kept_and_told_of(self, mine: Machine, git_dir: Path) -> None:
        file = object_of(mine, "HEAD")
        spoil(file, b"garbage")
        assert f"{file} is corrupt" in output_of(mine.ctxrepo("doctor"))
        assert "1 object file moved aside" in output_of(mine.ctxrepo("doctor", "--fix"))
        (kept,) = git_dir.glob(f"ctxrepo/broken/*/objects/{file.parent.name}/{file.name}")
        assert kept.read_bytes() == b"garbage"

    def test_all_of_them_gone_and_no_remote(self, ada: Machine) -> None:
        ada.init()
        ada.remember("one")
        ada.sync()
        for folder in (ada.clone / ".git/objects").glob("??"):
            shutil.rmtree(folder)
        remember(ada, "two")
        heal(ada)
        assert {"- one", "- two"} <= set(ada.git("grep", "-hoE", "^- (one|two)", "HEAD").splitlines())
        assert is_whole(ada)

    @pytest.mark.parametrize("suffix", rotating(["pack", "idx"], keep=1))
    def test_a_spoiled_pack(
        self, mine: Machine, ben: Machine, remote: Path, git_dir: Path, suffix: str
    ) -> None:
        mine.git("gc", "-q")
        (file,) = git_dir.glob(f"objects/pack/*.{suffix}")
        data = file.read_bytes()
        spoil(file, data[: len(data) // 2])
        remember(mine, "beside a pack")
        heal(mine)
        arrived(mine, ben, remote, "beside a pack", "committed here", "sent before")
        assert is_whole(mine)

    def test_an_edit_on_disk_wins_over_the_older_commit(
        self, mine: Machine, ben: Machine, remote: Path
    ) -> None:
        """The commit that took a line away is lost: going back to the one before must not bring it again."""
        mine.write("shop/MEMORY.md", mine.read("shop/MEMORY.md").replace("sent before", "said anew"))
        commit(mine.open(), NOW)
        spoil(object_of(mine, "HEAD"))
        heal(mine)
        arrived(mine, ben, remote, "said anew", "committed here")
        assert "sent before" not in mine.read("shop/MEMORY.md")

    def test_while_git_tidies_up(self, mine: Machine, ben: Machine, remote: Path) -> None:
        ended = threading.Event()

        def tidy() -> None:
            while not ended.is_set():
                subprocess.run(["git", "gc", "-q", "--prune=now"], cwd=mine.clone, capture_output=True)

        thread = threading.Thread(target=tidy)
        thread.start()
        try:
            for number in range(3):
                remember(mine, f"tidied {number}")
                heal(mine)
        finally:
            ended.set()
            thread.join()
        heal(mine)
        arrived(mine, ben, remote, *(f"tidied {n}" for n in range(3)), "committed here")
