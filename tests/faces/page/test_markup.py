"""A text becomes part of the page by one function; attributes hold nothing of others."""

from __future__ import annotations

import html

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pages import Parsed

from ctxrepo.faces.page.markup import Html, escaped, join, mask_between_tags, tag

HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(1)><!-- & \" ' --> ]]> <svg/onload=x>"
TOKEN = "ghp_" + "Zx81kQw0Lr5Tn2Vb7Yc3Md9Fs6Hj4Pg1AeUi"


@given(st.text())
def test_any_text_is_text_and_opens_nothing(text: str) -> None:
    parsed = Parsed.of(tag("p", text))
    assert [name for name, _ in parsed.elements] == ["p"]
    assert parsed.open == []


def test_a_hostile_text_comes_back_as_it_is() -> None:
    assert Parsed.of(tag("p", HOSTILE)).text == HOSTILE
    assert join("<b>", tag("b", "<i>")) == "&lt;b&gt;<b>&lt;i&gt;</b>"


def test_what_hides_something_is_written_out() -> None:
    assert escaped("a\u202eb\u200b\x1b[0m\x00") == "a\\u{202e}b\\u{200b}\\u{1b}[0m\\u{0}"
    assert escaped("one\r\ntwo\tthree") == "one\ntwo\\u{9}three".replace("\\u{9}", "\t")
    assert escaped("half \udc80 of one").encode()


def test_an_attribute_takes_no_text_of_others() -> None:
    assert (
        tag("a", "x", href="#n1", class_="b", hidden=True, open=False)
        == '<a href="#n1" class="b" hidden>x</a>'
    )
    for text in (HOSTILE, 'a"b', "a<b", "a&b", "a'b", "a\nb"):
        with pytest.raises(AssertionError):
            tag("a", href=text)


def test_secrets_that_come_to_stand_in_the_page_are_masked_and_tags_are_not() -> None:
    page = join(tag("p", f"token {TOKEN} & more"), tag("p", "a < b"))
    masked = mask_between_tags(page)
    assert TOKEN not in masked
    assert "[github" in masked
    assert masked.endswith("<p>a &lt; b</p>")
    assert [name for name, _ in Parsed.of(masked).elements] == ["p", "p"]
    harmless = Html("<p>nothing</p>")
    assert mask_between_tags(harmless) is harmless


def test_escapes_are_those_of_html() -> None:
    assert html.unescape(escaped(HOSTILE)) == HOSTILE
