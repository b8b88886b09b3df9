"""The folders that one agent has on a machine: sessions of each are found, resumed and read, and `setup` lets
go of all of them."""

from __future__ import annotations

import shlex
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from agents.opencode.test_transcript import database
from machines import Machine
from services.sessions.conftest import Finder
from services.sessions.test_session_search import SAID
from transcripts import PLACES, place_recorded

from ctxrepo.agents.known import AGENTS
from ctxrepo.hooks.session.ledger_words import ENDED
from ctxrepo.hooks.session.session import Session
from ctxrepo.services.sessions.conversations import read_conversation
from ctxrepo.services.sessions.profiles import Profiles
from ctxrepo.services.setup import setup
from ctxrepo.services.setup.connection import Machine as Workplace

USUAL = {"claude": ".claude", "codex": ".codex", "copilot": ".copilot", "gemini": "", "pi": ".pi/agent"}
"""The folder below the home that each agent's variable takes the place of."""


OTHER = "the other's {one}"


def workplace(machine: Machine, agent: str = "") -> Workplace:
    """What setup knows in a shell; with an `agent`, in one that names another folder of it."""
    other = {AGENTS[agent].identity.FOLDER: str(machine.home / OTHER)} if agent else {}
    return Workplace(machine.places, {**machine.env, **other}, Path(sys.executable))


def place_in_profile(machine: Machine, agent: str) -> Path:
    """A recorded transcript in that other folder, and none in the usual one."""
    usual = place_recorded(machine, agent)
    path = machine.home / OTHER / Path(PLACES[agent]).relative_to(USUAL[agent])
    path.parent.parent.mkdir(parents=True)
    shutil.move(usual.parent, path.parent)
    if agent == "gemini":
        shutil.move(usual.parent.parent / ".project_root", path.parent.parent)
    return path


@pytest.mark.parametrize("agent", USUAL)
def test_sessions_in_a_folder_that_setup_connected_are_found_and_resumed_there(
    agent: str, mine: Machine, find: Finder
) -> None:
    path = place_in_profile(mine, agent)
    words, resume = SAID[agent]
    assert find(words, agent=agent) == []
    other = workplace(mine, agent)
    setup.apply(setup.plan(agent, other))
    hit, *_ = find(words, agent=agent)
    assert hit.path == str(path)
    variable = AGENTS[agent].identity.FOLDER
    command = shlex.split(hit.resume)
    assert f"{variable}={other.environment[variable]}" in command
    assert hit.resume.endswith(resume)
    conversation = read_conversation(mine.open(), agent, hit.session)
    assert conversation
    assert conversation.messages


@pytest.mark.parametrize("agent", USUAL)
def test_a_folder_that_only_hooks_named_counts_as_well(agent: str, mine: Machine, find: Finder) -> None:
    path = place_in_profile(mine, agent)
    memory = mine.open()
    session = Session(str(memory.places.state), memory.state.id, agent, "s-1")
    session.note(ENDED, 1_790_000_000.0, str(path))
    session.save()
    hit, *_ = find(SAID[agent][0], agent=agent)
    assert hit.path == str(path)


def test_the_usual_folder_is_named_where_the_shell_names_another(mine: Machine) -> None:
    path = str(place_recorded(mine, "claude"))
    setup.apply(setup.plan("claude", workplace(mine)))
    assert Profiles(mine.open()).assignment("claude", path) == ""
    other = replace(mine, more={"CLAUDE_CONFIG_DIR": str(mine.home / OTHER)})
    assert Profiles(other.open()).assignment("claude", path) == "env -u CLAUDE_CONFIG_DIR "


@pytest.mark.parametrize("agent", USUAL)
def test_letting_go_of_all_agents_takes_every_folder_of_them(agent: str, mine: Machine) -> None:
    before = sorted(mine.home.rglob("*"))
    for shell in (workplace(mine), workplace(mine, agent)):
        setup.apply(setup.plan(agent, shell))
    assert mine.ctxrepo("setup", "--all", "--remove", "--yes").returncode == 0
    left = set(mine.home.rglob("*")) - {*before, mine.home / ".config" / "ctxrepo" / "receipts"}
    assert not [path for path in left if "ctxrepo" in path.name or "skills" in path.parts]
    assert not [path for path in left if path.is_file() and "ctxrepo" in path.read_text("utf-8", "replace")]


def ended(machine: Machine, agent: str, transcript: Path) -> None:
    """A session was given memory lately, and its hooks were told of this transcript."""
    memory = machine.open()
    session = Session(str(memory.places.state), memory.state.id, agent, "s-1")
    session.note(ENDED, 1_790_000_000.0, str(transcript))
    session.save()


def test_a_variable_that_moves_transcripts_alone_is_set_as_well(mine: Machine, find: Finder) -> None:
    usual = place_recorded(mine, "pi")
    moved = mine.home / "said" / usual.relative_to(mine.home / ".pi/agent/sessions")
    moved.parent.parent.mkdir()
    shutil.move(usual.parent, moved.parent)
    database(mine.home / "data/opencode/opencode.db", "compacted")
    assert find("redis") == []
    ended(mine, "pi", moved)
    (hit, *_) = find(SAID["pi"][0], agent="pi")
    assert f"&& PI_CODING_AGENT_SESSION_DIR={mine.home}/said pi --session" in hit.resume
    ended(mine, "opencode", mine.home / "data/opencode/opencode.db")
    (hit, *_) = find("redis", agent="opencode")
    assert f"&& XDG_DATA_HOME={mine.home}/data opencode --session" in hit.resume


def test_an_archived_session_of_another_folder_is_brought_back_there(mine: Machine, find: Finder) -> None:
    path = place_in_profile(mine, "codex")
    archived = mine.home / OTHER / "archived_sessions" / path.name
    archived.parent.mkdir()
    path.rename(archived)
    ended(mine, "codex", archived)
    (hit, *_) = find(SAID["codex"][0])
    there = f"CODEX_HOME={shlex.quote(str(mine.home / OTHER))} codex"
    assert f"&& {there} unarchive {hit.session} && {there} resume {hit.session}" in hit.resume


@pytest.mark.parametrize("agent", USUAL)
def test_a_folder_that_was_read_once_stays_known(agent: str, mine: Machine, find: Finder) -> None:
    path = place_in_profile(mine, agent)
    ended(mine, agent, path)
    assert find(SAID[agent][0], agent=agent)
    shutil.rmtree(mine.open().places.sessions)  # what hooks noted goes with time
    (hit, *_) = find(SAID[agent][0], agent=agent)
    assert AGENTS[agent].identity.FOLDER in hit.resume
    shutil.rmtree(mine.home / OTHER)
    assert find(SAID[agent][0], agent=agent) == []


def test_sessions_stay_found_when_the_folder_of_their_project_is_renamed(mine: Machine, find: Finder) -> None:
    first = place_recorded(mine, "claude")
    renamed = first.parent.with_name("-home-ada-store") / first.name
    before = find(SAID["claude"][0])
    assert before
    first.parent.rename(renamed.parent)
    after = find(SAID["claude"][0])
    assert [hit.message for hit in after] == [hit.message for hit in before]
    assert {hit.path for hit in after} == {str(renamed)}
