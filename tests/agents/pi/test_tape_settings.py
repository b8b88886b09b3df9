"""pi-memory-md's `tape` block becomes the settings of our tape, row by row of the behaviour page."""

from __future__ import annotations

from typing import Any

import pytest

from ctxrepo.agents.pi.memory_settings import tape_settings
from ctxrepo.domain.settings.values import TapeSettings


def read(tape: Any, *, bridges: bool = False) -> TapeSettings:
    return tape_settings({"tape": tape}, bridges)


def context(**keys: Any) -> TapeSettings:
    return read({"context": keys})


def anchor(**keys: Any) -> TapeSettings:
    return read({"anchor": keys})


@pytest.mark.parametrize(
    ("tape", "wanted"), [({}, True), ({"enabled": True}, True), ({"enabled": False}, False), ("", False)]
)
def test_d13_a_block_switches_it_on_unless_it_says_false(tape: Any, wanted: bool) -> None:
    assert read(tape).enabled is wanted


@pytest.mark.parametrize(("value", "wanted"), [(True, True), (False, False), (0, True), (None, True)])
def test_d14_only_a_literal_false_lets_folders_without_git_in(value: Any, wanted: bool) -> None:
    assert read({"onlyGit": value}).only_git is wanted


def test_d15_folders_are_added_to_its_own_and_relative_ones_dropped() -> None:
    folders = read({"excludeDirs": ["/srv/x", "here", " /srv/x ", 3, "D:\\tmp"]}).exclude_dirs
    assert folders[:6] == ("/proc", "/sys", "/dev", "/run", "/nix/store", "/snap")
    assert "C:\\ProgramData" in folders
    assert folders[-2:] == ("/srv/x", "D:\\tmp")


@pytest.mark.parametrize(
    ("value", "wanted"), [("recent-only", "recent"), ("smart", "smart"), ("other", "smart"), (None, "smart")]
)
def test_d16_strategy(value: Any, wanted: str) -> None:
    assert context(strategy=value).strategy == wanted


@pytest.mark.parametrize(("value", "wanted"), [(3, 3), (0, 10), (-1, 10), ("4", 10), (True, 10), (None, 10)])
def test_d17_file_limit(value: Any, wanted: int) -> None:
    assert context(fileLimit=value).file_limit == wanted


@pytest.mark.parametrize(
    ("value", "wanted"),
    [(None, (72, 168)), ([24, 48], (24, 48)), ([100, 48], (100, 100)), ([0, -1], (72, 168)),
     ([1], (72, 168)), ([24.7, 48], (24, 48)), (["a", 200], (72, 200))],
)  # fmt: skip
def test_d18_memory_scan(value: Any, wanted: tuple[int, int]) -> None:
    settings = context(memoryScan=value)
    assert (settings.scan_hours, settings.scan_hours_max) == wanted


def test_d19_lists_of_paths_are_merged_and_trimmed() -> None:
    settings = context(alwaysInclude=[" core/USER.md ", "a"], whitelist=["a", "b", ""], blacklist=["c", " c"])
    assert (settings.whitelist, settings.blacklist) == (("core/USER.md", "a", "b"), ("c",))


@pytest.mark.parametrize(("value", "wanted"), [("manual", "manual"), ("auto", "auto"), ("MANUAL", "auto")])
def test_d20_only_manual_is_special(value: str, wanted: str) -> None:
    assert anchor(mode=value).mode == wanted


@pytest.mark.parametrize(("value", "wanted"), [("# ", "# "), ("  ", "⚓ "), (None, "⚓ "), (3, "⚓ ")])
def test_d21_a_blank_prefix_is_the_default(value: Any, wanted: str) -> None:
    assert anchor(labelPrefix=value).label_prefix == wanted


def test_d22_keywords_are_merged_in_small_letters() -> None:
    lists = {"global": [" Refactor ", "", 3], "project": ["refactor", "Migration"]}
    assert anchor(keywords=lists).keywords == ("refactor", "migration")


@pytest.mark.parametrize(("bridges", "wanted"), [(True, 60), (False, 0)])
def test_d66_the_bridge_is_one_of_its_hooks(bridges: bool, wanted: int) -> None:
    assert read({}, bridges=bridges).bridge_seconds == wanted
