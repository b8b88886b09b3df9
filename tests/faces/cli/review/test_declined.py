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


@pytest.mark.slow
def test_what_is_in_review_is_said_by_sync_and_status(mine: Terminal) -> None:
    said = mine("sync").out
    branch = said.split()[-1]
    assert said == f"received 0, sent 1 commit; 1 in review on {branch}\n"
    assert mine("sync").out == f"received 0, sent 0 commits; 1 in review on {branch}\n"
    assert "waiting  0 to commit, 0 to send, 0 to merge, 1 in review\n" in mine("status").out
    assert mine("sync", "--json").data["in_review"] == 1
    assert mine("status", "--json").data["in_review"] == 1


@pytest.mark.slow
def test_what_was_declined_is_listed_until_it_is_dismissed(mine: Terminal, remote: Path) -> None:
    branch = mine("sync").out.split()[-1]
    assert mine("declined").out == "nothing was declined\n"
    subprocess.run(["git", "branch", "-q", "-D", branch], cwd=remote, check=True)
    assert "`ctxrepo declined` lists it" in mine("sync").err
    day = branch.rpartition("/")[2]
    entry = "global/MEMORY.md: proposed"
    assert mine("declined", "list").out == f"{day}\n  - {entry}\n"
    assert "`ctxrepo remember` says one again" in mine("declined").err
    told = f"declined {day}: 1 entry removed in a review, kept in refs/ctxrepo/declined/{day}"
    assert f"{told}\n         - {entry}\n" in mine("status").out
    assert mine("declined", "--json").data == {
        "declined": [{"name": day, "ref": f"refs/ctxrepo/declined/{day}", "entries": [entry]}]
    }
    assert mine("declined", "dismiss", "20200101").code == 3
    assert mine("declined", "dismiss").out == f"removed from the list; kept in refs/ctxrepo/dismissed/{day}\n"
    assert mine("declined").out == "nothing was declined\n"
    assert not [line for line in mine("status").out.splitlines() if line.startswith("declined")]


def test_a_pull_request_gets_its_text(mine: Terminal) -> None:
    assert mine("history", "--in-review").code == 3
    mine("remember", "@team: `make` fixes #12", "--scope", "global")
    branch = mine("sync").out.split()[-1]
    host = branch.split("/")[1]
    text = mine("history", "--in-review", "--markdown").out
    first, _, heading, *rest = text.splitlines()
    assert first == "2 changes of 1 session in 1 commit. Each entry stands once, as it is at the end."
    assert heading.startswith(f"### `{host}`, 20")
    assert rest == ["", "`global/MEMORY.md`", "", "- new: `proposed`", "- new: ``@team: `make` fixes #12``"]
    assert mine("history", "--in-review", "--markdown", "--json").data == {"markdown": text.rstrip("\n")}
    (line,) = mine("history", "--in-review").out.splitlines()
    assert "memory(global): edit MEMORY" in line
    assert mine("history", "--markdown").code == 2
    assert mine("history", "MEMORY", "--in-review").code == 2


@pytest.mark.slow
def test_a_text_that_no_forge_would_take_is_cut(mine: Terminal) -> None:
    mine.machine.write("global/long.md", "".join(f"- {n} {'x' * 280}\n" for n in range(400)))
    mine("sync")
    text = mine("history", "--in-review", "--markdown").out
    assert len(text) < 62_000
    shown = text.count("\n- new: ")
    assert text.splitlines()[-1] == f"… and {401 - shown} more changes, in the difference itself."
