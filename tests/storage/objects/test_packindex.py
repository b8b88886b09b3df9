"""Which objects a pack holds, and where, as git itself says it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from ctxrepo.storage.objects.objectfiles import ids_in, offsets_in


@pytest.fixture
def index(tmp_path: Path) -> Path:
    """The index of a pack of three objects."""

    def git(*words: str, stdin: str = "") -> str:
        done = subprocess.run(["git", *words], cwd=tmp_path, input=stdin, stdout=-1, text=True, check=True)
        return done.stdout

    git("init", "-q")
    ids = "".join(git("hash-object", "-w", "--stdin", stdin=text) for text in ("one", "two", "three"))
    name = git("pack-objects", "-q", "pack", stdin=ids).strip()
    return tmp_path / f"pack-{name}.idx"


def test_it_says_what_git_says(index: Path) -> None:
    data = index.read_bytes()
    output = subprocess.run(["git", "show-index"], input=data, stdout=-1, check=True).stdout.decode()
    offsets = {line.split()[1]: int(line.split()[0]) for line in output.splitlines()}
    assert len(offsets) == 3
    assert ids_in(data) == offsets.keys()
    assert {oid.hex(): offset for oid, offset in offsets_in(data).items()} == offsets


def test_what_is_no_whole_index_of_that_version_is_refused(index: Path) -> None:
    data = index.read_bytes()
    for spoiled in (b"", data[:7], data[:900], data[:-1], b"\xfftOc\0\0\0\x01" + data[8:]):
        with pytest.raises(ValueError, match="an index"):
            ids_in(spoiled)
        with pytest.raises(ValueError, match="an index"):
            offsets_in(spoiled)
