"""What agents delete of their sessions is found all the same where it is kept, once, and without secrets."""

from __future__ import annotations

import json
import os
import sqlite3
import zlib
from collections.abc import Collection, Sequence
from contextlib import closing
from pathlib import Path

import pytest
from agent_forms import EVERY_FORM, Form, name_of
from agents.opencode.test_transcript import database
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from long import rotating
from machines import Machine, make_machine
from services.sessions.conftest import Finder
from transcripts import RECORDED, ClaudeTranscript, claude_says, place_recorded

from ctxrepo.agents.recorded import Message, ToolUse
from ctxrepo.domain.formats.moment import seconds_of
from ctxrepo.errors import NotFound
from ctxrepo.services.sessions import index_update
from ctxrepo.services.sessions.conversations import read_conversation
from ctxrepo.services.sessions.found_messages import MessageQuery, find_messages
from ctxrepo.services.sessions.index_update import update_index
from ctxrepo.services.sessions.keeping import SessionKeeper, decoded, encoded
from ctxrepo.services.sessions.prompt_moments import prompt_moment
from ctxrepo.storage.sessions import transcript_files
from ctxrepo.storage.sessions.kept_file import damaged_files, kept_file
from ctxrepo.storage.sessions.kept_sessions import KeptSessions, TranscriptCopy
from ctxrepo.storage.sessions.session_index import SessionIndex, index_file

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@pytest.fixture
def keeps(mine: Machine) -> Machine:
    """A machine that keeps texts."""
    keep(mine, "texts")
    return mine


def keep(machine: Machine, mode: str, **more: int) -> None:
    assert machine.ctxrepo("config", "set", "sessions.keep", mode).returncode == 0
    for key, value in more.items():
        assert machine.ctxrepo("config", "set", f"sessions.{key}", str(value)).returncode == 0


def texts(find: Finder, words: str) -> Sequence[str]:
    return sorted(hit.message.text for hit in find(words, limit=100))


def stored(machine: Machine) -> str:
    """All that the store holds, as it is when it is expanded."""
    with KeptSessions.opened(kept_file(machine.open().state.root)) as store:
        rows = [*store.db.execute("select data from block"), *store.db.execute("select data from raw")]
        names = [*store.db.execute("select name, id, cwd from session")]
    return "\n".join([*(zlib.decompress(data).decode() for (data,) in rows), *map(str, names)])


def counts(machine: Machine) -> tuple[int, int]:
    """(messages of the index, messages of the store)"""
    root = machine.open().state.root
    with SessionIndex.opened(index_file(root)) as index, KeptSessions.opened(kept_file(root)) as store:
        return index.size().messages, store.size().messages


def test_a_deleted_session_is_found_and_nobody_can_go_on_with_it(keeps: Machine, find: Finder) -> None:
    transcript = claude_says(keeps, "s-1", ["where is the dodo", "a dodo is in the museum", "thanks"])
    assert len(find("dodo museum")) == 1
    transcript.path.unlink()
    (hit,) = find("dodo museum")
    assert hit.message.text == "a dodo is in the museum"
    assert [message.text for message in (*hit.before, *hit.after)] == ["where is the dodo", "thanks"]
    assert (hit.resume, hit.session) == ("", "s-1")
    assert (
        hit.no_resume == "its transcript is gone, so Claude Code can't resume it; ctxrepo kept what was said"
    )
    memory = keeps.open()
    part = read_conversation(memory, "claude", "s-1")
    assert part
    assert [m.text for m in part.messages][::2] == ["where is the dodo", "thanks"]
    assert read_conversation(memory, "", "s-1") == part
    assert read_conversation(memory, "codex", "s-1") is None
    moment = prompt_moment(memory, "claude", "s-1", memory.host, seconds_of("2026-11-20T18:00:00.5Z") or 0)
    assert (moment.prompt, moment.resume, moment.no_resume) == ("where is the dodo", "", hit.no_resume)


