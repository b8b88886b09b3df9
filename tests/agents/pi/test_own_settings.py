"""pi's settings are read by a light module for hooks and by another one for the rest, to the same effect."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxrepo.agents.pi import memory_settings
from ctxrepo.agents.pi.dialect import DIALECT, settings_file
from ctxrepo.hooks.known.world import OwnSettings

LEAVES: st.SearchStrategy[object] = st.sampled_from(
    [None, True, False, 0, 1, 0.5, "", "pull", " pull ", "push", "message-append", "system-prompt", [], {}]
)
LISTS = st.lists(st.sampled_from(["pull", "push", " ", 3]), max_size=2)
SECTIONS = st.fixed_dictionaries(
    {},
    optional={
        "enabled": LEAVES,
        "delivery": LEAVES,
        "injection": LEAVES,
        "hooks": LEAVES
        | st.fixed_dictionaries({}, optional={"sessionStart": LEAVES | LISTS, "onSessionStart": LEAVES}),
        "autoSync": LEAVES | st.fixed_dictionaries({}, optional={"onSessionStart": LEAVES}),
    },
)


def read(folder: Path, data: bytes) -> OwnSettings:
    (folder / "settings.json").write_bytes(data)
    with closing(sqlite3.connect(":memory:")) as db:
        return DIALECT.own_settings(db, {"PI_CODING_AGENT_DIR": str(folder)})


@given(SECTIONS)
def test_both_readers_understand_the_same(
    tmp_path_factory: pytest.TempPathFactory, section: dict[str, object]
) -> None:
    folder = tmp_path_factory.getbasetemp()
    light = read(folder, json.dumps({memory_settings.KEY: section}).encode())
    whole = memory_settings.memory_of(section, "/home/ada")
    assert (light.silence == "") is whole.enabled
    if whole.enabled:
        assert (light.place == "system") is whole.is_in_system_prompt
        assert light.fetches is ("pull" in whole.hooks.session_start)


@pytest.mark.parametrize(
    "data",
    [b"", b"{", b"[]", b"null", b'{"pi-memory-md": 3}', b'{"pi-memory-md": "x"}', b"\xff", b"\0", b"{}"],
)
def test_what_cannot_be_read_says_nothing(tmp_path: Path, data: bytes) -> None:
    settings = read(tmp_path, data)
    assert (settings.silence, settings.place, settings.fetches) == ("", "", True)


@pytest.mark.parametrize("named", ["", "/w", "~", "~/w"])
def test_both_readers_look_at_the_same_file(named: str) -> None:
    environment = {"HOME": "/home/ada", "PI_CODING_AGENT_DIR": named}
    assert settings_file(environment) == str(memory_settings.file(Path("/home/ada"), environment))


@pytest.mark.parametrize("environment", [{}, {"PI_CODING_AGENT_DIR": "~/w"}, {"PI_CODING_AGENT_DIR": "w"}])
def test_without_an_absolute_place_there_is_no_file(environment: dict[str, str]) -> None:
    assert settings_file(environment) == ""
