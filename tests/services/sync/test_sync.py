"""Two machines, one memory: whatever order they meet in, everything is there and one tree holds it."""

from __future__ import annotations

import subprocess
import time
from datetime import datetime
from pathlib import Path

import pytest
from long import rotating
from machines import NOW, Machine, make_machine
from saves import leave

from ctxrepo.domain.git.remote import RemoteAnswer
from ctxrepo.domain.project.target import parse_target
from ctxrepo.errors import RepositoryState
from ctxrepo.services.saving.commit import CommitRequest, commit
from ctxrepo.services.saving.committed import CommitResult
from ctxrepo.services.sync import sync as sync_module
from ctxrepo.storage.cache.cache import all_faults
from ctxrepo.storage.cache.entries import entries_of_scopes
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.remote.conversation import Remote

NOTE = "shop/topics/gotcha.md"
Pair = tuple[Machine, Machine]


def test_what_one_machine_remembers_the_other_reads(pair: Pair) -> None:
    ada, ben = pair
    ada.remember("redis listens on port 6380", category="gotcha")
    assert (ada.sync().sent, ben.sync().received) == (1, 1)
    assert "- [gotcha] redis listens on port 6380" in ben.read(NOTE)
    assert ada.tree() == ben.tree()


def test_a_second_sync_does_nothing(pair: Pair) -> None:
    ada, _ = pair
    ada.remember("a fact")
    ada.sync()
    before = ada.git("rev-parse", "HEAD")
    again = ada.sync()
    assert (again.sent, again.received, again.created) == (0, 0, False)
    assert ada.git("rev-parse", "HEAD") == before


@pytest.mark.slow
def test_a_line_that_is_held_back_is_named_once_where_a_merge_moved_it(pair: Pair) -> None:
    ada, ben = pair
    text = "# Traps\n\n- first\n- second\n"
    ada.write(NOTE, text)
    ada.sync()
    ben.sync()
    ben.write(NOTE, text.replace("- first", "- zeroth\n- first"))
    ben.sync()
    ada.write(NOTE, text + f"- the token is {'ghp_' + 'a1B2' * 9}\n")
    held = ada.sync().held
    assert [(refusal.path, refusal.line) for refusal in held] == [(NOTE, len(ada.read(NOTE).splitlines()))]


@pytest.mark.slow
@pytest.mark.parametrize("order", rotating(["aab", "ab", "ba", "bba"], keep=1))
def test_five_rounds_of_changing_one_note_apart(pair: Pair, order: str) -> None:
    ada, ben = pair
    ada.write(NOTE, "---\ndescription: traps\nupdated: 2026-01-01\n---\n# Traps\n\n- shared\n")
    ada.sync()
    ben.sync()
    for number in range(5):
        for machine, name in ((ada, "ada"), (ben, "ben")):
            text = machine.read(NOTE).replace("- shared", f"- shared, said {name} in round {number}")
            day = f"updated: 2026-0{number + 2}-0{1 if name == 'ada' else 2}"
            lines = [day if line.startswith("updated:") else line for line in text.splitlines()]
            machine.write(NOTE, "\n".join([*lines, f"- {name} {number}", f"- both {number}"]) + "\n")
        for who in order:
            (ada if who == "a" else ben).sync()
        ada.sync()
        ben.sync()
        ada.sync()
        text = ada.read(NOTE)
        assert text == ben.read(NOTE)
        assert ada.tree() == ben.tree()
        assert "<<<<<<<" not in text
        assert text.count("updated:") == 1
        assert f"updated: 2026-0{number + 2}-02" in text
        assert text.count(f"- both {number}\n") == 1
        kept = text + "".join(f.read_text() for f in (ada.clone / "conflicts").glob("*.md"))
        for name in ("ada", "ben"):
            assert f"- {name} {number}\n" in text
            assert f"said {name} in round {number}" in kept
        # The next round starts from one wording again.
        ada.write(
            NOTE, "".join(f"{w}\n" for w in text.splitlines() if not w.startswith("- shared")) + "- shared\n"
        )
        ada.sync()
        ben.sync()


def test_a_version_that_lost_is_kept_aside_and_told(pair: Pair) -> None:
    ada, ben = pair
    ada.write(NOTE, "# T\n\n- the port is 6379 on this machine\n")
    ada.sync()
    ben.sync()
    ada.write(NOTE, "# T\n\n- the port is 6380 on this machine\n")
    ben.write(NOTE, "# T\n\n- the port is 6381 on this machine\n")
    ada.sync()
    assert [a.path for a in ben.sync().conflict_copies] == [NOTE]
    copy = "".join(f.read_text() for f in (ben.clone / "conflicts").glob("*.md"))
    for port in ("6380", "6381"):
        assert f"the port is {port} on this machine" in copy
    assert any("kept aside" in fault.text for fault in ben.open().cache.ask(all_faults))


