"""Which cases of a test are left to `make long`, where all of them would take `make test` too long."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Hashable, Iterable
from functools import cache
from zlib import crc32

import pytest
from _pytest.mark.structures import ParameterSet
from checkout import CHECKOUT


def mostly_long(cases: Iterable[object], keep: int = 3) -> list[ParameterSet]:
    """The cases for `parametrize`: `make test` runs `keep` of them, and `make long` the others.

    Those for `make test` are the first, the last, and some at equal steps between them; of a single one, the
    first. A tuple is the values of several parameters; a value that is a tuple itself comes in a
    `pytest.param`, which keeps its id and its marks.
    """
    sets = [_set(case) for case in cases]
    last, steps = len(sets) - 1, max(keep - 1, 1)
    kept = {round(number * last / steps) for number in range(keep)}
    return [case if number in kept else _long(case) for number, case in enumerate(sets)]


def rotating(cases: Iterable[object], keep: int = 0) -> list[ParameterSet]:
    """The cases of a matrix for `parametrize`: `make test` runs `keep` of them, or a third where that isn't
    given, and `make long` the others. Which ones depends on the commit, so that pushes in a row try them all.

    For cases that differ in kind and not in size: where the others only take longer, see `mostly_long`.
    """
    sets = [_set(case) for case in cases]
    count = len(sets)
    keep = min(keep or -(-count // 3), count)
    kept = {(_turn() + number * count // keep) % count for number in range(keep)}
    return [case if number in kept else _long(case) for number, case in enumerate(sets)]


_PROCESSES = (
    *("tests/attacks/", "tests/faults/", "tests/users/"),
    *("tests/test_acknowledged", "tests/test_day", "tests/test_demo", "tests/test_first_minutes"),
    *(
        "tests/test_install",
        "tests/test_interleaved",
        "tests/test_line",
        "tests/test_pi_memory",
        "tests/test_session",
    ),
    *("tests/test_torture", "tests/test_warm", "tests/test_weaknesses"),
    *("tests/test_docs.py::test_the_tutorial_works_as_written", "tests/services/meaning/test_ready"),
    *("tests/faces/cli/completion/test_shells", "tests/hooks/moments/test_late", "tests/hooks/test_many"),
    *("tests/hooks/session/test_session_writes", "tests/storage/objects/test_smallpacks"),
)
"""Long stories of many processes."""

_MACHINES = (
    *("tests/faces/cli/notes/test_gone_names", "tests/faces/cli/review/test_conflicts"),
    *(
        f"tests/services/{name}"
        for name in (
            *("anchors/test_converge", "anchors/test_trigger", "delivery/test_watched"),
            *("projects/test_rename_project", "projects/test_sparse", "rescue/test_switch_back"),
            *("review/test_review", "saving/test_followed_moves", "saving/test_held_deletions"),
            *("saving/test_kept_here", "saving/test_refresh", "sync/test_two_versions"),
            *("usage/test_observe", "worker/test_maintain", "worker/test_work"),
        )
    ),
)
"""Stories of two machines that send and fetch several times, a second each."""

STORIES = (*_PROCESSES, *_MACHINES)
"""How the names of tests begin of which each commit runs a twelfth. What each piece of code must do is tested
for every commit where that code is, and `make stories` runs all of these."""

_STORY_TURNS, _SLOW_TURNS = 12, 3

_SHARED = ("tests/test_demo", "tests/test_install")
"""The files of which all tests look at one story, which takes its time; they are due together."""


def takes_turns(item: pytest.Item) -> bool:
    """Whether a commit may leave the test out, which then is one of those that `make stories` runs."""
    return item.nodeid.startswith(STORIES) or item.get_closest_marker("slow") is not None


def leave_most(items: Iterable[pytest.Item]) -> None:
    """Mark as long the tests that aren't due with this commit; those marked `each_commit` always are."""
    for item in items:
        is_slow = item.get_closest_marker("slow") is not None
        if not is_due(item.nodeid, is_slow) and not item.get_closest_marker("each_commit"):
            item.add_marker(pytest.mark.long)


def is_due(test: str, is_slow: bool = False) -> bool:
    """Whether this commit runs the test of this name, with all its cases: of STORIES every twelfth one, or
    every twelfth file where its tests share a story, and of others that are slow every third one."""
    name = test.partition("[")[0]
    if name.startswith(_SHARED):
        name = name.partition("::")[0]
    turns = _STORY_TURNS if name.startswith(STORIES) else _SLOW_TURNS if is_slow else 1
    return (crc32(name.encode()) + _turn()) % turns == 0


@cache
def _turn() -> int:
    """A number that the commit of the checkout decides; 0 where there is none, as in a source package."""
    words = ["git", "-C", str(CHECKOUT), "rev-parse", "--verify", "--quiet", "HEAD"]
    commit = subprocess.run(words, capture_output=True, text=True).stdout
    return int(commit[:8] or "0", 16)


def mostly_long_of_each(cases: Iterable[object], kind: Callable[..., Hashable]) -> list[ParameterSet]:
    """The cases for `parametrize`: `make test` runs the first of each kind, and `make long` the others.

    `kind` is called with the values of a case.
    """
    sets, kinds = [], set[Hashable]()
    for case in map(_set, cases):
        its_kind = kind(*case.values)
        sets.append(_long(case) if its_kind in kinds else case)
        kinds.add(its_kind)
    return sets


def _set(case: object) -> ParameterSet:
    if isinstance(case, ParameterSet):
        return case
    return pytest.param(*case) if isinstance(case, tuple) else pytest.param(case)


def _long(case: ParameterSet) -> ParameterSet:
    return case._replace(marks=(*case.marks, pytest.mark.long))
