"""git is told how the clone merges, in its own configuration, and nothing else may stand there."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from machines import Machine

from ctxrepo.services.register import register
from ctxrepo.storage.clone import merge_driver

DRIVER = "merge.ctxrepo.driver"


@pytest.fixture
def machine(ada: Machine) -> Machine:
    ada.init()
    return ada


def foreign(machine: Machine) -> list[str]:
    memory = machine.open()
    return memory.clone.foreign_keys(memory.git)


def test_init_names_our_driver_and_the_guard_lets_it_pass(machine: Machine) -> None:
    assert machine.git("config", "--local", DRIVER) == merge_driver(sys.executable)
    assert machine.git("config", "--local", "merge.ctxrepo.name")
    assert foreign(machine) == []


@pytest.mark.parametrize(
    "value",
    [
        "touch sprung",
        "",
        merge_driver("/usr/bin/python3"),
        merge_driver(sys.executable) + "; touch sprung",
        merge_driver(sys.executable).replace("-I ", ""),
        merge_driver("/bin/sh -c 'touch sprung' #"),
    ],
)
def test_any_other_value_is_foreign(machine: Machine, value: str) -> None:
    machine.git("config", "--local", DRIVER, value)
    assert foreign(machine) == [DRIVER]


@pytest.mark.parametrize("key", ["merge.other.driver", "merge.default", "merge.ctxrepo.recursive"])
def test_no_other_driver_may_be_named(machine: Machine, key: str) -> None:
    machine.git("config", "--local", key, merge_driver(sys.executable))
    assert foreign(machine) == [key]


def test_where_it_is_missing_it_is_written_and_then_left_alone(machine: Machine) -> None:
    machine.git("config", "--local", "--remove-section", "merge.ctxrepo")
    assert register(machine.open(), sys.executable)
    config = (machine.clone / ".git" / "config").read_bytes()
    assert register(machine.open(), sys.executable)
    assert (machine.clone / ".git" / "config").read_bytes() == config
    assert foreign(machine) == []


def test_that_of_another_interpreter_is_replaced(machine: Machine) -> None:
    machine.git("config", "--local", DRIVER, merge_driver("/opt/it's old 100%/python"))
    assert register(machine.open(), sys.executable)
    assert machine.git("config", "--local", DRIVER) == merge_driver(sys.executable)


@pytest.mark.parametrize("value", ["touch sprung", "'unclosed", "", merge_driver("python3")])
def test_a_value_that_somebody_else_wrote_stays_and_is_told(machine: Machine, value: str) -> None:
    machine.git("config", "--local", DRIVER, value)
    assert not register(machine.open(), sys.executable)
    assert machine.git("config", "--local", DRIVER) == value
    assert foreign(machine) == [DRIVER]


def test_a_second_value_beside_ours_is_foreign_and_stays(machine: Machine) -> None:
    machine.git("config", "--local", "--add", DRIVER, "touch sprung")
    assert not register(machine.open(), sys.executable)
    assert foreign(machine) == [DRIVER]


def test_a_lock_on_the_configuration_stops_nobody(machine: Machine) -> None:
    machine.git("config", "--local", "--remove-section", "merge.ctxrepo")
    (machine.clone / ".git" / "config.lock").write_bytes(b"")
    assert not register(machine.open(), sys.executable)


@pytest.mark.parametrize("name", ["a b", "it's", 'say "hi"', "100%A", "$(touch sprung)", "é", "a\\b"])
def test_the_line_starts_the_interpreter_whatever_its_path_is(machine: Machine, name: str) -> None:
    """As git does it: its placeholders filled in, then read by a shell."""
    interpreter = machine.home / name / "python"
    interpreter.parent.mkdir()
    interpreter.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    interpreter.chmod(0o755)
    machine.git("config", "--local", DRIVER, merge_driver(str(interpreter)))
    machine.write("global/a.md", "- a\n")
    merge_by_git(machine)
    assert machine.read("global/a.md") in ("- ours\n- theirs\n", "- theirs\n- ours\n")
    assert not list(Path(machine.clone).rglob("sprung"))


def merge_by_git(machine: Machine) -> None:
    def commit(text: str) -> None:
        machine.write("global/a.md", text)
        machine.git("add", "-A")
        machine.git("commit", "-qm", "by hand")

    commit("- before\n")
    machine.git("checkout", "-qb", "side")
    commit("- theirs\n")
    machine.git("checkout", "-q", "main")
    commit("- ours\n")
    machine.git("merge", "-q", "side", "-m", "by hand")
