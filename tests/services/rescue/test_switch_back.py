"""A clone that a person left on another commit comes back to its branch with all that was written there."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from copies import Copies
from machines import NOW, Machine, make_machine, make_sending
from saves import checked_out, leave

from ctxrepo.domain.project.target import parse_target
from ctxrepo.errors import RepositoryState
from ctxrepo.services.repository.init import InitRequest, init
from ctxrepo.services.rescue.mend import mend

NOTE = "global/topics/deploy.md"
OTHER = "global/topics/tabs.md"
LINES = [f"- fact {number} of the very first day" for number in range(6)]


@pytest.fixture
def mine(copies: Copies) -> Machine:
    return copies.of(after_three_commits)


@pytest.fixture
def remote(mine: Machine) -> Path:
    return mine.home.with_name("memory.git")


def after_three_commits(place: Path) -> Machine:
    """A memory with three commits about a note, the last of which brought another one as well."""
    ada = make_sending(place)
    for count in (2, 4):
        ada.write(NOTE, "\n".join(LINES[:count]) + "\n")
        ada.sync()
    ada.write(NOTE, "\n".join(LINES) + "\n")
    ada.write(OTHER, "- tabs are four wide\n")
    ada.sync()
    return ada


def back(machine: Machine) -> list[str]:
    lines = list(mend(machine.open(), NOW))
    assert machine.git("symbolic-ref", "HEAD") == "refs/heads/main"
    assert machine.git("status", "--porcelain") == ""
    return lines


def entries(text: str) -> set[str]:
    return {line for line in text.splitlines() if line.startswith("- ")}


def test_what_was_remembered_at_an_older_commit_is_on_the_branch(mine: Machine) -> None:
    mine.git("checkout", "-q", "HEAD~1")
    mine.remember("argo deploys it", note=parse_target("global:topics/deploy"))
    with pytest.raises(RepositoryState, match="is on no branch") as error:
        mine.sync()
    assert "`ctxrepo doctor --fix`" in error.value.hint
    lines = back(mine)
    assert f"{mine.clone} was on no branch and is on main again" in lines
    text = mine.read(NOTE)
    assert {*LINES} < entries(text)
    assert any("argo deploys it" in line for line in entries(text))
    assert mine.read(OTHER) == "- tabs are four wide\n"
    assert mine.open().journal.read() == []
    assert mine.sync().sent == 1


def test_hand_edits_at_an_older_commit_are_merged_from_that_commit(mine: Machine) -> None:
    """Base is the commit that was checked out: what it lacks was not taken out, what was edited there was."""
    mine.git("checkout", "-q", "HEAD~1")
    edited = [LINES[0].replace("first", "last"), *LINES[2:4], "- by hand at an older commit"]
    mine.write(NOTE, "\n".join(edited) + "\n")
    back(mine)
    assert entries(mine.read(NOTE)) == {*edited, *LINES[4:]}  # the second one was struck out by hand


def test_untracked_files_are_taken_and_meet_what_the_branch_has(mine: Machine) -> None:
    mine.git("checkout", "-q", "HEAD~1")
    mine.write("global/topics/new.md", "- untracked\n")
    mine.write(OTHER, "- spaces are two wide\n")  # the branch has a note of that name
    back(mine)
    assert mine.read("global/topics/new.md") == "- untracked\n"
    assert entries(mine.read(OTHER)) == {"- tabs are four wide", "- spaces are two wide"}


def test_a_file_removed_at_an_older_commit_is_removed(mine: Machine) -> None:
    mine.write("global/topics/old.md", "- old\n")
    mine.sync()
    mine.git("checkout", "-q", "--detach", "HEAD")
    mine.git("checkout", "-q", "HEAD~1")
    (mine.clone / OTHER).unlink()
    back(mine)
    assert not (mine.clone / OTHER).exists()
    assert mine.read("global/topics/old.md") == "- old\n"


def test_commits_on_a_branch_of_their_own_stay_there(mine: Machine) -> None:
    mine.git("checkout", "-q", "-b", "experiment", "HEAD~1")
    mine.write(NOTE, "- all anew\n")
    mine.git("commit", "-qam", "an experiment")
    mine.remember("written on the experiment", scope="global")
    lines = back(mine)
    assert "1 commit that main doesn't have: kept on the branch experiment" in lines
    assert mine.git("show", f"experiment:{NOTE}") == "- all anew"
    assert entries(mine.read(NOTE)) == {*LINES}
    assert "written on the experiment" in mine.read("global/MEMORY.md")


def test_commits_on_no_branch_get_one(mine: Machine) -> None:
    mine.git("checkout", "-q", "--detach")
    mine.write(NOTE, "- all anew\n")
    mine.git("commit", "-qam", "an experiment")
    tip = mine.git("rev-parse", "HEAD")
    lines = back(mine)
    assert f"1 commit that main doesn't have: kept on the branch left-{tip[:12]}" in lines
    assert mine.git("rev-parse", f"left-{tip[:12]}") == tip
    assert entries(mine.read(NOTE)) == {*LINES}


def test_what_was_acknowledged_reaches_the_branch_though_a_person_committed_it_elsewhere(
    mine: Machine,
) -> None:
    mine.git("switch", "-q", "-c", "experiment")
    mine.remember("committed by hand on the experiment", scope="global")
    mine.write(NOTE, "- theirs alone\n")
    mine.git("add", "-A")
    mine.git("commit", "-qm", "with all that was there")
    back(mine)
    assert "committed by hand on the experiment" in mine.read("global/MEMORY.md")
    assert entries(mine.read(NOTE)) == {*LINES}


def test_a_branch_made_where_we_were_changes_nothing(mine: Machine) -> None:
    head = mine.git("rev-parse", "HEAD")
    mine.git("switch", "-q", "-c", "experiment")
    assert back(mine) == [f"{mine.clone} was on experiment and is on main again"]
    assert mine.git("rev-parse", "main", "experiment").split() == [head, head]


@pytest.mark.parametrize("words", [("checkout", "-q", "--orphan"), ("switch", "-q", "--orphan")], ids=str)
def test_a_branch_without_a_commit(mine: Machine, words: tuple[str, ...]) -> None:
    mine.git(*words, "new")
    mine.write("global/topics/new.md", "- on no commit\n")
    mine.remember("on no commit either", scope="global")
    back(mine)
    assert entries(mine.read(NOTE)) == {*LINES}
    assert mine.read("global/topics/new.md") == "- on no commit\n"
    assert "on no commit either" in mine.read("global/MEMORY.md")


def test_on_a_branch_without_a_commit_commands_count_and_files_of_nobody_knows_what_only_add(
    mine: Machine,
) -> None:
    mine.remember("to be forgotten", scope="global")
    mine.sync()
    mine.git("checkout", "-q", "HEAD~1")
    mine.git("checkout", "-q", "--orphan", "new")
    mine.write(NOTE, "- by hand\n")
    assert mine.ctxrepo("forget", "global:topics/tabs").returncode == 0
    back(mine)
    assert entries(mine.read(NOTE)) == {*LINES, "- by hand"}
    assert "to be forgotten" in mine.read("global/MEMORY.md")
    assert not (mine.clone / OTHER).exists()


def test_a_branch_that_was_renamed_is_made_again(mine: Machine) -> None:
    head = mine.git("rev-parse", "HEAD")
    mine.git("branch", "-q", "-m", "main", "trunk")
    mine.remember("on the trunk", scope="global")
    lines = back(mine)
    assert f"main was gone and is at {head[:12]} again" in lines
    assert "on the trunk" in mine.read("global/MEMORY.md")
    assert mine.git("rev-parse", "main~1", "trunk").split() == [head, head]


def test_what_waited_for_a_commit_before_the_switch_arrives(mine: Machine) -> None:
    mine.remember("before", scope="global")
    mine.git("switch", "-q", "--detach", "HEAD~1")
    mine.remember("after", scope="global")
    back(mine)
    assert {"before", "after"} <= {line.split(" <")[0][2:] for line in entries(mine.read("global/MEMORY.md"))}


def test_what_others_sent_meanwhile_is_no_deletion(mine: Machine, ben: Machine, remote: Path) -> None:
    mine.git("checkout", "-q", "HEAD~1")
    mine.remember("mine", scope="global")
    ben.init(str(remote))
    ben.write("global/topics/theirs.md", "- theirs\n")
    ben.sync()
    back(mine)
    mine.sync()
    ben.sync()
    assert mine.tree() == ben.tree()
    assert entries(ben.read(NOTE)) == {*LINES}
    assert "mine" in ben.read("global/MEMORY.md")


@pytest.mark.parametrize("begin", ["merge", "rebase", "bisect"])
def test_what_a_person_is_in_the_middle_of_is_left_alone(mine: Machine, begin: str) -> None:
    mine.git("switch", "-q", "-c", "idea", "HEAD~1")
    mine.git("commit", "-q", "--allow-empty", "-m", "an idea")
    if begin == "merge":
        mine.git("merge", "-q", "--no-ff", "--no-commit", "main")
    elif begin == "rebase":
        mine.git("-c", "sequence.editor=sed -i 1s/pick/edit/", "rebase", "-q", "-i", "HEAD~1")
    else:
        mine.git("bisect", "start")
    before = mine.git("status", "--porcelain"), (mine.clone / ".git/HEAD").read_text()
    assert f" is unfinished in {mine.clone}" in mine.ctxrepo("doctor", "--fix").stdout
    assert (mine.git("status", "--porcelain"), (mine.clone / ".git/HEAD").read_text()) == before


def test_what_a_person_staged_elsewhere_stays_staged(mine: Machine) -> None:
    mine.git("checkout", "-q", "HEAD~1")
    mine.write("global/topics/new.md", "- staged\n")
    mine.git("add", "global/topics/new.md")
    back(mine)
    assert mine.git("show", "HEAD:global/topics/new.md") == "- staged"


def test_a_sparse_clone_comes_back_without_what_it_left_out(
    mine: Machine, remote: Path, tmp_path: Path
) -> None:
    subprocess.run(["git", "config", "uploadpack.allowFilter", "true"], cwd=remote, check=True)
    mine.write("other/topics/far.md", "- far away\n")
    mine.sync()
    sparse = make_machine(tmp_path, "sparse")
    init(sparse.places, sparse.env, InitRequest(remote.as_uri(), sparse=True), "", NOW)
    sparse.git("checkout", "-q", "HEAD~2")
    sparse.remember("from a sparse clone", scope="global")
    sparse.write(NOTE, "\n".join([*LINES[1:4], "- by hand"]) + "\n")
    back(sparse)
    assert not (sparse.clone / "other").exists()
    assert entries(sparse.read(NOTE)) == {*LINES[1:], "- by hand"}
    sparse.sync()
    mine.sync()
    assert mine.tree() == sparse.tree()
    assert mine.read("other/topics/far.md") == "- far away\n"


def test_killed_before_head_moved_it_is_done_again(mine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    from ctxrepo.storage.objects.store import Objects

    mine.git("checkout", "-q", "HEAD~1")
    mine.remember("at an older commit", scope="global")
    mine.write(NOTE, "\n".join([*LINES[:3], "- by hand"]) + "\n")

    class Killed(Exception):
        pass

    def killed(*_: object) -> None:
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(Objects, "point_head", killed)
        with pytest.raises(Killed):
            list(mend(mine.open(), NOW))
    back(mine)
    assert entries(mine.read(NOTE)) == {*LINES[:3], *LINES[4:], "- by hand"}
    assert "at an older commit" in mine.read("global/MEMORY.md")


def test_what_was_written_to_a_projects_folder_of_before_its_rename_goes_into_its_folder_of_now(
    mine: Machine,
) -> None:
    mine.remember("tests need redis", category="gotcha")
    mine.remember("an anchor's note", category="plan")
    before = mine.sync().head
    assert before
    assert mine.ctxrepo("project", "rename", "storefront").returncode == 0
    mine.remember("newer than the rename", category="gotcha")
    mine.sync()
    mine.git("checkout", "-q", before)
    mine.remember("written at the old commit", category="gotcha")
    mine.write("shop/topics/hand.md", "- by hand at the old commit\n")
    mine.write("shop/topics/plan.md", mine.read("shop/topics/plan.md") + "- one more plan\n")
    note = mine.clone / "shop/topics/tool.md"
    leave(mine, "shop/topics/tool.md", b"- by a tool at the old commit\n", checked_out(mine))
    assert not note.exists()
    assert mine.ctxrepo("anchor", "old/days").returncode == 0
    back(mine)
    assert not (mine.clone / "shop").exists()
    assert not (mine.clone / "TAPE" / "shop").exists()
    gotchas = mine.read("storefront/topics/gotcha.md")
    for words in ("tests need redis", "newer than the rename", "written at the old commit"):
        assert gotchas.count(words) == 1
    assert "one more plan" in mine.read("storefront/topics/plan.md")
    assert "by hand at the old commit" in mine.read("storefront/topics/hand.md")
    assert "by a tool at the old commit" in mine.read("storefront/topics/tool.md")
    assert "old/days" in mine.ctxrepo("tape", "list").stdout
    assert mine.open().journal.read() == []


def test_a_branch_that_was_used_for_a_while_is_no_remote_that_went_back(ada: Machine, remote: Path) -> None:
    ada.init(str(remote))
    ada.remember("on main")
    ada.sync()
    config = ada.places.config_file
    before = config.read_text()
    assert ada.ctxrepo("config", "set", "repository.branch", "team").returncode == 0
    ada.remember("on team")
    list(mend(ada.open(), NOW))
    assert ada.sync().remote.ok
    assert "on team" in ada.git("show", "origin/team:shop/MEMORY.md")
    config.write_text(before)
    assert any("kept on the branch team" in line for line in mend(ada.open(), NOW))
    assert ada.sync().notices == ()
    assert "on team" not in ada.read("shop/MEMORY.md")
