"""Loose objects become a pack: nothing goes, who reads goes on reading, and what a kill left is cleared."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from machines import Machine

from ctxrepo.domain.git.oid import blob_id
from ctxrepo.storage.objects.packing import MANY_LOOSE, STALE, Loose

NOTE = "shop/topics/build.md"


@pytest.fixture
def machine(ada: Machine) -> Machine:
    """A machine whose memory has a history, and objects that nothing leads to."""
    ada.init()
    for number in range(5):
        ada.write(NOTE, f"- version {number}\n")
        ada.sync()
    (ada.home / "nobody's").write_text("nothing leads here\n")
    ada.git("hash-object", "-w", str(ada.home / "nobody's"))
    return ada


def loose_of(machine: Machine) -> Loose:
    memory = machine.open()
    return Loose(memory.clone.git_dir, memory.git)


def objects(machine: Machine) -> set[str]:
    """The ids of all objects that the clone has, wherever they lie."""
    return set(machine.git("cat-file", "--batch-all-objects", "--batch-check=%(objectname)").split())


def loose(machine: Machine) -> set[str]:
    folders = (machine.clone / ".git" / "objects").glob("[0-9a-f][0-9a-f]")
    return {folder.name + file.name for folder in folders for file in folder.iterdir()}


def unreachable(machine: Machine) -> set[str]:
    return {line.split()[-1] for line in machine.git("fsck", "--unreachable", "--no-progress").splitlines()}


def test_what_refs_lead_to_is_in_a_pack_and_no_object_is_gone(machine: Machine) -> None:
    before, refs = objects(machine), machine.git("for-each-ref")
    assert loose(machine) == before
    assert loose_of(machine).pack().ok
    assert objects(machine) == before
    assert machine.git("for-each-ref") == refs
    assert machine.git("hash-object", str(machine.home / "nobody's")) in loose(machine)
    assert loose(machine) == unreachable(machine)
    assert machine.git("fsck", "--no-dangling", "--no-progress") == ""
    assert machine.git("status", "--porcelain") == ""


def test_the_refs_that_hooks_read_stay_files(machine: Machine) -> None:
    assert loose_of(machine).pack().ok
    assert (machine.clone / ".git/refs/ctxrepo/wt").is_file()
    assert (machine.clone / ".git/refs/heads/main").is_file()


def test_who_has_the_clone_open_goes_on_reading_and_writing(machine: Machine) -> None:
    memory = machine.open()
    head = memory.objects.ref(memory.clone.branch_ref)
    assert memory.objects.files(memory.objects.tree_of(head))
    assert loose_of(machine).pack().ok
    assert head
    for commit, tree, _ in memory.objects.walk(head):
        for key in memory.objects.files(tree).values():
            assert memory.objects.has(commit)
            assert blob_id(memory.objects.data(key)) == key
    machine.write(NOTE, "- version 5\n")
    machine.sync()
    assert loose_of(machine).pack().ok
    assert machine.git("log", "--format=%H", "--", NOTE).count("\n") == 5


def test_a_pack_whose_files_are_still_there_as_after_a_kill_is_no_trouble(machine: Machine) -> None:
    before = objects(machine)
    machine.git("repack", "-q")
    assert loose(machine) == before
    assert loose_of(machine).pack().ok
    assert objects(machine) == before
    assert loose(machine) == unreachable(machine) != before


def test_they_are_many_when_one_folder_of_the_256_holds_its_share(machine: Machine) -> None:
    loose = loose_of(machine)
    assert not loose.are_many()
    folder = machine.clone / ".git" / "objects" / "17"
    folder.mkdir(exist_ok=True)
    for number in range(MANY_LOOSE // 256 + 1):
        (folder / f"{number:038x}").touch()
    assert loose.are_many()


def test_what_a_killed_git_left_goes_after_a_day_and_nothing_else(machine: Machine) -> None:
    pack, folder = (machine.clone / ".git" / "objects" / name for name in ("pack", "17"))
    before = objects(machine)
    assert loose_of(machine).pack().ok
    folder.mkdir(exist_ok=True)
    left = [pack / "tmp_pack_a1B2c3", pack / ".tmp-4711-pack-0f.idx", folder / "tmp_obj_x9Y8z7"]
    fresh = pack / "tmp_idx_a1B2c3"
    now = time.time()
    for file in (*left, fresh):
        file.touch()
    for file in (*left, *pack.glob("pack-*")):
        os.utime(file, (now, now - STALE - 60))
    assert loose_of(machine).clear(now) == 3
    assert [file for file in left if file.exists()] == []
    assert fresh.exists()
    assert objects(machine) == before


def test_an_object_that_is_spoiled_stays_where_it_is_and_so_do_the_others(machine: Machine) -> None:
    tree = machine.git("rev-parse", "HEAD~2^{tree}")
    file = machine.clone / ".git" / "objects" / tree[:2] / tree[2:]
    file.chmod(0o644)
    file.write_bytes(b"spoiled")
    before = loose(machine)
    answer = loose_of(machine).pack()
    assert not answer.ok
    assert tree in answer.err
    assert loose(machine) == before


def test_a_folder_that_is_no_clone_has_none(tmp_path: Path, ada: Machine) -> None:
    ada.init()
    assert not Loose(tmp_path, ada.open().git).are_many()
    assert Loose(tmp_path, ada.open().git).clear(time.time()) == 0
