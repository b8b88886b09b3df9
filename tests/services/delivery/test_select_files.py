"""Which notes and files come first for sessions of a project, by what the access log has of them."""

from __future__ import annotations

import json
import os
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from copies import Copies
from machines import Machine, make_ada

from ctxrepo.domain.tape.anchors import anchor_of
from ctxrepo.domain.tape.touched_files import FirstFile
from ctxrepo.hooks.known.packet_rows import selected_of
from ctxrepo.hooks.session.ledger_words import PROJECT
from ctxrepo.hooks.session.session import Session
from ctxrepo.services.delivery.first_files import update_recent_files
from ctxrepo.storage.sessions.local_tape import LocalTape
from ctxrepo.storage.state.compiled import CompiledCheckout, record_checkout

BASE = 1_790_000_000.0
"""2026-09-21, 14:13 UTC."""
HOUR = 3600.0
TILL = "example/till"
SHOP = "git.example.org/ada/shop"

NOTES = {
    "shop/MEMORY.md": "- Deploy with `make ship`\n",
    "shop/core/TASK.md": "- now: the till\n",
    "shop/topics/db.md": "---\ndescription: The databases\n---\n- Port 5433\n",
    "shop/topics/api.md": "- v2\n",
    "global/MEMORY.md": "- Short answers\n",
    "till/MEMORY.md": "- Another project's\n",
    "shop/daily/2026-09-21.md": "- 10:00 did it\n",
}


@pytest.fixture
def shop(copies: Copies) -> Machine:
    return copies.of(with_notes)


def with_notes(place: Path) -> Machine:
    ada = make_ada(place)
    assert ada.project()
    for path, text in NOTES.items():
        ada.write(path, text)
    ada.remember("registers the project")
    ada.sync()
    assert ada.project()
    return ada


def touch(machine: Machine, path: str | Path, tool: str = "Read", hours: float = 0, **more: Any) -> None:
    """A tool was used on a note, or a file of the project; `hours` after BASE."""
    note = machine.clone / path
    file = note if note.exists() else machine.project_folder / path
    fields = {"at": BASE + hours * HOUR, "agent": "claude", "session": "s1", "tool": tool, "path": str(file)}
    with machine.open().state.access.open("a") as log:
        log.write(json.dumps(fields | more) + "\n")


def in_project(machine: Machine, session: str, folder: str) -> None:
    memory = machine.open()
    known = Session(str(memory.places.state), memory.state.id, "claude", session)
    known.note(PROJECT, folder)
    known.save()


def first(machine: Machine, owner: str = "", project: str = SHOP) -> list[FirstFile]:
    update_recent_files(machine.open())
    known = machine.open().cache.ask(selected_of, project, owner)
    return [FirstFile(file.top, file.path, file.rank, file.why) for file in known]


def notes(machine: Machine, owner: str = "") -> dict[str, str]:
    return {file.path: file.why for file in first(machine, owner) if not file.top}


def files(machine: Machine) -> list[str]:
    return [file.path for file in first(machine) if file.top]


def say(machine: Machine, **tape: Any) -> None:
    for key, value in tape.items():
        text = ",".join(value) if isinstance(value, list) else str(value)
        done = machine.ctxrepo("config", "set", f"tape.{key}", text)
        assert done.returncode == 0, done.stderr


def test_notes_are_ranked_by_what_sessions_did_and_say_it(shop: Machine) -> None:
    touch(shop, "shop/core/TASK.md", hours=0)
    touch(shop, "shop/topics/db.md", "Edit", hours=1)
    touch(shop, "shop/topics/db.md", "Edit", hours=2, session="s2")
    touch(shop, "shop/topics/db.md", "Read", hours=20, session="s3")
    touch(shop, "global/MEMORY.md", hours=3)
    for session in ("s1", "s2", "s3"):
        in_project(shop, session, "shop")
    assert list(notes(shop).items()) == [
        ("shop/topics/db.md", "edited in 2 sessions, last 2026-09-21"),
        ("global/MEMORY.md", "read 2026-09-21"),
        ("shop/core/TASK.md", "read 2026-09-21"),
    ]
    assert [file.rank for file in first(shop)] == [1, 2, 3]