def test_an_edit_by_hand_is_committed_by_name_and_git_status_is_clean(pair: Pair) -> None:
    ada, _ = pair
    ada.write("global/core/USER.md", "- prefers tabs\n")
    ada.sync()
    assert ada.git("status", "--porcelain") == ""
    assert ada.git("log", "-1", "--format=%an <%ae>") == "ada <ada@example.org>"
    assert "global" in ada.git("log", "-1", "--format=%s")


def test_a_file_removed_by_hand_is_removed_and_an_edit_elsewhere_wins_over_it(pair: Pair) -> None:
    ada, ben = pair
    ada.write("global/one.md", "- one\n")
    ada.write("global/two.md", "- two\n")
    ada.sync()
    ben.sync()
    (ada.clone / "global/one.md").unlink()
    (ada.clone / "global/two.md").unlink()
    ben.write("global/two.md", "- two, and more of it\n")
    ben.sync()
    ada.sync()
    ben.sync()
    for machine in pair:
        assert not (machine.clone / "global/one.md").exists()
        assert "more of it" in machine.read("global/two.md")


def test_a_commit_of_what_was_staged_before_ours_takes_nothing_back(pair: Pair) -> None:
    ada, _ = pair
    ada.write("global/staged.md", "- first\n")
    ada.git("add", "global/staged.md")
    ada.remember("second", note=parse_target("global:staged.md"))
    ada.sync()
    ada.write("global/other.md", "- other\n")
    ada.git("add", "global/other.md")
    ada.git("commit", "-qm", "by hand")
    ada.sync()
    assert ada.git("show", "HEAD:global/staged.md") == "- first\n- second"
    assert ada.git("show", "HEAD:global/other.md") == "- other"


def test_commits_and_pulls_by_hand_are_understood(pair: Pair) -> None:
    ada, ben = pair
    ada.write("global/a.md", "- by hand\n")
    ada.git("add", ".")
    ada.git("commit", "-qm", "by hand")
    ada.git("push", "-q", "origin", "main")
    ben.git("pull", "-q", "origin", "main")
    ben.remember("after the pull")
    ben.sync()
    ada.sync()
    assert ada.tree() == ben.tree()
    assert "- by hand" in ben.read("global/a.md")


def test_away_from_the_network_all_is_kept_and_sent_later(pair: Pair, remote: Path) -> None:
    ada, ben = pair
    hidden = remote.with_name("hidden.git")
    remote.rename(hidden)
    for number in range(3):
        ada.remember(f"fact {number} from the train")
        result = ada.sync()
        assert not result.remote.ok
        assert result.remote.next_step
    hidden.rename(remote)
    assert ada.sync().sent == 3
    ben.sync()
    assert ben.read("shop/MEMORY.md").count("from the train") == 3


