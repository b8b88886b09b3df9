"""Where the branch was at a moment, whatever the clocks of machines say."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from machines import NOW, Machine, make_ada

from ctxrepo.services.history.changes import commit_at
from ctxrepo.storage.objects.store import Author


@pytest.fixture
def mine(tmp_path: Path) -> Machine:
    return make_ada(tmp_path)


def add(machine: Machine, hour: float, *more: str) -> str:
    """A commit of that hour on top of the branch, and of `more` parents."""
    memory = machine.open()
    objects = memory.objects
    tree, head = str(memory.head_tree), str(memory.head)
    when = NOW + timedelta(hours=hour)
    made = objects.commit(tree, [head, *more], f"{hour}", Author("a", "a@example.org"), when)
    machine.git("update-ref", "refs/heads/main", made)
    return made


def at(machine: Machine, hour: float) -> tuple[str | None, bool]:
    return commit_at(machine.open(), NOW + timedelta(hours=hour))


def test_it_is_the_last_commit_that_is_not_younger(mine: Machine) -> None:
    first = str(mine.open().head)
    second, third = add(mine, 1), add(mine, 2)
    assert [at(mine, hour) for hour in (0.5, 1, 1.5, 9)] == [
        (c, False) for c in (first, second, second, third)
    ]
    assert at(mine, -1) == (None, False)


def test_a_clock_that_is_behind_hides_nothing_and_one_that_is_ahead_is_passed(mine: Machine) -> None:
    start = str(mine.open().head)
    add(mine, 5)
    add(mine, -30)  # by a machine whose clock is behind
    assert at(mine, 3) == (start, False)
    for hour in range(6, 20):
        add(mine, hour)
    assert at(mine, 19)[0] == str(mine.open().head)


def test_of_a_merge_it_goes_on_where_this_branch_was(mine: Machine) -> None:
    base = str(mine.open().head)
    other = add(mine, 1)
    mine.git("update-ref", "refs/heads/main", base)
    own = add(mine, 2)
    add(mine, 4, other)
    assert at(mine, 3) == (own, False)
