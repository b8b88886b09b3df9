"""What is in review: each entry once, under the session that left it so."""

from __future__ import annotations

from pathlib import Path

import pytest
from machines import NOW, Machine

from ctxrepo.app.review.past import markdown
from ctxrepo.domain.records.save import Origin
from ctxrepo.errors import NotFound
from ctxrepo.services.notes.remember import remember
from ctxrepo.services.notes.requests import Fact
from ctxrepo.services.review.pull_request import (
    OTHER,
    RENAMED,
    PullRequest,
    deeds_in_review,
    pull_request,
)
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


def said(machine: Machine, session: str, text: str, **fact: str) -> None:
    memory = machine.open()
    remember(memory, Fact(text, scope="global", **fact), None, Origin(memory.host, session, "claude"), NOW)
    commit(machine.open(), NOW)


def by_hand(machine: Machine, path: str, text: str) -> None:
    machine.write(path, text)
    commit(machine.open(), NOW)


def told(what: PullRequest) -> dict[str, set[tuple[str, str]]]:
    return {
        "".join(part.deeds[0].writers.sessions): {(c.path, c.line) for c in part.changes}
        for part in what.parts
    }


def test_each_entry_stands_once_under_the_session_that_left_it_so(ada: Machine) -> None:
    said(ada, "one", "tabs are four wide", key="tabs")
    said(ada, "two", "the build takes an hour")
    said(ada, "one", "tabs are two wide", key="tabs")
    ada.sync()
    what = pull_request(ada.open())
    assert told(what) == {
        "one": {("global/MEMORY.md", "+ tabs: tabs are two wide")},
        "two": {("global/MEMORY.md", "+ the build takes an hour")},
    }
    assert (what.commits, [len(part.deeds) for part in what.parts]) == (3, [2, 1])
    assert what.branch.startswith("ctxrepo/")
    assert [deed.commit for deed in deeds_in_review(ada.open())] == ada.git(
        "rev-list", "origin/main..HEAD"
    ).split()


def test_what_was_edited_removed_and_moved_is_told_as_that(ada: Machine) -> None:
    by_hand(ada, NOTE, "- flux deploys it, since May\n- argo deploys it all\n- to be moved elsewhere\n")
    ada.write(NOTE, "- flux deploys it, since May\n- argo deploys it all\n")
    by_hand(ada, "global/topics/new.md", "- to be moved elsewhere\n")
    ada.sync()
    (part,) = pull_request(ada.open()).parts
    assert {(c.path, c.line, c.former) for c in part.changes} == {
        (NOTE, "~ argo deploys it all", ""),
        (NOTE, "+ flux deploys it, since May", ""),
        (NOTE, "- the old way of doing it", ""),
        ("global/topics/new.md", "+ to be moved elsewhere", NOTE),
    }


def test_a_renamed_note_is_told_as_that_and_its_entries_as_what_became_of_them(ada: Machine) -> None:
    text, new = ada.read(NOTE), "global/topics/new.md"
    (ada.clone / NOTE).unlink()
    by_hand(ada, new, text)
    by_hand(ada, new, text.replace("argo deploys it", "argo deploys it all"))
    ada.sync()
    (part,) = pull_request(ada.open()).parts
    assert [(c.path, c.line, c.former) for c in part.changes] == [
        (new, RENAMED, NOTE),
        (new, "~ argo deploys it all", ""),
    ]
    assert "- renamed from `global/topics/deploy.md`\n- now: `argo" in markdown(pull_request(ada.open()))


def test_what_came_and_went_is_not_told_and_its_session_is(ada: Machine) -> None:
    before = ada.read(NOTE)
    by_hand(ada, NOTE, before + "- for a moment\n")
    by_hand(ada, NOTE, before)
    said(ada, "one", "this stays")
    ada.sync()
    assert told(pull_request(ada.open())) == {"": set(), "one": {("global/MEMORY.md", "+ this stays")}}


@pytest.mark.slow
def test_what_others_have_on_the_shared_branch_is_not_told(ada: Machine, ben: Machine, remote: Path) -> None:
    said(ada, "one", "mine")
    ada.sync()
    ben.init(str(remote))
    ben.write("global/topics/theirs.md", "- theirs\n")
    ben.sync()
    ada.sync()
    assert ada.read("global/topics/theirs.md") == "- theirs\n"
    assert {c for part in told(pull_request(ada.open())).values() for c in part} == {
        ("global/MEMORY.md", "+ mine")
    }


def test_a_head_alone_is_told_in_a_line(ada: Machine) -> None:
    by_hand(ada, NOTE, f"---\ndescription: how it is deployed\n---\n{ada.read(NOTE)}")
    ada.sync()
    assert told(pull_request(ada.open())) == {"": {(NOTE, OTHER)}}


def test_where_nothing_waits_that_is_said(ada: Machine) -> None:
    with pytest.raises(NotFound, match="nothing is in review"):
        pull_request(ada.open())
