"""The coding agents that ctxrepo connects to: the table from a name on the command line to its module."""

from __future__ import annotations

from collections.abc import Mapping

from ctxrepo.agents import claude, claude_records
from ctxrepo.agents.base import Agent
from ctxrepo.agents.records import Records
from ctxrepo.errors import UsageError

AGENTS: Mapping[str, Agent] = {
    claude.NAME: claude,
}

RECORDS: Mapping[str, Records] = {
    claude_records.NAME: claude_records,
}
"""The agents whose records of sessions can be read."""


def agent_named(name: str) -> Agent:
    """The agent of this name; UsageError, with the names there are, when there is none."""
    if name not in AGENTS:
        raise UsageError(f"no agent is called {name!r}", f"Agents: {', '.join(AGENTS)}.")
    return AGENTS[name]


def session_in(environment: Mapping[str, str]) -> tuple[str, str]:
    """(name of the agent, id of its session) that a command runs in; '' for both in a person's shell."""
    for name, agent in AGENTS.items():
        if session := agent.session(environment):
            return name, session
    return "", ""
