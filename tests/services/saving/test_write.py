"""A draft changes, adds and removes files in one acknowledged step, and a kill anywhere leaves no doubt."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from copies import Copies
from machines import NOW, Machine, make_ada

from ctxrepo.domain import merge as merging
from ctxrepo.domain.merge import MergedFile
from ctxrepo.domain.records.save import Origin
from ctxrepo.errors import Refused
from ctxrepo.hooks.session.ledger import read_ledger
from ctxrepo.hooks.session.ledger_file import ledger_path
from ctxrepo.services.saving import commit as committing
from ctxrepo.services.saving.commit import commit
from ctxrepo.services.saving.write import drafting
from ctxrepo.storage.cache.entries import entries_of_note
from ctxrepo.storage.state.journal import Journal
from ctxrepo.storage.worktree.worktree import FileUpdate, Worktree

NOTE, GONE = "shop/stays.md", "conflicts/gone.md"


@pytest.fixture
def mine(copies: Copies) -> Machine:
    return copies.of(with_two_notes)


def with_two_notes(place: Path) -> Machine:
    ada = make_ada(place)
    ada.write(NOTE, "- a\n")
    ada.write(GONE, "- b\n")
    commit(ada.open(), NOW)
    return ada


def write_and_remove(machine: Machine) -> None:
    memory = machine.open()
    with drafting(memory, "test", Origin(memory.host, "s1"), NOW) as draft:
        draft.put(NOTE, "- a\n- new\n")
        draft.remove(GONE)
        assert draft.text(GONE) is None


def killed(*_: object) -> None:
    raise KeyboardInterrupt


def in_head(machine: Machine) -> list[str]:
    return machine.git("ls-tree", "-r", "--name-only", "HEAD").split()


def test_a_removed_file_is_gone_and_acknowledged_so(mine: Machine) -> None:
    write_and_remove(mine)
    assert not (mine.clone / "conflicts").exists()
    saves = {s.path: (s.base, s.after, s.by.session) for s in mine.open().journal.read()}
    assert saves == {NOTE: (b"- a\n", b"- a\n- new\n", "s1"), GONE: (b"- b\n", None, "s1")}
    commit(mine.open(), NOW)
    assert GONE not in in_head(mine)
    assert not mine.open().journal.names()
    assert mine.git("log", "-1", "--format=%s") == "memory(shop): edit stays, +1"


def test_removing_what_is_not_there_writes_nothing(mine: Machine) -> None:
    memory = mine.open()
    with drafting(memory, "test", Origin(memory.host), NOW) as draft:
        draft.remove("shop/never.md")
    assert not memory.journal.names()


def test_what_the_guard_refuses_removes_nothing_either(mine: Machine) -> None:
    memory = mine.open()
    drafted = drafting(memory, "test", Origin(memory.host), NOW)
    draft = drafted.__enter__()
    draft.put(NOTE, "- token ghp_" + "a1B2" * 9 + "\n")
    draft.remove(GONE)
    with pytest.raises(Refused, match="secret"):
        drafted.__exit__(None, None, None)
    assert mine.read(GONE) == "- b\n"
    assert not memory.journal.names()


OBSTACLES: dict[str, Callable[[Path], object]] = {
    "a file": lambda place: place.write_text("x\n"),
    "a link": lambda place: place.symlink_to(place.parent),
    "a repository": lambda place: (place / ".git").mkdir(parents=True),
}


@pytest.mark.parametrize("what", OBSTACLES)
def test_where_something_is_in_the_way_of_one_file_none_is_written(mine: Machine, what: str) -> None:
    memory = mine.open()
    OBSTACLES[what](memory.root / "shop/a")

    def write() -> None:
        with drafting(memory, "test", Origin(memory.host), NOW) as draft:
            draft.put(NOTE, "- a\n- new\n")
            draft.put("shop/a/b.md", "- there\n")
            draft.remove(GONE)

    with pytest.raises(Refused, match="shop/a is"):
        write()
    assert (mine.read(NOTE), mine.read(GONE)) == ("- a\n", "- b\n")
    assert not memory.journal.names()


@pytest.mark.parametrize("path", ["../out", ".git/config", "conflicts/../../x"])
def test_nothing_outside_is_removed(mine: Machine, path: str) -> None:
    memory = mine.open()
    with pytest.raises(Refused), drafting(memory, "test", Origin(memory.host), NOW) as draft:
        draft.remove(path)
    assert (mine.clone / ".git" / "config").exists()


def test_an_acknowledged_removal_is_replayed_when_the_file_is_there_still(mine: Machine) -> None:
    write_and_remove(mine)
    mine.write(GONE, "- b\n")  # the disk came back from a power cut without it
    commit(mine.open(), NOW)
    assert not (mine.clone / GONE).exists()
    assert GONE not in in_head(mine)


def test_an_edit_made_since_stays_against_the_removal(mine: Machine) -> None:
    write_and_remove(mine)
    mine.write(GONE, "- b and more\n")
    commit(mine.open(), NOW)
    assert mine.read(GONE) == "- b and more\n"
    assert GONE in in_head(mine)


def test_killed_after_the_removal_and_before_the_journal_the_rest_is_whole(mine: Machine) -> None:
    write_and_remove(mine)
    memory = mine.open()
    memory.journal.take_out([save.place for save in memory.journal.read()])
    commit(mine.open(), NOW)
    assert mine.read(NOTE) == "- a\n- new\n"
    assert GONE not in in_head(mine)


def test_killed_before_the_removal_what_was_put_is_there(
    mine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Worktree, "remove", killed)
    with pytest.raises(KeyboardInterrupt):
        write_and_remove(mine)
    monkeypatch.undo()
    assert (mine.read(NOTE), mine.read(GONE)) == ("- a\n- new\n", "- b\n")
    assert not mine.open().journal.names()


def test_a_file_removed_and_made_again_before_a_commit_stays(mine: Machine) -> None:
    write_and_remove(mine)
    memory = mine.open()
    with drafting(memory, "test", Origin(memory.host), NOW) as draft:
        draft.put(GONE, "- again\n")
    commit(mine.open(), NOW)
    assert mine.read(GONE) == "- again\n"


def test_a_worker_killed_after_the_commit_of_a_removal_takes_nothing_back(
    mine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_and_remove(mine)
    memory = mine.open()
    monkeypatch.setattr(Journal, "take_out", killed)
    with pytest.raises(KeyboardInterrupt):
        commit(memory, NOW)
    monkeypatch.undo()
    assert [save.path for save in memory.journal.read()] == [NOTE, GONE]
    mine.write(GONE, "- made anew by hand\n")
    commit(mine.open(), NOW)
    assert not memory.journal.names()
    assert mine.read(GONE) == "- made anew by hand\n"
    assert GONE in in_head(mine)


def test_what_an_editor_wrote_since_a_command_read_the_file_stays(mine: Machine) -> None:
    mine.write("shop/list.md", "- one\n- two\n")
    with drafting(mine.open(), "test", Origin("host"), NOW) as draft:
        text = draft.text("shop/list.md") or ""
        mine.write("shop/list.md", "- one\n- two\n  - below\n\n# By hand\n\n- later\n")
        draft.put("shop/list.md", text + "- three\n")
    for _ in range(2):
        text = mine.read("shop/list.md")
        assert sorted(text.split("\n- ")) == ["- one", "later\n", "three", "two\n  - below\n\n# By hand\n"]
        commit(mine.open(), NOW)


def test_what_an_editor_wrote_just_as_the_file_was_replaced_is_in_the_next_commit(
    mine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine.write("shop/list.md", "- one\n")
    replaced = os.rename

    def rename(source: str, target: str, **folders: int) -> None:
        if target == "list.md":
            mine.write("shop/list.md", "- one\n- too late\n")
        replaced(source, target, **folders)

    monkeypatch.setattr("ctxrepo.storage.worktree.worktree.os.rename", rename)
    with drafting(mine.open(), "test", Origin("host"), NOW) as draft:
        draft.put("shop/list.md", f"{draft.text('shop/list.md')}- two\n")
    monkeypatch.undo()
    commit(mine.open(), NOW)
    assert set(mine.read("shop/list.md").splitlines()) == {"- one", "- two", "- too late"}


def test_an_editor_that_has_just_emptied_the_file_is_waited_for(
    mine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine.write("shop/list.md", "- one\n- two\n")
    commit(mine.open(), NOW)
    reads, looks = Worktree.read, itertools.count()

    def read(worktree: Worktree, path: str) -> bytes | None:
        data = reads(worktree, path)
        if data == b"" and next(looks):  # a moment later the editor goes on
            mine.write("shop/list.md", "- one\n- two\n- by hand\n")
        return data

    with drafting(mine.open(), "test", Origin("host"), NOW) as draft:
        draft.put("shop/list.md", f"{draft.text('shop/list.md')}- three\n")
        mine.write("shop/list.md", "")
        monkeypatch.setattr(Worktree, "read", read)
    monkeypatch.undo()
    commit(mine.open(), NOW)
    lines = set(mine.git("show", "HEAD:shop/list.md").splitlines())
    assert lines == {"- one", "- two", "- three", "- by hand"}


def test_what_one_command_wrote_and_a_stale_editor_wrote_over_before_the_next_command_is_kept(
    mine: Machine,
) -> None:
    mine.write("shop/list.md", "- one\n")
    for line in ("- two\n", "- three\n"):
        with drafting(mine.open(), "test", Origin("host"), NOW) as draft:
            draft.put("shop/list.md", f"{draft.text('shop/list.md')}{line}")
        if line == "- two\n":
            mine.write("shop/list.md", "- one\n- by hand\n")
    assert mine.read("shop/list.md") == "- one\n- by hand\n- three\n"
    commit(mine.open(), NOW)
    assert sorted(mine.read("shop/list.md").splitlines()) == ["- by hand", "- one", "- three", "- two"]


def test_a_session_knows_the_entries_that_it_wrote(mine: Machine) -> None:
    memory = mine.open()
    with drafting(memory, "test", Origin(memory.host, "s1", "claude"), NOW) as draft:
        draft.put(NOTE, "- a\n- new\n")
    commit(mine.open(), NOW)
    (new,) = [e for e in mine.open().cache.ask(entries_of_note, NOTE) if e.entry.text == "- new"]
    path = ledger_path(str(memory.places.state), "claude", "s1")
    assert read_ledger(path, memory.state.id).entries == {new.entry.id: new.hash}
    other = ledger_path(str(memory.places.state), "claude", "s2")
    assert read_ledger(other, memory.state.id).entries == {}


@pytest.fixture
def edited_just_then(mine: Machine, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str, str], None]]:
    """Makes an editor write a file when it has been read for a command, and isn't replaced or removed yet."""
    real, due = Worktree.update_unchanged, dict[str, str]()

    def updated(self: Worktree, wanted: Mapping[str, FileUpdate]) -> frozenset[str]:
        for path in due.keys() & wanted.keys():
            mine.write(path, due.pop(path))
        return real(self, wanted)

    monkeypatch.setattr(Worktree, "update_unchanged", updated)
    yield due.__setitem__
    assert not due


