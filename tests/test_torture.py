"""Short seeds of what `make torture` does at length: kills at random, and then no entry may be missing."""

from __future__ import annotations

from pathlib import Path

import pytest
from long import mostly_long
from needs import unless
from torture.commands import kill_commands
from torture.cuts import cut_power, why_no_cut
from torture.editors import one_edits_alone
from torture.interleave import search
from torture.setcheck import Plan, set_check
from torture.versions import Flow, flows, let_flow, why_no


def test_commands_killed_anywhere_lose_nothing_acknowledged(tmp_path: Path) -> None:
    report = kill_commands(tmp_path, kills=12, seed=7)
    assert report.killed >= 12
    assert report.verdict.acknowledged
    assert report.faults == []


@pytest.mark.parametrize(
    "plan",
    mostly_long(
        [
            Plan(clones=3, writers=3, entries=45, kills=9, commands=5, seed=7),
            Plan(clones=3, writers=3, entries=90, kills=25, commands=9, seed=7),
        ],
        keep=1,
    ),
    ids=lambda plan: f"{plan.kills} kills",
)
def test_many_writers_in_many_clones_lose_nothing_though_they_are_killed(tmp_path: Path, plan: Plan) -> None:
    verdict, kills = set_check(tmp_path, plan)
    assert kills.total() >= plan.kills
    assert verdict.acknowledged >= plan.entries
    assert verdict.faults == []


@pytest.mark.parametrize("entries", mostly_long([10, 25], keep=1))
def test_an_agent_that_edits_faster_than_is_committed_loses_no_edit(tmp_path: Path, entries: int) -> None:
    verdict = one_edits_alone(tmp_path, entries=entries, seed=7)
    assert verdict.acknowledged == entries
    assert verdict.faults == []


@unless(why_no_cut())
def test_power_cuts_leave_everything_acknowledged(tmp_path: Path) -> None:
    report = cut_power(tmp_path, cuts=2, seed=3)
    assert report.checked > 0
    assert report.faults == []


@pytest.mark.parametrize("cases", mostly_long([8, 30], keep=1))
def test_whoever_writes_in_whatever_order_nothing_promised_is_lost(tmp_path: Path, cases: int) -> None:
    report = search(tmp_path, cases=cases, seed=1)
    assert report.cases == cases
    assert report.faults == []


SHORT_FLOWS = [pytest.param(f, marks=unless(why_no(f)), id=f.name) for f in flows(versions=40, hold=1)]


@pytest.mark.parametrize("flow", mostly_long(SHORT_FLOWS, keep=1))
def test_of_a_version_that_does_not_reach_the_history_its_session_was_told(
    tmp_path: Path, flow: Flow
) -> None:
    met = let_flow(tmp_path, flow, seed=1)
    assert met.kept + met.told >= 40
    assert met.lost == []
