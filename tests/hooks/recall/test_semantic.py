"""Asking for meanings: whatever is at the other end, a hook goes on, and nothing strange is delivered."""

from __future__ import annotations

import json
import os
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest
from conftest import NOBODY
from long import rotating
from needs import needs_root
from world import NOTES, World, socket_in

from ctxrepo.hooks.known.cached import commit_of, generation_of, open_cache
from ctxrepo.hooks.recall import ask_helper
from ctxrepo.hooks.recall.ask_helper import LINE_BYTES, NOTHING, SOCKET, VERSION, ranking_of
from ctxrepo.hooks.recall.ranking import BY_MEANING, SURE, RecallRequest
from ctxrepo.storage.processes import listener as listener_module
from ctxrepo.storage.processes.listener import Listener, question, reply

PROMPT = "which port is the staging database on?"
SETTING = "The staging port is 5433"


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World(tmp_path)
    world.cache("c1", NOTES)
    world.compile(semantic="on", model="m")
    return world


class Helper:
    """Somebody at the socket who answers what a test wants; `asked` is what was said."""

    def __init__(self, folder: Path, answer: Callable[[socket.socket, dict[str, Any]], object]) -> None:
        self.asked: list[dict[str, Any]] = []
        self._answer = answer
        self._folder = folder
        self.socket = socket.socket(socket.AF_UNIX)
        with socket_in(folder) as path:
            self.socket.bind(path)
        self.socket.listen()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def _serve(self) -> None:
        while True:
            peer, _ = self.socket.accept()
            with peer:
                if self._ended.is_set():
                    return
                data = b""
                while not data.endswith(b"\n") and (part := peer.recv(LINE_BYTES)):
                    data += part
                self.asked.append(json.loads(data))
                with suppress(OSError):  # a hook doesn't wait
                    self._answer(peer, self.asked[-1])

    def close(self) -> None:
        self._ended.set()
        with socket.socket(socket.AF_UNIX) as last, socket_in(self._folder) as path:
            last.connect(path)
        self._thread.join()
        self.socket.close()


@pytest.fixture
def helper(world: World) -> Iterator[Callable[..., Helper]]:
    made: list[Helper] = []

    def make(answer: Callable[[socket.socket, dict[str, Any]], object]) -> Helper:
        made.append(Helper(world.folder, answer))
        return made[-1]

    yield make
    for server in made:
        server.close()


def good(world: World, **other: object) -> bytes:
    """An answer that names the entry on shipping, or one that differs from it."""
    cache = open_cache(str(world.folder / "cache.db"))
    assert cache is not None
    number = cache.execute("select rowid from entry where text like '%ship%'").fetchone()[0]
    answer = {"v": VERSION, "head": commit_of(cache), "generation": generation_of(cache)}
    answer |= {"margins": [2.0, 2.0, 2.0], "read": True, "scores": [[number, 2.5, 2.0]], **other}
    cache.close()
    return json.dumps(answer).encode() + b"\n"


def says(world: World, **other: object) -> Callable[[socket.socket, dict[str, Any]], None]:
    line = good(world, **other)
    return lambda peer, _: peer.sendall(line)


def by_words(world: World) -> str:
    """Why words ranked for the last prompt, as its trace says."""
    *_, line = (world.folder / "traces.jsonl").read_text().splitlines()
    return str(json.loads(line).get("by_words", ""))


def prompted(world: World, prompt: str = PROMPT) -> str:
    text = world.run("UserPromptSubmit", prompt=prompt)
    assert world.errors() == ""
    return text


def test_what_the_helper_names_is_delivered(world: World, helper: Callable[..., Helper]) -> None:
    world.be_patient()
    server = helper(says(world))
    assert "Deploy with `make ship`" in prompted(world)
    (asked,) = server.asked
    assert asked["prompt"] == PROMPT
    assert (asked["scopes"], asked["before"]) == (["global", "shop"], [])


def test_its_silence_is_silence(world: World, helper: Callable[..., Helper]) -> None:
    world.be_patient()
    helper(says(world, margins=[0.4, 2.0, 2.0]))
    assert prompted(world) == ""


def test_a_social_prompt_isnt_asked_about(world: World, helper: Callable[..., Helper]) -> None:
    server = helper(says(world))
    assert prompted(world, "ok, thanks a lot!") == ""
    assert server.asked == []


def _cache(world: World) -> Any:
    return open_cache(str(world.folder / "cache.db"))


