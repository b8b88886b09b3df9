"""pi-memory-md's settings are read with its own keys, aliases and defaults."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxrepo.agents.pi.memory_settings import KEY, global_folder, memory_of, redirecting
from ctxrepo.domain.settings.values import OwnHooks, OwnMemory

KEYS = [
    *("enabled", "repoUrl", "localPath", "memoryDir", "globalMemory", "delivery", "hooks", "sessionStart"),
    *("autoSync", "tape", "context", "memoryScan", "fileLimit", "whitelist", "anchor", "keywords", "global"),
    *("labelPrefix", "excludeDirs"),
]


def read(**section: Any) -> OwnMemory:
    return memory_of(section, "/home/ada")


def test_d4_to_d23_nothing_said_is_its_defaults() -> None:
    assert read() == OwnMemory(
        enabled=True,
        repo_url="",
        local_path="/home/ada/.pi/memory-md",
        names_path=False,
        global_folder="",
        is_in_system_prompt=False,
        hooks=OwnHooks(("pull",), ()),
        has_tape=False,
        tape=None,
        odd=(),
    )


@pytest.mark.parametrize(("value", "wanted"), [(True, True), (False, False), (None, False), ("x", True)])
def test_d4_enabled(value: object, wanted: bool) -> None:
    assert read(enabled=value).enabled is wanted


@pytest.mark.parametrize(
    ("section", "wanted"),
    [
        ({"delivery": "message-append"}, False),
        ({"delivery": "system-prompt"}, True),
        ({"injection": "system-prompt"}, True),
        ({"delivery": "message-append", "injection": "system-prompt"}, False),
        ({"delivery": None, "injection": "x"}, True),
        ({"delivery": "odd"}, True),
        ({"delivery": 3}, False),
    ],
)
def test_d8_delivery_has_an_old_name_and_is_not_judged(section: dict[str, Any], wanted: bool) -> None:
    assert read(**section).is_in_system_prompt is wanted


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
def test_d7_it_is_always_one_part(name: str) -> None:
    folder = global_folder(name)
    assert "/" not in folder
    assert folder not in (".", "..")


@pytest.mark.parametrize(
    ("section", "wanted"),
    [
        ({"hooks": {"sessionStart": []}}, OwnHooks((), is_explicit=True)),
        ({"hooks": {"sessionStart": "push"}}, OwnHooks(("pull",), is_explicit=True)),
        ({"hooks": {"sessionStart": [" pull ", "", "  "]}}, OwnHooks(("pull",), is_explicit=True)),
        ({"hooks": {"sessionEnd": ["push"]}}, OwnHooks(("pull",), ("push",), is_explicit=True)),
        ({"hooks": {"beforeAgentStart": ["sessionBridge"]}}, OwnHooks(("pull",), (), is_explicit=True)),
        ({"hooks": {"onSessionStart": False}}, OwnHooks((), is_explicit=True)),
        ({"hooks": {"sessionStart": ["odd"]}}, OwnHooks(("odd",), is_explicit=True)),
        ({"autoSync": {"onSessionStart": False}}, OwnHooks((), is_explicit=True)),
        ({"autoSync": {"onSessionStart": 0}}, OwnHooks(("pull",), is_explicit=True)),
        ({"autoSync": {}}, OwnHooks(("pull",), is_explicit=True)),
        (
            {"hooks": {"sessionStart": ["pull"]}, "autoSync": {"onSessionStart": False}},
            OwnHooks(is_explicit=True),
        ),
        ({"hooks": "pull"}, OwnHooks()),
    ],
)
def test_d9_to_d12_hooks_under_both_names(section: dict[str, Any], wanted: OwnHooks) -> None:
    assert read(**section).hooks == wanted


def test_d3_what_a_project_would_redirect() -> None:
    own = {
        "enabled": True, "repoUrl": "evil", "localPath": "/evil", "memoryDir": {"globalMemory": "x"},
        "hooks": {"sessionEnd": ["push"]}, "tape": {"tapePath": "/evil"},
    }  # fmt: skip
    assert redirecting({KEY: own}) == ("repoUrl", "localPath", "memoryDir", "hooks", "tape.tapePath")
    assert redirecting({KEY: {"enabled": False, "autoSync": {}, "tape": None}}) == ("autoSync",)


def test_d11_d13_d23_what_nothing_here_follows_is_named() -> None:
    settings = read(hooks={"beforeAgentStart": ["sessionBridge", "dream"]}, tape={"tapePath": "~/tapes"})
    assert settings.odd == (
        "tape.tapePath names another place; ctxrepo keeps its anchors in the memory",
        "hooks.beforeAgentStart names 'dream', and ctxrepo knows only 'sessionBridge' there",
    )
    assert read(hooks={"beforeAgentStart": [" "]}, tape={"enabled": False}).odd == ()


def test_d13_what_is_said_of_a_tape_is_that_of_pis_sessions() -> None:
    assert read(tape=None).tape is None
    tape = read(tape={}, hooks={"beforeAgentStart": ["sessionBridge"]}).tape
    assert tape is not None
    assert (tape.enabled, tape.bridge_seconds) == (True, 60)


@pytest.mark.parametrize(
    ("hooks", "named"),
    [
        ({"sessionStart": ["pull", "pul"]}, ["'pul'", "'pull'"]),
        ({"sessionStart": ["push"]}, ["sessionStart", "'push'"]),
        ({"sessionEnd": ["pull", "push"]}, ["sessionEnd", "'pull'"]),
        ({"sessionStop": ["push"]}, ["'sessionStop'"]),
    ],
)
def test_d9_an_action_or_moment_that_is_not_known_is_told(hooks: dict[str, Any], named: list[str]) -> None:
    (mistake,) = read(hooks=hooks).odd
    assert all(name in mistake for name in named)


def test_d9_what_is_known_is_not_told() -> None:
    assert read(hooks={"sessionStart": ["pull"], "sessionEnd": ["push"], "onSessionStart": True}).odd == ()


@pytest.mark.parametrize(
    ("tape", "wanted"),
    [({}, True), ({"enabled": True}, True), ("x", True), (None, False), ({"enabled": False}, False)],
)
def test_d13_whether_anchors_are_kept(tape: object, wanted: bool) -> None:
    assert read(tape=tape).has_tape is wanted
    assert not read(tape=tape, enabled=False).has_tape
    assert not read(tape={"tapePath": "/elsewhere"}).has_tape


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
def test_whatever_stands_there_it_is_read(value: object) -> None:
    section = value if isinstance(value, dict) else {"memoryDir": value, "tape": value, "hooks": value}
    mine = memory_of(section, "/home/ada")
    assert "/" not in mine.global_folder
    assert all(isinstance(mistake, str) for mistake in mine.odd)
