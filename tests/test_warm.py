"""The helper that knows meanings, as a process: it answers hooks, embeds by itself, and knows when to end."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from checkout import MODEL
from meanings import NOTES, helper, within
from world import World, socket_in

from ctxrepo.faces import meaning_server
from ctxrepo.hooks.known.world import stamp_of
from ctxrepo.hooks.recall.ask_helper import FAILED, SOCKET
from ctxrepo.services.meaning import helper as helper_module
from ctxrepo.services.meaning.helper import question_of

PROMPT = "which socket has our storage?"
FOUND = "The postgres endpoint is 5433"


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World(tmp_path)
    world.cache("c1", NOTES)
    world.compile(semantic="on", model=str(MODEL))
    return world


def prompted(world: World, prompt: str = PROMPT) -> str:
    for session in (world.state / "sessions").glob("*"):
        session.unlink()
    return world.run("UserPromptSubmit", prompt=prompt)


def answers(world: World, prompt: str, text: str) -> bool:
    return within(30, lambda: text in prompted(world, prompt))


def test_by_words_alone_this_is_not_found(world: World) -> None:
    world.compile(semantic="off")
    assert prompted(world) == ""


def test_it_embeds_and_answers(world: World) -> None:
    with helper(world):
        assert answers(world, PROMPT, FOUND)
        status = (world.folder / SOCKET).stat()
        assert status.st_mode & 0o777 == 0o600
    assert world.errors() == ""
    assert not (world.folder / "work.log").exists()


def edited(world: World, path: str, text: str) -> str:
    payload = {
        "session_id": "s1",
        "cwd": str(world.code),
        "tool_name": "Edit",
        "tool_input": {"file_path": str(world.code / path), "new_string": text},
    }
    out = world.raw(json.dumps(payload).encode(), "PostToolUse")
    return str(json.loads(out)["hookSpecificOutput"]["additionalContext"]) if out else ""


def test_an_edit_brings_the_entry_that_it_is_about_once(world: World) -> None:
    world.cache("c2", {f"shop/f{n}.md": f"- filler {n}\n" for n in range(40)})
    with helper(world):
        assert answers(world, PROMPT, FOUND)
        text = edited(world, "src/main.py", "connect(storage, socket)")
        assert [line for line in text.split("\n") if line.startswith("- ")] == [f"- {FOUND}"]
        assert len(text.encode()) < 300
        assert edited(world, "src/main.py", "connect(storage, socket)") == ""
        assert edited(world, "src/other.py", "for number in names: print(number)") == ""
    world.compile(semantic="off")
    assert edited(world, "src/main.py", "connect(storage, socket)") == ""
    (line,) = [x for x in (world.folder / "traces.jsonl").read_text().splitlines() if '"edited":"/' in x]
    assert json.loads(line)["edited"] == str(world.code / "src/main.py")


def test_it_sees_what_is_committed_later(world: World) -> None:
    with helper(world):
        assert answers(world, PROMPT, FOUND)
        world.cache("c2", {"shop/cars.md": "- The automobile is blue\n"})
        assert answers(world, "what colour has the car today?", "The automobile is blue")


def test_there_is_one(world: World) -> None:
    words = [sys.executable, "-I", "-m", "ctxrepo", "_warm", "--state", str(world.state)]
    with helper(world) as first:
        second = subprocess.run(words, timeout=30, check=True, capture_output=True)
        assert (second.stdout, second.stderr) == (b"", b"")
        assert first.poll() is None
        assert answers(world, PROMPT, FOUND)


def test_a_killed_ones_socket_is_replaced(world: World) -> None:
    with helper(world) as first:
        first.kill()
        first.wait()
    assert (world.folder / SOCKET).is_socket()
    with helper(world):
        assert answers(world, PROMPT, FOUND)


def test_a_file_in_its_place_is_too(world: World) -> None:
    (world.folder / SOCKET).write_text("x")
    with helper(world):
        assert answers(world, PROMPT, FOUND)


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"\n",
        b"{}\n",
        b"[1, 2]\n",
        b"\xff\xfe\n",
        b'{"v": 99, "prompt": "a", "before": [], "scopes": [], "limit": 1}\n',
        b'{"v": 1, "prompt": 7, "before": [], "scopes": [], "limit": 1}\n',
        b'{"v": 1, "prompt": "a", "before": [1], "scopes": [], "limit": 1}\n',
        b'{"v": 1, "prompt": "a", "before": [], "scopes": "", "limit": "x"}\n',
        b'{"v": 1, "prompt": "' + b"x" * 200_000 + b'"}\n',
        b"no end",
    ],
    ids=lambda line: str(line[:40]),
)
def test_nonsense_is_no_question(line: bytes) -> None:
    assert question_of(line) is None


def test_nonsense_keeps_nobody_from_an_answer(world: World) -> None:
    with helper(world) as process:
        assert answers(world, PROMPT, FOUND)
        for line in (b"", b"{", b"\xff\n", b"x" * 500_000, b'{"v": 1}\n'):
            with socket.socket(socket.AF_UNIX) as peer:
                with socket_in(world.folder) as path:
                    peer.connect(path)
                try:
                    peer.sendall(line)
                    peer.settimeout(5)
                    assert peer.recv(10) == b""
                except (BrokenPipeError, ConnectionResetError):
                    pass
        assert process.poll() is None
        assert answers(world, PROMPT, FOUND)


def ends(process: subprocess.Popen[bytes], world: World) -> bool:
    return within(30, lambda: process.poll() == 0) and not (world.folder / SOCKET).exists()


def test_it_ends_when_it_is_switched_off(world: World) -> None:
    with helper(world) as process:
        world.compile(semantic="off")
        assert ends(process, world)


def test_it_ends_when_its_model_is_another(world: World) -> None:
    with helper(world) as process:
        world.compile(model="acme/other")
        assert ends(process, world)


def test_it_ends_when_the_state_is_gone(world: World) -> None:
    with helper(world) as process:
        (world.folder / SOCKET).unlink()
        assert within(30, lambda: process.poll() == 0)


def test_it_ends_when_nobody_asks(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(helper_module, "IDLE", 0.5)
    monkeypatch.setattr(helper_module, "TICK", 0.05)
    meaning_server.main(["--state", str(world.state)])
    assert not (world.folder / SOCKET).exists()
    assert (world.folder / "vectors.db").exists()


def test_the_code_it_was_read_from_has_a_stamp(tmp_path: Path) -> None:
    before = meaning_server.code_stamp()
    assert stamp_of(meaning_server.__file__) in before
    assert meaning_server.code_stamp() == before


def test_one_that_cant_begin_says_why_and_ends(world: World) -> None:
    world.compile(model="acme/none")
    meaning_server.main(["--state", str(world.state)])
    assert "acme/none" in (world.folder / FAILED).read_text()
    assert "ctxrepo cache embed" in (world.folder / "work.log").read_text()
    assert not (world.folder / SOCKET).exists()
    world.compile(model=str(MODEL))
    with helper(world):
        assert not (world.folder / FAILED).exists()


def test_a_hook_starts_the_real_one_and_the_next_prompt_has_it(world: World) -> None:
    world.compile(interpreter=sys.executable)
    try:
        assert prompted(world) == ""
        assert answers(world, PROMPT, FOUND)
    finally:
        world.compile(semantic="off")
        assert within(30, lambda: not (world.folder / SOCKET).exists())
    assert not os.path.exists(world.started)