def test_without_it_a_deleted_session_is_lost(mine: Machine, find: Finder) -> None:
    transcript = claude_says(mine, "s-1", ["where is the dodo"])
    assert find("dodo")
    transcript.path.unlink()
    assert find("dodo") == []
    assert not kept_file(mine.open().state.root).exists()


@pytest.mark.parametrize("mode", ["texts", "whole"])
def test_sessions_of_every_agent_outlive_their_transcripts_and_the_index(
    mode: str, mine: Machine, find: Finder
) -> None:
    paths = [place_recorded(mine, agent) for agent in RECORDED]
    paths.append(mine.home / ".local/share/opencode/opencode.db")
    database(paths[-1], "compacted")
    paths.append(claude_says(mine, "s-1", ["a redis", "and another redis"]).path)
    before = {
        (h.agent, h.session, h.message.who, h.message.text) for h in find("", is_by_user=True, limit=500)
    }
    assert len({agent for agent, *_ in before}) == 7
    count = counts(mine)[0]
    keep(mine, mode)  # what was indexed before is copied, too
    find("redis")
    assert counts(mine) == (count, count)
    for path in paths:
        path.unlink()
    for _ in range(2):
        after = {
            (h.agent, h.session, h.message.who, h.message.text) for h in find("", is_by_user=True, limit=500)
        }
        assert after == before
        assert counts(mine) == (count, count)
        index_file(mine.open().state.root).unlink()


def test_a_message_counts_once_whatever_holds_it(keeps: Machine, find: Finder) -> None:
    """Codex moves a session that is archived; a fork begins with copies; a transcript comes back."""
    path = place_recorded(keeps, "codex")
    find("redis")
    before = counts(keeps)
    archived = keeps.home / ".codex/archived_sessions" / path.name
    archived.parent.mkdir()
    path.rename(archived)
    assert "unarchive" in find("", agent="codex", is_by_user=True)[0].resume
    assert counts(keeps)[0] == before[0]
    archived.unlink()
    assert not find("", agent="codex", is_by_user=True)[0].resume
    assert counts(keeps)[0] == before[0]
    index_file(keeps.open().state.root).unlink()
    assert find("", agent="codex", is_by_user=True)
    assert counts(keeps)[0] == before[0]
    assert place_recorded(keeps, "codex") == path
    assert "codex resume" in find("", agent="codex", is_by_user=True)[0].resume
    assert counts(keeps)[0] == before[0]


def test_a_list_of_what_was_typed_doubles_nothing(keeps: Machine, find: Finder) -> None:
    transcript = claude_says(keeps, "s-1", ["where is the ouzel", "there"])
    entry = {"display": "where is the ouzel", "pastedContents": {}, "timestamp": 1795197600000}
    list_ = keeps.home / ".claude/history.jsonl"
    about = [{**entry, "project": "/srv", "sessionId": session} for session in ("s-1", "s-9")]
    about[1]["display"] = "where is the other ouzel"
    list_.write_text("".join(json.dumps(record) + "\n" for record in about))
    everything = ["where is the other ouzel", "where is the ouzel"]
    for path in (transcript.path, list_):
        for _ in range(2):
            assert texts(find, "ouzel") == everything
            assert counts(keeps) == (3, 3)
            index_file(keeps.open().state.root).unlink()
        path.unlink()
    assert texts(find, "ouzel") == everything


@pytest.mark.parametrize("form", rotating([form for form in EVERY_FORM if form.said]), ids=name_of)
def test_every_form_is_kept(form: Form, mine: Machine, find_each: Finder) -> None:
    keep(mine, "whole")
    path = form.put(mine.home)

    def said() -> list[str]:
        return sorted(hit.message.text for hit in find_each("", is_by_user=True, limit=500))

    before, count = said(), counts(mine)
    assert len(before) == sum(who == "user" for who, _ in form.said)
    index_file(mine.open().state.root).unlink()
    assert (said(), counts(mine)) == (before, count)
    path.unlink()
    for _ in range(2):
        assert (said(), counts(mine)) == (before, count)
        index_file(mine.open().state.root).unlink()


