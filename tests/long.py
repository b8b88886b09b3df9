"""Which cases of a test are left to `make long`, where all of them would take `make test` too long."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable

import pytest
from _pytest.mark.structures import ParameterSet


def mostly_long(cases: Iterable[object], keep: int = 3) -> list[ParameterSet]:
    """The cases for `parametrize`: `make test` runs `keep` of them, and `make long` the others.

    Those for `make test` are the first, the last, and some at equal steps between them; of a single one, the
    first. A tuple is the values of several parameters; a value that is a tuple itself comes in a
    `pytest.param`, which keeps its id and its marks.
    """
    found = [_set(case) for case in cases]
    last, steps = len(found) - 1, max(keep - 1, 1)
    kept = {round(number * last / steps) for number in range(keep)}
    return [case if number in kept else _long(case) for number, case in enumerate(found)]


def mostly_long_of_each(cases: Iterable[object], kind: Callable[..., Hashable]) -> list[ParameterSet]:
    """The cases for `parametrize`: `make test` runs the first of each kind, and `make long` the others.

    `kind` is called with the values of a case.
    """
    found, seen = [], set[Hashable]()
    for case in map(_set, cases):
        its_kind = kind(*case.values)
        found.append(_long(case) if its_kind in seen else case)
        seen.add(its_kind)
    return found


def _set(case: object) -> ParameterSet:
    if isinstance(case, ParameterSet):
        return case
    return pytest.param(*case) if isinstance(case, tuple) else pytest.param(case)


def _long(case: ParameterSet) -> ParameterSet:
    return case._replace(marks=(*case.marks, pytest.mark.long))