def test_what_is_written_just_after_the_commit_of_a_sync_is_sent_by_whoever_waited_for_that(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, _ = pair
    asked = list[float]()

    def committed(memory: Memory, now: datetime, wanted: CommitRequest, *, sends: bool) -> CommitResult:
        done = commit(memory, now, wanted, sends=sends)
        if not asked:
            ada.remember("just then")
            asked.append(time.monotonic())
        return done

    ada.remember("before")
    monkeypatch.setattr(sync_module, "commit", committed)
    ada.sync()
    head = ada.git("rev-parse", "HEAD")
    assert "just then" in ada.git("show", "HEAD:shop/MEMORY.md")
    assert ada.git("rev-parse", "origin/main") != head
    assert ada.open().exchanges.answer_since(asked[0], head, send=True) is None


@pytest.mark.slow
def test_histories_that_never_met_are_joined(ada: Machine, ben: Machine, remote: Path) -> None:
    for machine in (ada, ben):
        machine.init()
        machine.remember(f"{machine.home.name} was here first")
        commit(machine.open(), NOW)
    ada.init(str(remote))
    ben.init(str(remote))
    ada.sync()
    assert ada.tree() == ben.tree()
    for name in ("ada", "ben"):
        assert f"{name} was here first" in ada.read("shop/MEMORY.md")


def test_a_half_finished_merge_stops_the_commit_and_loses_nothing(pair: Pair) -> None:
    ada, _ = pair
    head = ada.clone / ".git" / "MERGE_HEAD"
    head.write_text("0" * 40 + "\n")
    kept = ada.remember("written during the merge")
    with pytest.raises(RepositoryState, match="a merge is unfinished"):
        ada.sync()
    head.unlink()
    ada.sync()
    assert "written during the merge" in ada.git("show", f"HEAD:{kept.at.partition('#')[0]}")


def test_an_acknowledged_write_survives_a_stale_editor(pair: Pair) -> None:
    ada, _ = pair
    ada.remember("first", note=None)
    stale = ada.read("shop/MEMORY.md")
    ada.sync()
    ada.remember("second")
    ada.write("shop/MEMORY.md", stale + "- third, by an editor that never saw the second\n")
    ada.sync()
    text = ada.read("shop/MEMORY.md")
    assert all(word in text for word in ("first", "second", "third"))


def test_versions_that_agents_wrote_over_each_other_all_stay(pair: Pair) -> None:
    ada, _ = pair
    ada.write(NOTE, "# T\n\n- base\n")
    ada.sync()
    first, second = "# T\n\n- base\n- by one\n", "# T\n\n- base\n- by two\n"
    leave(ada, NOTE, first.encode(), session="1")
    leave(ada, NOTE, second.encode(), session="2")
    ada.write(NOTE, second)
    commit(ada.open(), NOW)
    assert all(line in ada.read(NOTE) for line in ("- base", "- by one", "- by two"))


def test_a_session_that_takes_its_own_line_back_is_believed(pair: Pair) -> None:
    ada, _ = pair
    ada.write(NOTE, "# T\n\n- base\n")
    ada.sync()
    first, last = b"# T\n\n- base\n- wrong\n", b"# T\n\n- base\n"
    tree = ada.git("rev-parse", "HEAD^{tree}")
    leave(ada, NOTE, first, tree)
    leave(ada, NOTE, last, tree)
    ada.write(NOTE, last.decode())
    commit(ada.open(), NOW)
    assert "wrong" not in ada.read(NOTE)


@pytest.mark.slow
def test_two_projects_that_claim_one_folder_are_told_apart(ada: Machine, ben: Machine, remote: Path) -> None:
    for machine, owner in ((ada, "ada"), (ben, "zoe")):
        url = f"https://git.example.org/{owner}/shop.git"
        subprocess.run(["git", "remote", "set-url", "origin", url], cwd=machine.project_folder, check=True)
        machine.init()
        machine.remember(f"{owner} sells shoes")
        commit(machine.open(), NOW)
        machine.init(str(remote))
    ada.sync()
    assert "ada sells shoes" in ada.read("shop/MEMORY.md")
    assert "zoe sells shoes" in ada.read("shop-2/MEMORY.md")
    project = ben.project()
    assert project is not None
    assert project.folder == "shop-2"


def test_a_third_machine_starts_with_everything(pair: Pair, remote: Path, tmp_path: Path) -> None:
    ada, _ = pair
    ada.remember("known to all")
    ada.sync()
    cara = make_machine(tmp_path, "cara")
    cara.init(str(remote))
    assert "known to all" in cara.read("shop/MEMORY.md")
    assert cara.git("status", "--porcelain") == ""
    assert [e.entry.plain for e in cara.open().cache.ask(entries_of_scopes, ["shop"])] == ["known to all"]


@pytest.mark.slow
def test_a_folder_that_can_not_be_looked_into_is_not_taken_for_deleted(pair: Pair, tmp_path: Path) -> None:
    ada, ben = pair
    ada.write("shop/topics/a.md", "- a\n")
    ada.sync()
    ben.sync()
    moved = tmp_path / "moved"
    (ada.clone / "shop").rename(moved)
    (ada.clone / "shop").symlink_to(moved)
    ben.write("shop/topics/b.md", "- b\n")
    ben.sync()
    ada.sync()
    assert any("shop is a symbolic link" in fault.text for fault in ada.open().cache.ask(all_faults))
    assert ada.git("show", "HEAD:shop/topics/a.md") == "- a"
    assert not (moved / "topics" / "b.md").exists()
    (ada.clone / "shop").unlink()
    moved.rename(ada.clone / "shop")
    ada.sync()
    assert ada.read("shop/topics/b.md") == "- b\n"
    assert ada.tree() == ben.tree()


@pytest.mark.slow
@pytest.mark.parametrize(
    "lock",
    rotating(
        ["refs/heads/main", "refs/remotes/origin/main", "packed-refs", "refs/ctxrepo/wt", "index", "config"],
        keep=2,
    ),
)
def test_a_lock_that_a_kill_left_behind_wedges_nobody(pair: Pair, lock: str) -> None:
    ada, ben = pair
    ben.remember("from elsewhere")
    ben.sync()
    (ada.clone / ".git" / f"{lock}.lock").write_bytes(b"")
    ada.remember("in spite of it")
    began = time.monotonic()
    assert ada.sync().remote.ok
    assert time.monotonic() - began < 20
    ben.sync()
    assert ada.tree() == ben.tree()
    assert "in spite of it" in ben.read("shop/MEMORY.md")


def test_a_gc_while_a_merge_is_sent_takes_nothing_of_it(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    ada, ben = pair
    push = Remote.push

    def tidy(self: Remote, commit: str, branch: str) -> RemoteAnswer:
        ben.git("gc", "-q", "--prune=now")
        return push(self, commit, branch)

    ada.remember("said by ada")
    ada.sync()
    ben.remember("said by ben")
    monkeypatch.setattr(Remote, "push", tidy)
    assert ben.sync().remote.ok
    assert "said by ada" in ben.read("shop/MEMORY.md")
    assert "merged" not in ben.git("for-each-ref", "refs/ctxrepo"), "it is kept only as long as it takes"
