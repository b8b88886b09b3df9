"""Anchors to and from a line of a tape."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxrepo.domain.tape.anchors import Anchor, anchors_of, to_line

words = st.text(min_size=1, max_size=10)
metas = st.dictionaries(words, st.one_of(words, st.lists(words, max_size=2)), max_size=3)


@given(
    st.builds(
        Anchor,
        id=words,
        timestamp=words,
        name=words,
        type=st.sampled_from(["session", "handoff"]),
        session_id=words,
        session_entry_id=words,
        meta=metas,
        host=st.text(max_size=5),
    )
)
def test_an_anchor_reads_back_from_its_line(anchor: Anchor) -> None:
    line = to_line(anchor)
    assert "\n" not in line
    assert anchors_of(line + "\n") == [anchor]


def test_the_keys_stand_in_the_order_that_others_write_them() -> None:
    anchor = Anchor("i", "2026-11-20T09:47:11.123Z", "n", "handoff", "s", "e", {"summary": "done"}, "h")
    assert list(json.loads(to_line(anchor))) == [
        "id", "timestamp", "name", "type", "meta", "sessionId", "sessionEntryId", "v", "host",
    ]  # fmt: skip
    assert anchor.summary == "done"


def line(**fields: object) -> str:
    known = {
        "timestamp": "2026-11-20",
        "name": "n",
        "type": "handoff",
        "sessionId": "s",
        "sessionEntryId": "e",
    }
    return json.dumps({k: v for k, v in {**known, **fields}.items() if v is not None}) + "\n"


def test_a_line_of_an_older_writer_is_read() -> None:
    (anchor,) = anchors_of(line(type=None, kind="session"))
    assert (anchor.id, anchor.type, anchor.meta, anchor.host) == ("e:2026-11-20:n", "session", {}, "")


@pytest.mark.parametrize("key", ["timestamp", "name", "type", "sessionId", "sessionEntryId"])
@pytest.mark.parametrize("value", [None, "", 3])
def test_a_line_that_lacks_something_is_no_anchor(key: str, value: object) -> None:
    assert anchors_of(line(**{key: value})) == []


def test_a_meta_that_is_no_object_is_empty() -> None:
    assert anchors_of(line(meta="x"))[0].meta == {}


def test_the_oldest_comes_first_and_what_was_taken_back_is_gone() -> None:
    tape = (
        line(id="b", timestamp="2026-11-22")
        + "torn {\n"
        + line(id="a")
        + line(id="c")
        + '{"id": "c", "deleted": "x"}\n'
    )
    assert [a.id for a in anchors_of(tape)] == ["a", "b"]