def _drop_by_drop(peer: socket.socket, line: bytes) -> None:
    for at in range(len(line)):
        peer.sendall(line[at : at + 1])
        time.sleep(0.01)


def _late(peer: socket.socket, line: bytes) -> None:
    time.sleep(1)
    peer.sendall(line)


# Each is given a line that would be an answer.
STRANGE: dict[str, Callable[[socket.socket, bytes], object]] = {
    "hangs": _late,
    "a drop at a time": _drop_by_drop,
    "dies at once": lambda peer, line: None,
    "dies in the answer": lambda peer, line: peer.sendall(line[:-1]),
    "huge": lambda peer, line: peer.sendall(b" " * (1 << 20) + line),
    "garbage": lambda peer, line: peer.sendall(b"\xff\x00{[\n"),
    "a number": lambda peer, line: peer.sendall(b"7\n"),
    "a list": lambda peer, line: peer.sendall(b"[[[]]]\n"),
    "nothing": lambda peer, line: peer.sendall(b"\n"),
    "deep": lambda peer, line: peer.sendall(b"[" * 30_000 + b"\n"),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", rotating(STRANGE))
def test_with_a_strange_one_words_decide(world: World, helper: Callable[..., Helper], kind: str) -> None:
    line = good(world)
    server = helper(lambda peer, _: STRANGE[kind](peer, line))
    assert SETTING in prompted(world)
    assert world.becomes(lambda: len(server.asked) == 1)
    late = re.fullmatch(r"finding by meaning gave no answer within 0\.\d\d s", by_words(world))
    assert bool(late) == (kind in ("hangs", "a drop at a time"))


@pytest.mark.parametrize(
    "other",
    [
        {"v": VERSION + 1},
        {"head": "c0"},
        {"generation": 99},
        {"margins": None},
        {"margins": [2.0, 2.0]},
        {"margins": [2.0, "x", 2.0]},
        {"scores": [["x", 1.0, 2.0]]},
        {"scores": [[1, "y", 2.0]]},
        {"scores": [[1, 1.0]]},
        {"scores": [7]},
        {"scores": None, "margins": 3},
    ],
    ids=str,
)
def test_an_answer_that_isnt_about_this_cache_counts_for_nothing(
    world: World, helper: Callable[..., Helper], other: dict[str, object]
) -> None:
    helper(says(world, **other))
    assert SETTING in prompted(world)
    assert by_words(world) == (ask_helper.BEHIND if {"head", "generation"} & {*other} else "")


def test_numbers_that_are_no_entries_deliver_nothing(world: World, helper: Callable[..., Helper]) -> None:
    world.be_patient()
    helper(says(world, scores=[[1, 9.0, 2.0], [-5, 8.0, 2.0], [1 << 62, 7.0, 2.0]]))
    assert prompted(world) == ""


def test_a_helper_that_isnt_there_is_started_once(world: World) -> None:
    assert SETTING in prompted(world)
    assert by_words(world) == ask_helper.STARTING
    assert world.starts(1)
    assert "_warm --state" in world.started.read_text()


@pytest.mark.parametrize(
    ("scheduled", "times"),
    [("2000000 0 3\n", 1), ("2000000 3000000 3\n", 2.5), ("1000 9000000 3\n", 8), ("0 0 0\n", 1), ("", 1)],
)
def test_on_a_busy_machine_it_is_waited_for_as_the_hook_waited_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scheduled: str, times: float
) -> None:
    file = tmp_path / "schedstat"
    file.write_text(scheduled)
    monkeypatch.setattr(ask_helper, "_SCHEDULED", str(file))
    assert ask_helper.patience() == pytest.approx(ask_helper.HELPER_SECONDS * times)
    file.unlink()
    assert ask_helper.patience() == ask_helper.HELPER_SECONDS


def test_one_that_could_not_begin_is_left_alone_for_a_while(world: World) -> None:
    failed = world.folder / "warm.failed"
    failed.touch()
    assert SETTING in prompted(world)
    assert by_words(world) == ask_helper.CANNOT_START
    assert world.starts(0)
    os.utime(failed, (1, 1))
    prompted(world)
    assert world.starts(1)