def test_what_an_editor_writes_to_a_file_just_before_it_is_removed_stays(
    mine: Machine, edited_just_then: Callable[[str, str], None]
) -> None:
    edited_just_then(GONE, "- b\n- just then\n")
    write_and_remove(mine)
    commit(mine.open(), NOW)
    assert (mine.read(NOTE), mine.read(GONE)) == ("- a\n- new\n", "- b\n- just then\n")
    assert GONE in in_head(mine)


def test_what_reaches_a_file_while_it_is_removed_stays(mine: Machine) -> None:
    with (mine.clone / GONE).open("a") as editor:
        editor.write("- just then\n")  # still in its buffer
        write_and_remove(mine)
    commit(mine.open(), NOW)
    assert "- just then\n" in mine.read(GONE)


def test_an_edit_of_the_same_words_that_comes_just_before_they_are_replaced_is_kept_aside(
    mine: Machine, edited_just_then: Callable[[str, str], None]
) -> None:
    mine.write(NOTE, "- the port is 80 on the web server\n")
    commit(mine.open(), NOW)
    edited_just_then(NOTE, "- the port is 8080 on the web server\n")
    memory = mine.open()
    with drafting(memory, "test", Origin(memory.host), NOW) as draft:
        draft.put(NOTE, "- the port is 9090 on the web server\n")
    commit(mine.open(), NOW, committing.CommitRequest(only=()))
    lines = mine.git("grep", "-h", "the port", "HEAD").splitlines()
    assert {f"- the port is {port} on the web server" for port in (8080, 9090)} <= {*lines}
    assert not mine.open().journal.names()
    assert mine.git("status", "--porcelain") == ""


def test_an_editor_that_never_rests_loses_nothing(mine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    """It writes whenever the command has looked at the file, until that looks no more."""
    real, written = merging.merge_file, ["- one", "- by hand"]

    def merge_while_somebody_writes(path: str, *versions: bytes | None) -> MergedFile:
        written.append(f"- by hand {len(written)}")
        mine.write(path, "".join(f"{line}\n" for line in written))
        return real(path, *versions)

    monkeypatch.setattr(merging, "merge_file", merge_while_somebody_writes)
    mine.write("shop/list.md", "- one\n")
    with drafting(mine.open(), "test", Origin("host"), NOW) as draft:
        text = draft.text("shop/list.md") or ""
        mine.write("shop/list.md", "- one\n- by hand\n")
        draft.put("shop/list.md", f"{text}- two\n")
    monkeypatch.undo()
    commit(mine.open(), NOW)
    assert {"- two", *written} <= {*mine.read("shop/list.md").splitlines()}
