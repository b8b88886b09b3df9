"""Whatever an agent writes to a hook's standard input, and however slowly, the hook ends well."""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from long import rotating
from silent import needs_silent_disk, silent_disk
from world import HOOK, NOTES, World

from ctxrepo.agents.claude.dialect import DIALECT as CLAUDE
from ctxrepo.hooks.dialect import MAX_BYTES
from ctxrepo.hooks.door import answer

EVENTS = (
    *("SessionStart", "UserPromptSubmit", "PostToolUse", "SubagentStart"),
    *("Stop", "PreCompact", "SessionEnd"),
)
FIELDS = (
    *("session_id", "cwd", "source", "prompt", "transcript_path"),
    *("tool_name", "tool_input", "tool_response", "agent_id"),
)

WHOLE = json.dumps({"session_id": "s", "cwd": "/", "prompt": "which port is staging on?"}).encode()

NO_OBJECT = {
    "empty": b"",
    "blank": b" \n\t",
    "truncated": WHOLE[:-5],
    "array": b"[" + WHOLE + b"]",
    "null": b"null",
    "two objects": WHOLE + WHOLE,
    "a NUL behind it": WHOLE + b"\0",
    "a NUL within": b'{"cwd": "/\0"}',
    "binary": bytes(range(256)) * 64,
    "utf-16": WHOLE.decode().encode("utf-16"),
    "deep arrays": b'{"prompt": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "deep objects": b'{"prompt":' * 100_000 + b"1" + b"}" * 100_000,
    "never closed": b"[" * 1_000_000,
    "8 MiB and one": WHOLE[:-2] + b"x" * (MAX_BYTES - len(WHOLE) + 1) + b'"}',
    "endless": b"{" * (9 << 20),
}

LONG = {"content": "the staging port is in a line of code\n" * 180_000}

WRONG_VALUES: list[Any] = [
    *(None, [], -1e400, True, "\ud800", "/\udfff/\0/\u202e", "../" * 5000),
    {"file_path": {"a": None}, "content": 7, "structuredPatch": "no"},
    {"file_path": "\ud83d", "content": "\udc00", "structuredPatch": [1, {"newStart": "x"}] * 999},
    {"file_path": "a\nb\r\0", "file": {"startLine": 1 << 70, "numLines": -1}},
]


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World(tmp_path)
    world.cache("c1", NOTES)
    return world


@pytest.mark.parametrize("name", NO_OBJECT)
def test_what_is_no_object_is_passed_over(world: World, name: str) -> None:
    data = NO_OBJECT[name]
    assert world.raw(data, EVENTS[len(name) % len(EVENTS)]) == b""
    assert world.errors() == ""
    if len(data) <= MAX_BYTES:
        assert {answer(CLAUDE, event, str(world.state), data) for event in EVENTS} == {""}
    assert world.spooled() == []


@pytest.mark.parametrize("value", rotating(WRONG_VALUES), ids=lambda value: repr(value)[:40])
def test_what_is_not_what_it_should_be_does_no_harm(world: World, value: Any) -> None:
    world.compile(interpreter="")
    data = json.dumps(dict.fromkeys(FIELDS, value)).encode()
    for event in EVENTS:
        world.raw(data, event)
    assert world.errors() == ""
    world.spooled()  # each line is JSON


@pytest.mark.parametrize("event", EVENTS)
def test_a_path_of_more_parts_than_any_has_takes_no_time(world: World, event: str) -> None:
    path = "/" + "a/" * 100_000
    begun = time.process_time()
    for about in ({"cwd": path}, {"cwd": "/", "tool_input": {"file_path": path}}):
        payload = {"session_id": "s", "prompt": "which port is staging on?", "tool_name": "Edit", **about}
        assert answer(CLAUDE, event, str(world.state), json.dumps(payload).encode()) == ""
    assert time.process_time() - begun < 1


def test_up_to_8_mib_are_read(world: World) -> None:
    assert world.raw(WHOLE + b" " * (7 << 20), "SessionStart")
    assert world.raw(WHOLE + b" " * (9 << 20), "SessionStart") == b""


@pytest.mark.parametrize(
    ("event", "payload"),
    [
        (
            "PostToolUse",
            {"tool_name": "Read", "tool_input": {"file_path": "a"}, "tool_response": {"file": LONG}},
        ),
        ("UserPromptSubmit", {"prompt": LONG["content"]}),
        ("Stop", {"last_assistant_message": LONG["content"]}),
    ],
)
def test_a_large_event_takes_a_few_times_its_size(world: World, event: str, payload: dict[str, Any]) -> None:
    raw = json.dumps({"session_id": "s", "cwd": str(world.code), **payload}).encode()
    words = [sys.executable, "-I", "-S", str(HOOK), "claude", event, str(world.state)]
    most = 40 * 1024**2 + 12 * len(raw)
    bound = partial(resource.setrlimit, resource.RLIMIT_AS, (most, most))
    done = subprocess.run(words, input=raw, capture_output=True, preexec_fn=bound)
    assert (done.returncode, done.stderr, world.errors()) == (0, b"", "")


_ANYTHING = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(alphabet=st.characters(codec=None), max_size=40)
    | st.sampled_from(
        ("/", "..", "startup", "clear", "compact", "Edit", "Read", "ok", "which staging port?")
    ),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(("file_path", "content", "file", "startLine", "newStart", "structuredPatch")),
            inner,
        )
    ),
    max_leaves=8,
)


