"""Views: what a result looks like, made without a terminal, and what the command line draws of it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from machines import Machine

from ctxrepo.app.desk import Call, Desk
from ctxrepo.app.notes.browsing import ListRequest, list_delivered, list_notes
from ctxrepo.app.notes.upkeep import CheckRequest, check
from ctxrepo.app.repository.diagnosis import AllMachines, DoctorRequest, all_machines, doctor, status
from ctxrepo.app.review.changes import DiffRequest, diff
from ctxrepo.app.review.decisions import ConflictRequest, list_conflicts, show_conflict
from ctxrepo.app.review.origins import WhyRequest, why
from ctxrepo.app.review.past import HistoryRequest, history
from ctxrepo.app.views.health import check_view, doctor_view, machines_view, status_view
from ctxrepo.app.views.notes import delivery_view, list_view
from ctxrepo.app.views.past import conflict_view, conflicts_view, diff_view, history_view, why_view
from ctxrepo.app.views.view import Diff, Field, Table, TextLine, View, ViewSection
from ctxrepo.domain.project.target import parse_target
from ctxrepo.domain.records.conflict_copy import ConflictCopy, copy_as_file, copy_id
from ctxrepo.faces.cli.output import drawn, text_of
from ctxrepo.services.health.machines import KnownMachine
from ctxrepo.services.saving.commit import commit

NOTE = "shop/topics/gotcha.md"
COPY = ConflictCopy(NOTE, "- port 1", "- port 9\n  - more", "- port 5")


@pytest.fixture
def desk(ada: Machine) -> Desk:
    """A memory with a note, a mistake in it and a version that a merge set aside."""
    ada.init()
    ada.write(NOTE, "---\ndescription: [Traps\n---\n# T\n\n- port 9\n  - more\n")
    path, data = copy_as_file(COPY)
    ada.write(path, data.decode())
    commit(ada.open(), datetime.now(UTC))
    return Desk(Call(ada.project_folder, ada.env), lambda: datetime.now(UTC), sys.executable)


def conflict_id() -> str:
    return copy_id(copy_as_file(COPY)[0])


def shown(desk: Desk, operation: Callable[..., Any], request: object, view: Callable[[Any], View]) -> View:
    return view(desk.perform(operation, request).value)


EVERY: dict[str, tuple[Callable[[Desk], View], int]] = {
    "status": (lambda d: shown(d, status, None, lambda v: status_view(v, d.now)), 8),
    "status --machines": (lambda d: shown(d, all_machines, None, lambda v: machines_view(v, d.now)), 8),
    "doctor": (lambda d: shown(d, doctor, DoctorRequest(), doctor_view), 9),
    "check": (lambda d: shown(d, check, CheckRequest(), lambda v: check_view(v, is_trial=False)), 8),
    "list": (lambda d: shown(d, list_notes, ListRequest(), lambda v: list_view(v, ListRequest())), 8),
    "list --long": (
        lambda d: shown(d, list_delivered, ListRequest(), lambda v: delivery_view(v, ListRequest())),
        8,
    ),
    "conflicts list": (lambda d: shown(d, list_conflicts, None, lambda v: conflicts_view(v, d.now)), 8),
    "conflicts show ID": (
        lambda d: shown(d, show_conflict, ConflictRequest(conflict_id()), lambda v: conflict_view(v, d.now)),
        8,
    ),
    "why topics/gotcha#L6": (
        lambda d: shown(d, why, WhyRequest(parse_target("topics/gotcha#L6")), lambda v: why_view(v, d.now)),
        8,
    ),
    "diff": (lambda d: shown(d, diff, DiffRequest(), diff_view), 8),
    "history": (lambda d: shown(d, history, HistoryRequest(), lambda v: history_view(v, 20)), 8),
}


@pytest.mark.parametrize("words", EVERY)
def test_the_command_prints_its_view(ada: Machine, desk: Desk, words: str) -> None:
    make, width = EVERY[words]
    view = make(desk)
    printed = ada.ctxrepo(*words.replace("ID", conflict_id()).split())
    assert text_of(drawn(view, width)) == printed.stdout.rstrip("\n")
    assert [f"ctxrepo: {hint}" for hint in view.hints] == printed.stderr.splitlines()
    assert view.title
    assert "\x1b" not in repr(view)


def test_what_is_wrong_is_marked(desk: Desk) -> None:
    (section,) = EVERY["check"][0](desk).sections
    assert any(isinstance(part, TextLine) and part.mark == "wrong" for part in section.parts)


def test_versions_have_headings_and_a_diff(desk: Desk) -> None:
    first, *others = EVERY["conflicts show ID"][0](desk).sections
    assert first.heading == ""
    assert [section.heading for section in others] == ["was", "kept", "other", "from kept to other"]
    assert others[1].parts == (TextLine("- port 9", 1), TextLine("  - more", 1))
    (diff,) = others[3].parts
    assert isinstance(diff, Diff)
    assert "+- port 5" in diff.lines


def test_each_kind_of_part_is_drawn() -> None:
    parts = (
        TextLine("a"),
        TextLine("b", 2),
        Field("remote", ("none", "more")),
        Table(("n", "bytes"), (("x", "7"),)),
    )
    view = View("T", (ViewSection(parts), ViewSection((Diff(("-a", "+b")),), "changed")))
    assert text_of(drawn(view, 8)).split("\n") == [
        "a",
        "    b",
        "remote   none",
        "         more",
        "n  bytes",
        "x      7",
        "",
        "changed:",
        "-a",
        "+b",
    ]


def test_what_is_not_known_of_a_machine_is_said_to_be_so() -> None:
    now = datetime.now(UTC)
    here = KnownMachine("laptop", True, now, 3, 9, "1.2", ["claude"], ["Ada"], {"conflict": 2, "held": 1}, 4)
    other = KnownMachine("", False, None, 0, 2, "", [], ["Rae", "Ada"], {}, None)
    view = machines_view(AllMachines([here, other], None), now)
    assert text_of(drawn(view, 8)).split("\n") == [
        "machine               last commit  this week  agents   version    waits",
        "laptop, here          just now             3  claude   1.2        2 versions set aside, "
        "1 file held back, 4 to send",
        "not known (Rae, Ada)  none                 0  by hand  not known  nothing known",
    ]
    assert (view.hints, len(machines_view(AllMachines([here], now), now).hints)) == ((), 1)


def test_an_empty_list_says_why(desk: Desk) -> None:
    request = ListRequest("nowhere")
    view = shown(desk, list_notes, request, lambda notes: list_view(notes, request))
    assert drawn(view, 8) == []
    assert view.hints == ("no note is below nowhere",)


def test_views_know_no_face() -> None:
    for file in (Path(__file__).parents[2] / "ctxrepo/app/views").glob("*.py"):
        assert "ctxrepo.faces" not in file.read_text()
