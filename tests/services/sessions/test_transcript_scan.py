"""A text is found in all that transcripts hold, as it is."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from agents.opencode.test_transcript import database
from hypothesis import given
from hypothesis import strategies as st
from machines import Machine
from made import ALPHABETS, Maker
from services.sessions.conftest import Finder
from transcripts import ClaudeTranscript, claude_says, place_recorded

from ctxrepo.domain.formats.jsonl import MAX_LINE
from ctxrepo.errors import NotFound, UsageError
from ctxrepo.services.sessions.session_search import SessionQuery, SessionsFound
from ctxrepo.services.sessions.transcript_scan import scan_sessions, spellings
from ctxrepo.storage.sessions import transcript_files
from ctxrepo.storage.sessions.transcript_files import find_bytes, line_around
from ctxrepo.storage.sessions.transcript_lines import opened_file


def scanned(machine: Machine, text: str, *, ignores_case: bool = False, **asked: Any) -> SessionsFound:
    return scan_sessions(machine.open(), SessionQuery(text, **asked), ignores_case=ignores_case)


def test_what_a_tool_gave_back_is_found_with_the_way_back_to_its_session(mine: Machine) -> None:
    transcript = ClaudeTranscript(mine)
    transcript.user("go")
    transcript.result('Traceback: said "no"\nValueError: 42 curlews')
    (hit,) = scanned(mine, "ValueError: 42 cur").hits
    assert (hit.agent, hit.session, hit.project) == ("claude", "s-1", "shop")
    assert "said" in hit.message.text
    assert hit.resume == f"cd {mine.project_folder} && claude --resume s-1"
    for text in ('said "no"', '"no"\nValueError', "42 curlews"):
        assert scanned(mine, text).is_complete
    with pytest.raises(NotFound):
        scanned(mine, "valueerror: 42")
    assert scanned(mine, "valueerror: 42", ignores_case=True).hits


def test_a_line_of_more_than_a_mebibyte_is_found_by_its_bytes_only(mine: Machine, find: Finder) -> None:
    transcript = ClaudeTranscript(mine)
    transcript.user("the whinchat " + "x" * (MAX_LINE - 2000))
    assert len(find("whinchat")) == 1
    transcript.user("the stonechat " + "x" * MAX_LINE)
    assert find("stonechat") == []
    assert len(scanned(mine, "stonechat").hits) == 1
    with pytest.raises(NotFound, match="'linnet' was found in no transcript"):
        scanned(mine, "linnet")


def test_other_alphabets_are_found_as_json_may_spell_them(mine: Machine) -> None:
    transcript = ClaudeTranscript(mine)
    transcript.user("grüße 漢字")
    with transcript.path.open("a") as file:
        file.write('{"type":"x","text":"gr\\u00fc\\u00dfe 2"}\n')
    assert len(scanned(mine, "grüße").hits) == 2
    assert spellings("é") == ["é".encode(), b"\\u00e9"]
    assert spellings("a") == [b"a"]


def test_three_of_a_transcript_and_as_many_as_are_wanted(mine: Machine) -> None:
    for number in range(5):
        claude_says(mine, f"s-{number}", ["a plover"] * 10)
    assert len(scanned(mine, "plover", limit=100).hits) == 15
    assert len(scanned(mine, "plover").hits) == 10


def test_agent_project_and_since_filter(mine: Machine) -> None:
    claude_says(mine, "s-1", ["a siskin"])
    ClaudeTranscript(mine, "s-2", "/srv/where").user("a siskin")
    place_recorded(mine, "gemini")
    assert len(scanned(mine, "siskin", agent="claude").hits) == 2
    assert [hit.session for hit in scanned(mine, "siskin", project="Where").hits] == ["s-2"]
    (hit,) = scanned(mine, "MARK_TWO", agent="gemini").hits[:1]
    assert hit.cwd == "/home/ada/shop"
    for agent in ("codex", "gemini"):
        with pytest.raises(NotFound):
            scanned(mine, "siskin", agent=agent)


def test_what_a_database_holds_is_found_in_its_session(mine: Machine) -> None:
    (session,) = database(mine.home / ".local/share/opencode/opencode.db", "compacted")
    hits = scanned(mine, "ctxrepo-memory").hits
    assert hits
    assert {hit.session for hit in hits} == {session}
    assert {hit.cwd for hit in hits} == {"/home/ada/shop"}
    assert scanned(mine, "CTXrepo-Memory", ignores_case=True).hits


def test_secrets_are_masked(mine: Machine) -> None:
    token = "ghp_" + Maker().text(ALPHABETS["a"], 36)
    claude_says(mine, "s-1", [f"the avocet {token}"])
    (hit,) = scanned(mine, "avocet").hits
    assert "[github" in hit.message.text
    assert token not in hit.message.text


@pytest.mark.parametrize(
    "asked", [{"text": ""}, {"text": "x", "file": "a"}, {"text": "x", "is_by_user": True}]
)
def test_what_does_not_go_with_it_is_one_line(asked: dict[str, Any], mine: Machine) -> None:
    with pytest.raises(UsageError):
        scan_sessions(mine.open(), SessionQuery(**asked))


@given(
    st.binary(max_size=200).filter(lambda data: not data.startswith(b"\x28\xb5\x2f\xfd")),  # compressed
    st.binary(min_size=1, max_size=4).filter(lambda needle: b"\n" not in needle),
    st.integers(min_value=8, max_value=40),
)
def test_a_text_is_found_wherever_the_pieces_end(data: bytes, needle: bytes, chunk: int) -> None:
    file = (
        Path(f"/dev/shm/scan-{os.getpid()}")
        if os.path.isdir("/dev/shm")
        else Path(f"/tmp/scan-{os.getpid()}")
    )
    file.write_bytes(data)
    before, transcript_files._CHUNK = transcript_files._CHUNK, chunk
    try:
        with opened_file(file) as handle:
            places = find_bytes(handle, [needle], False, 1000)
            assert all(data[at : at + len(needle)] == needle for at in places)
            lines = {data.count(b"\n", 0, at) for at in places}
            assert lines == {n for n, line in enumerate(data.split(b"\n")) if needle in line}
            assert all("\n" not in line_around(handle, at) for at in places)
    finally:
        transcript_files._CHUNK = before
        file.unlink()
