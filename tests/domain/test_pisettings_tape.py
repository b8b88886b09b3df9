"""The tape's settings: kept as they are meant, until there is more of a tape to set."""

from __future__ import annotations

import math
from typing import Any

import pytest

from ctxrepo.domain.pisettings import PiTape, pi_settings

LINUX = ("/proc", "/sys", "/dev", "/run", "/nix/store", "/snap")


def tape(**found: Any) -> PiTape:
    return pi_settings({"tape": found}, "/home/ada", "linux").tape


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        ({}, True),
        ({"enabled": True}, True),
        ({"enabled": None}, True),
        ({"enabled": False}, False),
        (None, False),
    ],
)
def test_d13_the_block_alone_turns_the_tape_on(value: object, wanted: bool) -> None:
    assert pi_settings({"tape": value}, "/home/ada", "linux").tape.enabled is wanted


def test_d14_to_d17() -> None:
    assert not tape(onlyGit=False).only_git
    assert tape(onlyGit=0).only_git
    excluded = tape(excludeDirs=["relative", " ~/big ", "/proc", "/mnt", "/mnt"]).exclude_dirs
    assert excluded == (*LINUX, "/home/ada/big", "/mnt")
    assert pi_settings({}, "/home/ada", "darwin").tape.exclude_dirs == ("/System",)
    assert tape(context={"strategy": "recent-only"}).strategy == "recent-only"
    assert tape(context={"fileLimit": 3}).file_limit == 3


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        ([24, 48], (24, 48)),
        ([200, 48], (200, 200)),
        ([-1, 0], (72, 168)),
        ([1.9, 2.9], (1, 2)),
        ([math.inf, 300], (72, 300)),
        ([80], (80, 168)),
        ("x", (72, 168)),
        ([True, 200], (72, 200)),
    ],
)
def test_d18_hours_are_positive_and_the_last_is_not_before_the_first(
    value: object, wanted: tuple[int, int]
) -> None:
    assert tape(context={"memoryScan": value}).scan_hours == wanted


def test_d19_lists_are_trimmed_and_the_old_name_comes_first() -> None:
    found = tape(
        context={"alwaysInclude": [" a ", "b"], "whitelist": ["b", "", "c"], "blacklist": ["x", "x "]}
    )
    assert (found.whitelist, found.blacklist) == (("a", "b", "c"), ("x",))


def test_d20_to_d23() -> None:
    anchor = {"mode": "manual", "labelPrefix": "  ", "keywords": {"global": [" A", "a"], "project": ["Ü"]}}
    found = tape(anchor=anchor, tapePath="~/tapes")
    assert (found.anchor_mode, found.label_prefix, found.path) == ("manual", "⚓ ", "/home/ada/tapes")
    assert (found.global_keywords, found.project_keywords) == (("a",), ("ü",))
    assert tape(anchor={"mode": "odd", "labelPrefix": "* "}).label_prefix == "* "
    assert tape(anchor={"mode": "odd"}).anchor_mode == "auto"
