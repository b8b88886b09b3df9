"""enforce, as an operation: who asks is told by the environment, and what is missing by a notice."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from datetime import UTC, datetime

import pytest
from machines import Machine

from ctxrepo.app.desk import Call, Desk
from ctxrepo.app.notes import enforcement
from ctxrepo.domain.project.target import parse_entry
from ctxrepo.errors import Refused
from ctxrepo.services.notes.requests import EnforceRequest

RULE = "block command kubectl apply"


def desk(machine: Machine, **env: str) -> Desk:
    return Desk(
        Call(machine.project_folder, {**machine.env, **env}), lambda: datetime.now(UTC), sys.executable
    )


@pytest.fixture
def entry(ada: Machine) -> str:
    ada.init()
    return ada.remember("nobody deploys by hand").id


def request(entry: str, rule: str = "", off: bool = False) -> EnforceRequest:
    return EnforceRequest(parse_entry(entry), rule, off)


def test_a_person_is_told_how_agents_come_to_ask(ada: Machine, entry: str) -> None:
    here = desk(ada)
    assert here.perform(enforcement.enforce, request(entry, RULE)).value.is_approved
    (notice,) = here.take_notices()
    assert "hooks.before_tool enforce" in notice
    (listed,) = here.perform(enforcement.list_rules, None).value
    assert (listed.id, listed.rule, len(here.take_notices())) == (entry, RULE, 1)
    assert ada.ctxrepo("config", "set", "hooks.before_tool", "enforce").returncode == 0
    here = desk(ada)
    here.perform(enforcement.list_rules, None)
    assert here.take_notices() == []


@pytest.mark.parametrize("env", [{"GEMINI_CLI": "1"}, {"OPENCODE": "1"}, {"CODEX_SESSION_ID": "s1"}])
def test_an_agent_is_no_person_also_where_nothing_tells_its_session(
    ada: Machine, entry: str, env: Mapping[str, str]
) -> None:
    there = desk(ada, **env)
    assert not there.perform(enforcement.enforce, request(entry, RULE)).value.is_approved
    assert there.take_notices() == []
    with pytest.raises(Refused):
        there.perform(enforcement.enforce, request(entry))
