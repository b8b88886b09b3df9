"""Windows of messages are ranked by the words that stand in them."""

from __future__ import annotations

from ctxrepo.domain.question.message_traits import BY_AGENT, FINDS_NOTHING, TOLD_BITS, Posting
from ctxrepo.domain.question.window_ranking import CLOSE, HeldTerm, ranked_windows

MESSAGES = 10_000


def at(session: int, turn: int, traits: int = 0, length: int = 80) -> Posting:
    return Posting(session, turn, 1000 * session + turn, traits, length, 1_700_000_000 + session)


def order(*terms: HeldTerm) -> list[int]:
    return [window.session for window in ranked_windows(terms, MESSAGES)]


def test_all_words_come_before_some_wherever_they_stand_in_the_window() -> None:
    redis = [at(1, n, BY_AGENT * (n % 2)) for n in range(7)] + [at(2, 7)]
    port = [at(2, 7 + CLOSE, BY_AGENT)]
    assert order(HeldTerm(redis), HeldTerm(port)) == [2, 1]
    far = [at(2, 8 + 2 * CLOSE, BY_AGENT)]
    assert not any(window.has_all for window in ranked_windows([HeldTerm(redis), HeldTerm(far)], MESSAGES))


def test_the_rarer_word_counts_more() -> None:
    rare, common = [at(1, 3)], [at(n, 3) for n in range(2, 900)]
    assert order(HeldTerm(rare), HeldTerm(common))[0] == 1


def test_what_both_spoke_of_comes_before_what_one_mentioned() -> None:
    redis = [at(1, 3, BY_AGENT), at(2, 3), at(2, 4, BY_AGENT)]
    port = [at(1, 3, BY_AGENT), at(2, 3), at(2, 5)]
    assert order(HeldTerm(redis), HeldTerm(port)) == [2, 1]


def test_the_same_question_without_an_answer_comes_last() -> None:
    asked = 2 << TOLD_BITS
    redis = [at(1, 3, asked), at(1, 4, BY_AGENT | FINDS_NOTHING), at(2, 3, 8 << TOLD_BITS)]
    assert order(HeldTerm(redis), HeldTerm(redis)) == [2, 1]
    alone = ranked_windows([HeldTerm(redis[:2]), HeldTerm(redis[:2])], MESSAGES)
    assert [window.has_all for window in alone] == [False]


def test_what_is_required_must_be_there() -> None:
    redis, file = [at(1, 3), at(2, 3)], [at(2, 5, BY_AGENT)]
    assert order(HeldTerm(redis), HeldTerm(file, is_required=True, is_word=False)) == [2]


def test_the_match_is_the_message_with_most_of_the_words() -> None:
    redis, port = [at(1, 3), at(1, 5, BY_AGENT)], [at(1, 5, BY_AGENT)]
    (window,) = ranked_windows([HeldTerm(redis), HeldTerm(port)], MESSAGES)
    assert window.match == 1005


def test_of_equal_ones_the_newest_comes_first() -> None:
    assert order(HeldTerm([at(1, 3), at(2, 3), at(3, 3)])) == [3, 2, 1]
