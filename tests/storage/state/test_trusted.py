"""The checkouts that a person trusts."""

from __future__ import annotations

from pathlib import Path

import pytest

from ctxrepo.errors import Unreadable
from ctxrepo.storage.state.compiled import TrustedCheckouts


def test_a_checkout_is_trusted_under_its_name_at_its_place(tmp_path: Path) -> None:
    trusted = TrustedCheckouts(tmp_path / "trusted.jsonl")
    assert not trusted.has(Path("/a"), "h/x")
    assert trusted.add(Path("/a"), "h/x")
    assert not trusted.add(Path("/a"), "h/x")
    assert trusted.has(Path("/a"), "h/x")
    assert not trusted.has(Path("/a"), "h/y")
    assert not trusted.has(Path("/b"), "h/x")


def test_lines_that_are_none_are_passed_over(tmp_path: Path) -> None:
    file = tmp_path / "trusted.jsonl"
    file.write_text('{"top": "/a", "own"\n[]\n{"top": 1, "own": "x"}\n')
    trusted = TrustedCheckouts(file)
    assert trusted.add(Path("/a"), "h/x")
    assert trusted.has(Path("/a"), "h/x")


def test_a_place_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "trusted.jsonl").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(Unreadable):
        TrustedCheckouts(tmp_path / "trusted.jsonl").add(Path("/a"), "h/x")
    assert not (tmp_path / "elsewhere").exists()
