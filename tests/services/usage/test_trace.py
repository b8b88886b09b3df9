"""Traces are read back: by id, session or number; what can't be read is passed over."""

from __future__ import annotations

from pathlib import Path

import pytest
from machines import Machine

from ctxrepo.errors import NotFound, UsageError
from ctxrepo.services.usage.read_traces import traces
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.user.places import Places

LINES = """\
{"id": "aa11", "at": 1795297188.9, "agent": "claude", "session": "s1", "prompt": "one", "silence": "why"}
torn {"id
{"id": "aa22", "at": 1795297189.9, "agent": "claude", "session": "s2", "given": [["ID", "a.md#L1", 2.5]]}
{"id": "bb33", "at": "late", "session": "s1", "given": 1, "left_out": [["x", "b.md#L1", 1, "none"], [1], 2]}
[1, 2]
{"at": 1}
"""


@pytest.fixture
def memory(ada: Machine) -> Memory:
    ada.init()
    known = ada.remember("a fact to be recalled").id.lstrip("^")
    ada.ctxrepo("list")  # brings the cache up to date
    memory = Memory.open(Places.of(ada.env), ada.env)
    memory.state.traces.write_text(LINES.replace("ID", known))
    return memory


def ids(memory: Memory, name: str = "", session: str = "", last: int | None = None) -> list[str]:
    return [trace.id for trace in traces(memory, name, session, last)]


def test_the_last_ones_oldest_first(memory: Memory) -> None:
    assert ids(memory) == ["aa11", "aa22", "bb33"]
    assert ids(memory, last=2) == ["aa22", "bb33"]
    assert ids(memory, session="s1") == ["aa11", "bb33"]
    assert ids(memory, session="s1", last=1) == ["bb33"]


def test_one_by_the_beginning_of_its_id(memory: Memory) -> None:
    more = LINES.replace('"bb33"', '"bb3344"').replace('"aa22"', '"aa1122"').replace('"aa11"', '"aa1133"')
    memory.state.traces.write_text(more)
    assert ids(memory, "bb33") == ids(memory, "bb3344") == ["bb3344"]
    for name in ("cccc", "bb3"):
        with pytest.raises(NotFound, match=f"no trace '{name}'"):
            traces(memory, name)
    with pytest.raises(UsageError, match="aa11 begins 2 ids"):
        traces(memory, "aa11")
    with pytest.raises(NotFound):
        traces(memory, session="s9")


def test_what_it_tells(memory: Memory) -> None:
    first, second, third = traces(memory)
    assert (first.silence, first.given, first.at[:10]) == ("why", (), "2026-11-21")
    ((name, at, score, why, text),) = [(w.id, w.at, w.score, w.why, w.text) for w in second.given]
    assert (name[0], at, score, why) == ("^", "a.md#L1", 2.5, "")
    assert text == "- a fact to be recalled", "as it is today"
    assert (third.at, third.given) == ("", ())
    (left,) = third.left_out
    assert (left.id, left.why, left.text) == ("^x", "none", "")


def test_before_any_prompt_there_is_none(memory: Memory) -> None:
    memory.state.traces.unlink()
    assert traces(memory) == []


def test_it_lies_in_the_state_folder(memory: Memory) -> None:
    assert memory.state.traces == Path(memory.state.root) / "traces.jsonl"
