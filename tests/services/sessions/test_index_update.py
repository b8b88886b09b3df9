"""The index follows the transcripts, whatever agents, people and disks do to them."""

from __future__ import annotations

import json
import os
import sqlite3
import threading
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest
from agents.opencode.test_transcript import database
from long import rotating
from machines import Machine, make_machine
from needs import unless
from services.sessions.conftest import Finder
from silent import silent_disk
from torture.mounts import why_no_mount
from transcripts import RECORDED, ClaudeTranscript, claude_says, place_recorded

from ctxrepo.errors import NotFound
from ctxrepo.services.sessions import index_update
from ctxrepo.services.sessions.index_update import (
    UpdateOutcome,
    read_in_steps,
    unread_mark,
    update_index,
)
from ctxrepo.services.sessions.session_search import SessionQuery, search_sessions
from ctxrepo.services.sessions.transcripts_here import (
    ChangedTranscript,
    changed_transcripts,
    transcripts_here,
)
from ctxrepo.storage.processes.lock import TryLock
from ctxrepo.storage.sessions import session_index as index_module
from ctxrepo.storage.sessions import transcript_files
from ctxrepo.storage.sessions.session_index import SessionIndex, index_file


@pytest.fixture
def find(find_each: Finder) -> Finder:
    """What the index holds, message by message."""
    return find_each


def texts(find: Finder, words: str) -> Sequence[str]:
    return sorted(hit.message.text for hit in find(words))


def test_d_w22_only_what_is_new_is_read(mine: Machine, find: Finder) -> None:
    transcript = claude_says(mine, "s-1", ["a first auk", "yes"])
    for _ in range(200):
        transcript.result("r" * 5000)
    transcript.agent("so")
    claude_says(mine, "s-2", ["another auk"])
    assert len(find("auk")) == 2
    memory = mine.open()
    assert update_index(memory, 60) == UpdateOutcome()
    transcript.user("a new auk")
    assert update_index(memory, 60).read < 5000
    assert texts(find, "auk") == ["a first auk", "a new auk", "another auk"]


def test_d50_transcripts_are_only_read(mine: Machine, find: Finder) -> None:
    paths = [place_recorded(mine, agent) for agent in RECORDED]
    paths.append(mine.home / ".local/share/opencode/opencode.db")
    database(paths[-1], "compacted")
    with closing(sqlite3.connect(paths[-1])) as db:
        db.execute("pragma wal_checkpoint(truncate)")
    for path in paths:
        os.utime(path, (1795000000, 1795000000))
    before = [(path.read_bytes(), path.stat().st_mtime_ns) for path in paths]
    assert find("redis")
    assert [(path.read_bytes(), path.stat().st_mtime_ns) for path in paths] == before


def test_a_torn_line_is_read_when_it_is_whole(mine: Machine, find: Finder) -> None:
    transcript = claude_says(mine, "s-1", ["a kiwi"])
    line = transcript.line("user", {"role": "user", "content": "a second kiwi"})
    with transcript.path.open("a") as file:
        file.write(line[:-20])
    assert texts(find, "kiwi") == ["a kiwi"]
    with transcript.path.open("a") as file:
        file.write(line[-20:] + "\n")
    transcript.user("a third kiwi")
    assert texts(find, "kiwi") == ["a kiwi", "a second kiwi", "a third kiwi"]


def test_a_last_line_without_its_end_is_read_if_it_is_whole(mine: Machine, find: Finder) -> None:
    transcript = claude_says(mine, "s-1", ["a kiwi"])
    transcript.path.write_text(transcript.path.read_text().rstrip("\n"))
    assert texts(find, "kiwi") == ["a kiwi"]


def test_a_message_that_goes_on_is_one(mine: Machine, find: Finder) -> None:
    transcript = ClaudeTranscript(mine)
    transcript.user("go")
    transcript.agent("the first dodo", message="m1")
    assert texts(find, "dodo") == ["the first dodo"]
    transcript.agent("and the last dodo", message="m1")
    assert texts(find, "dodo") == ["the first dodo and the last dodo"]
    with SessionIndex.opened(index_file(mine.open().state.root)) as index:
        assert index.size().messages == 2


