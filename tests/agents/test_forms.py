"""Every form that an agent ever wrote is read, and what nobody typed is told as nobody's words."""

from __future__ import annotations

import json

import pytest
from agent_forms import EVERY_FORM, FORMS, Form, name_of

from ctxrepo.agents.documents import records_in
from ctxrepo.agents.known import AGENTS, transcripts_of
from ctxrepo.agents.recorded import Message

PLAIN = [form for form in EVERY_FORM if not form.is_made]


def messages(form: Form, lines: list[str]) -> list[Message]:
    known = transcripts_of(form.agent)
    assert known
    return list(known.messages(lines))


def texts(messages: list[Message]) -> list[tuple[str, str]]:
    return [(message.who, message.text) for message in messages if message.text.strip()]


def test_every_agent_has_its_forms_and_every_fixture_is_used() -> None:
    assert {form.agent for form in EVERY_FORM} == set(AGENTS)
    fixtures = {str(path.relative_to(FORMS)) for path in FORMS.glob("*/*")}
    assert {form.fixture for form in EVERY_FORM} | {"codex/forked.jsonl"} == fixtures
    table = (FORMS / "README.md").read_text("utf-8")
    assert [name for name in sorted(fixtures) if f"`{name}`" not in table] == []


@pytest.mark.parametrize("form", PLAIN, ids=name_of)
def test_the_words_of_a_person_and_of_the_agent_are_told(form: Form) -> None:
    conversation = messages(form, form.lines())
    assert texts(conversation) == list(form.said)
    assert "NOBODY" not in json.dumps(
        [(m.text, [(t.paths, t.command) for t in m.tools]) for m in conversation]
    )
    tools = [tool.command for message in conversation for tool in message.tools if tool.command]
    assert set(tools) <= {"redis-cli info"}


@pytest.mark.parametrize("form", PLAIN, ids=name_of)
@pytest.mark.parametrize("odd", ["crlf", "bom", "torn", "nul", "deep", "foreign", "huge"])
def test_a_form_is_known_whatever_happened_to_its_file(form: Form, odd: str) -> None:
    text = "\n".join(form.lines())
    if form.place.endswith(".txt") and odd not in ("crlf", "bom") and form.agent == "cursor":
        return  # whatever stands in a text was said
    lines = {
        "crlf": text.replace("\n", "\r\n"),
        "bom": f"\ufeff{text}",
        "torn": text.rstrip()[:-1] if form.fixture.endswith("jsonl") else text,
        "nul": f"{text.rstrip()}\n\0",
        "deep": f"{text.rstrip()}\n{'[' * 100_000}",
        "foreign": f'{text.rstrip()}\n3\n"x"\n[3, {{}}]\n{{"type": [], "role": 3, "payload": "x"}}',
        "huge": f"{text.rstrip()}\n" + '{"type": "user", "x": "' + "x" * 2_000_000 + '"}',
    }[odd].split("\n")
    pairs = texts(messages(form, lines))
    wanted = list(form.said[: len(form.said) - (odd == "torn" and form.fixture.endswith("jsonl"))])
    assert pairs[: len(wanted)] == wanted


@pytest.mark.parametrize("form", [form for form in PLAIN if form.said], ids=name_of)
def test_a_form_that_nobody_knows_yet_is_told(form: Form) -> None:
    known = transcripts_of(form.agent)
    assert known
    strange = [{"kind": "utterance", "by": "ada", "words": "a basket of the next form"}]
    assert not known.is_quiet(strange)
    assert not known.is_quiet([*(fields for _, fields in records_in(form.lines())), *strange])


@pytest.mark.parametrize(
    ("agent", "records"),
    [
        (
            "antigravity",
            [{"step_index": 1, "type": "SYSTEM_MESSAGE", "content": "a new conversation begins"}],
        ),
        ("claude", [{"type": "user", "message": {"content": "<command-name>/clear the lot</command-name>"}}]),
        (
            "claude",
            [{"type": "file-history-snapshot", "x": "two words more"}, {"type": "mode", "mode": "plan"}],
        ),
        ("codex", [{"type": "session_meta", "payload": {"instructions": "do it well"}}]),
        ("codex", [{"type": "turn_context", "payload": {"developer_instructions": "do it well"}}]),
        ("copilot", [{"type": "session.start", "data": {"context": {"cwd": "/a b c"}}}]),
        ("cursor", [{"role": "system", "content": "you are an agent"}, {"type": "turn_ended"}]),
        (
            "gemini",
            [
                {"sessionId": "s"},
                {"$set": {"summary": "nobody said it"}},
                {"type": "info", "content": "a b c"},
            ],
        ),
        ("opencode", [{"id": "ses_1", "title": "a new session", "time": {}}]),
        (
            "opencode",
            [{"id": "ses_2", "parentID": "ses_1", "directory": "/x"}, {"role": "user", "parts": ["a b c"]}],
        ),
        ("pi", [{"type": "session", "cwd": "/a b c"}, {"type": "session_info", "name": "a name given"}]),
    ],
)
def test_a_session_in_which_nobody_said_anything_is_not_told(
    agent: str, records: list[dict[str, object]]
) -> None:
    known = transcripts_of(agent)
    assert known
    assert known.is_quiet(records)
    assert list(known.messages([json.dumps(fields) for fields in records])) == []
