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
        st.sampled_from(
            list(
                "\xad\u200b\u200c\u200d\u061c\ufe0e❤👩🏽1\u20e3یक्กᠠ葛🏴\U000e0100\U000e0067\U000e007f\xa0\u3000"
            )
        ),
        st.sampled_from(["&lt;", "&amp;", "\\n", "\\#", "\\u{41}", "\\\\", "</x>", "\n#"]),
    ),
    max_size=30,
).map("".join)


def written(text: str) -> str:
    """A soft hyphen says where a word may be broken; it is no part of the text."""
    return text.replace("\xad", "")


@given(ANY)
def test_a_field_reads_back_exactly_on_one_clean_line(parser: Any, text: str) -> None:
    escaped = escape_field(text)
    assert "\n" not in escaped
    assert escaped[:1] != "#"
    parser.assert_clean(escaped)
    assert unescape_field(escaped) == written(text)
    assert parser.unescape(escaped, is_field=True) == written(text)


@given(ANY)
def test_a_text_reads_back_exactly_line_for_line(parser: Any, text: str) -> None:
    escaped = escape_text(text)
    assert escaped.count("\n") == text.count("\n")
    assert not any(line.startswith("#") for line in escaped.split("\n"))
    parser.assert_clean(escaped)
    assert parser.unescape(escaped, is_field=False) == written(text)


@given(ANY, st.text("—·[]>…", max_size=3))
def test_further_characters_are_spelled_out_and_read_back(text: str, also: str) -> None:
    escaped = escape_field(text, also)
    assert not set(also) & set(escaped)
    assert unescape_field(escaped) == written(text)


@given(ANY)
def test_reading_never_fails(text: str) -> None:
    unescape_field(text)


def test_what_begins_like_a_spelled_out_character_and_never_ends_costs_no_more_than_its_length() -> None:
    """With a search to the end of the text for each of them this would take minutes."""
    text = "\\u{" * 200_000
    assert unescape_field(text) == text


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


@pytest.mark.parametrize(
    "text",
    [
        "basket:\n\tgo build ./basket\n\t\t- grandchild",
        "⚠️ Never, ❤️ and ♥︎, 1️⃣ and #️⃣, ©️ ™️",
        "👩\u200d💻 👩🏽\u200d🚀 🏳️\u200d🌈 🏴\u200d☠️ 👨\u200d👩\u200d👧 🧑\u200d⚕️ 🫨",
        "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f 🇩🇪",
        "می\u200cخواهم API\u200cها क्\u200dष ക്\u200cഷ ශ්\u200dරී",
        "ភាសា\u200bខ្មែរ ျမန္\u200bမာ ᠠ\u180bᠨ 葛\U000e0100飾",
        "Mot de passe\xa0: 12\u202f000\u2009km　全角",
        "\u06dd \u0600١٢",
    ],
)
def test_what_people_write_comes_through(parser: Any, text: str) -> None:
    assert escape_text(text) == text
    parser.assert_clean(text)


@pytest.mark.parametrize(
    "text",
    [
        "a\u200bb a\u200cb a\u200db \u200d👩 👩\u200d a\ufe0f 1\ufe0f \ufe0f",
        "❤\ufe0f\ufe0f ❤\ufe0f\ufe0e",
        "😀\U000e0153\U000e0162 葛\U000e01ef a\U000e0100",
        "🏴\U000e0069\U000e0067\U000e006e\U000e006f\U000e0072\U000e0065\U000e007f",
        "🏴\U000e0067\U000e0062 \U000e0041\U000e007f 🏴\U000e0020\U000e0061\U000e0062\U000e007f",
        "ی\u200c\u200cی ی\u061c\u200cی ی\u200c",
        "\u202a\u202e\u2066\u2069\u200e\u200f \u2028\u2029\x85\x0b\r\x00\x7f\x9b",
        "\ue000\U000f0000 \u0378\uffff \ud800 \ufeff\u2060\u2061\u3164\u115f\u2800\u034f",
    ],
)
def test_what_hides_something_is_shown(parser: Any, text: str) -> None:
    escaped = escape_text(text)
    for word, plain in zip(escaped.split(" "), text.split(" "), strict=True):
        assert "\\u{" in word, plain
    parser.assert_clean(escaped)


def test_a_soft_hyphen_goes_before_anything_is_looked_at() -> None:
    assert escape_text("Straßen\xadverkehr\n\xad# x <\xadb> &\xadlt; \\\xadn") == (
        "Straßenverkehr\n\\# x &lt;b> &amp;lt; \\n"
    )
    assert escape_field("\\\xadn") == "\\\\n"


def test_lines_of_a_text_stay_lines() -> None:
    assert escape_text("# One\n  # two\nthree\\n\n") == "\\# One\n  # two\nthree\\n\n"
