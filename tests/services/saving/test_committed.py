"""Whether one commit holds all there is: told from stamps, and never while something waits."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from long import rotating
from machines import NOW, Machine

from ctxrepo.services.saving.commit import CommitRequest, commit
from ctxrepo.services.saving.committed import committed_already
from ctxrepo.storage.worktree.worktree import FileUpdate

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
LAST = "shop/topics/deep/79.md"
"""Behind the notes of which hooks compare the stamps."""


@pytest.fixture
def mine(ada: Machine) -> Machine:
    ada.init()
    for number in range(80):
        ada.write(f"shop/topics/deep/{number}.md", f"- fact {number}\n")
    settle(ada)
    return ada


def settle(machine: Machine) -> None:
    """Commit until a look finds nothing; a file that was just written isn't trusted to stay as it is."""
    past = NOW.timestamp()
    for folder, _, names in os.walk(machine.clone):
        for name in names if ".git" not in Path(folder).relative_to(machine.clone).parts else ():
            os.utime(os.path.join(folder, name), (past, past))
    for _ in range(20):
        commit(machine.open(), NOW)
        if committed_already(machine.open()):
            return
    raise AssertionError("no look finds nothing to do")


def hand_edit(machine: Machine) -> None:
    machine.write(LAST, "- fact 80\n")


def edit_of_the_same_length_and_time(machine: Machine) -> None:
    before = (machine.clone / LAST).stat()
    machine.write(LAST, "- fact 97\n")
    os.utime(machine.clone / LAST, ns=(before.st_atime_ns, before.st_mtime_ns))


def new_file_in_a_subfolder(machine: Machine) -> None:
    machine.write("shop/topics/deep/deeper/new.md", "- new\n")


def deletion(machine: Machine) -> None:
    (machine.clone / LAST).unlink()


def rename(machine: Machine) -> None:
    (machine.clone / LAST).rename(machine.clone / "shop/topics/deep/other.md")


def link(machine: Machine) -> None:
    (machine.clone / LAST).unlink()
    (machine.clone / LAST).symlink_to("/etc/passwd")


def folder_that_nobody_may_read(machine: Machine) -> None:
    (machine.clone / "shop/sub/.git").mkdir(parents=True)


def secret(machine: Machine) -> None:
    machine.write("shop/secret.md", f"- {TOKEN}\n")
    commit(machine.open(), NOW)  # it is held back, and goes on being told


def write_in_the_journal(machine: Machine) -> None:
    machine.remember("The basket needs Postgres")


def write_whose_file_is_as_it_was(machine: Machine) -> None:
    machine.remember("The basket needs Postgres")
    machine.git("checkout", "--", ".")


def commit_left_half_way(machine: Machine) -> None:
    journal = machine.open().state.journal
    journal.mkdir(exist_ok=True)
    journal.with_name("journal.intent").write_text("{}")


def spooled_event(machine: Machine) -> None:
    machine.open().state.spool.write_text('{"event":"stop","agent":"claude","session":"s"}\n')


def event_that_could_not_be_appended(machine: Machine) -> None:
    left = machine.open().state.spool.with_name("left")
    left.mkdir(exist_ok=True)
    (left / "1").write_text('{"event":"stop","agent":"claude","session":"s"}\n')


def late_bytes_in_a_replaced_file(machine: Machine) -> None:
    memory = machine.open()
    with (machine.clone / LAST).open("ab") as editor:
        old = memory.objects.files(memory.head_tree, [LAST])[LAST]
        assert not memory.worktree.update_unchanged({LAST: FileUpdate(old, b"- fact 79\n")})
        editor.write(b"- late\n")


def commit_by_hand(machine: Machine) -> None:
    machine.git("commit", "-q", "--allow-empty", "-m", "mine")


def other_branch(machine: Machine) -> None:
    machine.git("checkout", "-q", "-b", "other")


def merge_in_progress(machine: Machine) -> None:
    (machine.clone / ".git/MERGE_HEAD").write_text(machine.git("rev-parse", "HEAD") + "\n")


def staged_by_hand(machine: Machine) -> None:
    machine.git("update-index", "--force-remove", LAST)


def base_that_moved(machine: Machine) -> None:
    machine.git("update-ref", "refs/ctxrepo/wt", machine.git("hash-object", "-t", "tree", "-w", "/dev/null"))


def other_settings(machine: Machine) -> None:
    with machine.places.config_file.open("a") as config:
        config.write("\n# mine\n")


def trouble_with_the_remote(machine: Machine) -> None:
    machine.open().set_remote_trouble("the remote is gone")


def cache_of_another_commit(machine: Machine) -> None:
    memory, before = machine.open(), machine.git("rev-parse", "HEAD")
    hand_edit(machine)
    commit(memory, NOW)
    machine.git("update-ref", "refs/heads/main", before)


def no_cache(machine: Machine) -> None:
    for file in machine.open().state.root.glob("cache.db*"):
        file.unlink()


CASES: list[Callable[[Machine], None]] = [
    hand_edit, edit_of_the_same_length_and_time, new_file_in_a_subfolder, deletion, rename, link,
    folder_that_nobody_may_read, secret, write_in_the_journal, write_whose_file_is_as_it_was,
    commit_left_half_way, spooled_event, event_that_could_not_be_appended, late_bytes_in_a_replaced_file,
    commit_by_hand, other_branch, merge_in_progress, staged_by_hand, base_that_moved, other_settings,
    trouble_with_the_remote, cache_of_another_commit, no_cache,
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("change", rotating(CASES), ids=lambda case: case.__name__)
def test_whatever_waits_is_never_passed_over(mine: Machine, change: Callable[[Machine], None]) -> None:
    assert committed_already(mine.open())
    change(mine)
    assert committed_already(mine.open()) is None


def test_where_nothing_waits_it_is_what_another_commit_would_come_to(mine: Machine) -> None:
    result = committed_already(mine.open())
    done = commit(mine.open(), NOW)
    assert result
    assert (result.head, result.held, result.conflict_copies, result.skipped) == (done.head, (), (), {})
    assert not done.created


def test_a_commit_that_did_not_look_everywhere_vouches_for_nothing(mine: Machine) -> None:
    hand_edit(mine)
    new_file_in_a_subfolder(mine)
    commit(mine.open(), NOW, CommitRequest(only=[LAST]))
    commit(mine.open(), NOW, CommitRequest(only=[LAST]))
    assert committed_already(mine.open()) is None
    settle(mine)
    assert "- new" in mine.git("show", "HEAD:shop/topics/deep/deeper/new.md")


def test_what_was_shown_by_a_command_is_shown_without_a_commit_until_something_changes(mine: Machine) -> None:
    mine.write("shop/one.md", "---\ndescription: One\n---\n- one\n")
    assert "shop/one.md — One" in mine.ctxrepo("list").stdout
    settle(mine)
    assert "shop/one.md — One" in mine.ctxrepo("list").stdout
    mine.write("shop/one.md", "---\ndescription: Two\n---\n- one\n")
    assert "shop/one.md — Two" in mine.ctxrepo("list").stdout