@pytest.mark.parametrize("how", ["shorter", "as long", "longer", "another file"])
def test_a_file_that_was_rewritten_is_read_anew(how: str, mine: Machine, find: Finder) -> None:
    transcript = claude_says(mine, "s-1", ["an emu", "first", "second", "third"])
    assert len(find("emu")) == 1
    text = transcript.path.read_text().replace("an emu", "a rhea")
    text = {"shorter": text[: text.rindex("{")], "longer": text * 2}.get(how, text)
    if how == "another file":
        transcript.path.unlink()
    transcript.path.write_text(text)
    os.utime(transcript.path, ns=(1, 1))
    assert find("emu") == []
    assert len(find("rhea")) == 1


def test_files_of_many_pieces_are_read_to_their_ends(
    mine: Machine, find: Finder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transcript_files, "PIECE", 700)
    transcript = claude_says(mine, "s-1", [f"number{n} says coot" for n in range(60)])
    transcript.agent("one part, a coot", message="m1")
    transcript.agent("another part, a coot", message="m1")
    transcript.user("x" * 5000)
    transcript.user("the last coot")
    assert len(find("coot", limit=100)) == 62
    assert find('"another part"')[0].message.text == "one part, a coot another part, a coot"
    for agent in ("codex", "copilot", "gemini", "pi"):
        place_recorded(mine, agent)
        assert find("", agent=agent, types=("user",))


def test_a_line_of_50_megabytes_is_passed_over(mine: Machine, find: Finder) -> None:
    transcript = claude_says(mine, "s-1", ["a smew"])
    with transcript.path.open("a") as file:
        file.write('{"type":"user","message":{"content":"' + "y" * 50_000_000)
    assert texts(find, "smew") == ["a smew"]
    with transcript.path.open("a") as file:
        file.write('"}}\n')
    transcript.user("the smew behind it")
    assert texts(find, "smew") == ["a smew", "the smew behind it"]


def test_hostile_files_harm_nobody(mine: Machine, find: Finder) -> None:
    transcript = claude_says(mine, "s-1", ["a knot"])
    folder = transcript.path.parent
    with transcript.path.open("ab") as file:
        file.write(b'{"type":"user","message":' + b"[" * 200_000 + b"\n")
        file.write(b"\0" * 100_000 + b"\n" + b"\xff\xfe" * 1000 + b"\n")
        file.write(
            b'{"type":"user","uuid":"\\ud800","message":{"content":"a \\ud800 knot"},"timestamp":"+"}\n'
        )
        file.write(b'{"type":"user","timestamp":"99999-01-01T00:00:00.1Z","message":{"content":"knot"}}\n')
    (folder / "zero.jsonl").symlink_to("/dev/zero")
    (folder / "nowhere.jsonl").symlink_to(folder / "gone")
    (folder / "round.jsonl").symlink_to(folder / "round.jsonl")
    (folder / "folder.jsonl").mkdir()
    (folder / "empty.jsonl").touch()
    (folder / "noise.jsonl").write_bytes(bytes(range(256)) * 5000)
    os.mkfifo(folder / "pipe.jsonl")
    with (folder / "sparse.jsonl").open("wb") as sparse:
        sparse.truncate(200_000_000)
    assert len(find("knot")) == 3


def test_a_file_that_may_not_be_read_is_passed_over(commoner: Path) -> None:
    machine, file = make_machine(commoner, "ada"), commoner / "sessions.db"
    claude_says(machine, "s-1", ["a teal"]).path.chmod(0)
    claude_says(machine, "s-2", ["another teal"])
    layout = transcript_files.Layout("claude", machine.home / ".claude" / "projects", "*/*.jsonl")
    there = transcript_files.transcript_files(layout)
    assert len(there) == 2
    assert [*read_in_steps(file, [ChangedTranscript(transcript, None) for transcript in there])]
    with SessionIndex.opened(file) as index:
        # What could not be read is noted, without the id that only its text tells.
        assert sorted(session.id for session in index.sessions().values()) == ["", "s-2"]


@pytest.mark.slow
def test_a_hostile_database_takes_little_time_and_gives_nothing(mine: Machine, find: Finder) -> None:
    path = mine.home / ".local/share/opencode/opencode.db"
    path.parent.mkdir(parents=True)
    endless = "with recursive n(i) as (select 1 union all select i + 1 from n) select"
    with closing(sqlite3.connect(path)) as db:
        db.execute(
            f"create view session as {endless} 'ses' as id, null as parent_id, 1 as time_created, "
            "i as time_updated, '/d' as directory from n"
        )
        db.execute(
            f"create view message as {endless} 'msg' as id, 'ses' as session_id, '{{}}' as data from n"
        )
        db.execute(
            f"create view part as {endless} 'prt' as id, 'msg' as message_id, 'ses' as session_id, "
            "'{}' as data from n"
        )
    (path.parent / "opencode-noise.db").write_bytes(os.urandom(9000))
    (path.parent / "opencode-empty.db").touch()
    claude_says(mine, "s-1", ["a scaup"])
    assert texts(find, "scaup") == ["a scaup"]


