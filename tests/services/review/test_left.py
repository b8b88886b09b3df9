"""What reviewers left of a review, and what was written here meanwhile."""

from __future__ import annotations

from pathlib import Path

import pytest
from long import rotating
from machines import NOW, Machine
from reviewers import NOTE, branches, git, look, make_people, send_for_review

from ctxrepo.domain.note.entry import entries_of
from ctxrepo.domain.project.layout import REGISTRY
from ctxrepo.services.faults.past_deletions import of_deletions
from ctxrepo.services.review.items import declined
from ctxrepo.services.saving.commit import commit

NEW, OTHER = "shop/topics/a.md", "global/topics/b.md"
HEAD = "---\ndescription: of something new\n---\n"


@pytest.fixture
def people(tmp_path: Path, remote: Path) -> Path:
    return make_people(tmp_path, remote)


@pytest.fixture
def ada(ada: Machine, remote: Path) -> Machine:
    return send_for_review(ada, remote)


def say(machine: Machine, text: str) -> None:
    assert machine.ctxrepo("remember", text, "--note", "topics/a.md").returncode == 0


def propose(machine: Machine) -> str:
    """Send three facts in a new note, and one in another, for review; returns the branch."""
    for number in range(3):
        say(machine, f"declined fact number {number}")
    machine.write(OTHER, f"{HEAD}- a good one\n")
    return machine.sync().branch


def decline(people: Path, branch: str, how: str) -> None:
    """Delete the branch; or take the new note out, on the branch or while squashing it."""
    if how == "the branch is deleted":
        git(people, "push", "-q", "origin", f":{branch}")
        return
    look(people, branch)
    if how in ("squashed without the note", "the branch is rewritten"):
        git(people, "reset", "-q", "--soft", "origin/main")
    git(people, "rm", "-q", "-f", "--cached", NEW)
    git(people, "commit", "-qm", "reviewed")
    if how in ("squashed without the note", "taken out and merged"):
        git(people, "push", "-q", "origin", "HEAD:main", f":{branch}")
    else:
        git(people, "push", "-q", "--force", "origin", f"HEAD:{branch}")


HOWS = (
    "the branch is deleted",
    "squashed without the note",
    "taken out and merged",
    "taken out on the branch",
    "the branch is rewritten",
)
ENTRIES = [f"{NEW}: declined fact number {number}" for number in range(3)]


def listed(machine: Machine) -> list[str]:
    return [text for review in declined(machine.open()) for text in review.entries if text.startswith(NEW)]


def sent(remote: Path, path: str) -> str:
    """A file as the one review branch has it, or the shared branch where there is none."""
    (branch,) = branches(remote) or ["main"]
    names = git(remote, "ls-tree", "-r", "--name-only", branch).splitlines()
    return git(remote, "show", f"{branch}:{path}") if path in names else ""


@pytest.mark.parametrize("how", HOWS)
def test_of_a_note_that_was_declined_and_grew_meanwhile_only_what_is_new_is_proposed(
    ada: Machine, remote: Path, people: Path, how: str
) -> None:
    decline(people, propose(ada), how)
    say(ada, "something else is new")
    notices = ada.sync().notices
    assert [notice for notice in notices if "struck out" in notice or "by hand" in notice] == list(
        notices[:1]
    )
    assert "declined fact" not in ada.read(NEW)
    assert "something else is new" in ada.read(NEW)
    assert sorted(listed(ada)) == ENTRIES
    ada.sync()
    assert sent(remote, NEW) == ada.read(NEW).strip()
    assert "declined fact" not in sent(remote, NEW)
    assert '"shop"' in sent(remote, REGISTRY)
    assert of_deletions(ada.open(), few=True) == []


@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize("change", ["moved", "shortened"])
def test_a_declined_note_that_only_lost_something_or_moved_meanwhile_is_gone(
    ada: Machine, remote: Path, people: Path, how: str, change: str
) -> None:
    decline(people, propose(ada), how)
    if change == "moved":
        assert ada.ctxrepo("move", "topics/a.md", "topics/z.md").returncode == 0
    else:
        ada.write(NEW, ada.read(NEW).replace("- declined fact number 1\n", ""))
    ada.sync()
    ada.sync()
    assert not (ada.clone / NEW).exists()
    assert not (ada.clone / "shop/topics/z.md").exists()
    assert "declined fact" not in git(remote, "grep", "-h", "", *branches(remote), "main", "--", "*.md")
    assert set(ENTRIES) - {f"{NEW}: declined fact number 1"} <= set(listed(ada))


