"""The worker reads sessions when there is something new in them, and only then."""

from __future__ import annotations

import pytest
from machines import Machine
from transcripts import claude_says

from ctxrepo.errors import CtxrepoError
from ctxrepo.services.sessions.index_update import unread_mark
from ctxrepo.services.worker import maintain
from ctxrepo.services.worker.maintain import index_sessions
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.sessions.session_index import size_of_index
from ctxrepo.storage.state.spool import SpoolEvent


@pytest.fixture
def memory(ada: Machine) -> Memory:
    ada.init()
    claude_says(ada, "s-1", ["hello", "there"])
    return ada.open()


def messages(memory: Memory) -> int:
    size = size_of_index(memory.state.root)
    return size.messages if size else 0


@pytest.mark.parametrize(
    ("event", "count"), [("tool", 0), ("shell", 0), ("stop", 2), ("end", 2), ("start", 2)]
)
def test_a_turn_is_read_and_a_tool_is_not(event: str, count: int, memory: Memory) -> None:
    index_sessions(memory, [SpoolEvent(event=event, agent="claude", session="s-1")], print)
    assert messages(memory) == count


def test_what_was_left_is_read_without_an_event(memory: Memory) -> None:
    index_sessions(memory, [], print)
    assert messages(memory) == 0
    unread_mark(memory).touch()
    index_sessions(memory, [], print)
    assert messages(memory) == 2
    assert not unread_mark(memory).exists()


def test_what_goes_wrong_is_logged(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise CtxrepoError("the disk is full")

    monkeypatch.setattr(maintain, "update_index", fail)
    logged: list[str] = []
    index_sessions(memory, [SpoolEvent(event="stop", agent="claude", session="s-1")], logged.append)
    assert logged == ["the disk is full"]
