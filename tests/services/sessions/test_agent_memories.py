"""pi's settings files: where they are, and what is made of those that can't be read."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from pirepo import PiMachine, make_pi_machine

from ctxrepo.domain.settings.values import OwnMemory
from ctxrepo.services.sessions.session_settings import AgentMemory, keeps_anchors, own_memory, redirections


@pytest.fixture
def mine(tmp_path: Path) -> PiMachine:
    return make_pi_machine(tmp_path)


def read(machine: PiMachine, **env: str) -> AgentMemory:
    memory = own_memory(machine.places, machine.env | env, "pi")
    assert memory is not None
    return memory


def put(folder: Path, data: bytes) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "settings.json"
    file.write_bytes(data)
    return file


def test_d1_they_are_in_pis_folder_or_where_it_is_told(mine: PiMachine) -> None:
    memory = read(mine)
    assert memory.file == mine.home / ".pi/agent/settings.json"
    assert memory.settings is not None
    assert memory.settings.local_path == str(mine.clone)
    elsewhere = put(mine.home / "else", b'{"pi-memory-md": {"localPath": "/m"}}')
    for named in (str(elsewhere.parent), "~/else"):
        other = read(mine, PI_CODING_AGENT_DIR=named)
        assert (other.file, other.warnings) == (elsewhere, ())
        assert other.settings == OwnMemory(local_path="/m", names_path=True)


@pytest.mark.parametrize("data", [b"{}", b'{"pi-memory-md": 3}', b'{"theme": "dark"}'])
def test_pi_without_that_program_says_nothing(mine: PiMachine, data: bytes) -> None:
    file = put(mine.home / ".pi/agent", data)
    assert read(mine) == AgentMemory("pi", "pi-memory-md", file, None)
    file.unlink()
    assert read(mine) == AgentMemory("pi", "pi-memory-md", file, None)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"[]",
        b'"x"',
        b"\xff\xfe",
        b"\xef\xbb\xbf{}",
        b'{"a": NaN}',
        b"[" * 100_000,
        b" " * 1_100_000,
    ],
)
def test_d1_a_file_that_is_no_settings_is_told_once_and_as_empty(mine: PiMachine, data: bytes) -> None:
    file = put(mine.home / ".pi/agent", data)
    memory = read(mine)
    assert memory.settings is None
    (warning,) = memory.warnings
    assert str(file) in warning
    assert "counts as empty" in warning
    put(mine.project_folder / ".pi", data)
    assert len(redirections(mine.project_folder)) == 1


def test_what_never_ends_is_not_read(mine: PiMachine) -> None:
    folder = mine.project_folder / ".pi"
    folder.mkdir()
    os.mkfifo(folder / "settings.json")
    assert len(redirections(mine.project_folder)) == 1
    (folder / "settings.json").unlink()
    (folder / "settings.json").symlink_to("/dev/zero")
    assert len(redirections(mine.project_folder)) == 1


def test_d3_what_would_redirect_is_told_in_one_line(mine: PiMachine) -> None:
    mine.project_settings(localPath="$(touch sprung)", repoUrl="evil", enabled=False)
    (warning,) = redirections(mine.project_folder)
    assert "repoUrl, localPath" in warning
    assert "sprung" not in warning
    mine.project_settings(enabled=False)
    assert redirections(mine.project_folder) == ()


def test_d1_only_the_folder_itself_is_looked_in(mine: PiMachine) -> None:
    mine.project_settings(repoUrl="evil")
    below = mine.project_folder / "src"
    below.mkdir()
    assert redirections(below) == ()


@pytest.mark.parametrize(
    ("more", "wanted"),
    [
        ({"tape": {}}, True),
        ({"tape": {"enabled": True}, "localPath": "~/.pi/../.pi/memory-md"}, True),
        ({}, False),
        ({"tape": {"enabled": False}}, False),
        ({"tape": {"tapePath": "/elsewhere"}}, False),
        ({"tape": {}, "enabled": False}, False),
        ({"tape": {}, "localPath": "/other"}, False),
    ],
)
def test_whether_its_tape_is_in_this_clone(mine: PiMachine, more: dict[str, Any], wanted: bool) -> None:
    mine.settings(**more)
    assert keeps_anchors(mine.places, mine.env, mine.clone) is wanted
