"""Which cases `make test` runs of many, and which it leaves to `make long`."""

from __future__ import annotations

from itertools import chain

import long
import pytest
from _pytest.mark.structures import ParameterSet
from long import is_due, mostly_long, mostly_long_of_each, rotating, takes_turns


def plain(cases: list[ParameterSet]) -> list[tuple[object, ...]]:
    """The values of the cases that `make test` runs."""
    return [tuple(case.values) for case in cases if "long" not in [mark.name for mark in case.marks]]


def test_as_many_as_asked_for_are_plain_and_none_is_left_out() -> None:
    for count in range(1, 30):
        for keep in range(1, 8):
            cases = mostly_long(range(count), keep)
            assert [case.values for case in cases] == [(number,) for number in range(count)]
            assert len(plain(cases)) == min(keep, count), (count, keep)


def test_the_plain_ones_are_spread() -> None:
    assert plain(mostly_long("abcdefghi")) == [("a",), ("e",), ("i",)]
    assert plain(mostly_long("abcdefghi", keep=1)) == [("a",)]


def test_commits_in_turn_try_every_case(monkeypatch: pytest.MonkeyPatch) -> None:
    for count in range(1, 12):
        for keep in range(4):
            tried = set()
            for turn in range(count):
                monkeypatch.setattr(long, "_turn", lambda turn=turn: 1000 + turn)
                cases = rotating(range(count), keep)
                assert [case.values for case in cases] == [(number,) for number in range(count)]
                assert len(plain(cases)) == min(keep or -(-count // 3), count), (count, keep)
                tried |= {*plain(cases)}
            assert len(tried) == count, (count, keep)


def test_of_each_kind_the_first_is_plain() -> None:
    cases = mostly_long_of_each([("a", 1), ("a", 2), ("b", 3), ("a", 4)], lambda letter, number: letter)
    assert [case.values for case in cases] == [("a", 1), ("a", 2), ("b", 3), ("a", 4)]
    assert plain(cases) == [("a", 1), ("b", 3)]


def test_a_case_keeps_its_id_and_its_marks() -> None:
    marked = pytest.mark.filterwarnings("error")
    cases = [1, pytest.param((2, 3), id="two", marks=marked), 4]
    for marked_cases in (
        mostly_long(cases, keep=2),
        mostly_long_of_each(cases, lambda value: isinstance(value, int | tuple)),
    ):
        assert marked_cases[1].values == ((2, 3),)
        assert marked_cases[1].id == "two"
        assert [mark.name for mark in marked_cases[1].marks] == ["filterwarnings", "long"]


def test_long_cases_are_deselected_where_nobody_asks_for_them(pytestconfig: pytest.Config) -> None:
    options = pytestconfig.getini("addopts")
    assert options[options.index("-m") + 1] == "not long"


@pytest.mark.parametrize("number", mostly_long([1, 2], keep=1))
def test_a_long_case_runs_beside_no_plain_one(number: int, request: pytest.FixtureRequest) -> None:
    marks = request.config.getoption("-m")
    assert (number == 2) == (request.node.get_closest_marker("long") is not None)
    assert marks != "not long" or number == 1
    assert marks != "long" or number == 2


@pytest.mark.parametrize(
    ("folder", "is_slow", "turns"), [("tests/faults", False, 12), ("tests/domain", True, 3)]
)
def test_each_commit_runs_a_part_and_as_many_in_a_row_run_all(
    folder: str, is_slow: bool, turns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"{folder}/test_a.py::test_{number}[case]" for number in range(120)]
    parts = []
    for turn in range(7, 7 + turns):
        monkeypatch.setattr(long, "_turn", lambda turn=turn: turn)
        parts.append([name for name in names if is_due(name, is_slow)])
        assert is_due("tests/domain/test_a.py::test_1")
        assert len({is_due(f"{folder}/test_a.py::test_1[{case}]", is_slow) for case in "abc"}) == 1
    assert all(len(part) >= 4 for part in parts)
    assert sorted(chain(*parts)) == sorted(names)


def test_tests_that_share_a_story_are_due_together(monkeypatch: pytest.MonkeyPatch) -> None:
    turns = []
    for turn in range(7, 19):
        monkeypatch.setattr(long, "_turn", lambda turn=turn: turn)
        turns.append({is_due(f"tests/test_demo.py::test_{number}") for number in range(20)})
    assert sorted(map(sorted, turns)) == [[False]] * 11 + [[True]]


@pytest.mark.slow
def test_a_slow_test_is_one_that_takes_turns(request: pytest.FixtureRequest) -> None:
    assert takes_turns(request.node)


def test_what_is_not_due_is_long(request: pytest.FixtureRequest) -> None:
    items = request.session.items
    marks = request.config.getoption("-m")
    assert marks != "not long" or request.config.getoption("stories") or not any(map(_is_left, items))
    assert not takes_turns(request.node)


def _is_left(item: pytest.Item) -> bool:
    is_slow = item.get_closest_marker("slow") is not None
    return not is_due(item.nodeid, is_slow) and not item.get_closest_marker("each_commit")
