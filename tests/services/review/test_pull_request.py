"""What is in review: note by note, each entry once, with the commit that left it so."""

from __future__ import annotations

from pathlib import Path

import pytest
from machines import NOW, Machine

from ctxrepo.domain.records.save import Origin
from ctxrepo.errors import NotFound
from ctxrepo.services.notes.remember import remember
from ctxrepo.services.notes.requests import Fact
from ctxrepo.services.review.pull_request import PullRequest, deeds_in_review, pull_request
from ctxrepo.services.saving.commit import commit

NOTE = "global/topics/deploy.md"


@pytest.fixture
def ada(ada: Machine, remote: Path) -> Machine:
    """A machine that sends its work for review; the remote's main holds a note."""
    ada.init(str(remote))
    ada.write(NOTE, "- argo deploys it\n- the old way of doing it\n- to be moved elsewhere\n")
    ada.sync()
    config = ada.places.config_file
    config.write_text(config.read_text().replace("[[repository]]\n", '[[repository]]\nreview = "branch"\n'))
    return ada


def said(machine: Machine, session: str, text: str, key: str = "") -> None:
    memory = machine.open()
    remember(memory, Fact(text, scope="global", key=key), None, Origin(memory.host, session, "claude"), NOW)
    commit(machine.open(), NOW)


def by_hand(machine: Machine, path: str, text: str) -> None:
    machine.write(path, text)
    commit(machine.open(), NOW)


def told(what: PullRequest) -> dict[str, set[tuple[str, str, str]]]:
    """Note -> (sign, before, after) of its changes."""
    return {file.path: {(c.mark, c.before, c.after) for c in file.changes} for file in what.files}


def test_each_entry_stands_once_with_the_session_that_left_it_so(ada: Machine) -> None:
    said(ada, "one", "tabs are four wide", key="tabs")
    said(ada, "two", "the build takes an hour")
    said(ada, "three", "tabs are two wide", key="tabs")
    ada.sync()
    what = pull_request(ada.open())
    (file,) = what.files
    assert {(c.after, c.deed.writers.sessions) for c in file.changes if c.deed} == {
        ("tabs: tabs are two wide", ("three",)),
        ("the build takes an hour", ("two",)),
    }
    assert (what.commits, len(file.changes), file.path) == (3, 2, "global/MEMORY.md")
    assert what.branch.startswith("ctxrepo/")
    assert [deed.commit for deed in deeds_in_review(ada.open())] == ada.git(
        "rev-list", "origin/main..HEAD"
    ).split()


def test_what_was_edited_removed_and_moved_is_told_as_that(ada: Machine) -> None:
    by_hand(ada, NOTE, "- flux deploys it, since May\n- argo deploys it all\n- to be moved elsewhere\n")
    ada.write(NOTE, "- flux deploys it, since May\n- argo deploys it all\n")
    by_hand(ada, "global/topics/new.md", "- to be moved elsewhere\n")
    ada.sync()
    assert told(pull_request(ada.open())) == {
        NOTE: {
            ("~", "argo deploys it", "argo deploys it all"),
            ("+", "", "flux deploys it, since May"),
            ("-", "the old way of doing it", ""),
        },
        "global/topics/new.md": {(">", "to be moved elsewhere", "to be moved elsewhere")},
    }


def test_what_a_command_edited_to_other_words_is_one_change(ada: Machine) -> None:
    for old, new in (("argo deploys it", "flux does, since May"), ("flux does, since May", "helm, by hand")):
        assert ada.ctxrepo("edit", "global:topics/deploy", "--old", old, "--new", new).returncode == 0
    ada.write("global/topics/other.md", "- helm is older than argo\n")
    ada.sync()
    assert told(pull_request(ada.open())) == {
        NOTE: {("~", "argo deploys it", "helm, by hand")},
        "global/topics/other.md": {("+", "", "helm is older than argo")},
    }


def test_what_was_edited_and_then_moved_is_one_change_with_the_note_it_left(ada: Machine) -> None:
    edit = ("edit", "global:topics/deploy", "--old", "argo deploys it", "--new", "flux, since May")
    move = ("move", "global:topics/deploy#L1", "global:topics/cd")
    for words in (edit, move):
        assert ada.ctxrepo(*words).returncode == 0
    ada.sync()
    what = pull_request(ada.open())
    assert told(what) == {"global/topics/cd.md": {(">", "argo deploys it", "flux, since May")}, NOTE: set()}
    assert what.files[0].changes[0].former == NOTE


def test_what_came_and_went_is_not_told(ada: Machine) -> None:
    before = ada.read(NOTE)
    by_hand(ada, NOTE, before + "- for a moment\n")
    by_hand(ada, NOTE, before)
    said(ada, "one", "this stays")
    ada.sync()
    what = pull_request(ada.open())
    assert told(what) == {"global/MEMORY.md": {("+", "", "this stays")}}
    assert what.commits == 3


@pytest.mark.slow
def test_what_others_have_on_the_shared_branch_is_not_told(ada: Machine, ben: Machine, remote: Path) -> None:
    said(ada, "one", "mine")
    ada.sync()
    ben.init(str(remote))
    ben.write("global/topics/theirs.md", "- theirs\n")
    ben.sync()
    ada.sync()
    assert ada.read("global/topics/theirs.md") == "- theirs\n"
    assert told(pull_request(ada.open())) == {"global/MEMORY.md": {("+", "", "mine")}}


def test_a_head_alone_is_a_note_without_changes(ada: Machine) -> None:
    by_hand(ada, NOTE, f"---\ndescription: how it is deployed\n---\n{ada.read(NOTE)}")
    ada.sync()
    assert told(pull_request(ada.open())) == {NOTE: set()}


def test_where_nothing_waits_that_is_said(ada: Machine) -> None:
    with pytest.raises(NotFound, match="nothing is in review"):
        pull_request(ada.open())
