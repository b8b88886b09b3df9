"""What stands at a path is told in a word, and what git would follow or wait at is found."""

from __future__ import annotations

from pathlib import Path

import pytest
from odd import bound_socket, endless, folder, garbage, link_to_nothing, loop, pipe

from ctxrepo.errors import Damaged, RepositoryState
from ctxrepo.storage.disk.kinds import kind_of, may_be_read, misplaced, require_in_place

KINDS = {
    pipe: "a pipe",
    bound_socket: "a socket",
    folder: "a folder",
    garbage: "a file",
    endless: "a link to a device",
    link_to_nothing: "a link to nothing",
    loop: "a link to nothing",
}


def test_every_kind_has_a_name_and_nothing_has_none(tmp_path: Path) -> None:
    for make, kind in KINDS.items():
        make(tmp_path / make.__name__)
        assert kind_of(tmp_path / make.__name__) == kind
    (tmp_path / "link").symlink_to("garbage")
    assert kind_of(tmp_path / "link") == "a link to a file"
    assert kind_of(tmp_path / "none") == kind_of(tmp_path / "garbage" / "below") == ""


def test_only_a_file_or_nothing_may_be_read(tmp_path: Path) -> None:
    for make in KINDS:
        make(tmp_path / make.__name__)
        assert may_be_read(tmp_path / make.__name__) == (make is garbage)
    (tmp_path / "link").symlink_to("garbage")
    assert may_be_read(tmp_path / "link")
    assert may_be_read(tmp_path / "none")


@pytest.fixture
def git_dir(tmp_path: Path) -> Path:
    for name in ("objects/pack", "objects/info", "objects/ab", "refs", "logs", "info"):
        (tmp_path / ".git" / name).mkdir(parents=True)
    (tmp_path / ".git/objects/pack/pack-1.pack").write_bytes(b"PACK")
    require_in_place(tmp_path)
    return tmp_path / ".git"


@pytest.mark.parametrize("name", ["objects", "objects/pack", "objects/ab", "refs", "logs", "info"])
def test_what_stands_in_a_folders_place_is_damage_and_a_link_is_for_a_person(
    git_dir: Path, name: str
) -> None:
    (git_dir / name).rename(git_dir / "before")
    pipe(git_dir / name)
    assert [entry.path for entry in misplaced(git_dir)] == [git_dir / name]
    with pytest.raises(Damaged, match=f"{name} is a pipe, where a folder of its own belongs"):
        require_in_place(git_dir.parent)
    (git_dir / name).unlink()
    (git_dir / name).symlink_to(git_dir / "before")
    with pytest.raises(RepositoryState, match=f"{name} is a link to a folder") as refused:
        require_in_place(git_dir.parent)
    assert f"mv {git_dir / name}.copy {git_dir / name}" in refused.value.hint


def test_whatever_lies_among_the_packs_is_opened_so_that_it_has_to_be_a_file(git_dir: Path) -> None:
    pipe(git_dir / "objects/pack/of-nobody")
    (git_dir / "objects/pack/tmp_folder").mkdir()
    with pytest.raises(Damaged, match="of-nobody is a pipe, where a file belongs"):
        require_in_place(git_dir.parent)


def test_a_git_folder_that_is_none_is_for_a_person_too(tmp_path: Path) -> None:
    require_in_place(tmp_path)
    garbage(tmp_path / ".git")
    with pytest.raises(
        RepositoryState, match=r"\.git is a file, where a folder of its own belongs"
    ) as refused:
        require_in_place(tmp_path)
    assert "ls -l" in refused.value.hint