def test_what_sessions_of_other_projects_did_does_not_count(shop: Machine) -> None:
    till = shop.home / "till"
    record_checkout(shop.places.state, CompiledCheckout(str(till), "", "", TILL, "till", TILL))
    in_project(shop, "mine", "shop")
    in_project(shop, "theirs", "till")
    touch(shop, "global/MEMORY.md", session="theirs")
    touch(shop, "till/MEMORY.md", session="mine")
    touch(shop, "shop/topics/db.md", session="theirs")
    touch(shop, "shop/topics/api.md", session="mine")
    assert list(notes(shop)) == ["shop/topics/api.md"]
    assert [file.path for file in first(shop, project=TILL)] == ["global/MEMORY.md"]


def test_a_session_that_nobody_knows_counts_for_the_note_s_own_project(shop: Machine) -> None:
    touch(shop, "shop/topics/db.md", session="gone")
    touch(shop, "global/MEMORY.md", session="gone")
    touch(shop, "shop/topics/api.md", session="")
    assert set(notes(shop)) == {"shop/topics/db.md", "shop/topics/api.md"}


def test_only_what_the_index_lists_can_come_first(shop: Machine) -> None:
    touch(shop, "shop/daily/2026-09-21.md", "Edit")
    shop.write("shop/topics/new.md", "- not committed yet\n")
    touch(shop, "shop/topics/new.md", "Edit")
    assert notes(shop) == {}
    shop.sync()
    assert list(notes(shop)) == ["shop/topics/new.md"]


def test_d18_hours_count_back_from_the_last_use(shop: Machine) -> None:
    """So a project that rested for months begins where it was left, and nothing changes by the clock."""
    for n, hours in enumerate((0, 100, 101, 102, 103)):
        touch(shop, ("shop/topics/db.md", "shop/topics/api.md")[n > 0], hours=hours)
    assert set(notes(shop)) == {"shop/topics/db.md", "shop/topics/api.md"}
    touch(shop, "shop/topics/api.md", hours=104)
    assert set(notes(shop)) == {"shop/topics/api.md"}
    say(shop, scan_hours=200, scan_hours_max=200)
    assert set(notes(shop)) == {"shop/topics/db.md", "shop/topics/api.md"}


def test_a_date_ahead_of_the_log_s_own_counts_as_that(shop: Machine) -> None:
    touch(shop, "shop/topics/db.md", at=time.time() + 10 * 365 * 24 * HOUR)
    touch(shop, "shop/topics/api.md", at=time.time())
    assert set(notes(shop)) == {"shop/topics/db.md", "shop/topics/api.md"}


def test_d17_the_limit_is_for_notes_and_for_files(shop: Machine) -> None:
    for name in ("a.py", "b.py", "c.py"):
        (shop.project_folder / name).touch()
        touch(shop, name, "Edit")
    for name in ("shop/topics/db.md", "shop/topics/api.md", "shop/core/TASK.md"):
        touch(shop, name, "Edit")
    say(shop, file_limit=2)
    assert (len(notes(shop)), len(files(shop))) == (2, 2)
    say(shop, whitelist=["shop/MEMORY.md", "c.py"])
    order = [(file.path, file.rank, file.why) for file in first(shop)]
    assert order[:2] == [("shop/MEMORY.md", 0, "on the white list"), ("c.py", 0, "on the white list")]
    assert (len(notes(shop)), len(files(shop))) == (3, 3)


def test_d16_recent_is_no_selection(shop: Machine) -> None:
    (shop.project_folder / "a.py").touch()
    touch(shop, "a.py", "Edit")
    touch(shop, "shop/topics/db.md", "Edit")
    say(shop, strategy="recent")
    assert first(shop) == []
    say(shop, whitelist=["shop/MEMORY.md"])
    assert list(notes(shop)) == ["shop/MEMORY.md"]


def test_d19_lists_name_files_and_folders_below_the_memory_and_the_project(shop: Machine) -> None:
    for name in ("src/a.py", "src/deep/b.py", "src/deep/.hidden", "src/node_modules/c.js", "old/d.py"):
        file = shop.project_folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    touch(shop, "old/d.py")
    for name in ("shop/topics/db.md", "shop/topics/api.md", "shop/core/TASK.md"):
        touch(shop, name)
    say(shop, whitelist=["topics", "src"], blacklist=["topics/api.md", "old"])
    order = [file.path for file in first(shop)]
    assert order[:3] == ["shop/topics/db.md", "src/a.py", "src/deep/b.py"]
    assert order[3:] == ["shop/core/TASK.md"]
    say(shop, whitelist=[str(shop.project_folder / "old")], blacklist=[str(shop.clone / "shop/core")])
    order = [file.path for file in first(shop)]
    assert order[0] == "old/d.py"
    assert "shop/core/TASK.md" not in order


