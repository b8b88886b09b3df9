"""pi-memory-md's settings are read with its own keys, aliases and defaults."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxrepo.domain.pisettings import (
    PiHooks,
    PiSettings,
    PiTape,
    global_folder,
    narrowed,
    pi_settings,
    redirecting,
)

KEYS = [
    *("enabled", "repoUrl", "localPath", "memoryDir", "globalMemory", "delivery", "hooks", "sessionStart"),
    *("autoSync", "tape", "context", "memoryScan", "fileLimit", "whitelist", "anchor", "keywords", "global"),
    *("labelPrefix", "excludeDirs"),
]
LINUX = ("/proc", "/sys", "/dev", "/run", "/nix/store", "/snap")


def read(**section: Any) -> PiSettings:
    return pi_settings(section, "/home/ada", "linux")


def test_d4_to_d23_nothing_said_is_its_defaults() -> None:
    assert read() == PiSettings(
        enabled=True,
        repo_url="",
        local_path="/home/ada/.pi/memory-md",
        names_path=False,
        global_folder="",
        delivery="message-append",
        hooks=PiHooks(("pull",), (), ()),
        tape=PiTape(
            enabled=False,
            only_git=True,
            exclude_dirs=LINUX,
            strategy="smart",
            file_limit=10,
            scan_hours=(72, 168),
            whitelist=(),
            blacklist=(),
            anchor_mode="auto",
            label_prefix="⚓ ",
            global_keywords=(),
            project_keywords=(),
            path="",
        ),
    )


@pytest.mark.parametrize(("value", "wanted"), [(True, True), (False, False), (None, False), ("x", True)])
def test_d4_enabled(value: object, wanted: bool) -> None:
    assert read(enabled=value).enabled is wanted


def test_d5_d6_the_old_names_win_where_both_are_set() -> None:
    both = read(
        repoUrl="old",
        localPath="/old",
        memoryDir={"repoUrl": "new", "localPath": "/new", "globalMemory": "g"},
    )
    assert (both.repo_url, both.local_path, both.global_folder) == ("old", "/old", "g")
    new = read(repoUrl="", memoryDir={"repoUrl": "new", "localPath": "/new"})
    assert (new.repo_url, new.local_path, new.names_path) == ("new", "/new", True)


@pytest.mark.parametrize(
    ("path", "wanted"),
    [
        ("~/m", "/home/ada/m"),
        ("~", "/home/ada"),
        ("/abs/m", "/abs/m"),
        ("$(touch x)", "$(touch x)"),
        ("$HOME/m", "$HOME/m"),
        ("/a/~/b", "/a/~/b"),
    ],
)
def test_d6_only_a_leading_tilde_stands_for_anything(path: str, wanted: str) -> None:
    assert read(localPath=path).local_path == wanted


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("global", "global"),
        ("shared", "shared"),
        ("foo/bar", "bar"),
        ("/abs/x/", "x"),
        ("..", "global"),
        ("...", "global"),
        ("   ", "global"),
        ("/", "global"),
        ("foo/..", "global"),
        (" padded ", "padded"),
        ("", ""),
        (None, ""),
        (3, ""),
        (True, ""),
    ],
)
def test_d7_the_global_folder_is_the_last_part(name: object, wanted: str) -> None:
    assert global_folder(name) == wanted
    assert read(memoryDir={"globalMemory": name}).global_folder == wanted


def test_d7_only_the_key_itself_counts() -> None:
    assert read(memoryDir={}, globalMemory="x").global_folder == ""


@given(st.text())
@settings(max_examples=200)
def test_d7_it_is_always_one_part(name: str) -> None:
    found = global_folder(name)
    assert "/" not in found
    assert found not in (".", "..")


def test_d8_delivery_has_an_old_name_and_is_not_judged() -> None:
    assert read(injection="system-prompt").delivery == "system-prompt"
    assert read(delivery="odd", injection="system-prompt").delivery == "odd"
    assert read(delivery=None, injection="x").delivery == "x"


@pytest.mark.parametrize(
    ("section", "wanted"),
    [
        ({"hooks": {"sessionStart": []}}, PiHooks((), is_explicit=True)),
        ({"hooks": {"sessionStart": "push"}}, PiHooks(("pull",), is_explicit=True)),
        ({"hooks": {"sessionStart": [" pull ", "", "  "]}}, PiHooks(("pull",), is_explicit=True)),
        ({"hooks": {"sessionEnd": ["push"]}}, PiHooks(("pull",), ("push",), is_explicit=True)),
        (
            {"hooks": {"beforeAgentStart": ["sessionBridge"]}},
            PiHooks(("pull",), (), ("sessionBridge",), is_explicit=True),
        ),
        ({"hooks": {"sessionStart": ["odd"]}}, PiHooks(("odd",), is_explicit=True)),
        ({"autoSync": {"onSessionStart": False}}, PiHooks((), is_explicit=True)),
        ({"autoSync": {"onSessionStart": 0}}, PiHooks(("pull",), is_explicit=True)),
        ({"autoSync": {}}, PiHooks(("pull",), is_explicit=True)),
        (
            {"hooks": {"sessionStart": ["pull"]}, "autoSync": {"onSessionStart": False}},
            PiHooks(is_explicit=True),
        ),
        ({"hooks": "pull"}, PiHooks()),
    ],
)
def test_d9_to_d12_hooks_under_both_names(section: dict[str, Any], wanted: PiHooks) -> None:
    assert read(**section).hooks == wanted


def test_d3_a_project_takes_away() -> None:
    mine = read(tape={"context": {"blacklist": ["a"]}})
    own = {
        "enabled": False,
        "tape": {
            "enabled": False,
            "onlyGit": True,
            "excludeDirs": ["/x"],
            "context": {"blacklist": ["b"], "fileLimit": 2},
        },
    }
    found = narrowed(mine, own, "/home/ada")
    assert (found.enabled, found.tape.enabled, found.tape.file_limit) == (False, False, 2)
    assert (found.tape.blacklist, found.tape.exclude_dirs) == (("a", "b"), (*LINUX, "/x"))


def test_d3_a_project_adds_nothing_and_leads_nowhere() -> None:
    mine = read(enabled=False, tape={"enabled": False, "onlyGit": True, "context": {"fileLimit": 3}})
    own: dict[str, Any] = {
        "enabled": True, "repoUrl": "evil", "localPath": "/evil", "memoryDir": {"globalMemory": "x"},
        "hooks": {"sessionEnd": ["push"]}, "delivery": "system-prompt",
        "tape": {
            "enabled": True, "onlyGit": False, "tapePath": "/evil",
            "context": {"fileLimit": 99, "whitelist": ["/etc/passwd"]},
            "anchor": {"keywords": {"global": ["a"]}},
        },
    }  # fmt: skip
    assert narrowed(mine, own, "/home/ada") == mine
    assert redirecting(own) == ("repoUrl", "localPath", "memoryDir", "hooks", "tape.tapePath")
    assert redirecting({"enabled": False, "autoSync": {}, "tape": None}) == ("autoSync",)


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(KEYS),
                inner,
                max_size=4,
            )
        ),
        max_leaves=12,
    )
)
@settings(max_examples=200)
def test_whatever_stands_there_it_is_read(found: object) -> None:
    section = found if isinstance(found, dict) else {"memoryDir": found, "tape": found, "hooks": found}
    mine = pi_settings(section, "/home/ada", "linux")
    assert mine.tape.scan_hours[0] <= mine.tape.scan_hours[1]
    assert narrowed(mine, section, "/home/ada").local_path == mine.local_path
