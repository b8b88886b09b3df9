"""The user's own places: made for them alone, put right, or refused in a sentence."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from needs import needs_root

from ctxrepo.errors import CtxrepoError
from ctxrepo.storage.disk.private import (
    move_foreign_aside,
    open_above,
    opened,
    put,
    put_whole,
    ready,
    require_own_file,
    require_own_folder,
    require_private,
    set_aside,
    touch,
)

OTHER = 12345


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_missing_folder_is_made_for_the_user_alone_with_those_above_it(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        require_private(tmp_path / "a" / "b" / "c")
    finally:
        os.umask(before)
    assert [mode(tmp_path / name) for name in ("a", "a/b", "a/b/c")] == [0o700] * 3


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rights=st.integers(0, 0o7777).map(lambda bits: bits | 0o700))
def test_whatever_rights_a_folder_had_it_is_closed(tmp_path: Path, rights: int) -> None:
    folder = tmp_path / "state"
    folder.mkdir(exist_ok=True)
    folder.chmod(rights)
    require_private(folder)
    assert not mode(folder) & 0o077


def test_a_link_in_place_of_a_folder_is_refused_and_what_it_leads_to_stays_as_it_is(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    other.chmod(0o755)
    (tmp_path / "state").symlink_to(other)
    with pytest.raises(CtxrepoError, match=r"state is a link, and what ctxrepo keeps there is for you alone"):
        require_private(tmp_path / "state")
    assert mode(other) == 0o755


def test_a_place_that_the_user_chose_may_be_a_link_of_theirs_and_is_closed_where_it_leads(
    tmp_path: Path,
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    other.chmod(0o755)
    (tmp_path / "state").symlink_to(other)
    require_private(tmp_path / "state", is_chosen=True)
    assert mode(other) == 0o700
    tmp_path.chmod(0o777)
    with pytest.raises(CtxrepoError, match=r"state leads to .*/state, which another user may have put there"):
        require_private(tmp_path / "state", is_chosen=True)
    tmp_path.chmod(0o1777)  # as /tmp: nobody takes away there what is not theirs
    require_private(tmp_path / "state", is_chosen=True)


def test_a_file_in_place_of_a_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "state").touch()
    with pytest.raises(CtxrepoError, match="isn't a folder"):
        require_private(tmp_path / "state")


@needs_root
def test_a_folder_of_another_user_is_refused(tmp_path: Path) -> None:
    (tmp_path / "state").mkdir(0o700)
    os.chown(tmp_path / "state", OTHER, OTHER)
    with pytest.raises(CtxrepoError, match="belongs to another user"):
        require_private(tmp_path / "state")


def test_links_go_aside_one_beside_the_other_and_files_are_closed(tmp_path: Path) -> None:
    for content in ("one", "two"):
        (tmp_path / "spool.jsonl").symlink_to(content)
        move_foreign_aside(tmp_path)
    (tmp_path / "writes.jsonl").write_text("acknowledged")
    (tmp_path / "writes.jsonl").chmod(0o666)
    move_foreign_aside(tmp_path)
    links = {path.name: os.readlink(path) for path in set_aside(tmp_path)}
    assert links == {"spool.jsonl.aside": "one", "spool.jsonl.2.aside": "two"}
    assert (mode(tmp_path / "writes.jsonl"), (tmp_path / "writes.jsonl").read_text()) == (
        0o600,
        "acknowledged",
    )


@needs_root
def test_what_another_user_has_put_there_goes_aside(tmp_path: Path) -> None:
    (tmp_path / "spool.jsonl").write_text("{}")
    os.chown(tmp_path / "spool.jsonl", OTHER, OTHER)
    for _ in range(3):
        move_foreign_aside(tmp_path)
    assert [path.name for path in set_aside(tmp_path)] == ["spool.jsonl.aside"]


def test_nothing_is_written_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "theirs").write_text("theirs")
    (tmp_path / "ours").symlink_to(tmp_path / "theirs")
    for write in (lambda path: put(path, "x"), touch, ready, lambda path: opened(path, "ab")):
        with pytest.raises(OSError, match=r"symbolic|isn't a file of your own"):
            write(tmp_path / "ours")
    assert (tmp_path / "theirs").read_text() == "theirs"


def test_a_pipe_is_neither_waited_for_nor_written_to(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for how in ("rb", "r+b"):
        with pytest.raises(OSError, match="isn't a file of your own"):
            opened(tmp_path / "pipe", how)


def test_a_file_is_made_for_the_user_alone_and_replaced_whole(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        put(tmp_path / "a", "longer before")
        put(tmp_path / "a", "now")
        touch(tmp_path / "b")
        ready(tmp_path / "c")
    finally:
        os.umask(before)
    assert (tmp_path / "a").read_text() == "now"
    assert [mode(tmp_path / name) for name in "abc"] == [0o600] * 3


def test_a_file_of_the_configuration_is_closed_also_behind_a_link_of_the_users(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("[sync]\n")
    (tmp_path / "real").chmod(0o666)
    (tmp_path / "config.toml").symlink_to("real")
    require_own_file(tmp_path / "config.toml")
    assert mode(tmp_path / "real") == 0o600


@needs_root
def test_a_configuration_of_another_user_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "theirs").write_text("[sync]\n")
    os.chown(tmp_path / "theirs", OTHER, OTHER)
    (tmp_path / "config.toml").symlink_to("theirs")
    with pytest.raises(CtxrepoError, match="belongs to another user"):
        require_own_file(tmp_path / "config.toml")


def test_a_configuration_folder_that_others_can_write_to_is_refused(tmp_path: Path) -> None:
    dotfiles = tmp_path / "dotfiles"
    dotfiles.mkdir()
    for bits in (0o755, 0o775, 0o1777):  # a group is often the user's own; in a sticky folder nobody replaces
        dotfiles.chmod(bits)
        require_own_folder(dotfiles)
    (tmp_path / "link").symlink_to("dotfiles")
    dotfiles.chmod(0o777)
    for folder in (dotfiles, tmp_path / "link"):
        with pytest.raises(CtxrepoError, match="other users can write to") as refused:
            require_own_folder(folder)
        assert refused.value.hint == f"`chmod o-w {dotfiles}` closes it."
    require_own_folder(tmp_path / "missing")


def test_folders_above_are_told_where_every_user_could_put_something_else_in_place(tmp_path: Path) -> None:
    state = tmp_path / "open" / "sticky" / "state"
    state.mkdir(parents=True)
    (tmp_path / "open").chmod(0o777)
    (tmp_path / "open" / "sticky").chmod(0o1777)
    assert [folder for folder, _ in open_above(state)] == [tmp_path / "open"]


def test_a_text_is_put_whole_or_not_at_all(tmp_path: Path) -> None:
    place = tmp_path / "state"
    (place / "folder").mkdir(parents=True)
    file = place / "id"
    put_whole(file, "one")
    with open(file) as reader:
        put_whole(file, "two")
        assert (reader.read(), file.read_text(), mode(file)) == ("one", "two", 0o600)
    with pytest.raises(OSError, match="folder"):
        put_whole(place / "folder", "three")
    assert sorted(os.listdir(place)) == ["folder", "id"]
