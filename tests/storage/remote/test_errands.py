"""Errands are wanted until somebody has been there, whatever happens meanwhile."""

from __future__ import annotations

from pathlib import Path

from ctxrepo.storage.remote.exchanges import Errands


def test_an_errand_is_run_once(tmp_path: Path) -> None:
    errands = Errands(tmp_path)
    assert not errands.are_waiting
    assert errands.begin() == frozenset()
    for _ in range(3):
        errands.leave("send")
    assert errands.begin() == {"send"}
    errands.finish()
    assert not errands.are_waiting
    assert list(tmp_path.glob("send*")) == []


def test_one_that_is_left_while_it_is_run_is_run_again(tmp_path: Path) -> None:
    errands = Errands(tmp_path)
    errands.leave("send")
    errands.begin()
    errands.leave("send", "fetch")
    errands.finish()
    assert errands.begin() == {"send", "fetch"}


def test_one_that_was_never_finished_is_still_wanted(tmp_path: Path) -> None:
    Errands(tmp_path).leave("send")
    Errands(tmp_path).begin()
    assert Errands(tmp_path).are_waiting
    assert Errands(tmp_path).begin() == {"send"}
