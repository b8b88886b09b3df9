"""What it takes to read the objects of a pack."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from machines import make_machine, make_remote
from torture.bombs import copies, cuttings
from torture.forge import Forge

from ctxrepo.domain.guard.bounds import CUT_OUT
from ctxrepo.storage.objects.objectfiles import burden


def packs_of(root: Path) -> list[Path]:
    return sorted((root / "objects" / "pack").glob("*.pack"))


@pytest.fixture
def forge(tmp_path: Path) -> Forge:
    remote = make_remote(tmp_path)
    machine = make_machine(tmp_path, "ada")
    machine.init(str(remote))
    machine.sync()
    return Forge(remote)


def test_small_notes_that_are_cut_out_of_a_large_file_are_a_burden(forge: Forge) -> None:
    known = set(packs_of(forge.root))
    cuttings(forge, 1, 10)
    (pack,) = set(packs_of(forge.root)) - known
    assert burden(pack) == 10 * 2**24


def test_what_is_as_large_as_its_base_is_none(forge: Forge) -> None:
    known = set(packs_of(forge.root))
    copies(forge, 2, 2)
    (pack,) = set(packs_of(forge.root)) - known
    assert burden(pack) == 0


@pytest.mark.slow
@pytest.mark.parametrize("more", [(), ("-F", "--depth=250", "--window=50")])
def test_a_pack_of_gits_own_is_next_to_none(tmp_path: Path, more: tuple[str, ...]) -> None:
    def git(*words: str) -> None:
        who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
        subprocess.run(["git", *who, *words], cwd=tmp_path, check=True, capture_output=True)

    git("init", "-q")
    lines = [f"- line {number} of many\n" for number in range(3_000)]
    for number in range(40):
        lines[number * 7] = f"- another line {number}\n"
        (tmp_path / "long.md").write_text("".join(lines))
        (tmp_path / f"n{number}.md").write_text("".join(lines[: number * 60]))
        git("add", ".")
        git("commit", "-qm", str(number))
    git("repack", "-adq", *more)
    (pack,) = packs_of(tmp_path / ".git")
    assert burden(pack) < CUT_OUT.most / 100


def test_what_is_no_pack_is_told(tmp_path: Path) -> None:
    (tmp_path / "pack-x.pack").write_bytes(b"PACK" * 9)
    (tmp_path / "pack-x.idx").write_bytes(b"\xfftOc\0\0\0\x01" + b"\0" * 2000)
    with pytest.raises(ValueError, match="another version"):
        burden(tmp_path / "pack-x.pack")
