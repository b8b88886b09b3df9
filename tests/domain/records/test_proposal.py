"""Lines of the inbox are read tolerantly, and a verdict takes the place of its line."""

from __future__ import annotations

import json

import pytest

from ctxrepo.domain.records.proposal import (
    InboxLine,
    Proposal,
    Verdict,
    decided,
    inbox_lines,
    is_inbox,
    to_line,
    verdicts,
)

ONE = Proposal(
    "abc123", "2026-11-20T09:00:00.000Z", "remember", "the port is 5", "shop", pin=True, tags=("ops",)
)
SURE = Verdict("abc123", "2026-11-21T09:00:00.000Z", "declined", "ada-1a2b", reason="no")


def lines_of(text: str) -> list[InboxLine]:
    return [*inbox_lines("inbox/h.jsonl", text.encode())]


def test_a_proposal_is_read_as_it_was_written() -> None:
    edit = Proposal(
        "def", ONE.ts, "edit", "- b", "shop", was="- a", note="MEMORY.md", entry="0" * 12, agent="codex"
    )
    text = f"{to_line(ONE)}\n{to_line(edit)}\n"
    assert [line.proposal for line in lines_of(text)] == [ONE, edit]


@pytest.mark.parametrize(
    "line",
    [
        '{"torn',
        "[]",
        '{"id": "a", "verb": "sing", "text": "x", "scope": "shop"}',
        '{"id": "a b", "verb": "remember", "text": "x", "scope": "shop"}',
        '{"id": "a", "verb": "remember", "text": " ", "scope": "shop"}',
        '{"id": "a", "verb": "remember", "text": "x"}',
    ],
)
def test_a_line_that_says_no_proposal_has_a_name_all_the_same(line: str) -> None:
    (entry,) = lines_of(f"{line}\n")
    assert entry.proposal is None
    assert entry.name.startswith("line-")
    assert lines_of(decided(f"{line}\n", entry, Verdict(entry.name, ONE.ts, "declined"))) == []


def test_two_lines_of_one_id_have_two_names() -> None:
    other = json.dumps(json.loads(to_line(ONE)) | {"text": "another"})
    first, second = lines_of(f"{to_line(ONE)}\n{other}\n")
    assert first.proposal == ONE
    assert second.proposal is None
    assert first.name != second.name


def test_a_verdict_takes_the_place_of_its_line_and_of_no_other() -> None:
    other = to_line(Proposal("def", ONE.ts, "remember", "more", "shop"))
    text = f"{to_line(ONE)}\n{other}\n"
    after = decided(text, lines_of(text)[0], SURE)
    assert [line.name for line in lines_of(after)] == ["def"]
    assert [*verdicts(after)] == [SURE]
    assert to_line(ONE) not in after
    assert lines_of(f"{to_line(ONE)}\n{after}") == lines_of(after), "a line that another machine kept"


def test_files_of_the_inbox() -> None:
    assert is_inbox("inbox/h.jsonl")
    assert not is_inbox("inbox/a.md")
    assert not is_inbox("shop/h.jsonl")
