"""Windows of messages are ranked by the words that stand in them."""

from __future__ import annotations

from ctxrepo.domain.question.message_traits import BY_AGENT, TELLING_BITS, Posting
from ctxrepo.domain.question.window_ranking import REACH, TermPostings, ranked_by_folder, ranked_windows

MESSAGES = 10_000


def at(session: int, turn: int, traits: int = 0, length: int = 80) -> Posting:
    return Posting(session, turn, 1000 * session + turn, traits, length, 1_700_000_000 + session)


def order(*terms: TermPostings) -> list[int]:
    return [window.session for window in ranked_windows(terms, MESSAGES)]


def test_two_words_count_more_than_one_again_wherever_they_stand_in_the_window() -> None:
    redis = [at(1, 3), at(1, 5), at(2, 7)]
    port = [at(2, 7 + REACH, BY_AGENT)]
    assert order(TermPostings(redis), TermPostings(port)) == [2, 1]
    far = [at(2, 8 + 2 * REACH, BY_AGENT)]
    assert {
        window.terms for window in ranked_windows([TermPostings(redis), TermPostings(far)], MESSAGES)
    } <= {1, 2}


def test_the_rarer_word_counts_more() -> None:
    rare, common = [at(1, 3)], [at(n, 3) for n in range(2, 900)]
    assert order(TermPostings(rare), TermPostings(common))[0] == 1


def test_what_both_spoke_of_comes_before_what_one_mentioned() -> None:
    redis = [at(1, 3, BY_AGENT), at(2, 3), at(2, 4, BY_AGENT)]
    port = [at(1, 3, BY_AGENT), at(2, 3), at(2, 5)]
    assert order(TermPostings(redis), TermPostings(port)) == [2, 1]


def test_the_same_question_without_an_answer_comes_last() -> None:
    asked = 2 << TELLING_BITS
    redis = [at(1, 3, asked), at(2, 3, 8 << TELLING_BITS)]
    assert order(TermPostings(redis), TermPostings(redis)) == [2, 1]


def test_what_is_required_must_be_there() -> None:
    redis, file = [at(1, 3), at(2, 3)], [at(2, 5, BY_AGENT)]
    assert order(TermPostings(redis), TermPostings(file, is_required=True, is_word=False)) == [2]


def test_the_match_is_the_message_with_most_of_the_words() -> None:
    redis, port = [at(1, 3), at(1, 5, BY_AGENT)], [at(1, 5, BY_AGENT)]
    (window,) = ranked_windows([TermPostings(redis), TermPostings(port)], MESSAGES)
    assert window.match == 1005


def test_of_equal_ones_the_newest_comes_first() -> None:
    assert order(TermPostings([at(1, 3), at(2, 3), at(3, 3)])) == [3, 2, 1]


def test_a_folder_in_which_the_matter_is_talked_about_lifts_what_says_it_in_other_words() -> None:
    windows = ranked_windows(
        [TermPostings([at(n, 3) for n in (1, 2, 3, 5)]), TermPostings([at(n, 3) for n in (2, 3)])], 99
    )
    assert [window.session for window in windows] == [3, 2, 5, 1]
    folders = {1: "/shop", 2: "/shop", 3: "/shop", 5: "/docs"}
    assert [window.session for window in ranked_by_folder(windows, folders)] == [3, 2, 1, 5]
    assert ranked_by_folder(windows, {}) == windows
    assert ranked_by_folder([], folders) == []
