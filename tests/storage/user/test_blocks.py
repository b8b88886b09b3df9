"""The register of blocks is read as it was written, and a damaged one is none."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ctxrepo.storage.user.receipt import BlockFile, Blocks, FileBlock

names = st.text(st.characters(exclude_characters="\0/", exclude_categories=["Cs"]), min_size=1, max_size=9)
paths = names.map(lambda name: Path("/code") / name)
blocks = st.builds(FileBlock, paths, names, st.binary(max_size=4), st.booleans(), names, names)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(blocks, min_size=1, max_size=4), st.text(max_size=9))
def test_what_is_written_is_read(tmp_path: Path, known: list[FileBlock], seen: str) -> None:
    file = BlockFile(tmp_path / "blocks.json")
    wanted = Blocks(tuple(known), seen)
    file.write(wanted)
    assert file.read() == wanted


def test_the_last_one_takes_the_file_along(tmp_path: Path) -> None:
    file = BlockFile(tmp_path / "blocks.json")
    block = FileBlock(Path("/a"), "shop")
    file.write(Blocks().with_(block))
    assert stat.S_IMODE(file.file.stat().st_mode) == 0o600
    file.write(file.read().without(Path("/b")))
    assert file.read().at(Path("/a")) == block
    file.write(file.read().without(Path("/a")))
    assert not file.file.exists()


def test_one_file_holds_one_block(tmp_path: Path) -> None:
    both = Blocks(seen="x").with_(FileBlock(Path("/a"), "one")).with_(FileBlock(Path("/a"), "two"))
    assert both == Blocks((FileBlock(Path("/a"), "two"),), "")


def test_a_register_from_before_checkouts_had_ids_in_it_is_read(tmp_path: Path) -> None:
    file = BlockFile(tmp_path / "blocks.json")
    file.write(Blocks().with_(FileBlock(Path("/a"), "shop", own="store")))
    file.file.write_text(file.file.read_text().replace('"own"', '"else"'))
    assert file.read().known == (FileBlock(Path("/a"), "shop"),)


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"3", b'{"version": 2}', b'{"version": 1}', b"\xff"])
def test_what_cannot_be_read_is_none(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "blocks.json").write_bytes(data)
    assert BlockFile(tmp_path / "blocks.json").read() == Blocks()


def test_a_folder_in_its_place_is_none(tmp_path: Path) -> None:
    (tmp_path / "blocks.json").mkdir()
    assert BlockFile(tmp_path / "blocks.json").read() == Blocks()
