"""Which notes an agent may only propose to change, and a change as proposals with ids that stay."""

from __future__ import annotations

import pytest
from machines import Machine

from ctxrepo.domain.records.save import TOOL, Origin, Save
from ctxrepo.services.inbox.staging import proposals_of, staged_paths

PATHS = ["shop/MEMORY.md", "shop/a.md", "shop/SCRATCHPAD.md", "shop/daily/2026-11-20.md", "global/a.md"]
OTHERS = [
    "shop/archive/a.md",
    "conflicts/shop/a--1.md",
    "inbox/h.jsonl",
    "ctxrepo.toml",
    ".ctx/evidence/h.jsonl",
]


@pytest.fixture
def mine(ada: Machine) -> Machine:
    ada.init()
    ada.remember("the port is 5")
    return ada


def test_notes_of_facts_are_staged_and_nothing_else(mine: Machine) -> None:
    assert staged_paths(mine.open(), "claude", PATHS) == []
    mine.ctxrepo("config", "set", "inbox.policy", "project=stage")
    assert staged_paths(mine.open(), "claude", PATHS + OTHERS) == PATHS[:2]
    assert staged_paths(mine.open(), "", PATHS) == []


def test_the_same_save_proposes_the_same(mine: Machine) -> None:
    by = Origin("", "s-1", "claude")
    save = Save("shop/MEMORY.md", b"- one\n- two\n", b"- one\n- three\n- four\n", TOOL, by, id="7")
    first, again = ([*proposals_of(mine.open(), save)] for _ in range(2))
    assert first == again
    assert len({proposal.id for proposal in first}) == len(first) == 3
    (owner,) = {proposal.owner for proposal in first}
    assert owner == "git.example.org/ada/shop"
    assert {(proposal.scope, proposal.note, proposal.agent, proposal.host) for proposal in first} == {
        ("shop", "MEMORY.md", "claude", mine.open().host)
    }
