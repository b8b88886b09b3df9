"""Words that ask for an anchor stand by themselves, in any script (D56, W25, the vectors of the appendix)."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ctxrepo.domain.words.prompt_terms import fold, is_of_word
from ctxrepo.hooks.moments.keyword_block import anchor_name, is_command, keywords_in

WORDS = ["refactor", "migration"]

words = st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=12).filter(
    lambda word: word.lower() == word.lower().strip() and fold(word) == fold(word).strip() != ""
)


def test_d56_prompts_of_10_to_300_characters_are_looked_at() -> None:
    assert keywords_in("refactor!", WORDS) == []
    assert keywords_in("refactor !", WORDS) == ["refactor"]
    assert keywords_in("refactor " + "x" * 291, WORDS) == ["refactor"]
    assert keywords_in("refactor " + "x" * 292, WORDS) == []


def test_d56_the_length_is_counted_in_units_of_utf_16_and_without_blanks_around() -> None:
    assert keywords_in("\n  refactor   ", WORDS) == []
    assert keywords_in("refactor🚀", WORDS) == ["refactor"]
    assert keywords_in("refactor " + "x" * 289 + "🚀", WORDS) == ["refactor"]
    assert keywords_in("refactor " + "x" * 290 + "🚀", WORDS) == []


def test_d56_all_matches_the_longest_first() -> None:
    assert keywords_in("Migration then REFACTOR it", WORDS) == ["migration", "refactor"]
    assert keywords_in("beta and alpha and ab", ["ab", "beta", "alph", "alpha"]) == ["alpha", "beta", "ab"]
    assert keywords_in("zeta or beta it is", ["zeta", "beta"]) == ["beta", "zeta"]


@pytest.mark.parametrize(
    ("prompt", "wanted"),
    [
        ("prerefactor this please", []),
        ("refactor_x is the name", []),
        ("refactor2 is the name", []),
        ("re-factor this please", []),
        ("please (refactor) this", ["refactor"]),
        ("please re-refactor this", ["refactor"]),
        ("über-refactor, please", ["refactor"]),
        ("ürefactor is no word", []),
        ("refactorю is no word either", []),
        ("prerefactor, then refactor", ["refactor"]),
        ("refactor٣ with a digit of Arabic", []),
    ],
)
def test_d56_neither_letter_nor_digit_nor_underscore_is_beside_it(prompt: str, wanted: list[str]) -> None:
    assert keywords_in(prompt, WORDS) == wanted


def test_d56_a_mark_makes_no_other_word_and_no_edge() -> None:
    decomposed = unicodedata.normalize("NFD", "the CAFÉ is closed")
    assert keywords_in(decomposed, ["cafe", "café"]) == ["cafe", "café"]
    assert keywords_in(decomposed, ["caf"]) == []
    assert keywords_in("l·l, and alpha·beta", ["alpha"]) == ["alpha"]


@pytest.mark.parametrize(
    ("prompt", "keyword"),
    [
        ("请帮我重构这个模块,谢谢你", "重构"),
        ("このモジュールをリファクタしてください", "リファクタ"),
        ("これからふりかえりをします", "ふりかえり"),
        ("ช่วยย้ายฐานข้อมูลให้หน่อย", "ย้าย"),
        ("ກະລຸນາຍ້າຍຖານຂໍ້ມູນ", "ຍ້າຍ"),
        ("សូមផ្ទេរមូលដ្ឋានទិន្នន័យ", "ផ្ទេរ"),
        ("ကျေးဇူးပြု၍ပြောင်းရွှေ့ပါ", "ပြောင်းရွှေ့"),
    ],
)
def test_w25_where_words_have_no_blanks_between_them_no_edge_is_needed(prompt: str, keyword: str) -> None:
    assert keywords_in(prompt, [keyword]) == [keyword]


def test_w25_an_edge_of_another_script_still_needs_one() -> None:
    assert keywords_in("请帮我做xAPI重构这个模块", ["api重构"]) == []
    assert keywords_in("请帮我做 API重构这个模块", ["api重构"]) == ["api重构"]
    assert keywords_in("한국어는단어사이를띄어쓴다", ["단어"]) == []


def test_d56_keywords_are_trimmed_and_lowered_and_counted_once() -> None:
    assert keywords_in("a REFACTOR it is", [" Refactor ", "refactor", "", "  "]) == ["refactor"]
    assert keywords_in("we move to C++ today", ["C++"]) == ["c++"]


@pytest.mark.parametrize(
    ("keyword", "name"),
    [
        ("C++ Build!", "handoff/keyword-c-build-153920"),
        ("重构", "handoff/keyword-detected-153920"),
        ("migration", "handoff/keyword-migration-153920"),
        ("x" * 60, f"handoff/keyword-{'x' * 48}-153920"),
    ],
)
def test_d56_the_anchors_name(keyword: str, name: str) -> None:
    assert anchor_name(keyword, "153920") == name


def test_a_command_of_the_agent_asks_for_no_anchor() -> None:
    assert keywords_in("/memory-anchor refactor the payments", WORDS) == []
    assert keywords_in("/plugin:do refactor the payments", WORDS) == []
    assert keywords_in("/etc/hosts needs a refactor", WORDS) == ["refactor"]
    assert is_command("/compact")
    assert not is_command("")
    assert not is_command("/ by zero")


@given(words, st.text(max_size=60))
def test_what_is_found_stands_in_the_prompt(keyword: str, prompt: str) -> None:
    for match in keywords_in(prompt, [keyword]):
        assert fold(match).strip() in fold(prompt)


@given(words, st.sampled_from(["", "(", "- ", "“", "… "]), st.sampled_from(["", ")", "!", " and so on", "”"]))
def test_a_word_between_blanks_or_signs_is_found(keyword: str, before: str, after: str) -> None:
    prompt = f"{'please do '}{before}{keyword}{after}"
    assert keywords_in(prompt, [keyword]) == [keyword.strip().lower()]


@given(st.characters(categories=["L", "N"]), st.booleans())
def test_a_latin_word_with_a_letter_or_digit_beside_it_is_not_found(beside: str, is_before: bool) -> None:
    assume(all(map(is_of_word, fold(beside))))  # Ŀ is compared as an L and a point in the middle
    prompt = f"please do {beside}abc today" if is_before else f"please do abc{beside} today"
    assert keywords_in(prompt, ["abc"]) == []


@given(st.lists(words, max_size=6), st.text(max_size=80))
def test_the_order_of_the_keywords_changes_nothing(keywords: list[str], prompt: str) -> None:
    matches = keywords_in(prompt, keywords)
    assert matches == keywords_in(prompt, keywords[::-1])
    assert [len(word.encode("utf-16-le")) for word in matches] == sorted(
        (len(word.encode("utf-16-le")) for word in matches), reverse=True
    )


@given(st.text(max_size=80))
def test_a_name_is_plain_ascii_whatever_the_keyword(keyword: str) -> None:
    slug = anchor_name(keyword, "").removeprefix("handoff/keyword-").removesuffix("-")
    assert 0 < len(slug) <= 48
    assert set(slug) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")
