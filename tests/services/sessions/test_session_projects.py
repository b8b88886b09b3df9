"""The command that goes on with a session does that and nothing else."""

from __future__ import annotations

import shlex
from dataclasses import replace

import pytest
from machines import Machine

from ctxrepo.services.sessions.session_projects import Projects, resume_command, why_no_command
from ctxrepo.storage.sessions.session_index import IndexedSession
from ctxrepo.storage.state.compiled import CompiledCheckout, record_checkout


def session(id_: str = "01a2-b", cwd: str = "/home/ada/shop", agent: str = "codex") -> IndexedSession:
    return IndexedSession("n", agent, id_, "/t.jsonl", cwd)


@pytest.mark.parametrize(
    "id_",
    [
        "--dangerously-bypass-approvals-and-sandbox",
        "-c",
        "",
        "a b",
        "a\n",
        "$(id)",
        "\u00e9",
        "\u0661",
        "a" * 201,
    ],
)
def test_an_id_that_is_none_gives_no_command(id_: str) -> None:
    assert resume_command(session(id_)) == ""


def test_the_command_goes_to_the_folder_whatever_it_is_called() -> None:
    assert resume_command(session()) == "cd /home/ada/shop && codex resume 01a2-b"
    assert resume_command(session(cwd="")) == "codex resume 01a2-b"
    assert resume_command(session(cwd="-P x")) == "cd -- '-P x' && codex resume 01a2-b"
    odd = resume_command(session(cwd="/a'; rm -rf ~; '"))
    assert shlex.split(odd) == ["cd", "/a'; rm -rf ~; '", "&&", "codex", "resume", "01a2-b"]


def test_a_session_that_was_put_away_is_brought_back_first() -> None:
    archived = replace(session(), path="/home/ada/.codex/archived_sessions/rollout-x-01a2-b.jsonl")
    assert resume_command(archived) == "cd /home/ada/shop && codex unarchive 01a2-b && codex resume 01a2-b"


@pytest.mark.parametrize("cwd", ["/a\nb", "/a\x1b[2J", "/a\u202eb", "/a\tb", "/" + "a" * 1000])
def test_a_folder_that_cannot_be_written_out_whole_gives_a_reason(cwd: str) -> None:
    assert resume_command(session(cwd=cwd)) == ""
    assert why_no_command(session(cwd=cwd)).startswith("the name of its folder ")
    assert why_no_command(session()) == ""


def test_sessions_of_a_checkout_that_moved_and_of_its_worktrees_are_its_projects(ada: Machine) -> None:
    tops = ("/home/ada/shop", "/home/ada/moved/shop", "/home/ada/shop/.claude/worktrees/fix")
    ada.init()
    for top in tops:
        record_checkout(ada.places.state, CompiledCheckout(top, "c", "1", "p-1", "shop", "p-1"))
    projects = Projects(ada.open())
    for top in tops:
        assert projects.is_called(f"{top}/src", "shop")
    assert not projects.is_called("/home/ada/shopping", "shop")