def test_sessions_in_a_database_are_read_from_their_last_message_on(mine: Machine, find: Finder) -> None:
    path = mine.home / ".local/share/opencode/opencode.db"
    (session,) = database(path, "compacted")
    before = texts(find, "redis")
    with closing(sqlite3.connect(path)) as db, db:
        data = '{"role": "user", "time": {"created": 1795539999123}}'
        db.execute("insert into message values ('msg_zz', ?, 1, 1, ?)", [session, data])
        part = '{"type": "text", "text": "and a redis gadwall"}'
        db.execute("insert into part values ('prt_zz', 'msg_zz', ?, 1, 1, ?)", [session, part])
        db.execute("update session set time_updated = 99")
    assert texts(find, "redis") == sorted([*before, "and a redis gadwall"])
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("delete from session")
    assert texts(find, "redis") == []


def test_a_session_in_a_database_whose_last_message_was_taken_back_is_read_anew(
    mine: Machine, find: Finder
) -> None:
    path = mine.home / ".local/share/opencode/opencode.db"
    (session,) = database(path, "compacted")
    assert texts(find, "redis")
    with closing(sqlite3.connect(path)) as db, db:
        for name, word in (("msg_zy", "gadwall"), ("msg_zz", "garganey")):
            db.execute("delete from part where message_id > 'msg_z'")
            db.execute("delete from message where id > 'msg_z'")
            data = '{"role": "user", "time": {"created": 1795539999123}}'
            db.execute("insert into message values (?, ?, 1, 1, ?)", [name, session, data])
            part = json.dumps({"type": "text", "text": f"and a {word}"})
            db.execute("insert into part values (?, ?, ?, 1, 1, ?)", [f"prt_{word}", name, session, part])
            db.execute("update session set time_updated = time_updated + 1")
            db.commit()
            assert texts(find, word) == [f"and a {word}"]
    assert texts(find, "gadwall") == []


def test_what_is_no_longer_there_leaves_the_index(mine: Machine, find: Finder) -> None:
    transcript = claude_says(mine, "s-1", ["a ruff"])
    claude_says(mine, "s-2", ["no bird"])
    assert len(find("ruff")) == 1
    transcript.path.unlink()
    assert find("ruff") == []
    with SessionIndex.opened(index_file(mine.open().state.root)) as index:
        assert (index.size().sessions, index.size().messages) == (1, 1)


def test_the_index_is_built_again_once_much_of_it_is_waste(
    mine: Machine, find: Finder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index_module, "_WASTE", 10)
    transcript = claude_says(mine, "s-1", [f"crake{n}" for n in range(30)])
    assert find("crake3")
    transcript.path.unlink()
    claude_says(mine, "s-2", ["one crake9"])
    assert texts(find, "crake9") == ["one crake9"]
    assert texts(find, "crake9") == ["one crake9"]
    with SessionIndex.opened(index_file(mine.open().state.root)) as index:
        assert index.db.execute("select seq from sqlite_sequence").fetchall() == [(1,)]


@pytest.mark.slow
@pytest.mark.parametrize("damage", rotating(["noise", "cut", "format", "link", "folder", "inner"]))
def test_an_index_that_cannot_be_used_is_built_again(damage: str, mine: Machine, find: Finder) -> None:
    claude_says(mine, "s-1", [f"a merlin{n}" for n in range(2000)])
    assert find("merlin7")
    file = index_file(mine.open().state.root)
    data = file.read_bytes()
    if damage == "format":
        with closing(sqlite3.connect(file)) as db:
            db.execute("pragma user_version = 99")
    elif damage == "inner":
        file.write_bytes(data[:4096] + os.urandom(len(data) - 4096))
    elif damage in ("noise", "cut"):
        file.write_bytes(os.urandom(20_000) if damage == "noise" else data[:5000])
    else:
        file.rename(file.with_name("away"))
        (file.mkdir if damage == "folder" else lambda: file.symlink_to(file.with_name("away")))()
    memory = mine.open()
    assert update_index(memory, 60).is_complete
    assert find("merlin7")
    assert not file.is_symlink()
    assert file.stat().st_mode & 0o077 == 0