def test_a_fork_is_kept_once_and_outlives_what_it_was_forked_from(keeps: Machine, find_each: Finder) -> None:
    transcript = claude_says(keeps, "s-1", ["a first moa", "a second moa"])
    fork = ClaudeTranscript(keeps, "s-2")
    for line in transcript.path.read_text().splitlines():
        fork.add(line.replace('"sessionId":"s-1"', '"sessionId":"s-2","forkedFrom":{"sessionId":"s-1"}'))
    fork.user("a third moa")
    assert texts(find_each, "moa") == ["a first moa", "a second moa", "a third moa"]
    assert stored(keeps).count("a first moa") == 1
    for path in (transcript.path, fork.path):
        path.unlink()
        assert texts(find_each, "moa") == ["a first moa", "a second moa", "a third moa"]
    part = read_conversation(keeps.open(), "claude", "s-2")
    assert part
    assert [m.text for m in part.messages] == ["a first moa", "a second moa", "a third moa"]


@pytest.mark.parametrize("how", ["truncated", "replaced", "emptied"])
def test_a_rewritten_transcript_loses_nothing_and_doubles_nothing(
    how: str, keeps: Machine, find_each: Finder
) -> None:
    transcript = claude_says(keeps, "s-1", [f"number{n} saw a rhea" for n in range(6)])
    assert len(texts(find_each, "rhea")) == 6
    lines = transcript.path.read_text().splitlines(keepends=True)
    text = {"truncated": "".join(lines[4:]), "replaced": "".join(lines[3:]), "emptied": ""}[how]
    if how == "replaced":
        transcript.path.unlink()
    transcript.path.write_text(text)
    transcript.user("a new rhea")
    everything = sorted([f"number{n} saw a rhea" for n in range(6)] + ["a new rhea"])
    for _ in range(2):
        hits = find_each("rhea", limit=100)
        assert sorted(hit.message.text for hit in hits) == everything
        assert all("claude --resume s-1" in hit.resume for hit in hits)
        assert counts(keeps) == (7, 7)
        part = read_conversation(keeps.open(), "claude", "s-1")
        assert part
        assert [m.text for m in part.messages] == [*everything[1:], "a new rhea"]
        index_file(keeps.open().state.root).unlink()
    transcript.path.unlink()
    assert texts(find_each, "rhea") == everything


def test_a_session_of_one_message_is_rewritten(keeps: Machine, find_each: Finder) -> None:
    transcript = claude_says(keeps, "s-1", ["a single rhea"])
    assert len(find_each("rhea")) == 1
    transcript.path.write_text(
        transcript.line("user", {"role": "user", "content": "quite another rhea"}) + "\n"
    )
    for _ in range(2):
        assert texts(find_each, "rhea") == ["a single rhea", "quite another rhea"]
        index_file(keeps.open().state.root).unlink()


def test_a_message_that_grows_in_a_file_written_anew_is_kept_once(mine: Machine, find: Finder) -> None:
    keep(mine, "whole")
    transcript = ClaudeTranscript(mine)
    transcript.user("go")
    for text in ("the first", "the first dodo", "the first dodo and the last"):
        transcript.path.write_text("")
        transcript.lines = 0
        transcript.user("go", version=text)
        transcript.agent(text)
        assert texts(find, "first") == [text]
        assert counts(mine) == (2, 2)
    assert stored(mine).count("version") == 1


