"""What can be mended without a decision is, and not a byte besides."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxrepo.domain.note.compose import fixed
from ctxrepo.domain.note.frontmatter import read, split
from ctxrepo.domain.note.note import decode

NOTE = "global/x.md"

PARTS = [
    "---\n",
    "---\r\n",
    "--- \n",
    "\ufeff",
    "description: d\n",
    "description: a: b\r\n",
    "\tx: 1\n",
    "x:\n\t\ty: 1\n",
    "tags: a, b\n",
    "tags: 'a, #b' # why\r\n",
    "tags: 7\n",
    "tags: yes\n",
    "tags: [a\n",
    "tags: a,\n  b\n",
    "updated: never\n",
    "# T\n",
    "\n",
    "- a <!-- ^one -->\n",
    "- b <!-- ^one -->\r\n",
    "- c\n  d <!-- ^one -->\n",
    "p <!-- ^two -->",
    "\r",
    "\udce9",
    "é\n",
    "```\n",
]
texts = st.lists(st.sampled_from(PARTS), max_size=9).map("".join)


def mended(text: str) -> tuple[str, tuple[str, ...]]:
    data, deeds = fixed(NOTE, text.encode("utf-8", "surrogateescape"))
    return data.decode("utf-8", "surrogateescape"), deeds


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("- a\r- b\r", "- a\n- b\n"),
        ("\ufeff# T\n", "# T\n"),
        ("---\ndescription: d\n\n- a\n", "---\ndescription: d\n---\n\n- a\n"),
        ("---\r\ndescription: d\r\ntags:\r\n  - a", "---\r\ndescription: d\r\ntags:\r\n  - a\r\n---\r\n"),
        ("---\nx:\n\ty: 1\n---\n\tbody\n", "---\nx:\n  y: 1\n---\n\tbody\n"),
        ("---\ntags: a,  b c # why\nx: 1\n---\n", "---\ntags: [a, b c] # why\nx: 1\n---\n"),
        ("---\r\ntags: 'a, #b'\r\n---\r\n", '---\r\ntags: [a, "#b"]\r\n---\r\n'),
        ("---\ntags: 7\n---\n", '---\ntags: ["7"]\n---\n'),
        ("---\ndescription: d\ntags: a, b\n", "---\ndescription: d\ntags: [a, b]\n---\n"),
    ],
)
def test_what_is_meant_beyond_doubt(before: str, after: str) -> None:
    assert mended(before)[0] == after
    assert mended(after) == (after, ())


@pytest.mark.parametrize(
    "text",
    [
        "---\nNote: a rule above a paragraph\n\n- a\n",
        "---\ndescription: d\n# A title or a comment\n\n- a\n",
        "---\ntags:\n- a list or the body\n\n- a\n",
        "---\ndescription: a: b\n\n- a\n",
        "---\nx: [\n\ty: 1\n---\n",
        "---\ntags: [a, {b: c}]\n---\n",
        "---\ntags: a,\n  b\n---\n",
        "---\ntags: a\ntags: b\n---\n",
        "<<<<<<< a\n- a\n=======\n- b\n>>>>>>> b\n",
        "---\ndescription: d\n---\n\n\ta\r\n- b\n",
    ],
)
def test_what_somebody_has_to_decide_is_left_as_it_is(text: str) -> None:
    assert mended(text) == (text, ())


def test_utf16_is_saved_as_utf8() -> None:
    text = "---\r\ndescription: é\r\n---\r\n- \U0001f4be"
    for data in (text.encode("utf-16"), ("\ufeff" + text).encode("utf-16-be")):
        assert fixed(NOTE, data) == (text.encode(), ("is UTF-8 now, and was UTF-16",))


def test_the_second_of_two_equal_ids_is_a_new_one() -> None:
    text = "- a <!-- ^x -->\n- b\n  c <!-- ^x -->  \n\n```\n- x <!-- ^x -->\n```\n"
    after, deeds = mended(text)
    before, changed = text.split("\n"), after.split("\n")
    assert [n for n, line in enumerate(before) if line != changed[n]] == [2]
    assert changed[2].startswith("  c <!-- ^")
    assert changed[2].endswith(" -->  ")
    assert len(deeds) == 1


@given(texts, st.sampled_from(["utf-8", "utf-16"]))
def test_mended_twice_is_mended_once(text: str, kind: str) -> None:
    text = text if kind == "utf-8" else text.replace("\udce9", "")
    data = text.encode(kind, "surrogateescape" if kind == "utf-8" else "strict")
    after, deeds = fixed(NOTE, data)
    assert fixed(NOTE, after) == (after, ())
    assert bool(deeds) == (after != data)
    before = decode(data).lstrip("\ufeff")
    if split(before)[0]:
        assert split(decode(after).lstrip("\ufeff"))[0].count("\n") == split(before)[0].count("\n")
        assert read(before).description in ("", read(decode(after)).description)
