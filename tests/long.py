"""Which cases of a test are left to `make long`, where all of them would take `make test` too long."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable

import pytest
from _pytest.mark.structures import ParameterSet


def seed(cases: Iterable[object], of: int = 3) -> list[ParameterSet]:
    """The cases for `parametrize`: `make test` runs as many as `of` says, and `make long` the others.

    Those for `make test` are the first, the last, and some at equal steps between them; of a single one, the
    first. A tuple is the values of several parameters; a value that is a tuple itself comes in a
    `pytest.param`, which keeps its id and its marks.
    """
    found = [_set(case) for case in cases]
    last, steps = len(found) - 1, max(of - 1, 1)
    chosen = {round(number * last / steps) for number in range(of)}
    return [case if number in chosen else _long(case) for number, case in enumerate(found)]


def seed_of_each(cases: Iterable[object], kind: Callable[..., Hashable]) -> list[ParameterSet]:
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