@pytest.mark.parametrize("how", HOWS)
def test_what_was_struck_out_and_edited_meanwhile_is_proposed_in_its_new_words_and_told(
    ada: Machine, remote: Path, people: Path, how: str
) -> None:
    decline(people, propose(ada), how)
    edit = ("edit", "topics/a.md", "--old", "declined fact number 1", "--new", "DECLINED, as I insist")
    assert ada.ctxrepo(*edit).returncode == 0
    notices = ada.sync().notices
    (entry,) = entries_of(NEW, ada.read(NEW))
    assert entry.text == "- DECLINED, as I insist"
    assert len([notice for notice in notices if f"^{entry.id} in {NEW} now" in notice or NEW in notice]) == 1
    ada.sync()
    assert sent(remote, NEW) == ada.read(NEW).strip()


SENT = "- tests need redis on 6380\n- the build server is ci2\n- tea is at four\n- ask ada for keys\n"


@pytest.mark.parametrize("how", ["on top", "rewritten", "squashed", "merged"])
@pytest.mark.parametrize("removed", ["- the build server is ci2\n", "- tea is at four\n", ""])
def test_of_an_entry_that_reviewers_and_this_machine_edit_one_version_is_current(
    ada: Machine, people: Path, how: str, removed: str
) -> None:
    ada.write(NOTE, SENT)
    branch = ada.sync().branch
    look(people, branch)
    (people / NOTE).write_text(SENT.replace("on 6380", "on port 6381").replace(removed, ""))
    git(people, "commit", "-qam", "reviewed")
    if how in ("rewritten", "squashed"):
        git(people, "reset", "-q", "--soft", "origin/main")
        git(people, "commit", "-qm", "all in one")
    ends = {"on top": [f"HEAD:{branch}"], "rewritten": [f"HEAD:{branch}"]}
    git(people, "push", "-q", "--force", "origin", *ends.get(how, ["HEAD:main", f":{branch}"]))
    edit = ("edit", NOTE, "--old", "on 6380", "--new", "on host r2, 6382")
    assert ada.ctxrepo(*edit).returncode == 0
    (copy,) = ada.sync().conflict_copies
    (current,) = [line for line in ada.read(NOTE).splitlines() if "redis" in line]
    assert {current, copy.other} == {"- tests need redis on port 6381", "- tests need redis on host r2, 6382"}
    assert (removed in ada.read(NOTE)) == (not removed)
    assert not [text for review in declined(ada.open()) for text in review.entries if "redis" in text]


@pytest.mark.parametrize("how", rotating(HOWS, keep=2))
@pytest.mark.parametrize("is_dismissed", [False, True])
def test_what_was_declined_is_restored_by_its_names_and_proposed_again(
    ada: Machine, remote: Path, people: Path, how: str, *, is_dismissed: bool
) -> None:
    ada.ctxrepo("remember", "declined fact of weight", "--note", "topics/a.md", "--pin")
    (fact,) = entries_of(NEW, ada.read(NEW))
    decline(people, propose(ada), how)
    ada.sync()
    assert not (ada.clone / NEW).exists()
    if is_dismissed:
        ada.ctxrepo("declined", "dismiss")
    assert ada.ctxrepo("restore", f"^{fact.id}").stdout.startswith(f"restored: ^{fact.id} {NEW}")
    assert [entry.id for entry in entries_of(NEW, ada.read(NEW))] == [fact.id]
    assert '"shop"' in ada.read(REGISTRY)
    ada.sync()
    assert "of weight" in sent(remote, NEW)
    assert "fact number" not in sent(remote, NEW)
    assert "(pinned)" in ada.ctxrepo("list").stdout
    ada.ctxrepo("forget", NEW)
    commit(ada.open(), NOW)
    assert ada.ctxrepo("restore", "topics/a.md").returncode == 0
    assert "of weight" in ada.read(NEW)


def test_a_declined_note_is_restored_by_its_path(ada: Machine, remote: Path, people: Path) -> None:
    decline(people, propose(ada), HOWS[0])
    ada.sync()
    assert ada.ctxrepo("restore", "topics/a.md").stdout == f"restored: {NEW}\n"
    ada.sync()
    assert sent(remote, NEW) == ada.read(NEW).strip()
    assert listed(ada) == []
