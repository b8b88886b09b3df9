"""A doubt is told in a few words, and each has the commands that settle it."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxrepo.domain.doubts.doubt import MOST_BYTES, Doubt, DoubtKind, commands, first_told


def doubt(kind: DoubtKind, words: str = "src/pay.py is gone since 2026-10-03") -> Doubt:
    return Doubt("0a1b2c3d4e5f", "shop/a.md", kind, "src/pay.py", words, "2026-10-03", "f" * 12)


def test_of_several_what_is_known_for_certain_is_told_and_that_nobody_uses_it_never() -> None:
    idle, overtaken, gone = doubt("idle"), doubt("overtaken", "newer"), doubt("gone")
    assert first_told([idle, overtaken, gone]) == gone
    assert first_told([idle]) is None
    assert (gone.remark, idle.remark) == ("(src/pay.py is gone since 2026-10-03)", "")


@given(st.text(max_size=200))
def test_the_words_stand_on_one_line_and_are_short(words: str) -> None:
    remark = doubt("gone", words).remark
    assert "\n" not in remark
    assert len(remark.encode("utf-8", "replace")) <= MOST_BYTES + 2


@pytest.mark.parametrize("kind", get_args(DoubtKind))
def test_each_kind_has_commands_that_settle_it(kind: DoubtKind) -> None:
    lines = commands(doubt(kind))
    assert "ctxrepo verify ^0a1b2c3d4e5f" in lines
    assert all(line.startswith("ctxrepo ") for line in lines)