def test_one_process_reads_and_the_others_say_so(mine: Machine) -> None:
    claude_says(mine, "s-1", ["a hobby"])
    memory = mine.open()
    lock = TryLock(memory.state.lock("sessions"))
    assert lock.acquire()
    assert update_index(memory, 0.2).is_elsewhere
    assert update_index(memory, 60, is_background=True).is_elsewhere
    released = threading.Timer(0.3, lock.release)
    released.start()
    assert update_index(memory, 60).is_complete
    released.join()
    assert update_index(memory, 60).is_complete


def test_the_newest_is_read_first_and_the_rest_the_next_time(
    mine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index_update, "PIECE", 1)
    for number in range(5):
        os.utime(claude_says(mine, f"s-{number}", [f"a serin{number}"]).path, (number, number))
    memory = mine.open()
    reading = read_in_steps(index_file(memory.state.root), changed_transcripts(transcripts_here(memory), {}))
    assert [next(reading).left for _ in range(2)] == [4, 3]
    assert search_sessions(memory, SessionQuery("serin3")).hits
    with pytest.raises(NotFound):
        search_sessions(memory, SessionQuery("serin2"))
    outcome = update_index(memory, 0)
    assert (outcome.read, outcome.left, outcome.is_complete) == (0, 3, False)
    assert unread_mark(memory).exists()
    assert update_index(memory, 60).is_complete
    assert not unread_mark(memory).exists()
    assert search_sessions(memory, SessionQuery("serin0")).hits


def test_nobody_holds_the_index_while_a_file_is_read(mine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    claude_says(mine, "s-1", ["a garganey"])
    memory, written = mine.open(), []
    file = index_file(memory.state.root)
    whole = transcript_files.read_piece

    def read(*given: int) -> transcript_files.TranscriptPiece:
        with closing(sqlite3.connect(file, timeout=0, isolation_level=None)) as db:
            written.append(db.execute("begin immediate").fetchall())
        return whole(*given)

    monkeypatch.setattr(transcript_files, "read_piece", read)
    reading = read_in_steps(file, changed_transcripts(transcripts_here(memory), {}))
    assert next(reading).left == 0
    assert written == [[]]


@pytest.mark.usefixtures("one_thread")
def test_in_the_background_whoever_reads_gives_precedence_and_others_do_not(
    mine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = mine.home / "told"
    whole = transcript_files.read_piece

    def read(*given: int) -> transcript_files.TranscriptPiece:
        record.write_text(str(os.nice(0)))
        return whole(*given)

    monkeypatch.setattr(transcript_files, "read_piece", read)
    for is_background, nice in ((True, 19), (False, os.nice(0))):
        claude_says(mine, f"s-{is_background}", ["a brant"])
        assert update_index(mine.open(), 60, is_background=is_background).is_complete
        assert record.read_text() == str(nice)
    assert os.nice(0) < 19


@pytest.mark.slow
@unless(why_no_mount())
def test_a_folder_that_hangs_is_left_and_the_others_are_searched(
    mine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    claude_says(mine, "s-1", ["a whimbrel"])
    memory = mine.open()
    with silent_disk(mine.home / ".codex", takes=False):
        outcome = update_index(memory, 60)
    assert (outcome.unknown, outcome.is_complete) == (frozenset({"codex"}), False)
    assert search_sessions(memory, SessionQuery("whimbrel")).hits
    with SessionIndex.opened(index_file(memory.state.root)) as index:
        assert index.size().sessions == 1


def test_an_environment_that_names_no_folder_is_passed_over(mine: Machine) -> None:
    claude_says(mine, "s-1", ["a brambling"])
    odd = Machine(mine.home, {"XDG_DATA_HOME": "relative", "CODEX_HOME": "relative"})
    memory = odd.open()
    assert update_index(memory, 60).is_complete
    assert search_sessions(memory, SessionQuery("brambling")).hits
    assert Path(memory.state.root, "sessions.db").is_file()


def test_a_transcript_in_which_nothing_is_understood_is_told(mine: Machine, find: Finder) -> None:
    claude_says(mine, "s-1", ["an auk"])
    odd = ClaudeTranscript(mine, "s-2")
    odd.add('{"kind": "said", "words": "in a form that nobody knows"}')
    find("auk")
    output = mine.ctxrepo("doctor").stdout
    assert f"in 1 transcript of Claude Code nothing was understood, such as {odd.path}" in output
