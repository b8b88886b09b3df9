"""Words and meaning in one ranking: neither drowns the other, and what is in every entry tells nothing."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st


def test_a_rare_word_beats_a_vague_likeness_and_a_common_one_doesnt() -> None:
    import numpy as np

    from ctxrepo.services.meaning.fusion import fused

    rng = np.random.default_rng(1)
    meaning = rng.normal(0, 0.05, 500).astype(np.float32)
    meaning[7] = 0.3
    known = np.ones(500, bool)
    words = np.zeros(500)
    words[3] = 60.0
    notes = np.zeros(500, bool)
    assert int(fused(words, meaning, known, notes).argmax()) == 3
    everywhere = np.full(500, 6.0)
    everywhere[3] = 7.0
    assert int(fused(everywhere, meaning, known, notes).argmax()) == 7


def test_in_a_memory_of_logs_words_count_more() -> None:
    import numpy as np

    from ctxrepo.services.meaning.fusion import fused

    words, meaning = np.array([0.0, 4.0, 0.0, 0.0]), np.array([0.3, 0.2, 0.0, 0.0], np.float32)
    known = np.ones(4, bool)
    of_notes, of_logs = (fused(words, meaning, known, np.full(4, logs)) for logs in (False, True))
    assert of_logs[1] - of_logs[0] > of_notes[1] - of_notes[0] + 1


def test_an_entry_without_vectors_is_found_by_its_words() -> None:
    import numpy as np

    from ctxrepo.services.meaning.fusion import fused

    words = np.array([0.0, 9.0, 0.0, 0.0])
    meaning = np.array([0.4, 0.0, 0.1, 0.0], np.float32)
    notes = np.zeros(4, bool)
    scores = fused(words, meaning, np.array([True, False, True, True]), notes)
    assert int(scores.argmax()) == 1
    assert int(fused(words, meaning, np.zeros(4, bool), notes).argmax()) == 1


def test_what_any_prompt_reaches_is_no_strength() -> None:
    import numpy as np

    from ctxrepo.services.meaning.fusion import above_usual, margin

    known, none = np.ones(3, bool), np.zeros(3)
    usual = np.array([0.1, 0.9, 0.1], np.float32)
    as_usual = above_usual(usual, usual, 1.0)
    assert margin(none, as_usual, known) < 1
    assert margin(none, above_usual(np.array([0.6, 0.9, 0.1], np.float32), usual, 1.0), known) > 1
    assert margin(np.array([20.0, 0, 0]), as_usual, known) > 1
    assert margin(np.array([2.0, 0, 0]), as_usual, known) < 1
    assert margin(none, above_usual(usual, none, 1.0), np.zeros(3, bool)) == 0


@given(common=st.floats(0.0, 0.95), seed=st.integers(0, 1000))
def test_what_all_texts_have_in_common_moves_no_gate(common: float, seed: int) -> None:
    """The same texts as a model sees them and as one does that puts all of them near to each other."""
    import numpy as np

    from ctxrepo.services.meaning.fusion import above_usual, spread_of

    def near(rows: Any) -> Any:
        column = np.full((len(rows), 1), common**0.5)
        return np.concatenate([column, (1 - common) ** 0.5 * rows], axis=1)

    def above(prompt: Any, prompts: Any, entries: Any) -> Any:
        return above_usual(entries @ prompt, (entries @ prompts.T).mean(axis=1), spread_of(prompts))

    rows = np.random.default_rng(seed).normal(0, 1, (12, 6))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    gates = above(rows[0], rows[1:5], rows[5:])
    assert above(near(rows)[0], near(rows)[1:5], near(rows)[5:]) == pytest.approx(gates)
    assert spread_of(rows[:1]) > 0


def test_in_a_larger_memory_more_must_stand_out() -> None:
    from ctxrepo.services.meaning.fusion import least

    assert [least(n) for n in (0, 10, 1000, 100_000)] == sorted(least(n) for n in (0, 10, 1000, 100_000))
    assert least(100_000) > least(10) + 1
    assert least(2) == least(40) < least(41), "in a new memory chance reaches as much"


def test_several_words_tell_more_than_each_by_itself() -> None:
    """One word of a prompt is in some entry by chance; entry 1 has both of two, in 0 stands one of them."""
    import numpy as np

    from ctxrepo.services.meaning.fusion import fused

    meaning, known, notes = np.zeros(2), np.zeros(2, bool), np.zeros(2, bool)
    single, both = fused(np.array([2.0, 4.0]), meaning, known, notes)
    assert both > 2 * single > 0


def test_an_entry_means_what_it_says_most_of_all() -> None:
    import numpy as np

    from ctxrepo.services.meaning.fusion import FUSION, combined

    parts = [np.eye(1, 5, k, dtype=np.float32) for k in range(5)]
    ranked, gated = combined(FUSION.ranked, *parts)[0], combined(FUSION.gated, *parts[:3])[0]
    assert ranked[0] == max(ranked) > 0 < ranked[3]
    assert gated[0] > gated[1] == gated[2] > 0 == gated[3]
    assert float(ranked @ ranked) == pytest.approx(1.0) == float(gated @ gated)


@given(sizes=st.lists(st.integers(1, 6), max_size=5), seed=st.integers(0, 1000))
def test_what_stands_around_an_entry_is_of_its_own_note(sizes: list[int], seed: int) -> None:
    import numpy as np

    from ctxrepo.services.meaning.fusion import around

    plain = np.random.default_rng(seed).normal(0, 1, (sum(sizes), 4))
    notes = np.repeat(np.arange(len(sizes)) * 7, sizes)
    whole, beside = around(plain, notes)
    for place, note in enumerate(notes):
        own = plain[notes == note].sum(axis=0)
        near = sum(
            plain[p] for p in (place - 1, place, place + 1) if 0 <= p < len(notes) and notes[p] == note
        )
        assert whole[place] == pytest.approx(own / np.linalg.norm(own))
        assert beside[place] == pytest.approx(near / np.linalg.norm(near))


@given(common=st.floats(0.0, 0.95), noise=st.floats(0.0, 0.3), seed=st.integers(0, 1000))
def test_a_model_tells_pairs_apart_however_near_it_puts_all_texts(
    common: float, noise: float, seed: int
) -> None:
    import numpy as np

    from ctxrepo.services.meaning.fusion import told_apart

    rng = np.random.default_rng(seed)
    twins = np.repeat(np.eye(6), 2, axis=0) + rng.normal(0, noise / 6, (12, 6))
    near = np.concatenate([np.full((12, 1), common**0.5), (1 - common) ** 0.5 * twins], axis=1)
    near /= np.linalg.norm(near, axis=1, keepdims=True)
    assert told_apart(near) > 0.7
    alike = 1.0 + rng.normal(0, 0.2, (12, 400))
    alike /= np.linalg.norm(alike, axis=1, keepdims=True)
    assert abs(told_apart(alike)) < 0.3


def test_the_margin_is_that_of_the_entry_that_stands_out_most_by_itself() -> None:
    import numpy as np

    from ctxrepo.services.meaning.fusion import margin, own_margins

    known = np.ones(3, bool)
    for words, above in (([30.0, 2, 0], [0.1, 0.1, 0.1]), ([0.0, 0, 0], [0.6, 0.1, -0.2])):
        own = own_margins(np.array(words), np.array(above), 3, 1.5)
        assert own[0] > own[1] > own[2]
        assert margin(np.array(words), np.array(above), known, 1.5) == pytest.approx(own[0])


def test_in_words_chance_reaches_more_beside_a_long_prompt_and_in_meaning_no_more() -> None:
    import numpy as np

    from ctxrepo.services.meaning.fusion import margin

    known, none = np.ones(3, bool), np.zeros(3)
    meant = np.array([0.5, 0.1, 0.1])
    assert margin(none, meant, known, 3.0) == margin(none, meant, known)
    words = np.array([20.0, 0, 0])
    assert margin(words, none, known, 3.0) == pytest.approx(margin(words / 3.0, none, known))
