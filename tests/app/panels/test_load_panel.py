"""Panels are filled by the operations that commands have, and hold what those print."""

from __future__ import annotations

from pathlib import Path

import pytest
from copies import Copies
from evening import CONFLICTS, DELETED, PROPOSALS, desk_at, evening, waiting
from machines import Machine, make_machine, make_remote

from ctxrepo.app.panels.load_panel import PanelRequest, load_panel
from ctxrepo.app.panels.panel import PanelName, PanelRow, TapeLook
from ctxrepo.app.panels.row_details import DetailRequest, look_at


def make_evening(root: Path) -> Machine:
    return evening(make_machine(root, "ada"), make_remote(root))


@pytest.fixture
def ada(copies: Copies) -> Machine:
    return copies.of(make_evening)


def rows_of(machine: Machine, name: PanelName, look: TapeLook = "timeline") -> list[PanelRow]:
    return list(desk_at(machine).perform(load_panel, PanelRequest(name, look)).value.rows)


def test_what_waits_stands_in_two_panels_each_once(ada: Machine) -> None:
    inbox, conflicts = rows_of(ada, "inbox"), rows_of(ada, "conflicts")
    assert {row.name for row in (*inbox, *conflicts)} == {item.id for item in waiting(ada)}
    assert {row.sign for row in conflicts} == {"~"}
    signs = "".join(row.sign for row in inbox)
    assert signs == "-" * DELETED + "!x" + "+" * PROPOSALS


def test_notes_are_those_that_list_prints(ada: Machine) -> None:
    listed = ada.json("list", "--json")["data"]["notes"]
    assert [row.name for row in rows_of(ada, "notes")] == [f"{n['scope']}/{n['path']}" for n in listed]
    assert len(listed) == 2 * CONFLICTS


def test_the_tape_has_three_looks(ada: Machine) -> None:
    timeline = rows_of(ada, "tape")
    assert [row.text for row in timeline][:2] == [
        "basket-5 [review]/[basket, payments]",
        "basket-4 [plan]/[basket]",
    ]
    assert all(row.side.startswith("2026-11-20-") for row in timeline)
    relations = [(row.text, row.side) for row in rows_of(ada, "tape", "relations") if not row.anchor]
    assert relations == [("basket", "6 anchors"), ("payments", "3 anchors")]
    statistics = {row.name: (row.text, row.side) for row in rows_of(ada, "tape", "statistics")}
    assert statistics["keywords basket"] == ("██████████ basket", "6")
    assert statistics["keywords payments"] == ("█████░░░░░ payments", "3")
    assert statistics["triggers compaction"][1] == "2"


def test_every_row_of_every_panel_has_something_to_see(ada: Machine) -> None:
    desk = desk_at(ada)
    panels: tuple[PanelName, ...] = ("inbox", "conflicts", "notes", "tape", "sessions", "health")
    for name in panels:
        for row in rows_of(ada, name):
            view = desk.perform(look_at, DetailRequest(row)).value
            assert view.title
            assert any(section.parts for section in view.sections), (name, row)


def test_health_ends_with_all_machines(ada: Machine) -> None:
    machines = ada.json("status", "--machines", "--json")["data"]["machines"]
    rows = rows_of(ada, "health")[-len(machines) :]
    assert [row.name for row in rows] == [f"machine {machine['host'] or ''}" for machine in machines]
    assert len(machines) > 1
    assert f"{machines[0]['waits']['proposal']} proposal" in rows[0].text
    assert "Field(label='version', lines=('0." in repr(rows[0].detail)
