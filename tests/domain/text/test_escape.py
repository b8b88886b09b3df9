"""Escaped text reads back exactly, shows everything, and poses as nothing."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxrepo.domain.text import escape_field, escape_text, unescape_field

# All of Unicode, with what the escapes are made of often enough to meet.
ANY = st.lists(
    st.one_of(
        st.characters(),
        st.sampled_from(list("<>/!?&;\\#nu{}aé\n\r\t \u202e\ufe0f\ud800\uffff")),
        st.sampled_from(["&lt;", "&amp;", "\\n", "\\#", "\\u{41}", "\\\\", "</x>", "\n#"]),
    ),
    max_size=30,
).map("".join)


@given(ANY)
def test_a_field_reads_back_exactly_on_one_clean_line(parser: Any, text: str) -> None:
    escaped = escape_field(text)
    assert "\n" not in escaped
    assert escaped[:1] != "#"
    parser.assert_clean(escaped)
    assert unescape_field(escaped) == text
    assert parser.unescape(escaped, is_field=True) == text


@given(ANY)
def test_a_text_reads_back_exactly_line_for_line(parser: Any, text: str) -> None:
    escaped = escape_text(text)
    assert escaped.count("\n") == text.count("\n")
    assert not any(line.startswith("#") for line in escaped.split("\n"))
    parser.assert_clean(escaped)
    assert parser.unescape(escaped, is_field=False) == text


@given(ANY, st.text("—·[]>…", max_size=3))
def test_further_characters_are_spelled_out_and_read_back(text: str, also: str) -> None:
    escaped = escape_field(text, also)
    assert not set(also) & set(escaped)
    assert unescape_field(escaped) == text


@given(ANY)
def test_reading_never_fails(text: str) -> None:
    unescape_field(text)


@pytest.mark.parametrize(
    "code",
    [
        "if a < b && c <= d: x = y & z",
        'printf("%d\\t%s", a)',
        "re.sub(r'\\s+\\d', x)",
        "1 <2, a << 3, # not first",
        "naïve café 日本語 € 👍",
        "&copy; &nbsp; R&D; \\u0041 \\x41",
    ],
)
def test_code_stays_as_it_is(code: str) -> None:
    assert escape_text(code) == escape_field(code) == code


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("<b> </b> <!x <?x", "&lt;b> &lt;/b> &lt;!x &lt;?x"),
        ("# a #b", "\\# a #b"),
        ("a\nb", "a\\nb"),
        ("a\\nb", "a\\\\nb"),
        ("&lt;", "&amp;lt;"),
        ("\u202ea\U000e0041\x1b\ufe0f", "\\u{202e}a\\u{e0041}\\u{1b}\\u{fe0f}"),
        ("\\\u200b", "\\\\\\u{200b}"),
        ("\\u{41} \\#", "\\\\u{41} \\\\#"),
    ],
)
def test_what_is_escaped_and_how(text: str, field: str) -> None:
    assert escape_field(text) == field


def test_lines_of_a_text_stay_lines() -> None:
    assert escape_text("# One\n  # two\nthree\\n\n") == "\\# One\n  # two\nthree\\n\n"
