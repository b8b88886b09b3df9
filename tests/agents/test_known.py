"""The table of agents is made from the folders, and each folder offers what the protocol says."""

from __future__ import annotations

import inspect
import subprocess
import sys

import pytest
from checkout import CHECKOUT

from ctxrepo.agents import dialect_of, names, only_reads
from ctxrepo.agents.known import (
    AGENTS,
    SETUP_HINT,
    SETUP_STEP,
    agent_in,
    agent_named,
    session_in,
    transcripts_of,
)
from ctxrepo.agents.protocol import AgentIdentity, Install, Records, Transcripts
from ctxrepo.errors import UsageError
from ctxrepo.hooks.dialect import FIELDS, Dialect


def test_every_agent_is_known_by_the_name_of_its_folder() -> None:
    assert list(AGENTS) == names()
    assert all(name == agent.name and agent_named(name) is agent for name, agent in AGENTS.items())
    with pytest.raises(UsageError, match="emacs") as caught:
        agent_named("emacs")
    assert "claude" in caught.value.hint


@pytest.mark.parametrize("name", names())
def test_a_folder_offers_what_the_protocol_says(name: str) -> None:
    agent, dialect = AGENTS[name], dialect_of(name)
    assert dialect is not None
    assert dialect.name == name
    assert tuple(dialect.fields) == FIELDS
    moments = {"start", "prompt", "before", "tool", "sub", "stop", "compact", "end"}
    assert {moment for _, moment in dialect.events.values()} <= moments
    assert type(dialect).reply is not Dialect.reply or type(dialect).output is not Dialect.output
    parts = (
        (AgentIdentity, agent.identity),
        (Install, agent.install),
        (Transcripts, agent.transcripts),
        (Records, agent.records),
    )
    for protocol, part in (pair for pair in parts if pair[1] is not None):
        wanted = {*inspect.get_annotations(protocol), *vars(protocol)}
        for member in (name for name in wanted if not name.startswith("_")):
            assert hasattr(part, member), f"{name}: {part} has no {member}"


@pytest.mark.parametrize("name", ["", "emacs", "../claude", "__pycache__", "known", "a b", "é"])
def test_what_is_no_agent_has_no_dialect(name: str) -> None:
    assert dialect_of(name) is None
    assert transcripts_of(name) is None
    assert not only_reads(name, "Read")


def test_a_command_knows_whose_session_it_runs_in() -> None:
    inside = {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "s1"}
    assert session_in(inside) == ("claude", "s1")
    assert session_in({**inside, "CLAUDECODE": ""}) == ("", "")
    assert session_in({}) == ("", "")
    assert session_in({"GEMINI_CLI": "1"}) == ("gemini", "")
    opencode = {"OPENCODE": "1", "CTXREPO_OPENCODE_SESSION": "s2"}
    assert session_in({"GEMINI_CLI": "1", **opencode}) == ("opencode", "s2")


def test_in_whose_shell_a_command_runs_is_known_without_the_session() -> None:
    for name, agent in AGENTS.items():
        marks = agent.identity.MARKS
        assert agent_in(marks) == (name if marks else "")
    assert agent_in({"CODEX_SESSION_ID": "s1"}) == "codex"
    assert agent_in({"GEMINI_CLI": "1", "OPENCODE": "1", "CTXREPO_OPENCODE_SESSION": "s2"}) == "opencode"
    assert agent_in({"CLAUDE_CODE_SESSION_ID": "s1"}) == ""


def test_where_nobody_is_connected_a_command_is_named_that_helps() -> None:
    assert SETUP_HINT == "`ctxrepo setup --all`"
    assert SETUP_STEP == "`ctxrepo setup --all` connects the agents on this machine"


def test_who_asks_for_a_session_loads_no_installation() -> None:
    code = (
        "import sys; from ctxrepo.agents.known import session_in; session_in({}); "
        "print([name for name in sys.modules if name.startswith('ctxrepo.agents.claude.')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=CHECKOUT,
    )
    assert done.stdout == "[]\n"
