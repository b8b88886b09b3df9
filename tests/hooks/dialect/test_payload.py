"""Whatever comes in on standard input is read as JSON or not at all."""

from __future__ import annotations

import _sqlite3
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxrepo.hooks.dialect import extract_fields, object_text

DB = _sqlite3.connect(":memory:", check_same_thread=False)
FIELDS = {"prompt": ("$.prompt",), "path": ("$.tool_input.file_path", "$.tool_input.notebook_path")}


@pytest.mark.parametrize(
    "raw",
    [
        *(b"", b"  ", b"{", b'{"prompt": "x"', b"[]", b"1", b'"x"', b"null", b"\xff\xfe{}", b"\0"),
        *(b'{"a":1}\0{', b"{}{}", b'{"a":' * 5000, b"[" * 100_000),
        b'{"a":' * 90_000 + b"1" + b"}" * 90_000,
    ],
    ids=lambda raw: repr(raw[:16]),
)
def test_what_is_no_object_is_nothing(raw: bytes) -> None:
    assert extract_fields(DB, object_text(raw), FIELDS) == {}


def test_texts_are_picked_and_other_types_passed_over() -> None:
    raw = {"prompt": ["no"], "tool_input": {"file_path": 7, "notebook_path": "/n.ipynb"}}
    assert extract_fields(DB, json.dumps(raw), FIELDS) == {"prompt": "", "path": "/n.ipynb"}
    assert extract_fields(DB, "{}", FIELDS) == {"prompt": "", "path": ""}
    assert extract_fields(DB, '{"tool_input": "text"}', FIELDS) == {"prompt": "", "path": ""}


@given(st.text(alphabet=st.characters(blacklist_categories=["Cs"], blacklist_characters="\0")), st.booleans())
def test_a_prompt_is_read_exactly(prompt: str, ascii_only: bool) -> None:
    raw = json.dumps({"prompt": prompt}, ensure_ascii=ascii_only).encode()
    assert extract_fields(DB, object_text(raw), FIELDS)["prompt"] == prompt


def test_half_a_surrogate_and_a_mark_are_survived() -> None:
    assert "\ufffd" in extract_fields(DB, object_text(b'{"prompt": "a\\ud800b"}'), FIELDS)["prompt"]
    assert extract_fields(DB, object_text(b'\xef\xbb\xbf{"prompt": "a"}\n'), FIELDS)["prompt"] == "a"


@given(st.binary())
def test_no_bytes_raise(raw: bytes) -> None:
    extract_fields(DB, object_text(raw), FIELDS)
