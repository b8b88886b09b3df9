"""import after undo: what the undo took away comes again completely, and nothing that was put away here."""

from __future__ import annotations

from pathlib import Path

import pytest
from machines import NOW, Machine, make_machine
from marked import marks_of
from terminal import Terminal

from ctxrepo.domain.records.evidence import evidence_of
from ctxrepo.services.reading.marks import evidence_now
from ctxrepo.services.saving.commit import commit

DECISION = "shop/topics/decision.md"
CODE = "---\ndescription: Release\n---\n\n# Release\n\n```sh\nmake tag\n```\n\n## How\n\n"


def notes_of(machine: Machine) -> dict[str, str]:
    texts = {p.relative_to(machine.clone).as_posix(): p.read_text() for p in machine.clone.rglob("*.md")}
    return {path: text for path, text in texts.items() if not path.startswith(".")}


def told_of(machine: Machine) -> tuple[list[str], frozenset[str], frozenset[str]]:
    """The ids of records that came with an export, and the marks."""
    memory = machine.open()
    marks = marks_of(memory, memory.objects.tree_of(commit(memory, NOW).head or ""))
    names = sorted(record.id for record in evidence_now(memory) if record.host != memory.host)
    return names, marks.pinned, marks.struck


def tapes_of(machine: Machine) -> dict[str, str]:
    folder = machine.clone / "TAPE"
    return {p.relative_to(folder).as_posix(): p.read_text() for p in folder.rglob("*.jsonl")}


@pytest.fixture
def export(cli: Terminal, tmp_path: Path) -> Path:
    """Of a memory with entries that were edited, pinned and superseded, code, and a handoff."""
    for text in ("Release on Mondays", "Only from main", "Tags are signed"):
        pin = ["--pin"] * (text == "Release on Mondays")
        assert cli("remember", text, "--category", "decision", *pin).code == 0
    assert cli("edit", DECISION, "--old", "Mondays", "--new", "Tuesdays").code == 0
    words = ("remember", "Only from release branches", "--category", "decision")
    assert cli(*words, "--supersedes", f"{DECISION}#L9").code == 0
    cli.machine.write("shop/topics/rel.md", f"{CODE}- Cut a tag with make tag\n")
    commit(cli.machine.open(), NOW)
    edited = cli("edit", "topics/rel.md", "--old", "with make tag", "--new", "with make release")
    assert edited.code == 0, edited.err
    assert cli("anchor", "release/ready", "--summary", "The tag is cut").code == 0
    commit(cli.machine.open(), NOW)
    file = tmp_path / "memory.jsonl"
    assert cli("export", str(file)).code == 0
    return file


@pytest.fixture
def bea(cli: Terminal, tmp_path: Path) -> Terminal:
    machine = make_machine(tmp_path / "more", "bea")
    machine.init()
    return Terminal(machine, cli.monkeypatch, cli.capsys)


def test_an_export_comes_again_to_the_byte(export: Path, bea: Terminal) -> None:
    words = ("import", "--file", str(export), "--yes")
    assert bea(*words).code == 0
    notes, evidence, tapes = notes_of(bea.machine), told_of(bea.machine), tapes_of(bea.machine)
    assert evidence[1]
    assert evidence[2]
    assert tapes
    for _ in range(3):
        assert bea("undo").code == 0
        assert DECISION not in notes_of(bea.machine)
        answer = bea(*words)
        assert "left out" not in answer.out
        assert f"-> {DECISION}: new, 4 entries\n" in answer.out
        assert notes_of(bea.machine) == notes
        assert told_of(bea.machine) == evidence
        assert tapes_of(bea.machine) == tapes
        assert bea(*words).out.endswith("is new here\n")


def test_what_was_put_away_here_stays_away_and_its_note_keeps_its_rest(cli: Terminal, tmp_path: Path) -> None:
    folder = tmp_path / "src"
    folder.mkdir()
    (folder / "rel.md").write_text(f"{CODE}<!-- one -->\n- one\n- two\n\nThree.\n\n- four\n")
    words = ("import", "--file", str(folder), "--yes")
    assert cli(*words).code == 0
    commit(cli.machine.open(), NOW)
    note = "global:rel"
    assert cli("move", f"{note}#L14", "global:others").code == 0
    assert cli("edit", "global:others", "--old", "one", "--new", "one by one").code == 0
    assert cli("forget", f"{note}#L14").code == 0
    commit(cli.machine.open(), NOW)
    (cli.machine.clone / "global/rel.md").unlink()
    commit(cli.machine.open(), NOW)
    answer = cli(*words)
    assert "rel.md: new, 3 entries, 2 left out, as edited or put away here\n" in answer.out
    assert "already" not in answer.out
    assert cli.machine.read("global/rel.md") == f"{CODE}Three.\n\n- four\n"
    again = cli(*words).out
    assert "1 note with nothing new: 3 entries here already, 2 left out, as edited or put away here" in again


def test_plain_markdown_comes_again_after_an_edit_was_undone(cli: Terminal, tmp_path: Path) -> None:
    folder = tmp_path / "src"
    folder.mkdir()
    text = f"{CODE}- one\n- two\n"
    (folder / "rel.md").write_text(text)
    words = ("import", "--file", str(folder), "--yes")
    assert cli(*words).code == 0
    assert cli("edit", "global:rel", "--old", "- one", "--new", "- one by one").code == 0
    for _ in range(2):
        assert cli("undo").code == 0
    assert not (cli.machine.clone / "global/rel.md").exists()
    assert "rel.md: new, 3 entries\n" in cli(*words).out
    assert cli.machine.read("global/rel.md") == text
    assert cli("edit", "global:rel", "--old", "- one", "--new", "- one by one").code == 0
    assert cli(*words).out.endswith("is new here\n")


def test_an_anchor_that_was_deleted_here_does_not_come_again(export: Path, bea: Terminal) -> None:
    words = ("import", "--file", str(export), "--yes")
    assert bea(*words).code == 0
    assert bea("tape", "delete", "release/ready").code == 0
    tapes = tapes_of(bea.machine)
    bea(*words)
    assert tapes_of(bea.machine) == tapes
    assert not any(evidence_of(text) for text in tapes.values())