def test_rows_that_are_deleted_from_a_database_are_kept(keeps: Machine, find: Finder) -> None:
    path = keeps.home / ".local/share/opencode/opencode.db"
    (session,) = database(path, "compacted")
    before = texts(find, "database")
    count = counts(keeps)
    assert before
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("delete from part")
        db.execute("delete from message")
        db.execute("delete from session")
    assert texts(find, "database") == before
    assert counts(keeps) == count
    assert not find("database")[0].resume
    index_file(keeps.open().state.root).unlink()
    assert texts(find, "database") == before
    part = read_conversation(keeps.open(), "opencode", session)
    assert part
    assert part.messages


def test_a_message_that_goes_on_is_kept_once(keeps: Machine, find: Finder) -> None:
    transcript = ClaudeTranscript(keeps)
    transcript.user("go")
    transcript.agent("the first dodo", message="m1")
    assert texts(find, "dodo") == ["the first dodo"]
    transcript.agent("and the last dodo", message="m1")
    assert texts(find, "dodo") == ["the first dodo and the last dodo"]
    assert counts(keeps) == (2, 2)
    assert stored(keeps).count("the first dodo") == 1
    transcript.path.unlink()
    assert texts(find, "dodo") == ["the first dodo and the last dodo"]


@pytest.mark.parametrize("mode", ["texts", "whole"])
def test_no_secret_is_kept(mode: str, mine: Machine, find: Finder) -> None:
    keep(mine, mode)
    transcript = ClaudeTranscript(mine)
    transcript.user(f"the auk's token is\n{TOKEN} and the password: hunter2-Xy99zq!")
    transcript.agent("trying", ("Bash", {"command": f"curl -H 'Authorization: Bearer {TOKEN}' http://x"}))
    transcript.result(f"logged in\n{TOKEN}\nOUTPUT-OF-A-TOOL")
    find("auk")
    data = stored(mine)
    assert "the auk's token is" in data
    assert ("OUTPUT-OF-A-TOOL" in data) == (mode == "whole")
    for secret in (TOKEN, "hunter2-Xy99zq!"):
        assert secret not in data
        for path in mine.open().state.root.glob("kept.db*"):
            assert secret.encode() not in path.read_bytes()
    transcript.path.unlink()
    (hit,) = find("auk token")
    assert "[github-token]" in hit.message.text
    assert find(TOKEN) == []


def test_tool_results_are_kept_only_whole_and_found_raw(mine: Machine) -> None:
    transcript = ClaudeTranscript(mine)
    transcript.agent("look", ("Read", {"file_path": "/srv/shop/gannet.py"}))
    transcript.result("only the tool says ortolan")
    raw = ("search", "--in", "sessions", "--raw", "says ortolan")
    keep(mine, "texts")
    assert mine.ctxrepo(*raw[:3], "look").returncode == 0
    assert "ortolan" not in stored(mine)
    keep(mine, "whole")
    assert mine.ctxrepo(*raw[:3], "look").returncode == 0
    assert "ortolan" in stored(mine)
    transcript.path.unlink()
    done = mine.ctxrepo(*raw)
    assert done.returncode == 0
    assert "only the tool says ortolan" in done.stdout
    assert "resume  no command: its transcript is gone, so Claude Code can't resume it" in done.stdout
    assert mine.ctxrepo("search", "--in", "sessions", "--file", "gannet.py").returncode == 0


def test_lines_are_kept_once_however_often_they_are_read(mine: Machine, find: Finder) -> None:
    keep(mine, "whole")
    transcript = ClaudeTranscript(mine)
    for number in range(6):
        transcript.user(f"number{number} saw a shrike")
        transcript.result(f"result{number} of a tool")
        find("shrike")
        assert stored(mine).count("of a tool") == number + 1
    keep(mine, "texts")
    transcript.user("number6 saw a shrike")
    transcript.result("result6 of a tool")
    find("shrike")
    keep(mine, "whole")
    for _ in range(2):
        find("shrike")
        with KeptSessions.opened(kept_file(mine.open().state.root)) as store:
            (session,) = store.sessions().values()
            lines = [*store.lines(session)]
        assert "\n".join(lines) == transcript.path.read_text()
        index_file(mine.open().state.root).unlink()


