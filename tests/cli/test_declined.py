"""Work that is in review, and what reviewers struck out of it, as a person meets them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from terminal import Terminal


@pytest.fixture
def mine(fresh: Terminal, remote: Path) -> Terminal:
    """A machine that sends its work for review, and has one fact there."""
    fresh("init", str(remote))
    config = fresh.machine.places.config_file
    config.write_text(config.read_text().replace("[[repository]]\n", '[[repository]]\nreview = "branch"\n'))
    fresh("remember", "proposed", "--scope", "global")
    return fresh


def test_what_is_in_review_is_said_by_sync_and_status(mine: Terminal) -> None:
    said = mine("sync").out
    branch = said.split()[-1]
    assert said == f"received 0, sent 1 commit; 1 in review on {branch}\n"
    assert mine("sync").out == f"received 0, sent 0 commits; 1 in review on {branch}\n"
    assert "waiting  0 to commit, 0 to send, 0 to merge, 1 in review\n" in mine("status").out
    assert mine("sync", "--json").data["in_review"] == 1
    assert mine("status", "--json").data["in_review"] == 1


def test_what_was_declined_is_listed_until_it_is_dismissed(mine: Terminal, remote: Path) -> None:
    branch = mine("sync").out.split()[-1]
    assert mine("declined").out == "nothing was declined\n"
    subprocess.run(["git", "branch", "-q", "-D", branch], cwd=remote, check=True)
    assert "`ctxrepo declined` lists it" in mine("sync").err
    day = branch.rpartition("/")[2]
    entry = "global/MEMORY.md: proposed"
    assert mine("declined", "list").out == f"{day}\n  - {entry}\n"
    told = f"declined {day}: 1 entry struck out in a review, kept in refs/ctxrepo/declined/{day}"
    assert f"{told}\n         - {entry}\n" in mine("status").out
    assert mine("declined", "--json").data == {
        "declined": [{"name": day, "ref": f"refs/ctxrepo/declined/{day}", "entries": [entry]}]
    }
    assert mine("declined", "dismiss", "20200101").code == 3
    assert mine("declined", "dismiss").out == f"dismissed; kept in refs/ctxrepo/dismissed/{day}\n"
    assert mine("declined").out == "nothing was declined\n"
    assert not [line for line in mine("status").out.splitlines() if line.startswith("declined")]
