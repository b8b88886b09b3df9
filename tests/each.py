"""A law held against many cases in one test, which names all that break it.

As tests of their own thousands of quick cases take longer to collect, once in each test process, than to run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

Case = TypeVar("Case")


def for_each(
    cases: Iterable[Case], name: Callable[[Case], str] = lambda _: ""
) -> Callable[[Callable[[Case], None]], Callable[[], None]]:
    """Make one test of a law and its cases; `name` says in the failure which case broke it."""
    listed = list(cases)

    def test_of(holds: Callable[[Case], None]) -> Callable[[], None]:
        def law() -> None:
            broken = []
            for case in listed:
                try:
                    holds(case)
                except AssertionError as error:
                    broken.append(f"{name(case)} {error}".strip())
            assert listed, "there is nothing to look at"
            assert not broken, "\n".join(broken)

        law.__name__, law.__doc__ = holds.__name__, holds.__doc__
        return law

    return test_of
