"""Small packs become one: nothing goes, who reads goes on reading, and a kill leaves a whole repository."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from machines import Machine

from ctxrepo.errors import GitFailed
from ctxrepo.storage.objects import packing
from ctxrepo.storage.objects.objectfiles import packs_without_index, spoiled_objects
from ctxrepo.storage.objects.packing import MANY_PACKS, STALE, JoinedPacks, Loose, SmallPacks

_RUN = """
import os, signal, sys
from pathlib import Path
from ctxrepo.storage.git.git import Git
from ctxrepo.storage.objects import packing
from ctxrepo.storage.objects.packing import SmallPacks
git_dir, own, last = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
packing.MANY_PACKS = int(sys.argv[4])
packs, git = SmallPacks(git_dir), Git(own, dict(os.environ), is_offline=True, git_dir=own)
def count(event, args):
    global last
    if event in ("os.remove", "os.rename"):
        last -= 1
        if last < 0:
            os.kill(os.getpid(), signal.SIGKILL)
joined = packs.join(git)
sys.addaudithook(count)
packs.remove(joined)
"""
"""Joins packs, and is killed before it deletes or renames a file once more than `last` times."""


@pytest.fixture
def machine(ada: Machine) -> Machine:
    """A machine whose clone has one pack more than may be; each holds a commit, and a text that no ref leads
    to."""
    ada.init()
    ada.write("shop/topics/build.md", "- first\n")
    ada.sync()
    plant(ada, MANY_PACKS + 1)
    return ada


def plant(machine: Machine, count: int, size: int = 100) -> None:
    """Add packs to the clone, as so many fetches would."""
    lines = []
    for number in range(count):
        text = f"{os.urandom(size // 2).hex()}\n"
        lines += ["blob", f"data {len(text)}", f"{text}", "commit refs/heads/fetched"]
        lines += [f"committer ada <ada@example.org> {1_700_000_000 + number} +0000", "data 1", "x"]
        lines += [*(["from refs/heads/fetched^0"] if number == 0 and is_planted(machine) else [])]
        lines += [f"M 100644 inline note{number}.md", "data 9", f"- {number:06d}", "checkpoint"]
    words = ["git", "-c", "fastimport.unpackLimit=1", "fast-import", "--quiet"]
    subprocess.run(
        words, cwd=machine.clone, env=machine.env, input="\n".join(lines).encode() + b"\n", check=True
    )


def is_planted(machine: Machine) -> bool:
    return "refs/heads/fetched" in machine.git("for-each-ref")


def small(machine: Machine) -> SmallPacks:
    return SmallPacks(machine.clone / ".git")


def join(machine: Machine) -> JoinedPacks:
    """Write the new pack; the old ones stay."""
    memory = machine.open()
    joined = small(machine).join(memory.own_git.git(memory.env, is_offline=True))
    assert joined
    return joined


def packs(machine: Machine) -> set[Path]:
    return {*(machine.clone / ".git/objects/pack").glob("pack-*.pack")}


def objects(machine: Machine) -> set[str]:
    """The ids of all objects that the clone has, wherever they lie."""
    return set(machine.git("cat-file", "--batch-all-objects", "--batch-check=%(objectname)").split())


def unreachable(machine: Machine) -> set[str]:
    return {line.split()[-1] for line in machine.git("fsck", "--unreachable", "--no-progress").splitlines()}


def is_whole(machine: Machine) -> bool:
    return machine.git("fsck", "--no-dangling", "--no-progress") == ""


def test_many_packs_become_one_and_no_object_is_gone(machine: Machine) -> None:
    before, refs = objects(machine), machine.git("for-each-ref")
    lost = unreachable(machine)
    assert len(lost) >= len(packs(machine)) == MANY_PACKS + 1
    assert small(machine).are_many()
    joined = join(machine)
    assert packs(machine) == {*joined.old, joined.into}
    assert small(machine).remove(joined) == MANY_PACKS + 1
    assert packs(machine) == {joined.into}
    assert not small(machine).are_many()
    assert objects(machine) == before
    assert unreachable(machine) == lost
    assert machine.git("for-each-ref") == refs
    assert is_whole(machine)


def test_loose_objects_stay_loose(machine: Machine) -> None:
    files = {*(machine.clone / ".git/objects").glob("[0-9a-f][0-9a-f]/*")}
    assert files
    small(machine).remove(join(machine))
    assert {*(machine.clone / ".git/objects").glob("[0-9a-f][0-9a-f]/*")} == files


def test_few_packs_stay_as_they_are(machine: Machine) -> None:
    small(machine).remove(join(machine))
    plant(machine, MANY_PACKS - 1)
    assert len(packs(machine)) == MANY_PACKS
    memory = machine.open()
    assert not small(machine).are_many()
    assert small(machine).join(memory.git) is None


def test_a_pack_that_is_large_beside_all_others_is_not_written_anew(machine: Machine) -> None:
    before = packs(machine)
    plant(machine, 1, size=200_000)
    (large,) = packs(machine) - before
    joined = join(machine)
    assert {*joined.old} == before
    small(machine).remove(joined)
    assert packs(machine) == {joined.into, large}


def test_packs_grow_by_generations(machine: Machine) -> None:
    for _ in range(6):
        plant(machine, MANY_PACKS + 1)
        small(machine).remove(join(machine))
    assert len(packs(machine)) <= 4
    assert is_whole(machine)


def test_a_pack_from_a_size_on_is_not_small(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packing, "SMALL", 1)
    assert not small(machine).are_many()


@pytest.mark.parametrize("suffix", [".keep", ".mtimes", ".bitmap"])
def test_a_pack_that_somebody_has_marked_stays(machine: Machine, suffix: str) -> None:
    kept = sorted(packs(machine))[3]
    plant(machine, 1)
    if suffix == ".keep":
        kept.with_suffix(suffix).touch()
    else:
        kept.with_suffix(suffix).write_bytes(b"somebody's")
    joined = join(machine)
    assert kept not in joined.old
    small(machine).remove(joined)
    assert packs(machine) == {joined.into, kept}


def test_a_pack_that_is_marked_while_it_is_joined_stays(machine: Machine) -> None:
    joined = join(machine)
    joined.old[5].with_suffix(".keep").touch()
    small(machine).remove(joined)
    assert packs(machine) == {joined.into, joined.old[5]}


def test_what_a_promising_remote_sent_stays(machine: Machine) -> None:
    sorted(packs(machine))[0].with_suffix(".promisor").touch()
    plant(machine, MANY_PACKS)
    memory, before = machine.open(), packs(machine)
    assert not small(machine).are_many()
    assert small(machine).join(memory.git) is None
    assert packs(machine) == before


def test_packs_that_a_multi_pack_index_lists_stay(machine: Machine) -> None:
    listed = packs(machine)
    machine.git("multi-pack-index", "write")
    assert not small(machine).are_many()
    plant(machine, MANY_PACKS + 1)
    before = objects(machine)
    joined = join(machine)
    small(machine).remove(joined)
    assert packs(machine) == {*listed, joined.into}
    assert objects(machine) == before
    machine.git("multi-pack-index", "verify")


def test_who_has_the_clone_open_goes_on_reading_and_writing(machine: Machine) -> None:
    memory = machine.open()
    tip = machine.git("rev-parse", "fetched")
    assert memory.objects.files(memory.objects.tree_of(tip))  # of the many packs, only a few are open now
    small(machine).remove(join(machine))
    for commit, tree, _ in memory.objects.walk(tip):
        assert memory.objects.has(commit)
        for key in memory.objects.files(tree).values():
            assert memory.objects.has(key)
            assert memory.objects.data(key).startswith(b"- ")
    for oid in objects(machine):
        assert memory.objects.has(oid)
    edited = memory.objects.edit(memory.objects.tree_of(tip), {"note3.md": memory.objects.store(b"- more\n")})
    assert memory.objects.find(edited, "note3.md") == b"- more\n"
    assert memory.objects.find(edited, "note4.md") == b"- 000004\n"


def test_a_git_that_runs_meanwhile_finds_all_it_looks_for(machine: Machine) -> None:
    asked = sorted(objects(machine))
    words = ["git", "cat-file", "--batch"]
    with subprocess.Popen(words, cwd=machine.clone, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as git:
        assert git.stdin
        assert git.stdout
        git.stdin.write(f"{asked[0]}\n".encode())
        git.stdin.flush()
        assert git.stdout.readline().startswith(asked[0].encode())
        small(machine).remove(join(machine))
        out, _ = git.communicate("".join(f"{oid}\n" for oid in asked).encode())
    assert b" missing" not in out
    assert out.count(b" blob ") + out.count(b" tree ") + out.count(b" commit ") >= len(asked)


def test_readers_and_writers_of_the_clone_never_notice(machine: Machine) -> None:
    """One reads all objects again and again, another commits, while packs come and are joined."""
    memory, over, failures = machine.open(), threading.Event(), list[str]()

    def read() -> None:
        while not over.is_set():
            tip = machine.git("rev-parse", "fetched")
            for _, tree, _ in memory.objects.walk(tip):
                failures.extend(k for k in memory.objects.files(tree).values() if not memory.objects.data(k))

    def write() -> None:
        for number in range(8):
            machine.write("shop/topics/build.md", f"- version {number}\n")
            machine.sync()

    threads = [threading.Thread(target=step) for step in (read, write)]
    for thread in threads:
        thread.start()
    for _ in range(4):
        small(machine).remove(join(machine))
        plant(machine, MANY_PACKS + 1)
    threads[1].join()
    over.set()
    threads[0].join()
    assert failures == []
    assert machine.git("show", "HEAD:shop/topics/build.md") == "- version 7"
    assert is_whole(machine)


def test_a_persons_gc_before_the_old_packs_go_loses_nothing(machine: Machine) -> None:
    joined = join(machine)
    machine.git("gc", "--quiet")
    before = objects(machine)
    small(machine).remove(joined)
    assert objects(machine) == before
    assert is_whole(machine)


def test_nothing_is_deleted_when_the_new_pack_has_gone(machine: Machine) -> None:
    joined = join(machine)
    joined.into.with_suffix(".idx").unlink()
    before = objects(machine)
    assert small(machine).remove(joined) == 0
    assert objects(machine) == before


@pytest.mark.parametrize("suffix", [".pack", ".idx"])
def test_a_spoiled_pack_stays_and_so_do_the_others(machine: Machine, suffix: str) -> None:
    spoiled = sorted(packs(machine))[7].with_suffix(suffix)
    data = bytearray(spoiled.read_bytes())
    data[-60 if suffix == ".pack" else 8 + 1024 + 5] ^= 0xFF
    spoiled.chmod(0o644)
    spoiled.write_bytes(data)
    before = packs(machine)
    with pytest.raises(GitFailed, match="can't be joined"):
        join(machine)
    assert packs(machine) == before


def test_an_index_that_was_cut_short_is_named(machine: Machine) -> None:
    index = sorted(packs(machine))[7].with_suffix(".idx")
    index.chmod(0o644)
    os.truncate(index, 900)
    before = packs(machine)
    with pytest.raises(GitFailed, match=index.name):
        join(machine)
    assert packs(machine) == before


def start(machine: Machine, last: int, many: int) -> subprocess.Popen[bytes]:
    """Join more than `many` packs in a process that is killed at its (last + 1)th change."""
    memory = machine.open()
    own = memory.own_git.git(memory.env, is_offline=True).folder
    words = [str(machine.clone / ".git"), str(own), str(last), str(many)]
    return subprocess.Popen([sys.executable, "-c", _RUN, *words], env=machine.env)


def test_killed_while_it_deletes_it_leaves_a_whole_repository(ada: Machine) -> None:
    ada.init()
    git_dir, last = ada.clone / ".git", 0
    plant(ada, 3)
    before = objects(ada)
    while start(ada, last, 1).wait(60) == -signal.SIGKILL:
        last += 1
        assert objects(ada) == before
        assert packs_without_index(git_dir) == []
        assert [*spoiled_objects(git_dir)] == []
        small(ada).clear()
        assert [*(git_dir / "objects/pack").glob("*.joined")] == []
        assert all(pack.with_suffix(".idx").exists() for pack in packs(ada))
        assert objects(ada) == before
        plant(ada, 2)
        before = objects(ada)
    assert last > 8
    assert len(packs(ada)) <= 2
    assert is_whole(ada)


@pytest.mark.parametrize("seconds", [0, 0.03, 0.1])
def test_killed_while_git_packs_it_leaves_a_whole_repository(machine: Machine, seconds: float) -> None:
    plant(machine, 3 * MANY_PACKS, size=60_000)
    before, folder = objects(machine), machine.clone / ".git/objects/pack"
    with start(machine, 0, MANY_PACKS) as process:
        while process.poll() is None and not any(name.startswith("tmp_") for name in os.listdir(folder)):
            pass
        time.sleep(seconds)
        process.kill()
    time.sleep(0.3)  # who watches over git ends it
    assert objects(machine) == before
    assert is_whole(machine)
    small(machine).clear()
    Loose(machine.clone / ".git", machine.open().git).clear(time.time() + STALE + 60)
    names = os.listdir(folder)
    assert [name for name in names if not name.startswith("pack-") or name.endswith(".joined")] == []
    small(machine).remove(join(machine))
    assert objects(machine) == before


def test_a_pack_that_was_given_an_index_again_is_not_deleted(machine: Machine) -> None:
    pack = sorted(packs(machine))[0]
    pack.with_suffix(".joined").touch()
    assert small(machine).clear() == 1
    assert pack.exists()
    assert not pack.with_suffix(".joined").exists()


def test_a_folder_that_is_no_clone_has_none(tmp_path: Path) -> None:
    assert not SmallPacks(tmp_path).are_many()
    assert SmallPacks(tmp_path).clear() == 0
