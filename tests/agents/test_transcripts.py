"""Every agent's transcripts: whose session it is, and messages that can be read again from their line on."""

from __future__ import annotations

import json

import pytest
from transcripts import PLACES, RECORDED, recorded

from ctxrepo.agents.known import AGENTS, transcripts_of
from ctxrepo.agents.recorded import SessionHead

HEADS = {
    "antigravity": SessionHead("", "/home/ada/shop"),
    "claude": SessionHead("", "/home/ada/shop"),
    "codex": SessionHead("01a2136c-01fb-7b83-9011-f20bad884049", "/home/ada/shop"),
    "copilot": SessionHead("0661345b-cdaf-4595-9117-59fc8f7b659c", "/shop"),
    "gemini": SessionHead("468131ec-4c74-41e5-b5e3-cab838453fa2", ""),
    "pi": SessionHead("01a20e43-818a-7760-8b18-6c0315a0ce6e", "/home/ada/shop"),
}


@pytest.mark.parametrize("agent", RECORDED)
def test_the_first_lines_tell_whose_session_it_is(agent: str) -> None:
    known = transcripts_of(agent)
    assert known
    assert known.head(recorded(agent).splitlines()) == HEADS[agent]
    assert known.head([]) == SessionHead()
    assert known.head(["{", "[]", "null", '{"type": "session_meta", "payload": 3}', "\0"]) == SessionHead()


@pytest.mark.parametrize("agent", RECORDED)
def test_a_message_is_read_again_from_its_line_on_behind_the_first_line(agent: str) -> None:
    known = transcripts_of(agent)
    assert known
    lines = recorded(agent).splitlines()
    messages = list(known.messages(lines))
    assert len(messages) > 1
    for message in messages:
        again = list(known.messages([lines[0], *lines[message.line :]]))
        (first,) = [candidate for candidate in again if candidate.line == (1 if message.line else 0)]
        assert (first.who, first.text, first.id, first.at, first.session, first.tools) == (
            *(message.who, message.text, message.id, message.at, message.session),
            message.tools,
        )


@pytest.mark.parametrize("agent", [name for name, agent in AGENTS.items() if agent.transcripts])
def test_a_person_goes_on_with_a_session_by_a_command(agent: str) -> None:
    known = transcripts_of(agent)
    assert known
    command = known.RESUME.format(session="ID")
    assert command.endswith("ID")
    assert command.split()[0].removesuffix("-agent") == {"antigravity": "agy"}.get(agent, agent)
    assert bool(known.SESSIONS) == bool(known.QUERY) == bool(known.TEXTS)


def test_most_of_a_file_of_claude_code_is_not_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    known = transcripts_of("claude")
    assert known
    parsed: list[str] = []

    def count(line: str) -> object:
        parsed.append(line)
        return json.loads(line)

    monkeypatch.setattr("ctxrepo.agents.claude.records.record", count)
    lines = recorded("claude").splitlines()
    messages = list(known.messages(lines))
    assert messages
    assert len(parsed) < len(lines) / 2
    assert not any('"tool_result"' in line for line in parsed)


def test_where_recorded_transcripts_belong() -> None:
    from pathlib import Path

    for agent, place in PLACES.items():
        known = transcripts_of(agent)
        assert known
        patterns = known.PATTERN.replace("**", "*").split("|")
        assert any(Path("/", place).match(f"{known.folder(Path('/'), {})}/{pattern}") for pattern in patterns)