def test_lines_that_are_read_again_in_pieces_are_kept_once(
    mine: Machine, find: Finder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transcript_files, "PIECE", 1400)
    keep(mine, "whole")
    transcript = claude_says(mine, "s-1", [f"number{n} saw a shrike" for n in range(20)])
    for _ in range(2):
        find("shrike")
        with KeptSessions.opened(kept_file(mine.open().state.root)) as store:
            (session,) = store.sessions().values()
            assert "\n".join(store.lines(session)) == transcript.path.read_text()
        index_file(mine.open().state.root).unlink()


def test_what_a_former_version_kept_is_gone_on_with(keeps: Machine, find_each: Finder) -> None:
    """It noted no state of a file, and of a database only which message was the last."""
    transcript = claude_says(keeps, "s-1", ["a first smew", "a second smew"])
    path = keeps.home / ".local/share/opencode/opencode.db"
    database(path, "compacted")
    before, count = texts(find_each, "redis"), counts(keeps)
    root = keeps.open().state.root
    with closing(sqlite3.connect(kept_file(root))) as db, db:
        db.execute("update session set mark = '' where agent = 'claude'")
        last = "(select count(*) - 1 from message where session = number)"
        db.execute(f"update session set read = {last}, finish = 0, before = x'' where agent = 'opencode'")
    index_file(root).unlink()
    transcript.user("a third smew")
    for _ in range(2):
        assert texts(find_each, "smew") == ["a first smew", "a second smew", "a third smew"]
        assert texts(find_each, "redis") == before
        assert counts(keeps) == (count[0] + 1, count[1] + 1)
        path.unlink(missing_ok=True)
        transcript.path.unlink(missing_ok=True)


def test_off_stops_copying_and_takes_nothing_away(keeps: Machine, find: Finder) -> None:
    first = claude_says(keeps, "s-1", ["an early crake"])
    find("crake")
    keep(keeps, "off")
    second = claude_says(keeps, "s-2", ["a late crake"])
    assert texts(find, "crake") == ["a late crake", "an early crake"]
    first.path.unlink()
    second.path.unlink()
    assert texts(find, "crake") == ["an early crake"]


def test_the_store_is_private_and_stays_within_its_room(mine: Machine, find: Finder) -> None:
    assert mine.ctxrepo("config", "set", "sessions.keep_bytes", "500").returncode == 2  # whoever means MB
    most = 1_000_000
    keep(mine, "texts", keep_bytes=most)
    paths = []
    for number in range(30):
        transcript = claude_says(
            mine, f"s-{number}", [os.urandom(40_000).hex(), f"number{number} saw a grebe"]
        )
        lines = transcript.path.read_text().replace("2026-11-20", f"2026-10-{number + 1:02}")
        transcript.path.write_text(lines)
        os.utime(transcript.path, (1790000000 + number * 86400, 1790000000 + number * 86400))
        paths.append(transcript.path)
        find("grebe")
        files = [*mine.open().state.root.glob("kept.db*")]
        assert sum(path.stat().st_size for path in files) < most + 100_000
        assert {path.stat().st_mode & 0o777 for path in files} == {0o600}
    assert len(texts(find, "grebe")) == 30
    for path in paths:
        path.unlink()
    left = sorted(int(text.split()[0].removeprefix("number")) for text in texts(find, "grebe"))
    assert 5 < len(left) < 30
    assert left == [*range(30 - len(left), 30)]  # the oldest went


def test_a_session_goes_when_its_months_are_over(keeps: Machine, find: Finder) -> None:
    old, new = claude_says(keeps, "s-1", ["an old scoter"]), claude_says(keeps, "s-2", ["a new scoter"])
    for transcript, day in ((old, "2025-06-01"), (new, "2026-11-20")):
        transcript.path.write_text(transcript.path.read_text().replace("2026-11-20", day))
    assert len(find("scoter")) == 2
    old.path.unlink()
    assert len(find("scoter")) == 2
    keep(keeps, "texts", keep_months=6)
    assert texts(find, "scoter") == ["a new scoter"]
    assert "old scoter" not in stored(keeps)


