"""Who typed what: what agents, editors and hooks put around a person's words is known by its tag."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from time import process_time

import pytest
from checkout import CHECKOUT
from hypothesis import given
from hypothesis import strategies as st

from ctxrepo.agents.documents import may_be_message
from ctxrepo.agents.known import AGENTS, transcripts_of
from ctxrepo.agents.recorded import form_of, session_named, typed

ROWS = (CHECKOUT / "ctxrepo/agents/not_typed.tags").read_text("utf-8").splitlines()
TAGS = [row for row in ROWS if re.fullmatch(r"[\w -]+", row)]
BY_HAND = ("bash-input", "user-memory-input", "user_shell_command")


@pytest.mark.parametrize("tag", TAGS)
@pytest.mark.parametrize("attribute", ["", ' x="1"'])
def test_what_stands_in_a_known_tag_is_left_out(tag: str, attribute: str) -> None:
    block = f"<{tag}{attribute}>\nNOBODY\n</{tag}>"
    if tag in BY_HAND:
        assert typed(f"{block}\nfix <div>it</div>") == "NOBODY fix <div>it</div>"
    else:
        assert typed(f"{block}\nfix <div>it</div>") == "fix <div>it</div>"
        assert typed(f"fix it\n{block}") == "fix it"


@given(st.text(alphabet='ab <>/="\n', max_size=60))
def test_tags_that_nobody_knows_were_typed(text: str) -> None:
    assert typed(text) == text.strip()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "<command-name>/ship</command-name>\n<command-args>my <b>branch</b></command-args>",
            "my <b>branch</b>",
        ),
        ("<bash-input>make test</bash-input>", "make test"),
        (
            "<user_shell_command>\n<command>\nls\n</command>\n<result>NOBODY</result>\n</user_shell_command>",
            "ls",
        ),
        ("a <system-reminder> that isn't closed", "a <system-reminder> that isn't closed"),
        ("<system-reminder>x<system-reminder>NOBODY</system-reminder> y", "<system-reminder>x y"),
        ("what does <command-name> mean?", "what does <command-name> mean?"),
    ],
)
def test_what_a_person_gave_a_command_is_theirs(text: str, words: str) -> None:
    assert typed(text) == words


def test_a_session_is_named_by_the_form_that_fits() -> None:
    forms = "p/{session}/{session}.jsonl|p/{session}.txt|c/*/{session}/store.db"
    assert form_of("/h/p/a/a.jsonl", forms) == (0, "a")
    assert form_of("/h/p/b.txt", forms) == (1, "b")
    assert form_of("/h/c/1/d/store.db", forms) == (2, "d")
    assert form_of("/elsewhere/e.db", forms) == (0, "e")
    assert session_named("/h/c/1/d/store.db", forms) == "d"


@pytest.mark.parametrize(
    ("fields", "is_message"),
    [
        ({"kind": "said", "words": "in a form unknown"}, True),
        ({"a": [{"b": ["it is here", 3]}]}, True),
        ({"type": "x", "id": "a-b-c", "at": "2026-01-01 00:00"}, False),
        ({}, False),
        ({"deep": [[[[[[["a b"]]]]]]]}, False),
    ],
)
def test_what_looks_like_a_message(fields: dict[str, object], is_message: bool) -> None:
    assert may_be_message(fields) == is_message


HOSTILE: dict[str, Callable[[int], list[str]]] = {
    "opened and never closed": lambda n: [user("<system-reminder>" * n)],
    "every tag in turn": lambda n: [user("".join(f"<{tag}>" for tag in TAGS) * (n // len(TAGS)))],
    "queued": lambda n: [queued("enqueue", f"w{i}") for i in range(n)],
    "queued and taken back": lambda n: [queued(("enqueue", "popAll")[i % 2], f"w{i}") for i in range(n)],
    "an item without an end": lambda n: ["{", '  "items": [', "    {", *['      "a": 1,'] * n],
    "empty items": lambda n: ["{", '  "items": [', *["    {", "    },"] * n],
    "torn documents": lambda n: ["{", "    {", "x{"] * n,
    "a list on a line": lambda n: [f"[{','.join(['{}'] * n)}]"],
    "speakers": lambda n: ["user:"] * n,
    "steps": lambda n: ["assistant:", *["[Tool call] x", "  a: b"] * n],
    "rewound": lambda n: [json.dumps({"id": f"u{i}", "$rewindTo": f"u{i - 1}"}) for i in range(n)],
    "commands that ran": lambda n: [
        json.dumps({"role": "user", "parts": [{"text": "I ran the following shell command:\n```sh\n" * n}]})
    ],
    "refusals": lambda n: [user("to proceed, the user said: x" + " " * n, kind="tool_result")],
    "queries": lambda n: [json.dumps({"role": "user", "message": {"content": "<user_query>" * n}})],
    "files of pi": lambda n: [
        json.dumps({"type": "message", "message": {"role": "user", "content": '<file name="a">' * n}})
    ],
}


def user(text: str, kind: str = "text") -> str:
    block = {"type": kind, "text": text, "content": text}
    return json.dumps(
        {"type": "user", "uuid": "u", "role": "user", "message": {"role": "user", "content": [block]}}
    )


def queued(step: str, text: str) -> str:
    return json.dumps({"type": "queue-operation", "operation": step, "content": text})


@pytest.mark.parametrize("name", HOSTILE)
def test_a_made_up_transcript_costs_no_more_than_its_length(name: str) -> None:
    times = []
    for count in (1000, 4000):
        lines = HOSTILE[name](count)
        start = process_time()
        for agent in AGENTS:
            known = transcripts_of(agent)
            assert known
            list(known.messages(lines))
            known.is_quiet([{"x": line} for line in lines[:100]])
        times.append(process_time() - start)
    assert times[1] < 0.2 + 8 * times[0]
