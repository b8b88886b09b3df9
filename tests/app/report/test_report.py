"""The report gathers what one looks at; it holds no secret, and says what its bounds left out."""

from __future__ import annotations

from pathlib import Path

import pytest
from copies import Copies
from invented import HOSTS, SECRET, invent
from machines import Machine
from pages import report_of

from ctxrepo.app.report.report_values import MemoryReport, ReportedNote
from ctxrepo.domain.tape.anchors import Anchor, to_line


def made(root: Path) -> Machine:
    return invent(root)


@pytest.fixture
def machine(copies: Copies) -> Machine:
    return copies.of(made)


def note(report: MemoryReport, path: str) -> ReportedNote:
    return next(note for note in report.notes if note.path == path)


def test_what_waits_has_its_commands_and_versions_apart_stand_by_themselves(machine: Machine) -> None:
    report = report_of(machine)
    assert [row.item.kind for row in report.waiting] == ["deletion", "held", *["proposal"] * 3]
    held = report.waiting[1]
    assert held.commands[0][1] == "ctxrepo open shop:topics/access.md"
    port, style = report.apart
    assert port.base.endswith("on 5433")
    assert port.kept.endswith("on 5435, by TLS only")
    assert port.other.endswith("on 5434 since the move")
    assert [command.split()[-1] for _, command in style.waiting.commands] == ["kept", "other", "both"]


def test_a_week_is_counted_by_day_and_scope(machine: Machine) -> None:
    report = report_of(machine)
    totals = [sum(getattr(day, name) for day in report.week) for name in ("came", "changed", "went")]
    assert totals == [15, 7, 1]
    assert {day.scope for day in report.week} == {"global", "shop", "site", "till"}
    assert len(report.days) == 28


def test_notes_have_text_marks_and_history(machine: Machine) -> None:
    report = report_of(machine)
    release = note(report, "shop/topics/release.md")
    assert release.body is not None
    assert release.body.text.startswith("# Release")
    assert [change.deed for change in release.changes] == ["edited", "edited", "new"]
    gotcha = note(report, "shop/topics/gotcha.md")
    assert [entry.is_pinned for entry in gotcha.entries.values()].count(True) == 1
    assert any(entry.used and entry.last for entry in gotcha.entries.values())
    assert any(entry.key == "port" for entry in note(report, "shop/MEMORY.md").entries.values())
    assert not [note for note in report.notes if note.scope == "conflicts"]


def test_machines_and_agents_are_told_from_commits(machine: Machine) -> None:
    report = report_of(machine)
    assert [seen.host for seen in report.machines] == [
        HOSTS[name] for name in ("laptop", "notebook", "desktop", "build")
    ]
    assert [seen.is_here for seen in report.machines] == [True, False, False, False]
    assert {day.agent for day in report.writers} == {"", "claude", "codex", "gemini"}
    assert [mark.is_handoff for mark in report.tape].count(True) == 13
    assert sum(day.given + day.silent for day in report.prompts) > 50


def test_nothing_in_it_is_secret(machine: Machine) -> None:
    assert SECRET not in repr(report_of(machine))
    assert SECRET in machine.read("shop/topics/access.md")


def test_what_is_left_out_is_said_with_the_command_that_shows_it(machine: Machine) -> None:
    whole = report_of(machine)
    assert not whole.left_out
    small = report_of(machine, commits=4, note_bytes=1500, anchors=3, entries=2, items=1, item_chars=5)
    texts = {part.command: part.what for part in small.left_out}
    assert set(texts) == {"ctxrepo status", "ctxrepo history", "ctxrepo read TARGET", "ctxrepo tape list"}
    assert texts["ctxrepo status"] == "3 further items to decide"
    assert [row.item.kind for row in small.waiting] == ["deletion", "held", "proposal"]
    assert small.waiting[2].item.after == "- [go"
    assert small.apart[0].kept == "- por"
    assert texts["ctxrepo tape list"] == "10 earlier anchors"
    bodies = [note for note in small.notes if note.body]
    assert 0 < len(bodies) < len(small.notes) == len(whole.notes)
    assert len(small.usage.entries) == 2
    assert small.usage.count == whole.usage.count


def test_an_anchor_of_another_age_is_shown_as_a_very_old_one(machine: Machine) -> None:
    for number, stamp in enumerate(("0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "never")):
        line = to_line(
            Anchor(f"odd{number}", stamp, f"odd {number}", "session", "s", "e", {}, "elsewhere-0000")
        )
        machine.write(f"TAPE/shop/elsewhere-0000-20261{number}.jsonl", f"{line}\n")
    report = report_of(machine)
    odd = [mark for mark in report.tape if mark.name.startswith("odd")]
    assert len(odd) == 3
    assert all(mark.when.year <= 1970 for mark in odd)
    assert report.tape[-3:] == odd


def test_an_empty_memory_has_a_report(ada: Machine) -> None:
    ada.init()
    report = report_of(ada)
    assert not report.waiting
    assert not report.tape
    assert report.usage.count == 0