@pytest.mark.parametrize("where", ["before the index", "in the store", "behind both"])
def test_who_is_ended_while_copying_loses_nothing_and_doubles_nothing(
    where: str, keeps: Machine, find_each: Finder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transcript_files, "PIECE", 700)
    monkeypatch.setattr(index_update, "PIECE", 700)
    transcript = claude_says(keeps, "s-1", [f"number{n} saw a coot" for n in range(30)])
    other = claude_says(keeps, "s-2", [f"number{n} saw another coot" for n in range(30)])
    real, calls = SessionKeeper.store_copies, 0

    def ended(self: SessionKeeper, copies: Collection[TranscriptCopy]) -> None:
        nonlocal calls
        calls += 1
        if calls % 3 == 0 and where == "in the store":
            os._exit(9)
        real(self, copies)
        if calls % 3 == 0 and where == "before the index":
            os._exit(9)

    monkeypatch.setattr(SessionKeeper, "store_copies", ended)
    memory = keeps.open()
    for _ in range(60):
        try:
            if update_index(memory, 60).is_complete:
                break
        except Exception:  # the process that reads has ended
            continue
    monkeypatch.setattr(SessionKeeper, "store_copies", real)
    assert len(texts(find_each, "coot")) == 60
    assert counts(keeps) == (60, 60)
    for talk in (transcript, other):
        talk.path.unlink()
    assert len(texts(find_each, "coot")) == 60


def test_a_damaged_store_is_told_and_put_aside(keeps: Machine, find: Finder) -> None:
    claude_says(keeps, "s-1", ["a first teal"])
    find("teal")
    file = kept_file(keeps.open().state.root)
    file.write_bytes(b"no database" * 1000)
    for suffix in ("-wal", "-shm"):
        file.with_name(file.name + suffix).unlink(missing_ok=True)
    claude_says(keeps, "s-2", ["a second teal"])
    done = keeps.ctxrepo("search", "--in", "sessions", "teal")
    assert done.returncode == 0
    assert "sessions are not kept:" in done.stderr
    assert "renamed to kept.db.damaged-1" in done.stderr
    (aside,) = damaged_files(keeps.open().state.root)
    assert aside.read_bytes().startswith(b"no database")
    doctor = keeps.ctxrepo("doctor").stdout
    assert "kept.db.damaged-1" in doctor
    assert len(find("teal")) == 2
    assert counts(keeps) == (2, 2)


@pytest.mark.parametrize("place", [0, 4096 * 3])
def test_a_damaged_index_costs_nothing_that_is_kept(place: int, keeps: Machine, find_each: Finder) -> None:
    transcript = claude_says(keeps, "s-1", [f"number{n} saw a teal" for n in range(50)])
    assert len(find_each("teal", limit=100)) == 50
    transcript.path.unlink()
    assert len(find_each("teal", limit=100)) == 50
    root = keeps.open().state.root
    index = index_file(root)
    for suffix in ("-wal", "-shm"):
        index.with_name(index.name + suffix).unlink(missing_ok=True)
    data = index.read_bytes()
    index.write_bytes(data[:place] + b"\xff" * (len(data) - place))
    assert len(find_each("teal", limit=100)) == 50
    assert damaged_files(root) == []


def test_a_store_damaged_in_its_middle_leaves_the_index(keeps: Machine, find: Finder) -> None:
    claude_says(keeps, "s-1", [f"number{n} {os.urandom(400).hex()}" for n in range(300)])
    find("number7")
    root = keeps.open().state.root
    index, file = index_file(root), kept_file(root)
    before = index.stat().st_ino
    data = file.read_bytes()
    file.write_bytes(data[:8192] + b"\xff" * (len(data) - 8192))
    claude_says(keeps, "s-2", ["a teal"])
    assert len(find("teal")) == 1
    assert len(damaged_files(root)) == 1
    assert index.stat().st_ino == before


