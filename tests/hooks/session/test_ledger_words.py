"""Every word of a ledger reads what it writes, and each has a case here."""

from __future__ import annotations

import pytest

from ctxrepo.hooks.session import ledger_words as words
from ctxrepo.hooks.session.ledger_words import LedgerWord, SessionRecord

CASES: list[tuple[LedgerWord, tuple[object, ...], str, dict[str, object]]] = [
    (words.GIVEN, ("abc", "h1"), "entry abc h1", {"entries": {"abc": "h1"}}),
    (words.OWN, ("abc", "h1"), "own abc h1", {"entries": {"abc": "h1"}, "own": {"abc"}}),
    (words.WROTE, ("a b.md", "h1"), "wrote a b.md h1", {"wrote": {"a b.md": "h1"}}),
    (words.MOVED, ("a b.md", "-"), "moved a b.md -", {"wrote": {"a b.md": "-"}}),
    (words.GENERATION, (7,), "generation 7", {"generation": 7}),
    (words.FAULT, ("f1",), "fault f1", {"faults": {"f1"}}),
    (words.PROJECT, ("shop",), "project shop", {"project": "shop"}),
    (words.PROJECT, ("",), "project", {"project": ""}),
    (words.HANDOFF, ("-",), "handoff -", {"handoff": "-"}),
    (words.OWED, (5.25,), "owed 5.250000", {"owed_since": 5.25}),
    (words.PACKET, ("a\\n\nb",), "packet a\\\\n\\nb", {"packet": "a\\n\nb"}),
    (words.TURN, ("a\\n\nb",), "turn a\\\\n\\nb", {"turn": "a\\n\nb"}),
    (words.TURN, ("",), "turn", {}),
    (words.PROMPT, ("4",), "prompt 4", {"prompt": "4"}),
    (words.COMPACTED, (), "compacted", {"is_compacted": True}),
    (words.GIVER, (12,), "gives 12", {"giver": "12"}),
    (words.ASKED, ("staging port",), "asked staging port", {"asked": ["staging port"]}),
    (words.COMPACTION, ("c\n1",), "compaction c 1", {"compaction": "c 1"}),
    (words.SOUGHT, ("1:2 -",), "sought 1:2 -", {"sought": "1:2 -"}),
    (words.RULE, ("a1", "src/a b.py"), "rule a1 src/a b.py", {"rules": {"a1": "src/a b.py"}}),
    (words.RULE, ("a1", ""), "rule a1 ", {"rules": {"a1": ""}}),
    (words.PARENT, ("s-1",), "of s-1", {"parent": "s-1"}),
    (words.BRIDGE, (2,), "bridge 2", {"bridge_wait": 2}),
    (words.BEGAN, (5.9,), "began 5", {"began": 5.0}),
    (words.CWD, ("/a b",), "cwd /a b", {"cwd": "/a b"}),
    (words.OFF, (), "off", {"is_off": True}),
    (words.ON, (), "on", {}),
    (words.ENDED, (5.9, "/a b.jsonl"), "ended 5 /a b.jsonl", {"ended": 5.0, "transcript": "/a b.jsonl"}),
    (words.GOES_ON, (), "ended -", {}),
    (words.NO_ANCHOR_REQUEST, (), "wanted -", {}),
]


@pytest.mark.parametrize(("word", "values", "line", "tells"), CASES)
def test_a_word_reads_what_it_writes(
    word: LedgerWord, values: tuple[object, ...], line: str, tells: dict[str, object]
) -> None:
    assert word.line(*values) == line
    record, empty = SessionRecord(), SessionRecord()
    record.read(line)
    assert {name: value for name, value in vars(record).items() if value != vars(empty)[name]} == tells


def test_a_request_for_an_anchor_is_read_as_it_was_written() -> None:
    record = SessionRecord()
    record.read(words.ANCHOR_REQUEST.line("deploy-1", ["deploy it", "ship"]))
    named = record.anchor_request
    record.read(words.ANCHOR_REQUEST.line())
    record.read("wanted keyword other word")
    manual = record.anchor_request
    record.read(words.NO_ANCHOR_REQUEST.line())
    assert record.anchor_request is None
    assert named
    assert (named.name, named.keywords) == ("deploy-1", ("deploy it", "ship"))
    assert manual
    assert manual.is_manual


def test_every_word_of_the_table_has_a_case() -> None:
    assert {word.name for word, *_ in CASES} == set(words.WORDS)
