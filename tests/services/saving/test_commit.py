"""A commit takes what it may, keeps what it may not, and never loses either."""

from __future__ import annotations

import itertools
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from copies import Copies
from machines import NOW, Machine, make_ada
from repositories import make_bare, make_checkout
from saves import checked_out, leave

from ctxrepo.domain.git.oid import EMPTY_BLOB
from ctxrepo.errors import GitFailed
from ctxrepo.services.saving import commit as commit_service
from ctxrepo.services.saving.commit import CommitRequest, commit
from ctxrepo.services.saving.merge import merge_commits
from ctxrepo.services.saving.moved_by_hand import moved_evidence
from ctxrepo.services.sync import exchange as exchange_service
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.objects.store import Objects
from ctxrepo.storage.worktree.worktree import LateWrite

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
NOTE = "shop/topics/gotcha.md"
Pair = tuple[Machine, Machine]


@pytest.fixture
def mine(copies: Copies) -> Machine:
    return copies.of(with_a_note)


def with_a_note(place: Path) -> Machine:
    ada = make_ada(place)
    ada.write(NOTE, "# T\n\n- base\n")
    commit(ada.open(), NOW)
    return ada


def test_a_write_into_a_file_that_is_held_back_waits_in_the_journal(mine: Machine) -> None:
    stale = mine.read(NOTE)
    mine.remember("acknowledged", category="gotcha")
    mine.write(NOTE, f"{stale}- the token is {TOKEN}\n")
    held = commit(mine.open(), NOW)
    assert [r.path for r in held.held] == [NOTE]
    mine.write(NOTE, stale)
    done = commit(mine.open(), NOW)
    assert done.held == ()
    assert "acknowledged" in mine.git("show", f"HEAD:{NOTE}")
    assert not mine.open().journal.names()


@pytest.mark.slow
def test_an_edit_that_loses_against_what_came_is_put_aside(pair: Pair) -> None:
    ada, ben = pair
    ada.write(NOTE, "# T\n\n- the port is 1 on all machines\n")
    ada.sync()
    ben.sync()
    ben.write(NOTE, "# T\n\n- the port is 9 on all machines\n")
    ben.sync()
    ada.write(NOTE, "# T\n\n- the port is 5 on all machines\n")
    ada.sync()
    kept = ada.read(NOTE) + "".join(f.read_text() for f in (ada.clone / "conflicts").glob("*"))
    assert "port is 9" in kept
    assert "port is 5" in kept


