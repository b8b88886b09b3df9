"""OpenCode's transcripts, from databases as it left them: what user and agent said, and nothing beside it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from checkout import CHECKOUT
from machines import Machine

from ctxrepo.agents.known import transcripts_of
from ctxrepo.agents.opencode import records
from ctxrepo.agents.recorded import Message, ToolUse, prompts, reply
from ctxrepo.errors import ConfigError
from ctxrepo.services.anchors.session_anchors import WorkingSession, gather
from ctxrepo.services.reading.find import scope_named
from ctxrepo.services.sessions.conversations import ends_of_session, transcript_of
from ctxrepo.services.usage import entry_usage
from ctxrepo.storage.state.spool import SpoolEvent

RECORDS = CHECKOUT / "tests/agents/opencode_records"
NOTE = "/home/ada/.ctxrepo/shop/topics/gotcha.md"

TABLES = """
    create table session (
        id text primary key, parent_id text, time_created integer, time_updated integer, directory text
    );
    create table message (
        id text primary key, session_id text, time_created integer, time_updated integer, data text
    );
    create table part (
        id text primary key, message_id text, session_id text, time_created integer, time_updated integer,
        data text
    );"""


def database(path: Path, name: str) -> list[str]:
    """Make the database that was recorded under this name; the ids of its sessions, oldest first."""
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = [json.loads(line) for line in (RECORDS / f"{name}.jsonl").read_text("utf-8").splitlines()]
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("pragma journal_mode = wal")
        db.executescript(TABLES)
        for row in rows:
            ((table, values),) = row.items()
            if table == "session":
                values = [*values, values[-1], "/home/ada/shop"]
                db.execute("insert into session values (?, ?, ?, ?, ?)", values)
                continue
            *ids, at, data = values
            filled = [*ids, at, at, json.dumps(data)]
            db.execute(f"insert into {table} values ({', '.join('?' * len(filled))})", filled)
    return [row["session"][0] for row in rows if "session" in row]


def said(path: Path, session: str) -> list[Message]:
    known = transcripts_of("opencode")
    assert known
    head, tail, _ = ends_of_session(known, path, session, 1 << 20)
    assert head == tail
    return list(records.messages(head))


def messages(lines: Iterable[str]) -> list[Message]:
    return list(records.messages(lines))


def line(part: object, **more: Any) -> str:
    about = {"message": "msg_1", "session": "ses_1", "role": "user", "at": 1795534250758}
    return json.dumps({**about, **more, "part": part})


def test_user_and_agent_are_told_without_what_was_put_beside_their_words(tmp_path: Path) -> None:
    (session,) = database(tmp_path / "opencode.db", "compacted")
    messages = said(tmp_path / "opencode.db", session)
    assert [(m.who, m.text) for m in messages] == [
        ("user", "How do I run the database tests?"),
        ("agent", "Done."),
        ("user", "Which port does redis listen on here?"),
        ("agent", ""),
        ("agent", "It is 6380."),
        ("user", "Which port does redis listen on here? again"),
        ("agent", ""),
        ("agent", "Again."),
        ("user", "ok thanks"),
        ("agent", "Done."),
    ]
    assert messages[3].tools == (ToolUse("read", (NOTE,)),)
    assert [m.parent for m in messages] == ["", *(m.id for m in messages[:-1])]
    assert messages[0].at == "2026-11-24T15:50:30.826Z"
    assert {m.session for m in messages} == {session}
    assert not any("ctxrepo-memory" in m.text for m in messages)


def test_in_a_fork_the_copies_name_the_session_in_which_they_were_said(tmp_path: Path) -> None:
    first, second, third = database(tmp_path / "opencode.db", "forked")
    assert [m.session for m in said(tmp_path / "opencode.db", second)] == [first, first, second, second]
    assert [m.session for m in said(tmp_path / "opencode.db", third)] == [*[first] * 4, third, third]


def test_a_subagent_has_a_session_of_its_own(tmp_path: Path) -> None:
    root, sub = database(tmp_path / "opencode.db", "subagent")
    assert [*prompts(said(tmp_path / "opencode.db", sub))] == ["Look up in the notes where redis listens."]
    assert reply(said(tmp_path / "opencode.db", sub)) == "On 6380."
    assert "task" in [tool.name for m in said(tmp_path / "opencode.db", root) for tool in m.tools]


def test_rows_that_are_no_json_or_too_large_are_passed_over(tmp_path: Path) -> None:
    (session,) = database(tmp_path / "opencode.db", "compacted")
    with closing(sqlite3.connect(tmp_path / "opencode.db")) as db, db:
        first, second, *_ = [name for (name,) in db.execute("select id from message order by id")]
        db.execute("update message set data = '{' where id = ?", [first])
        large = json.dumps({"type": "text", "text": "x" * 1_000_000})
        db.execute("update part set data = ? where message_id = ?", [large, second])
    assert said(tmp_path / "opencode.db", session)[0].text == "Which port does redis listen on here?"


def test_a_patch_names_its_files_and_a_command_itself() -> None:
    patch = (
        "*** Begin Patch\n*** Update File: a.py\n*** Move to: b.py\n@@\n-*** Add File: no\n*** Delete File: c"
    )
    parts = [
        {"type": "tool", "tool": "apply_patch", "callID": "1", "state": {"input": {"patchText": patch}}},
        {"type": "tool", "tool": "bash", "callID": "2", "state": {"input": {"command": "make"}}},
    ]
    (message,) = messages(line(part, role="assistant") for part in parts)
    assert message.tools == (
        ToolUse("apply_patch", ("a.py", "b.py", "c")),
        ToolUse("bash", (), "make"),
    )


@pytest.mark.parametrize(
    "odd",
    [
        "",
        "{",
        "[]",
        line(None),
        line(7),
        line({"type": "text"}),
        line({"type": "text", "text": 7}),
        line({"type": "text", "text": "x"}, role="system"),
        line({"type": "text", "text": "x", "synthetic": True}),
        line({"type": "tool", "state": {"input": []}}),
        line({"type": "text", "text": "x"}, role="assistant", is_summary=1),
    ],
)
def test_odd_lines_say_nothing(odd: str) -> None:
    assert messages([odd]) == []


@pytest.mark.parametrize("at", [None, "now", -1, 10**20, [], True])
def test_an_odd_moment_is_none(at: object) -> None:
    (message,) = messages([line({"type": "text", "text": "x"}, at=at)])
    assert message.at in ("", "1970-01-01T00:00:00.001Z")


def test_where_the_databases_are() -> None:
    home = Path("/home/ada")
    assert records.folder(home, {}) == home / ".local/share/opencode"
    assert records.folder(home, {"XDG_DATA_HOME": "/d"}) == Path("/d/opencode")
    with pytest.raises(ConfigError, match="XDG_DATA_HOME"):
        records.folder(home, {"XDG_DATA_HOME": "d"})


def test_a_handoff_says_what_was_asked_for_in_a_session(ada: Machine) -> None:
    ada.init()
    path = ada.home / ".local/share/opencode/opencode.db"
    (session,) = database(path, "compacted")
    assert transcript_of("opencode", session, ada.home, {}) == str(path)
    memory = ada.open()
    place = scope_named(memory, "global", None)
    made = gather(memory, place, WorkingSession("opencode", session, transcript=str(path)), datetime.now(UTC))
    assert made.goal == "How do I run the database tests?"
    assert made.asked == "Which port does redis listen on here? again"


def test_the_last_reply_of_each_session_is_read_though_they_share_a_file(ada: Machine) -> None:
    ada.init()
    path = ada.home / "opencode.db"
    root, sub = database(path, "subagent")
    events = [
        SpoolEvent(event="stop", agent="opencode", session=session, transcript=str(path))
        for session in (root, sub)
    ]
    replies = entry_usage._replies(ada.open(), events)
    assert {event.session: text for event, text in replies} == {root: "Done.", sub: "On 6380."}
