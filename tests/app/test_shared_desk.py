"""One desk for many threads: one of them owns the memory, and each call gets what is its own."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Iterator
from concurrent.futures import CancelledError, ThreadPoolExecutor
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from threading import Event, Timer, get_ident

import pytest
from long import mostly_long
from machines import Machine
from said import Talk

from ctxrepo.app.desk import Call, Desk
from ctxrepo.app.notes.browsing import ListRequest, SearchRequest, list_notes, read, search
from ctxrepo.app.notes.targets import TargetRequest
from ctxrepo.app.notes.writing import remember
from ctxrepo.app.repository.diagnosis import status
from ctxrepo.app.sessions.anchor_operations import anchor
from ctxrepo.app.sessions.past_search import SessionsRequest, search_sessions
from ctxrepo.app.sessions.tape_operations import search_tape
from ctxrepo.domain.project.target import parse_target
from ctxrepo.errors import NotFound
from ctxrepo.services.anchors.leave_anchor import AnchorRequest
from ctxrepo.services.anchors.tape_requests import TapeSearch
from ctxrepo.services.notes.requests import Fact
from ctxrepo.services.reading.searching import SearchQuery
from ctxrepo.services.sessions.session_search import SessionQuery

pytestmark = pytest.mark.usefixtures("threads_counted")


def clock() -> datetime:
    return datetime.now(UTC)


@pytest.fixture
def desk(ada: Machine) -> Iterator[Desk]:
    ada.init()
    desk = Desk.shared(call_of(ada), clock, sys.executable)
    yield desk
    desk.close()


def call_of(machine: Machine, **more: str) -> Call:
    return Call(machine.project_folder, {**machine.env, **more})


def announce(desk: Desk, text: str) -> tuple[str, str, int]:
    """An operation that tells its caller something, and says who performed it for whom."""
    desk.notice(text)
    desk.progress(text)
    return str(desk.cwd), desk.origin.session, get_ident()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("facts", "looks"), [pytest.param(10, 2, id="60"), pytest.param(20, 4, id="200", marks=pytest.mark.long)]
)
def test_two_threads_perform_operations_in_turn(ada: Machine, desk: Desk, facts: int, looks: int) -> None:
    def work(name: str) -> set[str]:
        call = call_of(ada, CLAUDECODE="1", CLAUDE_CODE_SESSION_ID=name)
        for number in range(facts):
            fact = f"{name} {sha256(f'{name}{number}'.encode()).hexdigest()[:20]}"
            answer = desk.perform(remember, Fact(fact), call)
            assert json.loads(json.dumps(answer.data))["id"]
            for _ in range(looks):
                notes = desk.perform(list_notes, ListRequest(), call).value
                assert "shop/MEMORY.md" in [note.place for note in notes]
        text = desk.perform(read, TargetRequest(parse_target("MEMORY")), call).data["text"]
        return {line for line in text.splitlines() if name in line}

    with ThreadPoolExecutor(2) as threads:
        first, other = threads.map(work, ("s-one", "s-other"))
    assert (len(first), len(other)) == (facts, facts)


def test_what_was_said_is_searched_by_a_helper_process(ada: Machine, desk: Desk) -> None:
    """A process with threads forks nothing, so all that a search asks for has to be pickled."""
    session = Talk(ada, "s-1")
    first = session.user("one knot")
    session.agent("two knots")
    session.write()
    call = call_of(ada, **session.env)
    desk.perform(anchor, AnchorRequest("at/first", entry=first), call)
    for _ in range(2):
        request = TapeSearch(query="knot", where=("messages",), after="at/first")
        hits = desk.perform(search_tape, request, call).value.value
        assert [message.text for message in hits.messages] == ["two knots"]
    answer = desk.perform(search_sessions, SessionsRequest(SessionQuery("knot")), call).value
    (hit,) = answer.hits
    assert (hit.message.text, [message.text for message in hit.after]) == ("one knot", ["two knots"])


@pytest.mark.slow
def test_each_call_has_its_own_folder_session_notices_and_progress(
    ada: Machine, desk: Desk, tmp_path: Path
) -> None:
    heard: dict[str, list[str]] = {"a": [], "b": []}
    calls = {
        "a": Call(ada.project_folder, ada.env, ("claude", "s-a"), heard["a"].append),
        "b": Call(tmp_path, {**ada.env, "MORE": "1"}, ("codex", "s-b"), heard["b"].append),
    }

    def work(name: str) -> list[tuple[str, str, int]]:
        return [desk.perform(announce, f"{name}{number}", calls[name]) for number in range(20)]

    with ThreadPoolExecutor(2) as threads:
        of_a, of_b = threads.map(work, "ab")
    assert set(of_a) == {(str(ada.project_folder), "s-a", of_b[0][2])}
    assert set(of_b) == {(str(tmp_path), "s-b", of_a[0][2])}
    assert get_ident() != of_a[0][2]
    for name, call in calls.items():
        assert call.notices == heard[name] == [f"{name}{number}" for number in range(20)]
    assert desk.take_notices() == []


def test_an_operation_that_performs_another_one_does_not_wait_for_itself(
    ada: Machine, desk: Desk, tmp_path: Path
) -> None:
    inner_call = Call(tmp_path, ada.env)

    def outer(desk: Desk, _: None) -> tuple[str, str, Path]:
        same = desk.perform(announce, "of the same call")[0]
        other = desk.perform(announce, "of another call", inner_call)[0]
        return same, other, desk.cwd

    call = call_of(ada)
    assert desk.perform(outer, None, call) == (str(ada.project_folder), str(tmp_path), ada.project_folder)
    assert (call.notices, inner_call.notices) == (["of the same call"], ["of another call"])


def test_an_error_comes_back_to_its_caller_with_the_notices(ada: Machine, desk: Desk) -> None:
    def fail(desk: Desk, _: None) -> None:
        desk.notice("before it failed")
        raise NotFound("nothing", "look")

    call = call_of(ada)
    with pytest.raises(NotFound, match="nothing"):
        desk.perform(fail, None, call)
    assert call.notices == ["before it failed"]
    assert desk.perform(announce, "x", call)[0] == str(ada.project_folder)


def test_ctrl_c_ends_the_waiting_and_the_desk_goes_on(ada: Machine, desk: Desk) -> None:
    go_on = Event()

    def slow(desk: Desk, _: None) -> None:
        assert go_on.wait(20)

    # A shell that runs the tests in the background has them ignore the signal.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        Timer(0.2, signal.pthread_kill, (get_ident(), signal.SIGINT)).start()
        with pytest.raises(KeyboardInterrupt):
            desk.perform(slow, None, call_of(ada))
    finally:
        signal.signal(signal.SIGINT, before)
    go_on.set()
    assert desk.perform(announce, "x", call_of(ada))[0] == str(ada.project_folder)


def test_the_memory_of_a_shared_desk_stays_in_its_thread(desk: Desk) -> None:
    with pytest.raises(RuntimeError, match="perform an operation"):
        _ = desk.memory


def test_a_closed_desk_performs_nothing(ada: Machine, desk: Desk) -> None:
    desk.perform(list_notes, ListRequest(), call_of(ada))
    desk.close()
    desk.close()
    with pytest.raises(CancelledError):
        desk.perform(list_notes, ListRequest(), call_of(ada))


def test_a_desk_may_be_closed_by_several_threads_at_once(ada: Machine, desk: Desk) -> None:
    desk.perform(list_notes, ListRequest(), call_of(ada))
    with ThreadPoolExecutor(8) as threads:
        assert [*threads.map(lambda _: desk.close(), range(8))] == [None] * 8


@pytest.mark.slow
@pytest.mark.parametrize("rounds", mostly_long([5, 250], keep=1))
def test_a_process_with_threads_forks_nothing(
    ada: Machine, desk: Desk, monkeypatch: pytest.MonkeyPatch, rounds: int
) -> None:
    forks = []
    os.register_at_fork(before=lambda: forks.append(1))
    call, start = call_of(ada), os.fork

    def fork() -> int:
        forks.append(2)
        return start()

    monkeypatch.setattr(os, "fork", fork)
    for number in range(rounds):
        desk.perform(remember, Fact(f"the number {number} is even or odd"), call)
        desk.perform(list_notes, ListRequest(), call)
        desk.perform(search, SearchRequest(SearchQuery("number")), call)
        desk.perform(status, None, call)
    assert forks == []
