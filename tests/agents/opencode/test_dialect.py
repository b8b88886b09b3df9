"""How OpenCode is understood and answered: what its bridge sends, as it was recorded, and made worse."""

from __future__ import annotations

import json
import random
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from checkout import CHECKOUT
from long import rotating
from world import HOOK, NOTES, World

from ctxrepo.agents.opencode.dialect import DIALECT
from ctxrepo.hooks.dialect import Event, TouchedFile, extract_fields
from ctxrepo.hooks.session.ledger import read_ledger
from ctxrepo.hooks.session.ledger_file import ledger_path

PAYLOADS = CHECKOUT / "tests/hooks/payloads/opencode"
NAMES = sorted(path.stem for path in PAYLOADS.glob("*.json"))
SESSION = "ses_df1b6def3ffel2roigX38coSLx"
SUB = "ses_df1b6d17cffe6Q8FpqGafLkOLe"


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A memory with the usual notes in its cache."""
    made = World(tmp_path)
    made.cache("c1", NOTES)
    return made


def payload(name: str, world: World | None = None, **changed: Any) -> dict[str, Any]:
    text = (PAYLOADS / f"{name}.json").read_text()
    if world:
        text = text.replace("@cwd@", str(world.code)).replace("@home@", str(world.root))
    event: dict[str, Any] = json.loads(text)
    return {**event, **changed}


def touched(fields: dict[str, Any]) -> list[TouchedFile]:
    text = json.dumps(fields)
    with closing(sqlite3.connect(":memory:")) as db:
        event = Event("opencode", "tool.execute.after", extract_fields(db, text, DIALECT.fields))
        return DIALECT.touched(db, event, text)


def failure(event: dict[str, Any]) -> str:
    text = json.dumps(event)
    with closing(sqlite3.connect(":memory:")) as db:
        return DIALECT.failure(db, Event("opencode", "tool.execute.after", {}), text)


def told(files: list[TouchedFile]) -> list[tuple[str, str, str]]:
    return [(file.path, file.ranges, file.wrote) for file in files]


def tell(world: World, event: str, raw: bytes) -> bytes:
    words = [sys.executable, "-I", "-S", str(HOOK), "opencode", event, str(world.state)]
    done = subprocess.run(words, input=raw, capture_output=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout


def hear(world: World, name: str, **changed: Any) -> str:
    event = name.partition("-")[0]
    return tell(world, event, json.dumps(payload(name, world, **changed)).encode()).decode()


def ledger(world: World, name: str) -> Any:
    return read_ledger(ledger_path(str(world.state), "opencode", name), world.folder.name)


def test_every_event_of_the_bridge_is_recorded_and_known() -> None:
    assert {name.partition("-")[0] for name in NAMES} == {event for event, _ in DIALECT.events.values()}


def test_a_read_has_the_lines_it_showed_and_an_edit_those_that_changed() -> None:
    assert told(touched(payload("tool.execute.after-read"))) == [("@cwd@/notes.txt", "[[2, 3]]", "")]
    assert told(touched(payload("tool.execute.after-read", lines=[1, 5, 5])))[0][1] == "[]"
    assert told(touched(payload("tool.execute.after-edit"))) == [("@cwd@/notes.txt", "[[3, 3]]", "")]
    assert told(touched(payload("tool.execute.after-write"))) == [("@cwd@/new.txt", "[]", "hey\n")]
    assert touched(payload("tool.execute.after-bash")) == []


def test_a_patch_has_several_files_and_both_places_of_one_that_moved() -> None:
    assert told(touched(payload("tool.execute.after-apply_patch"))) == [
        ("@cwd@/notes.txt", "[[4, 4]]", ""),
        ("@cwd@/more.txt", "[[1, 1]]", ""),
        ("@cwd@/new.txt", "[[1, 1]]", ""),
        ("@cwd@/newer.txt", "[]", ""),
        ("@cwd@/README.md", "[[1, 1]]", ""),
    ]


@pytest.mark.parametrize(
    ("diff", "ranges"),
    [
        ("@@ -9,4 +9,2 @@\n a\n-b\n-c\n d\n", "[[10, 10]]"),
        ("@@ -1 +1,3 @@\n a\n+b\n+c\n@@ -20,2 +22,3 @@\n a\n+d\n b", "[[2, 3], [23, 23]]"),
        ("@@ -1 +0,0 @@\n-a", "[[1, 1]]"),
        ("@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file", "[[1, 1]]"),
        ("@@ x @@\n+a", "[]"),
        ("@@ -1 +99999999999999999999 @@\n+a", "[]"),
        ("+++ /a\n--- /b\n", "[]"),
        ("\ud800@@", "[]"),
        (7, "[]"),
    ],
)
def test_a_diff_has_the_ranges_of_its_hunks(diff: object, ranges: str) -> None:
    assert told(touched(payload("tool.execute.after-edit", diff=diff)))[0][1] == ranges


def test_of_many_hunks_the_first_are_told() -> None:
    diff = "".join(f"@@ -{n} +{n} @@\n+x\n" for n in range(1, 200))
    assert json.loads(touched(payload("tool.execute.after-edit", diff=diff))[0].ranges)[-1] == [100, 100]


@pytest.mark.parametrize(
    "lines", [7, [], [None, 3], ["1", 2, 3], [0, 2, 3], [5, 4, 9], [1.5, 2, 3], {"a": 1}]
)
def test_odd_lines_stand_for_the_whole_file(lines: object) -> None:
    assert told(touched(payload("tool.execute.after-read", lines=lines)))[0][1] == "[]"


@pytest.mark.parametrize("files", [7, None, "x", [7, None], [{}], [{"filePath": 7, "patch": []}]])
def test_odd_patches_touch_nothing(files: object) -> None:
    assert touched(payload("tool.execute.after-apply_patch", files=files)) == []


def test_only_a_command_that_failed_has_failed() -> None:
    assert failure(payload("tool.execute.after-bash-failed")) == "out\nbad\n"
    assert failure(payload("tool.execute.after-bash")) == ""
    assert failure(payload("tool.execute.after-edit")) == ""
    assert failure(payload("tool.execute.after-bash", output=["x"])) == ""


@pytest.mark.parametrize(
    ("prompt", "words"),
    [
        ('"please fix the notes"', "please fix the notes"),
        ('"say \\"hi\\" to me"', 'say "hi" to me'),
        ('"one" and "two"', '"one" and "two"'),
        ("fix", "fix"),
        ('"', '"'),
        ('""', ""),
        ("", ""),
        ('He said "no"', 'He said "no"'),
    ],
)
def test_the_quotes_that_the_command_line_adds_are_taken_off(prompt: str, words: str) -> None:
    assert DIALECT.words(prompt) == words


def test_tools_are_known() -> None:
    assert DIALECT.only_reads("read")
    assert not DIALECT.only_reads("write")
    assert DIALECT.shells == {"bash"}


def test_a_session_is_given_the_packet_at_its_start_and_entries_beside_its_prompts(world: World) -> None:
    start = hear(world, "session.created")
    assert start.startswith("<ctxrepo-memory tag=")
    assert "Prefers short answers" in start
    asked = hear(world, "chat.message", prompt='"On which port does staging listen?"')
    assert "5433" in asked
    assert hear(world, "chat.message", prompt='"On which port does staging listen?"') == ""
    assert hear(world, "session.created-resume") == ""
    assert hear(world, "session.idle") == hear(world, "dispose") == ""
    assert [line["event"] for line in world.spooled()] == ["start", "start", "stop", "end"]
    assert {line["session"] for line in world.spooled()} == {SESSION}
    assert all(line["transcript"].endswith("opencode/opencode.db") for line in world.spooled())


def test_after_a_compaction_everything_is_given_again(world: World) -> None:
    hear(world, "session.created")
    asked = {"prompt": '"On which port does staging listen?"'}
    assert "5433" in hear(world, "chat.message", **asked)
    assert hear(world, "experimental.session.compacting") == ""
    assert "Prefers short answers" in hear(world, "session.created-compact")
    assert world.spooled()[-2]["event"] == "compact"


def test_a_fork_holds_what_its_origin_was_given(world: World) -> None:
    hear(world, "session.created")
    asked = {"prompt": '"On which port does staging listen?"'}
    assert "5433" in hear(world, "chat.message", **asked)
    assert hear(world, "session.created-fork") == ""
    fork = payload("session.created-fork")
    assert fork["origin"] == SESSION
    assert hear(world, "chat.message", session=fork["session"], **asked) == ""


def test_a_subagent_has_a_ledger_of_its_own(world: World) -> None:
    hear(world, "session.created")
    assert "Don't write to it" in hear(world, "task")
    asked = {"prompt": "On which port does staging listen?"}
    assert "5433" in hear(world, "chat.message-sub", **asked)
    assert "5433" in hear(world, "chat.message", **asked)
    assert hear(world, "chat.message", **asked) == ""


def test_what_its_tools_write_to_the_memory_is_saved_and_the_worker_woken(world: World) -> None:
    note = world.memory / "shop/MEMORY.md"
    note.parent.mkdir(parents=True, exist_ok=True)
    note.write_text("- Deploy with `make ship`\n")
    args = {"filePath": str(note), "content": note.read_text()}
    assert hear(world, "tool.execute.after-write", args=args) == ""
    assert [(save.op, save.by.agent, save.path) for save in world.saved()] == [
        ("tool", "opencode", "shop/MEMORY.md")
    ]
    assert world.starts(1)


def test_a_command_in_the_memory_wakes_the_worker(world: World) -> None:
    args = {"command": f"echo x >> {world.memory}/shop/MEMORY.md"}
    assert hear(world, "tool.execute.after-bash", args=args) == ""
    assert [line["event"] for line in world.spooled()] == ["shell"]
    assert world.starts(1)


@pytest.mark.slow
@pytest.mark.parametrize("name", rotating(NAMES))
def test_no_payload_however_spoiled_makes_a_hook_fail(world: World, name: str) -> None:
    event, document = name.partition("-")[0], payload(name, world)
    raw, seeded = json.dumps(document).encode(), random.Random(name)
    odd: list[object] = [None, 7, [], {"a": 1}, "\ud800", "x" * 70_000]
    wrong = [{**document, key: value} for key in document for value in odd]
    spoiled = [raw[: seeded.randrange(len(raw))], b"", b"[]", b"\xff\xfe" + raw, raw.replace(b'"', b"'")]
    for data in [*spoiled, *(json.dumps(fields).encode() for fields in seeded.sample(wrong, 4))]:
        tell(world, event, data)
    assert "Traceback" not in world.errors()


def test_what_is_no_event_is_met_with_silence(world: World) -> None:
    assert tell(world, "session.deleted", b'{"session": "s1"}') == b""
    assert world.errors() == ""