def test_an_edit_made_while_a_sync_brings_files_survives_it(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, ben = pair
    ada.write(NOTE, "# T\n\n- base\n")
    ada.sync()
    ben.sync()
    ben.write(NOTE, "# T\n\n- base\n- from ben\n")
    ben.sync()

    def merge_while_somebody_types(memory: Memory, *commits: Any) -> object:
        ada.write(NOTE, "# T\n\n- base\n- typed just now\n")
        return merge_commits(memory, *commits)

    monkeypatch.setattr(exchange_service, "merge_commits", merge_while_somebody_types)
    ada.sync()
    monkeypatch.undo()
    ada.sync()
    assert "- from ben\n" in ada.read(NOTE)
    assert "- typed just now\n" in ada.read(NOTE)


def test_a_worker_killed_before_it_took_out_what_it_committed_undoes_no_later_edit(
    mine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine.remember("mistaken", category="gotcha")
    move = Objects.move_ref

    def move_and_die(self: Objects, name: str, new: str, old: str | None) -> bool:
        move(self, name, new, old)
        raise KeyboardInterrupt

    monkeypatch.setattr(Objects, "move_ref", move_and_die)
    with pytest.raises(KeyboardInterrupt):
        commit(mine.open(), NOW)
    monkeypatch.undo()
    assert "mistaken" in mine.git("show", f"HEAD:{NOTE}")
    mine.write(NOTE, mine.read(NOTE).replace("- [gotcha] mistaken\n", ""))
    commit(mine.open(), NOW)
    assert "mistaken" not in mine.read(NOTE)
    assert "mistaken" not in mine.git("show", f"HEAD:{NOTE}")


def test_a_file_that_can_not_be_read_is_not_taken_for_deleted(
    mine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.open

    def denied(path: str, *words: int, **named: int) -> int:
        if path == "gotcha.md" and words[0] & os.O_ACCMODE == os.O_RDONLY:
            raise PermissionError(13, "Permission denied")
        return real(path, *words, **named)

    memory = mine.open()
    memory.state.stamps.unlink()
    monkeypatch.setattr(os, "open", denied)
    done = commit(memory, NOW)
    monkeypatch.undo()
    assert done.skipped == {NOTE: "can't be read"}
    assert mine.git("show", f"HEAD:{NOTE}")


def test_a_plain_file_becomes_a_folder_and_a_folder_a_file_elsewhere(pair: Pair) -> None:
    ada, ben = pair
    ada.write("global/ideas", "a plain file\n")
    ada.write("global/plans/one", "one\n")
    ada.sync()
    ben.sync()
    (ada.clone / "global/ideas").unlink()
    ada.write("global/ideas/first.md", "- first\n")
    (ada.clone / "global/plans/one").unlink()
    (ada.clone / "global/plans").rmdir()
    ada.write("global/plans", "a plain file now\n")
    ada.sync()
    ben.sync()
    assert ben.read("global/ideas/first.md") == "- first\n"
    assert ben.read("global/plans") == "a plain file now\n"
    assert ada.tree() == ben.tree()


def test_a_remote_that_was_emptied_is_filled_again(pair: Pair, remote: Path) -> None:
    ada, _ = pair
    ada.remember("still here")
    ada.sync()
    subprocess.run(["git", "update-ref", "-d", "refs/heads/main"], cwd=remote, check=True)
    assert ada.sync().sent > 0
    words = ["git", "show", "main:shop/MEMORY.md"]
    assert "still here" in subprocess.run(words, cwd=remote, capture_output=True, text=True).stdout


def test_the_memory_goes_where_config_toml_says_and_nowhere_else(
    pair: Pair, remote: Path, tmp_path: Path
) -> None:
    ada, _ = pair
    make_bare(tmp_path / "evil.git")
    ada.git("config", "remote.origin.pushurl", str(tmp_path / "evil.git"))
    ada.git("config", "remote.origin.url", str(tmp_path / "evil.git"))
    ada.remember("private")
    assert ada.sync().sent == 1
    words = ["git", "rev-list", "--all", "--count"]
    for folder, count in ((tmp_path / "evil.git", "0\n"), (remote, "2\n")):
        assert subprocess.run(words, cwd=folder, capture_output=True, text=True).stdout == count


def test_signing_runs_no_program_that_the_clones_configuration_names(mine: Machine, tmp_path: Path) -> None:
    """Whether, with what and by which key is signed is said by the user's own configuration alone."""
    trap = tmp_path / "trap"
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path}/sprung\n")
    trap.chmod(0o755)
    mine.git("config", "commit.gpgsign", "true")
    mine.git("config", "gpg.program", str(trap))
    mine.write(NOTE, "# T\n\n- base\n- more\n")
    commit(mine.open(), NOW)
    mine.git("config", "--global", "commit.gpgsign", "true")
    mine.git("config", "--global", "gpg.program", "false")
    mine.write(NOTE, "# T\n\n- base\n- more\n- and more\n")
    with pytest.raises(GitFailed, match="could not be signed"):
        commit(mine.open(), NOW)
    assert not (tmp_path / "sprung").exists()
    assert mine.read(NOTE).endswith("- and more\n")


def test_where_signing_fails_nothing_is_committed_unsigned(mine: Machine) -> None:
    mine.git("config", "--global", "commit.gpgsign", "true")
    mine.git("config", "--global", "user.signingkey", "no-such-key")
    mine.remember("waits for the key")
    head = mine.git("rev-parse", "HEAD")
    with pytest.raises(GitFailed, match="could not be signed"):
        commit(mine.open(), NOW)
    assert mine.git("rev-parse", "HEAD") == head
    mine.git("config", "--global", "--unset", "commit.gpgsign")
    commit(mine.open(), NOW)
    assert "waits for the key" in mine.git("show", "HEAD:shop/MEMORY.md")


def test_what_is_written_while_git_cant_tell_who_commits_waits(mine: Machine) -> None:
    identity = (mine.home / ".gitconfig").read_text()
    mine.remember("waits for git")
    (mine.home / ".gitconfig").write_text("[user\n")
    with pytest.raises(GitFailed, match="bad config line"):
        commit(mine.open(), NOW)
    assert mine.open().journal.names()
    (mine.home / ".gitconfig").write_text(identity)
    commit(mine.open(), NOW)
    assert "Author: ada" in mine.git("log", "-1", "-p", "--", "shop/MEMORY.md")


def test_an_edit_made_while_an_earlier_one_is_committed_survives_it(
    mine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The commit changes more than it was asked to look at, and looks again: not at what it has seen."""
    mine.remember("the port is 6380 on every machine", category="gotcha")
    commit(mine.open(), NOW)
    before = mine.read(NOTE)
    first = before.replace("6380", "6399")
    leave(mine, NOTE, first.encode(), checked_out(mine))
    mine.write(NOTE, first)

    def follow_while_the_agent_edits(*what: Any) -> dict[str, bytes]:
        changes = moved_evidence(*what)
        assert changes, "the entry has evidence, which moves along"
        mine.write(NOTE, first.replace("base", "base, and more"))
        return changes

    monkeypatch.setattr(commit_service, "moved_evidence", follow_while_the_agent_edits)
    commit(mine.open(), NOW, CommitRequest(only=()))
    monkeypatch.undo()
    assert "base, and more" in mine.read(NOTE)
    commit(mine.open(), NOW)
    for kept in ("6399", "base, and more"):
        assert kept in mine.read(NOTE)
        assert kept in mine.git("show", f"HEAD:{NOTE}")


def test_evidence_that_somebody_edits_by_hand_is_not_replaced_by_more_of_it(mine: Machine) -> None:
    mine.remember("the port is 6380 on every machine", category="gotcha")
    commit(mine.open(), NOW)
    (evidence,) = (path.relative_to(mine.clone) for path in mine.clone.glob(".ctx/evidence/*"))
    by_hand = mine.read(str(evidence)) + '{"v": 1, "id": "byhand"}\n'
    mine.write(str(evidence), by_hand)
    before = mine.read(NOTE)
    after = before.replace("6380", "6399")
    leave(mine, NOTE, after.encode(), checked_out(mine))
    mine.write(NOTE, after)
    commit(mine.open(), NOW, CommitRequest(only=()))
    assert mine.read(str(evidence)) == by_hand
    commit(mine.open(), NOW)
    text = mine.git("show", f"HEAD:{evidence}")
    assert "byhand" in text
    assert '"moved"' in text


def test_an_agents_file_tool_reaches_no_dot_folder_of_the_remote(mine: Machine) -> None:
    mine.write(".github/workflows/run.yml", "on: push\n")
    leave(mine, ".github/workflows/run.yml", b"on: push\n")
    commit(mine.open(), NOW)
    assert ".github" not in mine.git("ls-tree", "-r", "--name-only", "HEAD")


def test_what_a_session_left_and_somebody_replaced_is_in_the_history(mine: Machine) -> None:
    leave(mine, NOTE, b"# T\n\n- base\n- as the agent left it\n", checked_out(mine))
    mine.write(NOTE, "# T\n\n- base\n- replaced it\n")
    commit(mine.open(), NOW)
    assert mine.read(NOTE) == "# T\n\n- base\n- replaced it\n"
    assert "as the agent left it" in mine.git("log", "-p", "--format=", "--", NOTE)


def test_a_secret_that_a_stale_editor_hid_is_shown_though_the_editor_also_took_out_much(
    mine: Machine,
) -> None:
    stale = mine.read(NOTE)
    for number in range(12):
        mine.remember(f"fact {number} of the dozen", category="gotcha")
    leave(mine, NOTE, f"{mine.read(NOTE)}- the token is {TOKEN}\n".encode(), checked_out(mine))
    mine.write(NOTE, f"{stale}- by hand\n")
    assert {r.rule for r in commit(mine.open(), NOW).held} == {"secret"}
    assert TOKEN in mine.read(NOTE), "where it can be mended"
    mine.write(NOTE, mine.read(NOTE).replace(f"- the token is {TOKEN}\n", ""))
    commit(mine.open(), NOW)
    assert not mine.open().journal.names()
    text = mine.git("show", f"HEAD:{NOTE}")
    assert "fact 11 of the dozen" in text
    assert "by hand" in text


def test_a_version_that_is_merged_with_what_came_is_in_the_history_as_it_was(mine: Machine) -> None:
    memory = mine.open()
    tree = memory.objects.edit(
        memory.head_tree, {NOTE: memory.objects.store(b"# T\n\n- base\n- from elsewhere\n")}
    )
    moved = memory.make_commit(tree, [memory.head or ""], "by hand", NOW)
    assert memory.objects.move_ref(memory.clone.branch_ref, moved, memory.head)
    version = "# T\n\n- base\n- by the agent\n"
    leave(mine, NOTE, version.encode(), checked_out(mine))
    mine.write(NOTE, version)
    commit(mine.open(), NOW)
    assert {"- from elsewhere", "- by the agent"} <= set(mine.read(NOTE).splitlines())
    commits = mine.git("log", "--format=%H", "--", NOTE).split()
    assert version.strip() in [mine.git("show", f"{revision}:{NOTE}") for revision in commits]


def test_a_program_that_goes_on_writing_late_keeps_no_commit_from_being_told_of(
    mine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    numbers = itertools.count()
    original = commit_service.check_out

    def check_out(*given: Any) -> list[LateWrite]:
        original(*given)
        return [LateWrite(NOTE, EMPTY_BLOB, f"- late {next(numbers)}\n".encode())]

    monkeypatch.setattr(commit_service, "check_out", check_out)
    mine.write(NOTE, "# T\n\n- base\n- more\n")
    done = commit(mine.open(), NOW)
    monkeypatch.undo()
    assert done.created
    assert done.head == mine.git("rev-parse", "HEAD")
    assert done.done  # a worker sends what came from the journal
    commit(mine.open(), NOW)
    late = {f"- late {number}" for number in range(next(numbers))}
    assert late <= set(mine.read(NOTE).splitlines())


@pytest.mark.slow
def test_a_secret_that_loses_goes_into_no_file_kept_aside(pair: Pair) -> None:
    ada, ben = pair
    ada.write(NOTE, "# T\n\n- the key of the shop is in the vault\n")
    ada.sync()
    ben.sync()
    ben.write(NOTE, "# T\n\n- the key of the shop is zzz in the vault\n")
    ben.sync()
    ada.sync()
    ada.write(NOTE, f"# T\n\n- the key of the shop is {TOKEN} in the vault\n")
    assert {r.path for r in ada.sync().held} == {NOTE}
    assert TOKEN not in ada.git("log", "--all", "-p", "--format=")


def test_a_cloned_memory_can_not_speak_for_another_checkout(mine: Machine) -> None:
    evil = make_checkout(mine.home / "evil")
    for key, value in {
        "core.worktree": str(mine.project_folder),
        "remote.origin.url": "https://e.vil/x",
    }.items():
        subprocess.run(["git", "config", key, value], cwd=evil, check=True)
    project = mine.project()
    assert project is not None
    assert project.id == "git.example.org/ada/shop"


def test_asking_a_hostile_checkout_for_facts_runs_nothing(mine: Machine, tmp_path: Path) -> None:
    code = mine.project_folder
    (code / "f").write_text("x")
    for words in (["add", "."], ["-c", "user.name=a", "-c", "user.email=b", "commit", "-qm", "x"]):
        subprocess.run(["git", *words], cwd=code, check=True)
    tip = subprocess.check_output(["git", "rev-parse", "HEAD"], cwd=code, text=True).strip()
    (code / "hidden").write_text(
        f'[core]\n\tsshCommand = "touch {tmp_path}/sprung; false"\n'
        '[remote "origin"]\n\turl = ssh://e.vil/x\n\tpromisor = true\n\tpartialclonefilter = tree:0\n'
    )
    settings = {
        "core.repositoryformatversion": "1",
        "extensions.partialClone": "origin",
        "include.path": "../hidden",
    }
    subprocess.run(["git", "remote", "remove", "origin"], cwd=code, check=True)
    for key, value in settings.items():
        subprocess.run(["git", "config", key, value], cwd=code, check=True)
    (code / ".git/objects" / tip[:2] / tip[2:]).unlink()
    with pytest.raises(GitFailed, match="bad object HEAD"):
        mine.project()
    assert not (tmp_path / "sprung").exists()


def test_a_file_here_and_a_folder_of_that_name_there_are_both_kept(pair: Pair) -> None:
    ada, ben = pair
    ada.write("global/ideas", "a plain file\n")
    ben.write("global/ideas/first.md", "- first\n")
    ada.sync()
    ben.sync()
    ada.sync()
    for machine in pair:
        assert machine.read("global/ideas/first.md") == "- first\n"
        assert machine.read("global/ideas~file") == "a plain file\n"
    assert ada.tree() == ben.tree()


def test_a_gc_that_begins_before_the_branch_holds_the_commit_takes_nothing_of_it(
    mine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    move = Objects.move_ref

    def tidy(self: Objects, name: str, new: str, old: str | None) -> bool:
        subprocess.run(["git", "gc", "-q", "--prune=now"], cwd=mine.clone, capture_output=True)
        return move(self, name, new, old)

    monkeypatch.setattr(Objects, "move_ref", tidy)
    mine.remember("acknowledged")
    assert commit(mine.open(), NOW).created
    assert "- acknowledged" in mine.git("show", "HEAD:shop/MEMORY.md")
    mine.git("fsck", "--no-dangling")
    assert mine.git("gc", "--prune=now") == "", "and afterwards git tidies up"
