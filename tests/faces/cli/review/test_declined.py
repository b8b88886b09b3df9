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
    output = mine("sync").out
    branch = output.split()[-1]
    assert output == f"received 0, sent 1 commit; 1 in review on {branch}\n"
    assert mine("sync").out == f"received 0, sent 0 commits; 1 in review on {branch}\n"
    assert "waiting  0 to commit, 0 to send, 0 to merge, 1 in review\n" in mine("status").out
    assert (
        f"review   {branch} waits for somebody to look at it; `ctxrepo history --in-rev" in mine("status").out
    )
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
    assert "proposes it again" in mine("declined").err
    heading = f"declined {day}: 1 entry removed in a review, kept in refs/ctxrepo/declined/{day}"
    assert f"{heading}\n         - {entry}\n" in mine("status").out
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
    first, _, what, _, writer, _, *rest = text.splitlines()
    assert first == "**2 added**, in 1 note by 1 commit."
    assert what.startswith("Each fact stands once")
    assert writer == f"Written by `ada on {host}` (2)."
    assert rest[:2] == ["### `global/MEMORY.md`", ""]
    assert rest[2].startswith(f"`ada on {host}`, 20")
    assert rest[3:] == ["", "- added: `proposed`", "- added: ``@team: `make` fixes #12``"]
    title = "memory(global): 2 added"
    answer = mine("history", "--in-review", "--markdown")
    assert answer.err == f"ctxrepo: for a pull request from {branch}, with the title '{title}'\n"
    data = {"branch": branch, "title": title, "markdown": text.rstrip("\n")}
    assert mine("history", "--in-review", "--markdown", "--json").data == data
    (line,) = mine("history", "--in-review").out.splitlines()
    assert "memory(global): edit MEMORY" in line
    assert mine("history", "--markdown").code == 2
    assert mine("history", "MEMORY", "--in-review").code == 2


@pytest.mark.slow
def test_what_was_said_before_stands_below_what_is_said_now(mine: Terminal) -> None:
    note = "global/topics/deploy.md"
    mine.machine.write(note, "- argo deploys it\n- by ssh\n- stays\n- stays, too\n- never moved\n")
    mine("sync")
    mine.machine.git("push", "-q", "origin", "HEAD:main")
    mine("sync")
    mine("edit", "global:topics/deploy", "--old", "argo deploys it", "--new", "flux, since `May`")
    mine("forget", "global:topics/deploy#L2")
    mine("move", "global:topics/deploy", "global:core/deploy")
    mine.machine.write("global/topics/empty.md", "# Nothing yet\n")
    mine("sync")
    page = mine("history", "--in-review", "--markdown", "--json").data
    assert page["title"] == "memory(global): 1 changed, 1 removed"
    lines = str(page["markdown"]).splitlines()
    assert lines[0] == "**1 changed, 1 removed**, in 2 notes by 1 commit."
    assert f"### `global/core/deploy.md` (renamed from `{note}`)" in lines
    at = lines.index("- changed: `` flux, since `May` ``")
    assert lines[at + 1] == "  - was: `argo deploys it`"
    assert "- removed: `by ssh`" in lines
    assert lines[-3:] == ["### `global/topics/empty.md` (new)", "", "- no fact in it"]
    assert "stays" not in str(page["markdown"])


def test_handoffs_are_in_it_for_sessions_are_given_them(mine: Terminal) -> None:
    mine("handoff", "--goal", "the first", "--scope", "global")
    mine("sync")
    mine.machine.git("push", "-q", "origin", "HEAD:main")
    mine("sync")
    for number in range(6):
        assert (
            mine("handoff", "--goal", f"ask @ben {number}", "--next", "`make all`", "--scope", "global").code
            == 0
        )
    mine("sync")
    lines = str(mine("history", "--in-review", "--markdown").out).splitlines()
    assert lines[0] == "**6 handoffs**, in 0 notes by 1 commit."
    assert "'memory(global): 6 handoffs'" in mine("history", "--in-review", "--markdown").err
    handoffs = lines[lines.index("### Handoffs") + 4 :]
    assert len(handoffs) == 6
    assert handoffs[0].startswith("- `global`: `")
    assert ["make all" in line and f"@ben {n}" in line for n, line in enumerate(handoffs[:5], 1)] == [
        True
    ] * 5
    assert handoffs[-1] == "- … and 1 earlier one"
    assert not any("the first" in line for line in lines)


@pytest.mark.slow
def test_long_lists_are_cut_and_counted(mine: Terminal) -> None:
    mine.machine.write("global/long.md", "".join(f"- {n} {'x' * 280}\n" for n in range(400)))
    for number in range(300):
        entries = "".join(f"- entry {n} of {number} {'y' * 100}\n" for n in range(3))
        mine.machine.write(f"global/topics/n{number:03}.md", entries)
    mine("sync")
    text = mine("history", "--in-review", "--markdown").out
    assert len(text) < 62_000
    assert text.startswith("**1301 added**, in 302 notes by ")
    assert "- … and 370 more in this note: 370 added\n" in text
    shown = text.count("\n### ")
    left = 302 - shown
    assert text.splitlines()[-1] == f"… and {left} more notes ({3 * left} added), in the difference itself."
