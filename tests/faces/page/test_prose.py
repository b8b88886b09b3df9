"""The text of a note becomes headings, bullets, code and paragraphs; nothing in it acts, nothing is lost."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pages import Parsed

from ctxrepo.faces.page.markup import entry_words, prose, tag


def names(text: str) -> list[str]:
    return [name for name, _ in Parsed.of(prose(text, 1, {})).elements]


@pytest.mark.parametrize(
    ("text", "elements"),
    [
        ("# One\n", ["h4"]),
        ("### Three\n", ["h6"]),
        ("- a\n- b\n", ["div", "span", "span"] * 2),
        ("words\nand more\n\nothers\n", ["p", "p"]),
        ("```sh\n# no heading\n- no bullet\n```\nafter\n", ["pre", "code", "p"]),
        ("~~~\nnever closed\n", ["pre", "code"]),
        ("| a | b |\n|---|---|\n", ["pre"]),
        ("with `code` and **bold**\n", ["p", "code", "strong"]),
        ("#no heading\n", ["p"]),
        ("", []),
    ],
)
def test_each_form_is_told_apart(text: str, elements: list[str]) -> None:
    assert names(text) == elements


def test_boxes_numbers_and_depth_of_bullets() -> None:
    html = prose("- [x] done\n- [ ] open\n  - below\n12. twelfth\n", 1, {})
    assert "☑" in html
    assert "☐" in html
    assert 'class="item d0 done"' in html
    assert 'class="item d1"' in html
    assert "12." in html


def test_a_badge_stands_at_the_line_of_its_entry() -> None:
    html = prose("# T\n\n- a\n- b\n", 5, {8: tag("i", "here")})
    assert html.index("here") > html.index(">b") > html.index(">a")
    assert html.count("here") == 1


def test_a_category_stands_back_and_a_link_is_no_category() -> None:
    assert entry_words("[gotcha] Tests").startswith('<span class="category">[gotcha] </span>')
    assert entry_words("[text](https://example.org)") == "[text](https://example.org)"


def test_links_pictures_and_html_stand_as_they_were_written() -> None:
    text = "![x](http://a/b.png) [y](javascript:alert(1)) <a href=x>z</a> <style>*{}</style>\n"
    assert Parsed.of(prose(text, 1, {})).text == text.rstrip("\n")
    assert names(text) == ["p"]


@given(st.text(alphabet="ab -*+#`~|[]x\n\t1.)<>&", max_size=200))
def test_no_letter_is_lost_and_nothing_stays_open(text: str) -> None:
    parsed = Parsed.of(prose(text, 1, {}))
    assert parsed.open == []
    fences = re.sub(r"(?m)^ {0,3}(`{3,}|~{3,})[^\n]*$", "", text)
    assert set(re.findall(r"[ab]", fences)) <= set(parsed.text)
