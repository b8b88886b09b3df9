"""How pi is understood and answered: what its extension hands on, whole and in pieces."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from checkout import CHECKOUT
from hypothesis import given
from hypothesis import strategies as st
from long import rotating
from world import HOOK, NOTES, World

from ctxrepo.agents.pi.dialect import DIALECT, session_of
from ctxrepo.agents.pi.install import EVENTS
from ctxrepo.domain.tape.touched_files import Touch, focus
from ctxrepo.domain.text import OVERHEAD
from ctxrepo.hooks.dialect import Event, HookAnswer, changed_lines
from ctxrepo.hooks.known.world import Repo
from ctxrepo.hooks.known.world import World as Settings

UNSAID = Settings({}, "", Repo("", "", ""))
"""Settings that say nothing."""

PAYLOADS = CHECKOUT / "tests/hooks/payloads/pi"


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World(tmp_path)
    world.cache("c1", NOTES)
    return world


def payload(world: World, name: str, **fill: str) -> bytes:
    text = (PAYLOADS / f"{name}.json").read_text()
    given = {"cwd": str(world.code), "home": str(world.root / "home"), "prompt": "", "file": "", **fill}
    for word, value in given.items():
        text = text.replace(f"@{word}@", json.dumps(value)[1:-1])
    return text.encode()


def raw(world: World, data: bytes, event: str, env: Mapping[str, str] | None = None) -> str:
    """What the extension reads; nobody complains."""
    words = [sys.executable, "-I", "-S", str(HOOK), "pi", event, str(world.state)]
    done = subprocess.run(words, input=data, capture_output=True, env={**os.environ, **(env or {})})
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout.decode()


def tell(world: World, name: str, **fill: str) -> str:
    """The text for the conversation, '' for none."""
    return str(told(world, name, **fill).get("context", ""))


def told(world: World, name: str, **fill: str) -> dict[str, Any]:
    """What there is for the model, by where it is to stand."""
    env = {"PI_CODING_AGENT_DIR": str(world.root / "pi")}
    out = raw(world, payload(world, name, **fill), name.partition("-")[0], env)
    answer: dict[str, Any] = json.loads(out) if out else {}
    return answer


def test_the_extension_hands_on_every_event_that_is_understood() -> None:
    events = [name for name, _ in DIALECT.events.values()]
    assert [name for name in events if name != "tool_call"] == [*EVENTS]
    source = (CHECKOUT / "hooks/pi/ctxrepo/delivery.ts").read_text()
    assert all(f'pi.on("{event}"' in source for event in events)
    assert 'if (enforces) pi.on("tool_call"' in source


def test_a_session_is_given_its_index_and_the_entry_that_fits_once(world: World) -> None:
    assert "## Index of notes" in tell(world, "session_start")
    asked = "which port is the staging database on?"
    assert "5433" in tell(world, "before_agent_start", prompt=asked)
    assert tell(world, "before_agent_start", prompt=asked) == ""
    assert tell(world, "session_start-resume") == ""
    assert "## Index of notes" in tell(world, "session_compact")
    assert world.errors() == ""


ASKED = "which port is the staging database on?"


def test_a_situation_report_shares_its_budget_with_pis_own_prompt(world: World) -> None:
    world.settings["preset"] = "scored"
    lessons = "".join(f"- [lesson] {'x' * 60} number {n:03}\n" for n in range(99))
    world.cache("c2", {**NOTES, "shop/topics/lessons.md": lessons})
    world.compile()
    sizes = []
    for own in (0, 31_000, 32_000):
        event = json.loads(payload(world, "session_compact")) | {"own": str(own)}
        out = json.loads(raw(world, json.dumps(event).encode(), "session_compact"))
        sizes.append(len(out.get("context", "").encode()))
    assert 1600 < sizes[0] <= 6800 + OVERHEAD
    assert 600 < sizes[1] <= 1000 + OVERHEAD
    assert sizes[2] == 0, "its own prompt takes the 8,000 tokens that both share"


def test_in_the_mode_turn_what_fits_is_for_that_turn_and_comes_each_time(world: World) -> None:
    world.settings["mode"] = "turn"
    world.compile()
    assert "## Index of notes" in tell(world, "session_start")
    for _ in range(2):
        (item,) = told(world, "before_agent_start", prompt=ASKED).items()
        assert item[0] == "turn"
        assert "5433" in item[1]
    world.cache("c2", {**NOTES, "shop/topics/new.md": "---\ndescription: Something new\n---\n- new\n"})
    found_now = told(world, "before_agent_start", prompt=ASKED)
    assert "Something new" in found_now["context"], "what changed is told once, so the conversation keeps it"
    assert "5433" in found_now["turn"]
    assert told(world, "before_agent_start", prompt=ASKED).keys() == {"turn"}
    assert world.errors() == ""


@pytest.mark.parametrize("source", ["session_start", "session_start-resume", "session_start-fork"])
def test_in_the_mode_system_each_start_gives_the_packet_for_the_system_prompt(
    world: World, source: str
) -> None:
    world.settings["mode"] = "system"
    world.compile()
    told(world, "session_start")
    (item,) = told(world, source).items()
    assert item[0] == "system"
    assert "## Index of notes" in item[1]
    assert "5433" in tell(world, "before_agent_start", prompt=ASKED)
    assert told(world, "before_agent_start", prompt=ASKED) == {}


@pytest.mark.parametrize(
    ("settings", "places"),
    [
        ({}, {"context"}),
        ({"delivery": "message-append"}, {"context"}),
        ({"delivery": "system-prompt"}, {"system"}),
        ({"injection": "system-prompt"}, {"system"}),
        ({"delivery": "message-append", "injection": "system-prompt"}, {"context"}),
        ({"delivery": "anything"}, {"system"}),
        ({"delivery": ""}, {"context"}),
        ({"delivery": 3}, {"context"}),
        ({"enabled": True}, {"context"}),
        ({"enabled": False}, set()),
        ({"enabled": None}, set()),
        ({"enabled": False, "delivery": "system-prompt"}, set()),
        ("nonsense", {"context"}),
        ([], {"context"}),
    ],
)
def test_pis_settings_say_whether_and_where_pis_sessions_are_given_memory(
    world: World, settings: object, places: set[str]
) -> None:
    (world.root / "pi").mkdir()
    (world.root / "pi/settings.json").write_text(json.dumps({"pi-memory-md": settings}))
    assert told(world, "session_start").keys() == places
    assert ("5433" in tell(world, "before_agent_start", prompt=ASKED)) is bool(places)


def test_a_change_of_pis_settings_holds_from_the_next_event_on(world: World) -> None:
    assert told(world, "session_start").keys() == {"context"}
    (world.root / "pi").mkdir()
    settings = world.root / "pi/settings.json"
    settings.write_text('{"pi-memory-md": {"enabled": false}}')
    assert told(world, "before_agent_start", prompt=ASKED) == {}
    settings.write_text('{"pi-memory-md": {"delivery": "system-prompt"}}')
    assert "5433" in tell(world, "before_agent_start", prompt=ASKED)
    assert told(world, "session_compact").keys() == {"system"}


@pytest.mark.parametrize(
    ("mode", "delivery", "at_start", "beside"),
    [
        ("system", "message-append", "context", "context"),
        ("system", "", "system", "context"),
        ("turn", "system-prompt", "system", "turn"),
        ("once", "system-prompt", "system", ""),
        ("once", "message-append", "context", ""),
        ("pull", "system-prompt", "system", ""),
        ("file", "system-prompt", "", "context"),
    ],
)
def test_pis_delivery_says_where_the_packet_stands_and_config_toml_what_is_given(
    world: World, mode: str, delivery: str, at_start: str, beside: str
) -> None:
    world.settings["mode"] = mode
    world.compile()
    (world.root / "pi").mkdir()
    (world.root / "pi/settings.json").write_text(json.dumps({"pi-memory-md": {"delivery": delivery}}))
    given = told(world, "session_start")
    assert [*given] == [at_start] * bool(at_start)
    assert ("## Index of notes" in given.get(at_start, "")) is (mode not in ("pull", "file"))
    assert [*told(world, "before_agent_start", prompt=ASKED)] == [beside] * bool(beside)


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"\xff", b"\0", b'{"pi-memory-md": {"enabled": 0}'])
def test_settings_of_pi_that_cannot_be_read_say_nothing(world: World, data: bytes) -> None:
    (world.root / "pi").mkdir()
    (world.root / "pi/settings.json").write_bytes(data)
    assert told(world, "session_start").keys() == {"context"}
    assert world.errors() == ""


def test_after_a_branch_was_left_what_it_was_given_may_come_again(world: World) -> None:
    asked = "which port is the staging database on?"
    tell(world, "session_start")
    tell(world, "before_agent_start", prompt=asked)
    assert "## Index of notes" in tell(world, "session_tree")
    assert "5433" in tell(world, "before_agent_start", prompt=asked)


def test_a_note_that_is_written_whole_is_kept_as_it_was_written(world: World) -> None:
    note = world.memory / "shop/topics/new.md"
    note.parent.mkdir(parents=True)
    note.write_text("- written whole\n")
    assert tell(world, "tool_result-write", file=str(note)) == ""
    (save,) = world.saved()
    assert (save.path, save.after, save.by.agent) == ("shop/topics/new.md", b"- written whole\n", "pi")
    assert world.starts(1)


def test_a_note_that_is_edited_is_kept(world: World) -> None:
    note = world.memory / "shop/topics/new.md"
    note.parent.mkdir(parents=True)
    note.write_text("LINE 3\n")
    tell(world, "tool_result-edit", file=os.path.relpath(note, world.code))
    assert [save.path for save in world.saved()] == ["shop/topics/new.md"]


def test_what_ends_a_turn_or_a_session_wakes_the_worker(world: World) -> None:
    for count, event in enumerate(("session_before_compact", "agent_settled", "session_shutdown"), 1):
        assert tell(world, event) == ""
        assert world.starts(count), event
    assert [line["event"] for line in world.spooled()] == ["compact", "stop", "end"]


def touched(fields: dict[str, Any]) -> list[tuple[str, Any, str]]:
    """(path, ranges, whole text) of each file of a call."""
    given = fields.get("input")
    given = given if isinstance(given, dict) else {}
    texts = {"path": given.get("path"), "wrote": given.get("content"), "tool": fields.get("tool")}
    event = Event("pi", "tool_result", {name: text for name, text in texts.items() if isinstance(text, str)})
    with closing(sqlite3.connect(":memory:")) as db:
        files = DIALECT.touched(db, event, json.dumps(fields))
    return [(file.path, json.loads(file.ranges), file.wrote) for file in files]


def test_a_read_has_the_lines_that_it_asked_for() -> None:
    def read(**given: object) -> list[list[int]]:
        ((_, ranges, _),) = touched({"tool": "read", "input": {"path": "a", **given}})
        spans: list[list[int]] = ranges
        return spans

    assert read(offset=340, limit=81) == [[340, 420]]
    assert read(limit=50) == [[1, 50]]
    assert read() == read(offset=9) == read(offset=0, limit=5) == read(offset=1, limit=-1) == []
    assert read(offset="x", limit="y") == read(offset=1.5, limit=1.5) == read(limit=[]) == []
    assert read(offset="\ud800", limit=5) == [[1, 5]]
    assert len(read(offset=2**70, limit=2**70)) <= 1


def test_edit_focus_the_added_lines_of_each_block() -> None:
    blocks = "@@ -11,2 +11,5 @@\n a\n+x\n+y\n+z\n b\n@@ -86 +89,2 @@\n c\n+d"
    assert changed_lines(blocks) == "[[12, 14], [90, 90]]"
    edited = Touch(1.0, "a", "edit", ((12, 14), (90, 90)))
    assert focus([edited]) == ["edit 90-90", "edit 12-14"]


def test_an_edit_has_the_lines_that_changed() -> None:
    event = json.loads((PAYLOADS / "tool_result-edit.json").read_text())
    event["input"]["path"] = "notes.txt"
    assert touched(event) == [("notes.txt", [[3, 3]], "")]
    event["patch"] += "@@ -7 +7 @@\n-\ud800\n+b\n"
    assert touched(event)[0][1] == [[3, 3], [7, 7]]
    assert changed_lines("@@ -5,4 +5,2 @@\n a\n-x\n-y\n b") == "[[6, 6]]"
    assert changed_lines("@@ -1 +1,2 @@\n+a\n+b\n@@ -8,2 +9,3 @@\n c\n+d\n e") == "[[1, 2], [10, 10]]"
    assert changed_lines("@@ -1,2 +0,0 @@\n-a\n-b\n\\ No newline at end of file") == "[[1, 1]]"
    assert changed_lines("".join(f"@@ -{n} +{n} @@\n-a\n+b\n" for n in range(1, 200))).count("[") == 101


@pytest.mark.parametrize("patch", ["", "@@", "@@ ", "@@ -1 +x @@\n+a", "+a\n-b", "@@ -1 +99999999999 @@\n+a"])
def test_odd_patches_have_no_lines(patch: str) -> None:
    assert changed_lines(patch) == "[]"


def test_paths_are_taken_as_pi_takes_them(monkeypatch: pytest.MonkeyPatch) -> None:
    def path(name: str) -> str:
        return touched({"tool": "write", "input": {"path": name, "content": "x"}})[0][0]

    monkeypatch.setenv("HOME", "/home/ada")
    assert path("~/a.md") == path("@~/a.md") == "/home/ada/a.md"
    assert path("@src/a.md") == "src/a.md"
    assert path("~x") == "~x"
    assert touched({"tool": "bash", "input": {"command": "ls"}}) == []


def test_tools_that_only_read_are_known() -> None:
    assert all(DIALECT.only_reads(tool) for tool in ("read", "grep", "find", "ls"))
    assert not any(DIALECT.only_reads(tool) for tool in ("edit", "write", "bash", "codemode"))


@given(st.text(alphabet=st.characters(blacklist_categories=["Cs"], blacklist_characters="\0")))
def test_the_extension_reads_the_text_as_it_is(text: str) -> None:
    with closing(sqlite3.connect(":memory:")) as db:
        db.execute("create table repository (id, home, position)")
        event = Event("pi", "session_start", {})
        line = DIALECT.output(db, UNSAID, event, HookAnswer(text, turn=text))
    assert (json.loads(line) if line else {}) == ({"context": text, "turn": text} if text else {})
    assert "\n" not in line[:-1]


TAPE = {"tape_enabled": "on", "tape_only_git": "off", "tape_label_prefix": "⚓ "}


@pytest.mark.parametrize(
    ("settings", "tape"),
    [
        ({}, None),
        (TAPE, {"tools": False, "prefix": "⚓ "}),
        (TAPE | {"tape_tools": "on"}, {"tools": True, "prefix": "⚓ "}),
        (TAPE | {"tape_tools:pi": "on", "tape_label_prefix:pi": "# "}, {"tools": True, "prefix": "# "}),
        (TAPE | {"tape_tools:claude": "on"}, {"tools": False, "prefix": "⚓ "}),
        (TAPE | {"tape_enabled:pi": "off", "tape_tools": "on"}, None),
        (TAPE | {"tape_enabled": "off"}, None),
        (TAPE | {"tape_exclude_dirs": "/elsewhere\n@cwd@"}, None),
        (TAPE | {"tape_exclude_dirs": "@cwd@-2"}, {"tools": False, "prefix": "⚓ "}),
    ],
)
def test_d21_d64_a_start_says_whether_the_tape_has_tools_and_its_prefix(
    world: World, settings: dict[str, str], tape: dict[str, object] | None
) -> None:
    world.settings |= {key: value.replace("@cwd@", str(world.code)) for key, value in settings.items()}
    world.compile()
    for name in ("session_start", "session_start-resume", "session_compact"):
        assert told(world, name).get("tape") == tape
    assert "tape" not in told(world, "before_agent_start", prompt=ASKED)
    assert world.errors() == ""


def test_what_a_worker_compiled_while_the_start_waited_counts(world: World) -> None:
    world.settings |= TAPE | {"tape_tools": "on"}
    world.compile()
    before = Settings({}, str(world.state), UNSAID.repo)
    event = Event("pi", "session_start", {"cwd": str(world.code)})
    with closing(sqlite3.connect(world.state / "hooks.db")) as db:
        answer = json.loads(DIALECT.output(db, before, event, HookAnswer()))
    assert answer == {"tape": {"tools": True, "prefix": "⚓ "}}


def test_d21_outside_git_a_tape_that_is_for_git_only_is_not_spoken_of(world: World, tmp_path: Path) -> None:
    world.settings |= TAPE | {"tape_only_git": "on"}
    world.compile()
    assert told(world, "session_start")["tape"] == {"tools": False, "prefix": "⚓ "}
    (tmp_path / "elsewhere").mkdir()
    data = payload(world, "session_start").replace(
        str(world.code).encode(), str(tmp_path / "elsewhere").encode()
    )
    assert "tape" not in json.loads(raw(world, data, "session_start"))


def test_a_fork_is_told_by_the_head_of_its_transcript(tmp_path: Path) -> None:
    file = tmp_path / "2026_b.jsonl"

    def of(head: object) -> str:
        file.write_text(head if isinstance(head, str) else json.dumps(head) + "\n{}\n")
        return DIALECT.origin(str(file))

    assert of({"type": "session", "parentSession": "/s/2026-11-24T15-42-49-916Z_a_1.jsonl"}) == "a_1"
    (tmp_path / "link").symlink_to(file)
    assert DIALECT.origin(str(tmp_path / "link")) == "a_1"
    assert session_of("C:\\s\\2026_a.jsonl") == "a"
    assert of({"parentSession": 7}) == of({}) == of([]) == of("{torn") == of("") == of("\0") == ""
    assert (
        DIALECT.origin(str(tmp_path / "none"))
        == DIALECT.origin(str(tmp_path))
        == DIALECT.origin("")
        == DIALECT.origin("\0")
        == ""
    )


def test_a_fork_is_not_given_again_what_its_origin_was(world: World, tmp_path: Path) -> None:
    asked = "which port is the staging database on?"
    tell(world, "session_start")
    assert "5433" in tell(world, "before_agent_start", prompt=asked)
    first = json.loads(payload(world, "session_start"))["session"]
    copy = tmp_path / "2026_copy.jsonl"
    copy.write_text(json.dumps({"type": "session", "parentSession": f"/s/2026_{first}.jsonl"}) + "\n")
    begin = {**json.loads(payload(world, "session_start-fork")), "session": "copy", "file": str(copy)}
    assert raw(world, json.dumps(begin).encode(), "session_start") == "{}\n"
    assert raw(world, json.dumps({**begin, "prompt": asked}).encode(), "before_agent_start") == ""


@pytest.mark.slow
@pytest.mark.parametrize("file", rotating(sorted(PAYLOADS.iterdir()), keep=3), ids=lambda file: file.stem)
def test_pieces_and_odd_shapes_do_no_harm(world: World, file: Path) -> None:
    event, whole = file.stem.partition("-")[0], payload(world, file.stem, prompt="staging database port?")
    event_fields = json.loads(whole)
    odd: list[Any] = [None, 7, [], {}, "x" * 100_000, "\ud800", "a\0b"]
    spoilt: list[dict[str, Any]] = [
        {**event_fields, **dict.fromkeys(event_fields.keys() - {"session"}, value)} for value in odd
    ]
    if isinstance(event_fields.get("input"), dict):
        spoilt += [{**event_fields, "input": dict.fromkeys(event_fields["input"], value)} for value in odd]
    texts = [json.dumps(odd_fields).encode() for odd_fields in spoilt]
    for data in (whole[:40], b"", b"[]", b"\xff\xfe", whole + b"}", *texts):
        raw(world, data, event)
    assert world.errors() == ""


def test_an_unknown_event_is_left_alone(world: World) -> None:
    assert raw(world, payload(world, "session_start"), "model_select") == ""
