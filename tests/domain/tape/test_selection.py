"""Which files matter most: the vectors of pi-memory-md, and what ours does better."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxrepo.domain.tape.selection import (
    ENOUGH,
    Boost,
    Score,
    boosts,
    ranked,
    scores,
    window,
)
from ctxrepo.domain.tape.touched_files import Kind, Touch

NOW = 1_800_000_000.0
HOUR = 3600.0

KINDS: dict[str, Kind] = {kind: kind for kind in get_args(Kind)}


def used(*uses: str) -> list[Touch]:
    """From `read 30`: the file a.py was read 30 hours ago; `read 30 b.py` names another one."""
    touches = []
    for words in uses:
        kind, hours, *path = words.split()
        touches.append(Touch(NOW - float(hours) * HOUR, path[0] if path else "a.py", KINDS[kind]))
    return touches


VECTORS = [
    (["read 1"], [], (19.184, 19.184)),
    (["read 30", "edit 2"], [], (23.946, 25.946)),
    (["read 5", "read 4", "read 3", "read 2"], [], (47.600, 47.600)),
    (["write 10"], [(11, True)], (84.180, 84.180)),
    (["edit 100"], [], (0.434, 0.434)),
    (["read 20"], [(30, False)], (21.730, 21.730)),
]


@pytest.mark.parametrize(("uses", "anchors", "wanted"), VECTORS)
def test_smart_ranking_raw_and_final(
    uses: list[str], anchors: list[tuple[float, bool]], wanted: tuple[float, float]
) -> None:
    done = used(*uses)
    left = boosts([(NOW - hours * HOUR, is_keyword) for hours, is_keyword in anchors], done)
    score = scores(done, left, NOW, newest_first=False)["a.py"]
    assert (round(score.raw, 3), round(score.final, 3)) == wanted


def order(*uses: str) -> list[str]:
    return ranked(scores(used(*uses), [], NOW, newest_first=False))


def test_base_scores_write_edit_read_memory_write() -> None:
    assert order("memory_write 1 m", "read 1 r", "edit 1 e", "write 1 w") == ["w", "e", "r", "m"]


def test_ties_final_then_raw_then_last() -> None:
    assert order("read 0 first", "read 0 second") == ["first", "second"]
    now = {"a": Score(60, 62, 1), "b": Score(61, 62, 1), "c": Score(1, 63, 1)}
    assert ranked(now) == ["c", "b", "a"]
    assert ranked({"a": Score(1, 1, 1), "b": Score(1, 1, 2)}) == ["b", "a"]


def test_a_boost_reaches_from_the_anchor_to_the_15th_use_after_it() -> None:
    done = used(*(f"read {hours}" for hours in range(40, 0, -1)))
    (boost,) = boosts([(NOW - 30 * HOUR, False)], done)
    assert boost == Boost(NOW - 30 * HOUR, NOW - 16 * HOUR, 30)
    assert boosts([(NOW - 30 * HOUR, True), (NOW - 20 * HOUR, False)], done) == [
        Boost(NOW - 20 * HOUR, NOW - 6 * HOUR, 30),
        Boost(NOW - 30 * HOUR, NOW - 16 * HOUR, 40),
    ]
    assert boosts([(NOW + HOUR, True)], done) == []
    before, there = used("read 31 b", "read 30 a")
    at = there.at  # nothing has faded by then
    assert scores([before, there], [boost], at, newest_first=False)["b"].raw < 20
    assert scores([before, there], [boost], at, newest_first=False)["a"].raw == 50


@pytest.mark.parametrize(
    ("hours", "kept"),
    [
        ([10, 20, 30, 40, 50], [10, 20, 30, 40, 50]),
        ([10, 73, 97, 121, 145, 168, 169], [10, 73, 97, 121, 145, 168]),
        ([10, 20, 73, 97, 119, 121], [10, 20, 73, 97, 119]),
        ([80, 90], [80, 90]),
        ([168, 169], [168]),
        ([100, 200], [100]),
        ([169], []),
        ([], []),
    ],
)
def test_d18_the_window_grows_by_days_until_there_are_five(hours: list[int], kept: list[int]) -> None:
    done = used(*(f"read {n}" for n in reversed(hours)))
    assert window(done, NOW, 72, 168) == used(*(f"read {n}" for n in reversed(kept)))


def test_d18_a_window_never_grows_beyond_its_end_nor_below_its_start() -> None:
    done = used("read 99", "read 90", "read 1")
    assert len(window(done, NOW, 72, 90)) == 1
    assert len(window(done, NOW, 72, 96)) == 2
    assert len(window(done, NOW, 100, 5)) == 3


def test_w21_the_newest_use_counts_in_full() -> None:
    """There, one more early read makes the edit of an hour ago count less."""
    before, after = (
        scores(used(*uses), [], NOW, newest_first=True)["a.py"].raw
        for uses in (["edit 1"], ["read 60", "edit 1"])
    )
    assert after > before
    lost, kept = (
        scores(used("read 60", "edit 1"), [], NOW, newest_first=p)["a.py"].raw for p in (False, True)
    )
    assert kept > lost


HOURS = st.lists(st.tuples(st.integers(0, 168), st.sampled_from(["read", "edit", "write"])), max_size=9)


@given(HOURS, st.integers(0, 168))
def test_w21_one_use_more_never_makes_a_file_matter_less(uses: list[tuple[int, str]], more: int) -> None:
    """Whatever else was done, at whatever time, as long as it is not before everything else in kind."""
    done = [f"read {hours}" for hours, _ in sorted(uses, reverse=True)]
    fuller = sorted([*done, f"read {more}"], key=lambda use: -int(use.split()[1]))
    less = scores(used(*done), [], NOW, newest_first=True)["a.py"].raw if done else 0.0
    assert scores(used(*fuller), [], NOW, newest_first=True)["a.py"].raw >= less - 1e-9


@given(HOURS)
def test_equal_inputs_equal_order_and_nothing_is_lost(uses: list[tuple[int, str]]) -> None:
    done = used(*(f"{kind} {hours} {n % 3}" for n, (hours, kind) in enumerate(sorted(uses, reverse=True))))
    for newest_first in (False, True):
        first, again = (ranked(scores(done, [], NOW, newest_first=newest_first)) for _ in range(2))
        assert first == again
        assert set(first) == {touch.path for touch in done}
        assert len(window(done, NOW, 24, 168)) >= min(ENOUGH, len(done))