def test_a_link_in_the_place_of_the_store_is_not_followed(
    keeps: Machine, find: Finder, tmp_path: Path
) -> None:
    file = kept_file(keeps.open().state.root)
    (tmp_path / "theirs.db").write_bytes(b"")
    file.symlink_to(tmp_path / "theirs.db")
    claude_says(keeps, "s-1", ["a teal"])
    done = keeps.ctxrepo("search", "--in", "sessions", "teal")
    assert (done.returncode, (tmp_path / "theirs.db").read_bytes()) == (0, b"")


def test_a_store_of_a_newer_version_is_left_alone(keeps: Machine, find: Finder) -> None:
    claude_says(keeps, "s-1", ["a teal"])
    find("teal")
    file = kept_file(keeps.open().state.root)
    with closing(sqlite3.connect(file)) as db:
        db.execute("pragma user_version = 99")
    before = file.read_bytes()
    claude_says(keeps, "s-2", ["another teal"])
    done = keeps.ctxrepo("search", "--in", "sessions", "teal")
    assert (done.returncode, "was written by a newer ctxrepo" in done.stderr) == (0, True)
    assert file.read_bytes() == before


WORDS = st.text(max_size=30)


TOOLS = st.lists(st.builds(ToolUse, WORDS, st.lists(WORDS, max_size=2).map(tuple), WORDS), max_size=2)

WHO = st.sampled_from(["user", "agent"])


@given(st.builds(Message, WHO, WORDS, WORDS, WORDS, WORDS, WORDS, TOOLS.map(tuple)))
def test_a_message_comes_back_as_it_was(message: Message) -> None:
    line = encoded(message)
    assert "\n" not in line
    assert decoded(line) == message
    assert decoded(line[:-1]) is None


HAPPENS = ["say", "say", "say", "go_on", "truncate", "replace", "delete", "return", "lose_index"]


@pytest.mark.slow
@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from(HAPPENS), max_size=12))
def test_whatever_happens_to_a_transcript_all_that_was_said_is_found_once(
    tmp_path_factory: pytest.TempPathFactory, happens: list[str]
) -> None:
    mine = make_machine(tmp_path_factory.mktemp("law"), "ada")
    mine.init()
    keep(mine, "whole")
    memory, transcript, everything = mine.open(), ClaudeTranscript(mine), list[str]()
    gone = ""
    for number, what in enumerate(["say", *happens]):
        text = transcript.path.read_text() if transcript.path.exists() else ""
        lines = text.splitlines(keepends=True)
        match what:
            case "say":
                transcript.user(f"number{number} saw a plover")
                everything.append(f"number{number} saw a plover")
            case "go_on" if everything:
                transcript.agent("and", message="m1")
                transcript.agent("on", message="m1")
            case "truncate" if text:
                transcript.path.write_text("".join(lines[: len(lines) // 2]))
            case "replace" if text:
                transcript.path.unlink()
                transcript.path.write_text("".join(lines[len(lines) // 2 :]))
            case "delete" if text:
                gone = text
                transcript.path.unlink()
            case "return" if gone:
                transcript.path.write_text(gone)
            case "lose_index":
                index_file(memory.state.root).unlink(missing_ok=True)
        assert update_index(memory, 60).is_complete
        try:
            hits = find_messages(memory, MessageQuery(text="plover", limit=100))
        except NotFound:
            hits = []
        assert sorted(hit.text.strip() for hit in hits) == sorted(everything)
        part = read_conversation(memory, "claude", transcript.session)
        texts = [m.text for m in part.messages if "plover" in m.text] if part else []
        assert sorted(texts) == sorted(everything)
