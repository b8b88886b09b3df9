"""Secrets in notes are found, and other lines are left in peace."""

from __future__ import annotations

import sysconfig
from itertools import islice
from pathlib import Path

import pytest
from attacks.secrets_corpus import KINDS
from attacks.secrets_score import alarms, score, texts
from checkout import CHECKOUT
from long import mostly_long, rotating

pytestmark = pytest.mark.each_commit

HERE = CHECKOUT


def test_the_corpus_has_its_kinds_and_is_the_same_for_a_seed() -> None:
    assert len({kind.name for kind in KINDS}) == len(KINDS) >= 150
    assert [kind.planted(7) for kind in KINDS] == [kind.planted(7) for kind in KINDS]


def test_of_a_hundred_kinds_of_secrets_ninety_five_are_found() -> None:
    outcome = score(0)
    assert outcome.share >= 0.95, sorted(f"{kind.family}/{kind.name}" for kind, _ in outcome.missed)


@pytest.mark.parametrize("every", mostly_long([36, 1], keep=1))
def test_of_a_thousand_lines_of_the_standard_library_one_at_most_is_flagged(every: int) -> None:
    files = texts(Path(sysconfig.get_path("stdlib")), (".py",))
    seen = alarms(islice(files, 0, None, every))
    assert seen.lines > 100_000 / every
    assert seen.rate <= 1, seen.by_rule


@pytest.mark.parametrize("part", rotating(range(4), keep=1))
def test_of_a_thousand_lines_of_this_tree_one_at_most_is_flagged(part: int) -> None:
    files = (pair for name in ("ctxrepo", "docs", "tests", "tools") for pair in texts(HERE / name))
    seen = alarms(islice(files, part, None, 4))
    assert seen.lines > 10_000
    assert seen.rate <= 1, seen.by_rule
