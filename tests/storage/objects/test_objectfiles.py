"""Which object files are spoiled, found byte for byte."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from ctxrepo.storage.objects.objectfiles import packs_without_index, spoiled_objects, why_spoiled


@pytest.fixture
def git_dir(tmp_path: Path) -> Path:
    """A repository with loose objects, a pack and a graph."""
    clone = tmp_path / "clone"
    subprocess.run(["git", "init", "-q", str(clone)], check=True)
    for number in range(6):
        (clone / "note.md").write_text("a line\n" * 40 * (number + 1))
        subprocess.run(["git", "add", "."], cwd=clone, check=True)
        subprocess.run(["git", "commit", "-q", "-m", str(number)], cwd=clone, check=True)
        if number == 3:
            for words in (["gc", "-q"], ["commit-graph", "write", "--reachable"]):
                subprocess.run(["git", *words], cwd=clone, check=True)
    return clone / ".git"


def files(git_dir: Path) -> list[Path]:
    paths = [*(git_dir / "objects").glob("??/*"), *(git_dir / "objects/pack").glob("pack-*")]
    return [*paths, git_dir / "objects/info/commit-graph"]


def test_a_sound_repository_has_none(git_dir: Path) -> None:
    assert list(spoiled_objects(git_dir)) == []
    assert packs_without_index(git_dir) == []
    assert {why_spoiled(p) for p in (git_dir / "objects").glob("??/*")} == {""}


@pytest.mark.parametrize("how", ["empty", "short", "flipped", "longer"])
def test_every_file_that_is_spoiled_is_found(git_dir: Path, how: str) -> None:
    spoiled = files(git_dir)
    for path in spoiled:
        data = path.read_bytes()
        middle = len(data) // 2
        flipped = data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :]
        path.chmod(0o644)
        path.write_bytes(
            {"empty": b"", "short": data[:middle], "flipped": flipped, "longer": data + b"x"}[how]
        )
    assert {path for path, _ in spoiled_objects(git_dir)} == set(spoiled)


def test_an_index_of_another_pack_or_of_none(git_dir: Path) -> None:
    (pack,) = (git_dir / "objects/pack").glob("*.pack")
    index = pack.with_suffix(".idx")
    os.rename(pack, pack.with_suffix(".gone"))
    assert (index, "has no pack") in list(spoiled_objects(git_dir))
    os.rename(pack.with_suffix(".gone"), pack)
    index.unlink()
    assert packs_without_index(git_dir) == [pack]


def test_a_pack_that_another_one_has_replaced_lacks_no_index(git_dir: Path) -> None:
    (index,) = (git_dir / "objects" / "pack").glob("*.idx")
    index.rename(index.with_suffix(".joined"))
    assert packs_without_index(git_dir) == []
    index.with_suffix(".joined").unlink()
    assert packs_without_index(git_dir) == [index.with_suffix(".pack")]


def test_it_gives_up_in_time(git_dir: Path) -> None:
    with pytest.raises(TimeoutError):
        list(spoiled_objects(git_dir, end=0))
