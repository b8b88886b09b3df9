"""Review branches: what waits, what was struck out, what comes back once."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from connecting import workplace
from machines import NOW, Machine, make_machine, make_remote
from reviewers import NOTE, branches, git, look, make_people, on, rewrite, send_for_review, squash

from ctxrepo.errors import NotFound
from ctxrepo.services.health.status import status
from ctxrepo.services.locate.identify import Location
from ctxrepo.services.review.items import declined, dismiss
from ctxrepo.services.saving.commit import commit


@pytest.fixture
def people(tmp_path: Path, remote: Path) -> Path:
    return make_people(tmp_path, remote)


@pytest.fixture
def ada(ada: Machine, remote: Path) -> Machine:
    return send_for_review(ada, remote)


def test_work_goes_to_a_branch_and_main_stays(ada: Machine, remote: Path) -> None:
    ada.write(NOTE, "- base\n- proposed\n")
    sent = ada.sync()
    assert sent.branch == f"ctxrepo/{ada.open().host}/20261120"
    assert branches(remote) == [sent.branch]
    assert (on(remote, "main"), on(remote, sent.branch)) == ("- base", "- base\n- proposed")
    ada.write(NOTE, "- base\n- proposed\n- more\n")
    assert ada.sync().branch == sent.branch
    assert on(remote, sent.branch) == "- base\n- proposed\n- more"
    assert ada.sync().sent == 0
    assert status(ada.open(), Location(None), workplace(ada)).review == sent.branch


def test_an_open_review_goes_on_without_the_setting_and_that_is_said(ada: Machine, people: Path) -> None:
    ada.write(NOTE, "- base\n- new\n")
    branch = ada.sync().branch
    done = ada.ctxrepo("config", "set", "repository.review", "direct")
    assert f"{branch} is still in review" in done.stderr
    look(people, branch)
    git(people, "push", "-q", "origin", "HEAD:main")
    ada.sync()
    assert not ada.ctxrepo("config", "set", "repository.review", "direct").stderr


def test_a_merged_review_is_over_and_the_next_work_gets_a_new_branch(
    ada: Machine, remote: Path, people: Path
) -> None:
    ada.write(NOTE, "- base\n- proposed\n")
    first = ada.sync().branch
    look(people, "main")
    git(people, "merge", "-q", "--no-ff", f"origin/{first}")
    git(people, "push", "-q", "origin", "HEAD:main")
    ada.sync()
    assert ada.read(NOTE) == "- base\n- proposed\n"
    assert status(ada.open(), Location(None), workplace(ada)).review == ""
    assert ada.tree() == git(remote, "rev-parse", "main^{tree}")
    ada.write(NOTE, "- base\n- proposed\n- next\n")
    second = ada.sync().branch
    assert second == f"{first}-2"
    assert on(remote, second) == "- base\n- proposed\n- next"


def test_what_was_squashed_comes_back_once(ada: Machine, remote: Path, people: Path) -> None:
    ada.write(NOTE, "- base\n- one\n- two\n")
    squash(people, ada.sync().branch)
    ada.write(NOTE, "- base\n- one\n- two\n- written meanwhile\n")
    done = ada.sync()
    assert ada.read(NOTE) == "- base\n- one\n- two\n- written meanwhile\n"
    assert done.branch.endswith("20261120") or done.branch.endswith("20261120-2")
    # Only what is new is proposed: nothing that main has is in the branch's commits.
    assert git(remote, "rev-list", "--count", f"main..{done.branch}") == "1"
    assert status(ada.open(), Location(None), workplace(ada)).declined == []


def test_what_reviewers_strike_out_stays_out_and_is_listed(ada: Machine, remote: Path, people: Path) -> None:
    ada.write(NOTE, "- base\n- good\n- struck out\n")
    squash(people, ada.sync().branch, "- base\n- good\n")
    done = ada.sync()
    assert ada.read(NOTE) == "- base\n- good\n"
    assert any("struck out" in notice for notice in done.notices)
    (declined,) = status(ada.open(), Location(None), workplace(ada)).declined
    assert declined.entries == [f"{NOTE}: struck out"]
    ada.write(NOTE, "- base\n- good\n- later\n")
    again = ada.sync()
    assert on(remote, again.branch) == "- base\n- good\n- later"
    assert "struck out" not in git(remote, "log", "-p", "--all")  # not even in the history that was sent
    assert "struck out" in git(ada.clone, "show", f"{declined.ref}:{NOTE}")


def test_a_declined_branch_is_never_sent_again(ada: Machine, remote: Path, people: Path) -> None:
    ada.write(NOTE, "- base\n- unwanted\n")
    git(people, "push", "-q", "origin", f":{ada.sync().branch}")
    assert ada.sync().sent == 0
    assert ada.read(NOTE) == "- base\n"
    assert branches(remote) == []
    assert [d.entries for d in status(ada.open(), Location(None), workplace(ada)).declined] == [
        [f"{NOTE}: unwanted"]
    ]
    assert ada.git("status", "--porcelain") == ""


def test_what_reviewers_change_on_the_branch_is_taken(ada: Machine, remote: Path, people: Path) -> None:
    ada.write(NOTE, "- base\n- good\n- struck out\n")
    branch = ada.sync().branch
    look(people, branch)
    rewrite(people, "- base\n- good\n")
    git(people, "push", "-q", "origin", f"HEAD:{branch}")
    ada.write(NOTE, "- base\n- good\n- struck out\n- written meanwhile\n")
    ada.sync()
    assert ada.read(NOTE) == "- base\n- good\n- written meanwhile\n"
    assert on(remote, branch) == "- base\n- good\n- written meanwhile"


def test_a_branch_that_reviewers_rewrote_is_compared_with_what_was_pushed(
    ada: Machine, remote: Path, people: Path
) -> None:
    ada.write(NOTE, "- base\n- good\n- struck out\n")
    branch = ada.sync().branch
    look(people, "main")
    rewrite(people, "- base\n- good\n")
    git(people, "push", "-q", "--force", "origin", f"HEAD:{branch}")
    ada.sync()
    assert ada.read(NOTE) == "- base\n- good\n"
    assert on(remote, branch) == "- base\n- good"


def test_a_protected_main_turns_sending_into_a_review(ada: Machine, ben: Machine, remote: Path) -> None:
    hook = remote / "hooks" / "pre-receive"
    hook.write_text(
        '#!/bin/sh\nwhile read old new ref; do [ "$ref" != refs/heads/main ] || '
        '{ echo "protected branch"; exit 1; }; done\n'
    )
    hook.chmod(0o755)
    ben.init(str(remote))
    ben.write(NOTE, "- base\n- from ben\n")
    sent = ben.sync()
    assert sent.remote.ok
    assert on(remote, sent.branch) == "- base\n- from ben"
    assert on(remote, "main") == "- base"
    (notice,) = sent.notices
    assert "no direct push" in notice
    assert f"goes to {sent.branch} for review" in notice
    assert (ben.sync().sent, ben.sync().notices) == (0, ())
    ben.write(NOTE, "- base\n- from ben\n- and more\n")
    assert ben.sync().notices == ()


def test_edits_of_others_and_a_description_alone_survive_a_review(
    ada: Machine, remote: Path, people: Path
) -> None:
    ada.write(NOTE, "---\ndescription: what it is\n---\n\n- base\n")
    branch = ada.sync().branch
    ada.sync()
    assert status(ada.open(), Location(None), workplace(ada)).review == branch
    look(people, "main")
    rewrite(people, "- base\n- of others\n")
    git(people, "push", "-q", "origin", "HEAD:main")
    ada.sync()
    assert ada.read(NOTE) == "---\ndescription: what it is\n---\n\n- base\n- of others\n"
    assert on(remote, branch) == ada.read(NOTE).rstrip("\n")
    assert NOW.year == 2026


def test_a_branch_of_the_day_that_is_forgotten_here_is_left_alone(ada: Machine, remote: Path) -> None:
    taken = f"ctxrepo/{ada.open().host}/20261120"
    git(remote, "branch", taken, "main")
    other = git(remote, "commit-tree", "main^{tree}", "-m", "somebody else's")
    git(remote, "update-ref", f"refs/heads/{taken}", other)
    ada.write(NOTE, "- base\n- proposed\n")
    assert ada.sync().branch == f"{taken}-2"
    assert git(remote, "rev-parse", taken) == other


@pytest.mark.parametrize("pulled", [False, True])
@pytest.mark.parametrize("branch_is_gone", [False, True])
def test_what_a_main_lost_that_went_back_is_not_struck_out(
    ada: Machine, remote: Path, pulled: bool, branch_is_gone: bool
) -> None:
    before = git(remote, "rev-parse", "main")
    config = ada.places.config_file
    config.write_text(config.read_text().replace('review = "branch"', 'review = "direct"'))
    ada.write("shop/long.md", "- known for long\n")
    ada.sync()
    config.write_text(config.read_text().replace('review = "direct"', 'review = "branch"'))
    ada.write(NOTE, "- base\n- proposed\n")
    branch = ada.sync().branch
    git(remote, "update-ref", "refs/heads/main", before)  # a backup took its place
    if branch_is_gone:
        git(remote, "update-ref", "-d", f"refs/heads/{branch}")
    notices = ada.sync(send=not pulled).notices
    assert [notice for notice in notices if "struck out" in notice] == []
    again = ada.sync()
    assert (ada.read("shop/long.md"), ada.read(NOTE)) == ("- known for long\n", "- base\n- proposed\n")
    assert not status(ada.open(), Location(None), workplace(ada)).declined
    sent = again.branch or status(ada.open(), Location(None), workplace(ada)).review
    assert git(remote, "show", f"{sent}:shop/long.md") == "- known for long"


@pytest.mark.parametrize("same_address", [False, True])
def test_a_review_ends_with_no_other_memory(
    ada: Machine, remote: Path, tmp_path: Path, same_address: bool
) -> None:
    ada.write(NOTE, "- base\n- proposed\n")
    ada.sync()
    (tmp_path / "elsewhere").mkdir()
    eve, other = make_machine(tmp_path, "eve"), make_remote(tmp_path / "elsewhere")
    eve.init(str(other))
    eve.write("eve/n.md", "- of another memory\n")
    eve.sync()
    if same_address:
        shutil.rmtree(remote)
        other.rename(remote)
    else:
        config = ada.places.config_file
        config.write_text(config.read_text().replace(str(remote), str(other)))
        assert ada.sync().remote.outcome == "changed"
        assert not (ada.clone / "eve").exists()
        assert ada.read(NOTE) == "- base\n- proposed\n"
    assert ada.sync(accept_remote=True).remote.ok
    ada.sync()
    assert ada.read(NOTE).endswith("- base\n- proposed\n")
    assert ada.read("eve/n.md") == "- of another memory\n"


def test_a_main_that_is_deleted_during_a_review_is_sent_again_and_holds_nothing_under_review(
    ada: Machine, remote: Path
) -> None:
    ada.write(NOTE, "- base\n- proposed\n")
    branch = ada.sync().branch
    git(remote, "update-ref", "-d", "refs/heads/main")
    ada.write(NOTE, "- base\n- proposed\n- more\n")
    done = ada.sync()
    assert (on(remote, "main"), on(remote, branch)) == ("- base", "- base\n- proposed\n- more")
    assert done.branch == branch
    assert any("sent again" in notice for notice in done.notices)
    assert ada.sync().notices == ()


def test_an_empty_remote_that_is_accepted_during_a_review_gets_a_main(
    ada: Machine, remote: Path, tmp_path: Path
) -> None:
    ada.write(NOTE, "- base\n- proposed\n")
    ada.sync()
    shutil.rmtree(remote)
    make_remote(tmp_path)
    assert ada.sync().remote.outcome == "changed"
    assert ada.sync(accept_remote=True).remote.ok
    assert on(remote, "main") == "- base\n- proposed"
    assert branches(remote) == []


EVIDENCE = ".ctx/evidence"


def test_what_lies_on_the_branch_is_in_review_and_not_to_send(ada: Machine, remote: Path) -> None:
    ada.write(NOTE, "- base\n- proposed\n")
    ada.sync()
    now = status(ada.open(), Location(None), workplace(ada))
    assert (now.in_review, now.ahead) == (1, 0)
    ada.write(NOTE, "- base\n- proposed\n- more\n")
    commit(ada.open(), NOW)
    now = status(ada.open(), Location(None), workplace(ada))
    assert (now.in_review, now.ahead) == (1, 1)
    ada.sync()
    now = status(ada.open(), Location(None), workplace(ada))
    assert (now.in_review, now.ahead) == (2, 0)


def test_a_declined_list_holds_entries_alone(ada: Machine, remote: Path, people: Path) -> None:
    """What ctxrepo notes beside an entry and the head of its note are not counted as struck out."""
    ada.write("global/topics/new.md", "---\ndescription: of something new\n---\n- unwanted\n")
    ada.remember("unwanted as well", key="wish", scope="global")
    branch = ada.sync().branch
    assert git(remote, "ls-tree", "-r", "--name-only", branch, EVIDENCE)
    git(people, "push", "-q", "origin", f":{branch}")
    ada.sync()
    (declined,) = status(ada.open(), Location(None), workplace(ada)).declined
    assert [entry.partition(": ")[0] for entry in declined.entries] == [
        "global/MEMORY.md",
        "global/topics/new.md",
    ]
    assert declined.entries[1] == "global/topics/new.md: unwanted"


def test_a_head_that_was_struck_out_is_kept_and_not_told_as_an_entry(
    ada: Machine, remote: Path, people: Path
) -> None:
    ada.write(NOTE, "---\ndescription: a word too much\n---\n- base\n")
    git(people, "push", "-q", "origin", f":{ada.sync().branch}")
    assert ada.sync().notices == ()
    assert ada.read(NOTE) == "- base\n"
    assert status(ada.open(), Location(None), workplace(ada)).declined == []
    assert "a word too much" in git(ada.clone, "show", f"refs/ctxrepo/declined/20261120:{NOTE}")


def test_what_was_written_since_is_not_told_as_struck_out(ada: Machine, remote: Path, people: Path) -> None:
    ada.write(NOTE, "- base\n- unwanted\n")
    git(people, "push", "-q", "origin", f":{ada.sync().branch}")
    ada.write(NOTE, "- base\n- unwanted\n- written meanwhile\n")
    ada.sync()
    assert [d.entries for d in declined(ada.open())] == [[f"{NOTE}: unwanted"]]
    ada.write(NOTE, "- base\n- written meanwhile\n- unwanted\n")  # somebody disagrees
    ada.sync()
    assert declined(ada.open()) == []


def test_what_was_dismissed_is_kept_and_listed_no_more(ada: Machine, remote: Path, people: Path) -> None:
    for text in ("one", "two"):
        ada.write(NOTE, f"- base\n- {text}\n")
        git(people, "push", "-q", "origin", f":{ada.sync().branch}")
        ada.sync()
    assert [d.name for d in declined(ada.open())] == ["20261120", "20261120-2"]
    with pytest.raises(NotFound, match="20261121"):
        dismiss(ada.open(), ["20261120", "20261121"])
    assert dismiss(ada.open(), ["20261120"]) == ["refs/ctxrepo/dismissed/20261120"]
    assert [d.name for d in declined(ada.open())] == ["20261120-2"]
    assert "one" in git(ada.clone, "show", f"refs/ctxrepo/dismissed/20261120:{NOTE}")
    dismiss(ada.open(), [])
    assert declined(ada.open()) == []
    ada.write(NOTE, "- base\n- three\n")
    assert ada.sync().branch.endswith("20261120-3")  # a name that people have closed isn't used again


def told_struck(machine: Machine) -> list[str]:
    return [entry for review in declined(machine.open()) for entry in review.entries]


@pytest.mark.parametrize("how", ["a commit, then a merge", "a commit, seen before the merge", "a rewrite"])
def test_what_was_struck_out_on_the_branch_is_listed(
    ada: Machine, remote: Path, people: Path, how: str
) -> None:
    ada.write(NOTE, "- base\n- good\n- struck out\n")
    branch = ada.sync().branch
    git(people, "fetch", "-q")
    git(people, "checkout", "-q", "-B", "look", "main" if how == "a rewrite" else f"origin/{branch}")
    rewrite(people, "- base\n- good\n")
    git(people, "push", "-q", "--force", "origin", f"HEAD:{branch}")
    notices = list(ada.sync().notices) if how != "a commit, then a merge" else []
    git(people, "push", "-q", "origin", "HEAD:main", f":{branch}")
    notices += ada.sync().notices
    assert ada.read(NOTE) == "- base\n- good\n"
    assert [notice for notice in notices if "struck out" in notice] == notices
    assert len(notices) == 1
    assert told_struck(ada) == [f"{NOTE}: struck out"]
    ada.write(NOTE, "- base\n- good\n- struck out\n")
    assert ada.sync().notices == ()
    assert told_struck(ada) == []


def test_what_was_taken_and_changed_here_later_is_not_told_as_struck_out(
    ada: Machine, remote: Path, people: Path
) -> None:
    ada.write(NOTE, "- base\n- good\n- struck out\n")
    squash(people, ada.sync().branch, "- base\n- good\n")
    ada.sync()
    ada.write(NOTE, "- base\n- now something else\n")
    ada.sync()
    assert told_struck(ada) == [f"{NOTE}: struck out"]


@pytest.mark.parametrize("how", ["squashed", "merged"])
def test_what_reviewers_word_otherwise_is_not_told_as_struck_out(
    ada: Machine, remote: Path, people: Path, how: str
) -> None:
    ada.write(NOTE, "- base\n- the api listens on port 8080\n")
    branch = ada.sync().branch
    reworded = "- base\n- the api listens on port 8081\n"
    if how == "squashed":
        squash(people, branch, reworded)
    else:
        git(people, "fetch", "-q")
        git(people, "checkout", "-q", "-B", "look", f"origin/{branch}")
        rewrite(people, reworded)
        git(people, "push", "-q", "origin", "HEAD:main", f":{branch}")
    assert ada.sync().notices == ()
    assert ada.read(NOTE) == reworded
    assert told_struck(ada) == []


def test_what_reviewers_put_into_another_note_is_not_told_as_struck_out(
    ada: Machine, remote: Path, people: Path
) -> None:
    ada.write(NOTE, "- base\n- one\n- two\n")
    branch = ada.sync().branch
    git(people, "fetch", "-q")
    git(people, "checkout", "-q", "-B", "look", f"origin/{branch}")
    (people / NOTE).with_name("renamed.md").write_text("- base\n- one\n")
    (people / NOTE).with_name("other.md").write_text("- two\n- and more\n")
    git(people, "rm", "-q", NOTE)
    git(people, "add", ".")
    git(people, "commit", "-q", "-m", "put elsewhere")
    git(people, "push", "-q", "origin", f"HEAD:{branch}")
    assert ada.sync().notices == ()
    assert told_struck(ada) == []
    git(people, "fetch", "-q")
    git(people, "merge", "-q", f"origin/{branch}")
    (people / NOTE).with_name("other.md").write_text("- and more\n")
    git(people, "commit", "-q", "-a", "-m", "and out")
    git(people, "push", "-q", "origin", f"HEAD:{branch}")
    assert len(ada.sync().notices) == 1
    assert [text for text in told_struck(ada) if "two" in text]
