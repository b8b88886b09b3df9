"""What a sandbox hands over is read back; nothing else that is put there makes us wait or leads elsewhere."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from ctxrepo.domain.records.save import Origin, Save
from ctxrepo.storage.state.journal import Handover

SAVE = Save("a.md", None, b"- text\n", "remember", Origin(""), "2026-11-20T00:00:00.000Z", "id")
NAME = "7-1-1-12"
"""A name as an operation has one."""


Put = Callable[[Path], None]


@pytest.fixture
def handover(tmp_path: Path) -> Handover:
    return Handover(tmp_path / "waiting", tmp_path / "taken", tmp_path / "refused")


def test_what_is_left_is_read_back_until_it_is_removed(handover: Handover) -> None:
    handover.add([SAVE])
    ((name, saves),) = handover.take()
    assert [(save.path, save.after) for save in saves] == [("a.md", b"- text\n")]
    handover.remove(name)
    assert not handover.names()


def _pipe(path: Path) -> None:
    os.mkfifo(path)


def _link(path: Path) -> None:
    secret = path.parent.parent / "secret"
    secret.write_text("private")
    path.symlink_to(secret)


@pytest.mark.parametrize("put", [_pipe, _link, Path.mkdir], ids=["pipe", "link", "folder"])
def test_what_is_no_plain_file_is_no_operation(handover: Handover, put: Put) -> None:
    handover.add([SAVE])
    put(handover.waiting / NAME)
    assert len(handover.names()) == len([*handover.take()]) == 1


@pytest.mark.parametrize("put", [_pipe, _link, Path.mkdir], ids=["pipe", "link", "folder"])
def test_what_became_something_else_while_it_was_taken_is_not_opened(handover: Handover, put: Put) -> None:
    handover.taken.mkdir()
    put(handover.taken / NAME)
    assert not [*handover.take()]


def test_a_link_in_place_of_the_folder_leads_to_no_operation(handover: Handover, tmp_path: Path) -> None:
    """What waits in the journal has names of the same form, and is nothing that a sandbox handed over."""
    journal = tmp_path / "journal"
    Handover(journal, journal, journal).add([SAVE])
    handover.waiting.symlink_to(journal)
    assert not handover.names()
    assert not [*handover.take()]
    assert len([*journal.iterdir()]) == 1


def test_one_that_is_too_large_is_not_read(handover: Handover) -> None:
    handover.add([SAVE])
    (name,) = handover.names()
    with (handover.waiting / name).open("r+b") as file:
        file.truncate(1 << 30)  # a file with a hole takes no room on the disk
    assert [*handover.take()] == [(name, [])]


def test_what_is_refused_is_kept_in_a_private_folder_and_no_longer_waits(handover: Handover) -> None:
    handover.add([SAVE])
    (name,) = handover.names()
    data = (handover.waiting / name).read_bytes()
    assert [*handover.take()]
    handover.refuse(name, "no")
    assert not handover.names()
    assert handover.refusals() == [(handover.refused / name, "no")]
    assert (handover.refused / name).read_bytes() == b"no\n" + data
    assert handover.refused.stat().st_mode & 0o777 == 0o700
