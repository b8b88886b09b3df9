"""What a reader takes for the same word is equal once it is folded, in every script."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxrepo.domain.words.prompt_terms import MONTHS, SOCIAL, STOP, fold, plain


@pytest.mark.parametrize(
    "words",
    [
        ("Straße", "STRASSE", "strasse", "STRAẞE", "Stra\xadße"),
        ("Größe", "GRÖSSE", "grosse", unicodedata.normalize("NFD", "Größe")),
        ("Łódź", "lodz"),
        ("smørrebrød", "Smorrebrod"),
        ("ёлка", "Елка", "ЕЛКА"),
        ("λόγος", "ΛΌΓΟΣ", "λογος", "λογοσ"),
        ("تُنْشَر", "تنشر", "تنـشر"),
        ("أحمد", "احمد", "ٱحمد"),
        ("إلى", "الي"),
        ("قهوة", "قهوه"),
        ("کتاب", "كتاب"),
        ("می\u200cخواهم", "میخواهم", "ميخواهم"),
        ("שָׁלוֹם", "שלום"),
        ("ＡＰＩ ｋｅｙ", "api key", "API\u3000KEY"),
        ("İstanbul", "istanbul", "ISTANBUL", "ıstanbul"),
        ("क़लम", "कलम"),
        ("क्\u200dष", "क्ष"),
        ("ﾊﾞｸﾞ", "バグ", unicodedata.normalize("NFD", "バグ")),
        (unicodedata.normalize("NFD", "게임"), "게임"),
        ("đường", "duong"),
        ("ผ่าน", "ผาน"),
        ("१२३", "١٢٣", "１２３", "123"),
        ("ﬁle", "file"),
        ("⚠\ufe0f", "⚠"),
    ],
    ids=lambda words: words[0],
)
def test_the_same_word_is_one_word(words: tuple[str, ...]) -> None:
    assert {fold(word) for word in words} == {fold(words[0])}
    assert fold(words[0]) != ""


@pytest.mark.parametrize(
    ("word", "other"), [("バス", "パス"), ("か", "が"), ("कि", "का"), ("ปู", "ปา"), ("가", "각"), ("ا", "ب")]
)
def test_a_mark_that_is_a_letter_stays(word: str, other: str) -> None:
    assert fold(word) != fold(other)


@given(st.text())
def test_what_is_folded_stays_as_it_is(text: str) -> None:
    assert fold(fold(text)) == fold(text) == fold(plain(text))


@given(st.text(st.characters(max_codepoint=127)))
def test_ascii_loses_its_capitals_and_no_more(text: str) -> None:
    assert (plain(text), fold(text)) == (text, text.lower())


@pytest.mark.parametrize("listed", [STOP, SOCIAL, MONTHS])
def test_our_own_lists_are_written_as_they_are_asked_for(listed: frozenset[str]) -> None:
    assert [word for word in listed if fold(word) != word] == []