@pytest.mark.parametrize("kind", ["file", "folder", "link", "stale", "fifo"])
def test_what_is_no_living_socket_is_passed_over(world: World, kind: str) -> None:
    path = world.folder / SOCKET
    if kind == "file":
        path.write_text("x")
    elif kind == "folder":
        path.mkdir()
    elif kind == "link":
        path.symlink_to(world.root / "elsewhere")
    elif kind == "fifo":
        os.mkfifo(path)
    else:
        with socket.socket(socket.AF_UNIX) as gone, socket_in(world.folder) as address:
            gone.bind(address)
    assert SETTING in prompted(world)
    assert world.starts(1)


@needs_root
def test_somebody_elses_socket_is_never_asked(world: World, helper: Callable[..., Helper]) -> None:
    server = helper(says(world))
    os.chown(world.folder / SOCKET, NOBODY, -1)
    assert SETTING in prompted(world)
    assert server.asked == []


@needs_root
def test_nor_is_somebody_else_at_our_socket(world: World) -> None:
    listening = socket.socket(socket.AF_UNIX)
    with socket_in(world.folder) as path:
        listening.bind(path)
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.setresuid(NOBODY, NOBODY, NOBODY)
        listening.listen()  # from here on the socket speaks for who listens
        os.write(writer, b"x")
        time.sleep(60)
        os._exit(0)
    try:
        assert os.read(reader, 1) == b"x"
        assert SETTING in prompted(world)
        listening.settimeout(30)
        peer, _ = listening.accept()
        assert peer.recv(100) == b""
        peer.close()
    finally:
        os.kill(child, 9)
        os.waitpid(child, 0)
        listening.close()
        os.close(reader)
        os.close(writer)


def test_a_state_folder_with_a_long_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listener_module, "_PEER_WAIT", 20)
    (tmp_path / ("n" * 120)).mkdir()
    world = World(tmp_path / ("n" * 120))
    world.cache("c1", NOTES)
    world.compile(semantic="on")
    world.be_patient()
    listener = Listener(world.folder)
    answer = says(world)

    def serve() -> None:
        peer = listener.next(10)
        assert peer is not None
        with peer:
            asked = question(peer)
            assert json.loads(asked)["prompt"] == PROMPT
            answer(peer, {})
            reply(peer, b"")

    thread = threading.Thread(target=serve)
    thread.start()
    assert "Deploy with `make ship`" in prompted(world)
    thread.join()
    listener.close()
    assert not (world.folder / SOCKET).exists()


def test_off_nobody_is_asked(world: World, helper: Callable[..., Helper]) -> None:
    server = helper(says(world))
    world.compile(semantic="off")
    assert SETTING in prompted(world)
    assert server.asked == []


@pytest.mark.parametrize("scores", [[], [9.0]])
def test_scores_become_a_ranking(world: World, scores: list[float]) -> None:
    with closing(_cache(world)) as cache:
        number = cache.execute("select rowid from entry where text like '%ship%'").fetchone()[0]
        asked = RecallRequest(PROMPT, [], ["shop"], 4)
        by_number = dict(zip([number], scores, strict=False))
        made = ranking_of(cache, by_number, {number: 0.7}, (2.0, 3.0, 0.5), asked)
    assert [(hit.score, hit.own) for hit in made.hits] == [(score, 0.7) for score in scores]
    assert (made.why_none, made.margin, made.margin_of_edit, made.alone) == (NOTHING, 2.0, 3.0, SURE)
    assert (made.dose, made.heading_words) == (BY_MEANING, [])


def test_a_vague_prompt_that_reaches_little_alone_is_looked_for_by_its_own_words(world: World) -> None:
    before = ["how is it deployed with make ship?"]
    world.cache("c2", NOTES | {f"shop/f{n}.md": f"- filler {n}\n" for n in range(20)})
    with closing(_cache(world)) as cache:
        number = cache.execute("select rowid from entry where text like '%ship%'").fetchone()[0]
        alone = [
            ranking_of(
                cache,
                {number: 2.0},
                {number: 2.0},
                (2.0, 2.0, reached),
                RecallRequest("again, once more", before, ["shop"]),
            ).alone
            for reached in (BY_MEANING.least - 0.01, BY_MEANING.least)
        ]
    assert alone == [0.0, SURE]


@pytest.mark.parametrize(("gate", "first"), [("on", "Deploy with `make ship`"), ("off", SETTING)])
def test_what_the_model_cannot_read_is_left_to_words_where_no_gate_is(
    world: World, helper: Callable[..., Helper], gate: str, first: str
) -> None:
    world.be_patient()
    world.compile(gate=gate)
    helper(says(world, read=False))
    assert first in prompted(world)
