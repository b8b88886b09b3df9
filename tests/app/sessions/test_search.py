"""Sessions are searched by an operation that brings its index up to date itself."""

from __future__ import annotations

import sys
from datetime import UTC, datetime

import pytest
from machines import Machine
from transcripts import claude_says

from ctxrepo.app.desk import Call, Desk
from ctxrepo.app.sessions import past_search
from ctxrepo.app.sessions.past_search import SessionsRequest, search_sessions
from ctxrepo.errors import CtxrepoError, NotFound, UsageError
from ctxrepo.services.sessions.session_search import SessionQuery
from ctxrepo.storage.processes.lock import TryLock

HIT = {
    *("agent", "session", "project", "cwd", "who", "when", "text", "entry", "path", "resume", "anchor"),
    "missing",
    "no_resume",
}


@pytest.fixture
def desk(ada: Machine) -> Desk:
    ada.init()
    claude_says(ada, "s-1", ["where is the dunlin?", "there"])
    return Desk(Call(ada.project_folder, ada.env), lambda: datetime(2026, 11, 25, tzinfo=UTC), sys.executable)


def test_what_a_program_is_given(desk: Desk) -> None:
    answer = desk.perform(search_sessions, SessionsRequest(SessionQuery("dunlin")))
    (hit,) = answer.data["hits"]
    assert (answer.data["complete"], answer.data["all_words"], answer.data["unknown"]) == (True, True, [])
    assert set(hit) == {*HIT, "before", "after"}
    assert (hit["who"], hit["when"], hit["text"]) == ("user", "2026-11-20T18:00:00Z", "where is the dunlin?")
    assert hit["after"] == [
        {
            "id": "s-1-0001",
            "session": "s-1",
            "agent": "claude",
            "who": "agent",
            "when": "2026-11-20T18:00:01Z",
            "text": "there",
            "tools": [],
        }
    ]
    assert desk.take_notices() == []


@pytest.mark.parametrize(("since", "is_there"), [("last week", True), ("yesterday", False), ("nov 20", True)])
def test_since_when(desk: Desk, since: str, is_there: bool) -> None:
    request = SessionsRequest(SessionQuery("dunlin"), since)
    if is_there:
        assert desk.perform(search_sessions, request).value.hits
        return
    with pytest.raises(NotFound):
        desk.perform(search_sessions, request)


def test_somebody_who_waits_is_told_what_for(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    notices: list[str] = []
    monkeypatch.setattr(desk, "progress", notices.append)
    desk.perform(search_sessions, SessionsRequest(SessionQuery("dunlin")))
    assert notices == ["reading 1 transcript of agents' sessions"]


def test_it_says_when_it_is_not_complete(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(past_search, "UPDATE_SECONDS", 0.1)
    desk.perform(search_sessions, SessionsRequest(SessionQuery("dunlin")))
    lock = TryLock(desk.memory.state.lock("sessions"))
    assert lock.acquire()
    answer = desk.perform(search_sessions, SessionsRequest(SessionQuery("dunlin")))
    with pytest.raises(CtxrepoError, match=r"nothing found for 'unicorn'.*in the background") as caught:
        desk.perform(search_sessions, SessionsRequest(SessionQuery("unicorn")))
    assert (caught.value.exit_code, caught.value.hint) == (1, "Try again in a minute.")
    lock.release()
    assert answer.data["complete"] is False
    assert "what was said last may be missing" in "".join(desk.take_notices())


@pytest.mark.parametrize(
    ("left", "message"), [(1, "1 transcript isn't read"), (2, "2 transcripts aren't read")]
)
def test_nothing_is_no_answer_while_transcripts_are_unread(
    left: int, message: str, ada: Machine, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(left - 1):
        claude_says(ada, f"s-{number + 2}", ["more"])
    monkeypatch.setattr(past_search, "UPDATE_SECONDS", 0)
    with pytest.raises(CtxrepoError, match=message) as caught:
        desk.perform(search_sessions, SessionsRequest(SessionQuery("unicorn")))
    assert caught.value.exit_code == 1
    monkeypatch.setattr(past_search, "UPDATE_SECONDS", 20)
    with pytest.raises(NotFound):
        desk.perform(search_sessions, SessionsRequest(SessionQuery("unicorn")))


def test_raw_needs_no_index(desk: Desk) -> None:
    answer = desk.perform(search_sessions, SessionsRequest(SessionQuery("THE dunlin"), "", True, True))
    assert answer.data["hits"][0]["resume"].endswith("claude --resume s-1")
    assert not (desk.memory.state.root / "sessions.db").exists()


@pytest.mark.parametrize(
    "request_",
    [
        SessionsRequest(SessionQuery("x", agent="nobody")),
        SessionsRequest(SessionQuery("x"), "soon"),
        SessionsRequest(SessionQuery("")),
    ],
)
def test_what_cannot_be_asked(desk: Desk, request_: SessionsRequest) -> None:
    with pytest.raises(UsageError):
        desk.perform(search_sessions, request_)


def test_what_the_asking_session_said_itself_comes_last(ada: Machine, desk: Desk) -> None:
    claude_says(ada, "s-2", ["and where is the dunlin?", "the dunlin is here"])
    request = SessionsRequest(SessionQuery("dunlin"))
    sessions = [hit.session for hit in desk.perform(search_sessions, request).value.hits]
    assert sessions == ["s-2", "s-1"]
    inside = {**ada.env, "CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "s-2"}
    asking = Desk(
        Call(ada.project_folder, inside), lambda: datetime(2026, 11, 25, tzinfo=UTC), sys.executable
    )
    sessions = [hit.session for hit in asking.perform(search_sessions, request).value.hits]
    assert sessions == ["s-1", "s-2"]
