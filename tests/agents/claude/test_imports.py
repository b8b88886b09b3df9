"""What Claude Code remembers by itself is brought here, shown first, and twice is once."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from machines import Machine, make_machine

INDEX = """# Memory

- [Deploys go by tag](deploy.md) — a tag, never a branch
- [Answers in German](./german.md)
- [What was](gone.md) — its note is gone
- The staging database is reset every Monday
"""


def note(kind: str, text: str, key: str = "metadata") -> str:
    kinds = f"metadata:\n  type: {kind}\n" if key == "metadata" else f"type: {kind}\n"
    return f"---\nname: it\ndescription: About it\n{kinds}modified: 2026-10-01\n---\n\n{text}\n"


@pytest.fixture
def ada(tmp_path: Path) -> Machine:
    machine = make_machine(tmp_path, "ada")
    machine.init()
    return machine


def memory_of(machine: Machine) -> Path:
    name = re.sub("[^A-Za-z0-9]", "-", str(machine.project_folder))
    folder = machine.home / ".claude" / "projects" / name / "memory"
    folder.mkdir(parents=True)
    (folder / "MEMORY.md").write_text(INDEX)
    (folder / "deploy.md").write_text(note("project", "Deploys go by tag, never by branch."))
    (folder / "german.md").write_text(note("feedback", "The user wants answers in German."))
    return folder


def brought(machine: Machine, *words: str) -> str:
    done = machine.ctxrepo("import", "claude-memory", "--yes", *words)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_note_goes_where_it_holds_and_the_index_stays(ada: Machine) -> None:
    folder = memory_of(ada)
    brought(ada)
    assert ada.read("shop/topics/deploy.md") == (folder / "deploy.md").read_text()
    assert ada.read("global/topics/german.md") == (folder / "german.md").read_text()
    kept = [line for line in ada.read("shop/MEMORY.md").splitlines() if line.startswith("- ")]
    assert kept == [
        "- [What was](gone.md) — its note is gone",
        "- The staging database is reset every Monday",
    ]


def test_twice_is_once_and_what_is_new_comes(ada: Machine) -> None:
    folder = memory_of(ada)
    brought(ada)

    assert "nothing of claude-memory is new here" in brought(ada)
    ada.ctxrepo("sync")
    (folder / "wiki.md").write_text(note("reference", "The wiki is on port 700.", key="type"))
    (folder / "MEMORY.md").write_text(f"{INDEX}- The printer is called gutenberg\n- [Wiki](wiki.md)\n")
    assert "brought 2 entries in 2 notes, 1 of them new" in brought(ada)
    assert "port 700" in ada.read("shop/topics/wiki.md")
    assert ada.read("shop/MEMORY.md").count("gutenberg") == 1
    assert ada.ctxrepo("undo").returncode == 0
    assert "gutenberg" not in ada.read("shop/MEMORY.md")


def test_what_was_forgotten_here_does_not_come_back(ada: Machine) -> None:
    memory_of(ada)
    brought(ada)
    ada.ctxrepo("forget", "shop:topics/deploy.md")
    assert "nothing of claude-memory is new here" in brought(ada)
    ada.ctxrepo("restore", "shop:topics/deploy.md")
    assert "by tag" in ada.ctxrepo("search", "branch").stdout
    ada.ctxrepo("undo")
    assert "nothing of claude-memory is new here" in brought(ada)


def test_it_is_listed_and_nothing_is_written_before_a_yes(ada: Machine) -> None:
    folder = memory_of(ada)
    before = {file: file.read_bytes() for file in folder.iterdir()}
    assert "3 notes, 4 entries" in ada.ctxrepo("import").stdout
    shown = ada.ctxrepo("import", "claude-memory", "--dry-run").stdout
    assert "deploy.md -> shop/topics/deploy.md: new, 1 entry" in shown
    assert "its index of the other notes" in shown
    assert not (ada.clone / "shop").exists()
    assert {file: file.read_bytes() for file in folder.iterdir()} == before


def test_the_folder_that_its_settings_name(ada: Machine) -> None:
    folder = memory_of(ada).rename(ada.home / "elsewhere")
    settings = ada.home / ".claude" / "settings.json"
    settings.write_text(json.dumps({"autoMemoryDirectory": "~/elsewhere"}))
    assert "~/elsewhere" in brought(ada)
    assert (ada.clone / "shop/topics/deploy.md").is_file()
    assert folder.is_dir()


def test_a_folder_that_is_named_outside_of_any_project(ada: Machine) -> None:
    folder = memory_of(ada)
    done = ada.ctxrepo("import", "claude-memory", "--yes", "--from", str(folder), cwd=ada.home)
    assert done.returncode == 2
    assert "this folder belongs to no project" in done.stderr


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"---\nname: [\n---\n\nTorn head.\n", "odd.md -> shop/topics/odd.md"),
        ("---\nmetadata: none\n---\n\nWide.\n".encode("utf-16"), "it was UTF-16"),
        (b"\xff\xfe\x00\xd8", "odd.md"),
        (b"x" * (1 << 21), "odd.md"),
        (b"- the token is ghp_" + b"a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8\n", "held back"),
    ],
    ids=["torn", "utf-16", "no text", "huge", "secret"],
)
def test_what_is_odd_is_told_and_the_rest_comes(ada: Machine, data: bytes, message: str) -> None:
    (memory_of(ada) / "odd.md").write_bytes(data)
    done = ada.ctxrepo("import", "claude-memory", "--yes")
    assert done.returncode in (0, 6)
    assert message in done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    assert (ada.clone / "shop/topics/deploy.md").is_file()


def test_a_link_is_not_followed(ada: Machine) -> None:
    secret = ada.home / "diary.md"
    secret.write_text("- mine alone\n")
    (memory_of(ada) / "odd.md").symlink_to(secret)
    assert "odd.md" in brought(ada)
    assert "mine alone" not in ada.ctxrepo("search", "alone").stdout


def test_undo_leaves_what_another_machine_brought_too(pair: tuple[Machine, Machine]) -> None:
    ada, ben = pair
    ada.remember("The wiki is at port 9999")
    for machine in pair:
        machine.sync()
    for machine in pair:
        memory_of(machine)
        brought(machine)
    for machine in pair * 2:
        machine.sync()
    before = ada.tree()
    undone = ben.ctxrepo("undo")
    assert (undone.returncode, "somebody else remembered it" in undone.stderr) == (6, True)
    for machine in pair * 2:
        machine.sync()
    assert (ada.tree(), ben.tree()) == (before, before)