@pytest.mark.slow
@given(
    event=st.sampled_from(EVENTS),
    payload=st.dictionaries(st.sampled_from(FIELDS), _ANYTHING),
    ascii_only=st.booleans(),
    cut=st.integers(0, 200),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_object_makes_a_hook_fail(
    world: World, event: str, payload: dict[str, Any], ascii_only: bool, cut: int
) -> None:
    world.compile(interpreter="")
    raw = json.dumps(payload, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")
    raw = raw[:-cut] if cut < 20 and cut else raw
    text = answer(CLAUDE, event, str(world.state), raw)
    assert text == "" or json.loads(text)["hookSpecificOutput"]["hookEventName"] == event
    world.spooled()


@pytest.fixture
def impatient(tmp_path: Path) -> Path:
    """The hook as it is, but for the seconds it gives itself."""
    package = tmp_path / "impatient/ctxrepo"
    package.mkdir(parents=True)
    for name in ("__init__.py", "agents", "domain", "faces", "hooks"):
        (package / name).symlink_to(HOOK.parent / name)
    text = HOOK.read_text()
    assert "HOOK_SECONDS = 8" in text
    (package / "hook.py").write_text(text.replace("HOOK_SECONDS = 8", "HOOK_SECONDS = 1"))
    return package / "hook.py"


@pytest.fixture
def silent_agent() -> Iterator[int]:
    """The reading end of a pipe that nobody closes."""
    read, write = os.pipe()
    os.write(write, WHOLE)
    yield read
    os.close(read)
    os.close(write)


@pytest.mark.slow
def test_a_library_that_never_returns_is_ended(world: World, impatient: Path) -> None:
    """No handler of Python's is called in there, nor is the hook ended by who tells it to."""
    package = impatient.parent
    (package / "hooks").unlink()
    shutil.copytree(HOOK.parent / "hooks", package / "hooks")
    endless = "def answer(*_): return str(sum(iter(int, 1)))\ndef log_error(*_): ..."
    (package / "hooks/door.py").write_text(endless)
    words = [sys.executable, "-I", "-S", str(impatient), "claude", "Stop", str(world.state)]
    with subprocess.Popen(words, stdin=subprocess.DEVNULL) as process:
        try:
            assert process.wait(60) == -signal.SIGALRM
        finally:
            process.kill()


@pytest.mark.slow
@needs_silent_disk
@pytest.mark.parametrize("name", ["state", "code"])
def test_a_disk_that_hangs_does_not_keep_it(world: World, impatient: Path, tmp_path: Path, name: str) -> None:
    """Who waits for such a disk is woken by what ends it, and by nothing else."""
    with silent_disk(tmp_path / "disk", takes=False) as disk:
        state = disk / "state" if name == "state" else world.state
        data = WHOLE if name == "state" else json.dumps({"session_id": "s", "cwd": str(disk)}).encode()
        words = [sys.executable, "-I", "-S", str(impatient), "claude", "UserPromptSubmit", str(state)]
        with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            assert process.stdin
            process.stdin.write(data)
            process.stdin.close()
            try:
                assert process.wait(20) == -signal.SIGALRM, "which the hook line makes a 0 of"
            finally:
                process.kill()


@pytest.mark.slow
@pytest.mark.parametrize("event", ["UserPromptSubmit", "Stop"])
def test_a_writer_that_never_ends_is_not_waited_for(
    world: World, impatient: Path, silent_agent: int, event: str
) -> None:
    words = [sys.executable, "-I", "-S", str(impatient), "claude", event, str(world.state)]
    done = subprocess.run(words, stdin=silent_agent, capture_output=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert "TooLate: standard input was not closed in time" in world.errors()
    assert world.spooled() == []


@pytest.mark.slow
def test_the_worker_is_not_ended_with_it(world: World, impatient: Path) -> None:
    """A child would inherit no alarm, but a program that is only exec'd would."""
    world.worker(f"sleep 2; echo survived >> {world.root}/survived")
    words = [sys.executable, "-I", "-S", str(impatient), "claude", "Stop", str(world.state)]
    subprocess.run(words, input=WHOLE, check=True)
    assert world.becomes(lambda: (world.root / "survived").exists())


def test_agents_wait_longer_than_a_hook_takes_at_most() -> None:
    from ctxrepo.agents.claude.install import SETTINGS
    from ctxrepo.hook import HOOK_SECONDS

    assert SETTINGS.timeout > HOOK_SECONDS + 1
    assert signal.getsignal(signal.SIGALRM) == signal.SIG_DFL  # to import it changes nothing here