def test_what_git_ignores_in_the_project_is_left_out(shop: Machine) -> None:
    for name in ("kept.py", "made.log", "forced.log", "package-lock.json"):
        (shop.project_folder / name).touch()
        touch(shop, name, "Edit")
    (shop.project_folder / ".gitignore").write_text("*.log\n")
    subprocess.run(["git", "add", "-f", "forced.log"], cwd=shop.project_folder, check=True)
    assert files(shop) == ["kept.py", "forced.log"]


def test_a_file_outside_is_named_whole_and_counts_for_the_checkout_it_is_in_too(
    shop: Machine,
) -> None:
    till, lib = shop.home / "till", shop.home / "lib"
    for folder in (till, lib):
        folder.mkdir()
        (folder / "x.py").touch()
    record_checkout(shop.places.state, CompiledCheckout(str(till), "", "", TILL, "till", TILL))
    in_project(shop, "s1", "shop")
    touch(shop, till / "x.py")
    touch(shop, lib / "x.py")
    assert set(files(shop)) == {str(till / "x.py"), str(lib / "x.py")}
    assert [file.path for file in first(shop, project=TILL)] == ["x.py"]


@pytest.mark.parametrize("stays_here", [False, True])
def test_a_handoff_makes_what_followed_it_count_for_more(stays_here: bool, shop: Machine) -> None:
    now = time.time()
    left = {"timestamp": time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(now - 2.5 * HOUR))}
    line = {"id": "1", **left, "name": "task/x", "type": "handoff", "sessionId": "s", "sessionEntryId": "e"}
    if stays_here:
        kept = anchor_of({**line, "project": "shop"})
        assert kept
        LocalTape(shop.open().state).keep(kept)
    touch(shop, "shop/topics/db.md", "Edit", at=now - 3 * HOUR)
    touch(shop, "shop/topics/api.md", "Read", at=now - 2 * HOUR)
    if not stays_here:
        assert list(notes(shop)) == ["shop/topics/db.md", "shop/topics/api.md"]
        shop.write("TAPE/shop/box-202609.jsonl", json.dumps(line) + "\n")
        shop.sync()
    assert list(notes(shop)) == ["shop/topics/api.md", "shop/topics/db.md"]


def test_what_commands_of_a_session_read_and_write_counts(shop: Machine) -> None:
    env = {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "s7"}
    agent = Machine(shop.home, env)
    assert agent.ctxrepo("read", "shop/topics/api.md").returncode == 0
    assert agent.ctxrepo("remember", "Port 5434 is the replica", "--note", "topics/db.md").returncode == 0
    lines = [json.loads(line) for line in shop.open().state.access.read_text().splitlines()]
    assert [(line["session"], line["tool"], Path(line["path"]).name) for line in lines] == [
        ("s7", "read", "api.md"),
        ("s7", "memory_write", "db.md"),
    ]
    shop.sync()
    today = time.strftime("%Y-%m-%d", time.gmtime())
    assert notes(shop) == {"shop/topics/api.md": f"read {today}", "shop/topics/db.md": f"edited {today}"}


def test_it_is_told_anew_when_settings_change_and_is_the_same_for_the_same(shop: Machine) -> None:
    touch(shop, "shop/topics/db.md")
    before = first(shop)
    assert not update_recent_files(shop.open())
    say(shop, blacklist=["topics"])
    assert update_recent_files(shop.open())
    assert first(shop) == []
    say(shop, blacklist=[])
    assert first(shop) == before


def test_w22_only_the_newest_4000_lines_are_looked_at(shop: Machine) -> None:
    touch(shop, "shop/topics/db.md")
    line = {
        "at": BASE,
        "agent": "claude",
        "session": "s",
        "tool": "Read",
        "path": str(shop.clone / "shop/MEMORY.md"),
    }
    with shop.open().state.access.open("a") as log:
        log.write((json.dumps(line) + "\n") * 4000)
    begun = time.process_time()
    assert list(notes(shop)) == ["shop/MEMORY.md"]
    assert time.process_time() - begun < 5
    assert os.path.getsize(shop.open().state.access) < 1024 * 1024
