"""One project has one identity, whatever its user's git and ssh call the host."""

from __future__ import annotations

import json

import pytest
from long import rotating
from machines import Machine

from ctxrepo.domain.project.layout import REGISTRY

Pair = tuple[Machine, Machine]
SSH = "Host *\n  User git\nHost work forge\n  HostName github.com\nHost nas\n  HostName 10.0.0.5\n"


def at(machine: Machine, address: str) -> Machine:
    """The same machine, with its checkout's remote at this address, and names of its user's own for hosts."""
    machine.git("-C", str(machine.project_folder), "remote", "set-url", "origin", address)
    (machine.home / ".ssh").mkdir(exist_ok=True)
    (machine.home / ".ssh" / "config").write_text(SSH)
    machine.git("config", "--global", "url.https://github.com/.insteadOf", "hub:")
    machine.git("config", "--global", "url.ssh://office/.pushInsteadOf", "https://github.com/")
    return machine


def project_of(machine: Machine) -> tuple[str, str]:
    project = machine.project()
    assert project
    return project.id, project.folder


@pytest.mark.parametrize(
    "address",
    rotating(
        [
            "git@work:ada/shop.git",
            "ssh://git@forge/Ada/shop",
            "hub:ada/shop",
            "gh:ada/shop",
            "https://github.com/ADA/shop",
        ]
    ),
)
def test_names_that_a_user_gives_a_host_make_no_other_project(pair: Pair, address: str) -> None:
    first, second = at(pair[0], address), at(pair[1], "https://github.com/ada/shop.git")
    first.remember("redis listens on 6380")
    first.sync()
    second.sync()
    assert project_of(first) == project_of(second) == ("github.com/ada/shop", "shop")


def test_a_host_without_a_name_that_holds_everywhere_keeps_its_own(ada: Machine) -> None:
    ada.init()
    assert project_of(at(ada, "nas:ada/shop"))[0] == "nas/ada/shop"


@pytest.mark.parametrize("identity", ["work/ada/shop", "github.com/Ada/Shop"])
def test_an_id_that_a_memory_has_already_stays(pair: Pair, identity: str) -> None:
    first, second = at(pair[0], "work:ada/shop"), at(pair[1], "git@github.com:Ada/Shop.git")
    first.write(REGISTRY, f'format = 1\n[projects]\n"{identity}" = "old"\n')
    first.write("old/MEMORY.md", "- a fact of before\n")
    first.sync()
    assert project_of(first) == (identity, "old")
    second.sync()
    assert ("a fact of before" in second.ctxrepo("search", "before").stdout) is True
    assert (project_of(second)[1] == "old") == (identity != "work/ada/shop")


@pytest.mark.slow
def test_a_project_of_the_same_owner_and_name_is_offered(pair: Pair) -> None:
    first, second = at(pair[0], "https://github.com/ada/shop"), at(pair[1], "git@mirror:ada/shop.git")
    first.remember("redis listens on 6380")
    first.sync()
    second.sync()
    hint = "github.com/ada/shop in shop/ has this name, too; if it is this, `ctxrepo project link shop`"
    assert hint in second.ctxrepo("status").stdout
    start = {"session_id": "s", "cwd": str(second.project_folder), "source": "startup"}
    for session, times in (("s", 1), ("t", 0)):
        run = second.process(
            "hook", "claude", "SessionStart", stdin=json.dumps(start | {"session_id": session})
        )
        assert run.stdout.count("project link shop` makes them one") == times
    assert second.ctxrepo("project", "link", "shop").returncode == 0
    assert project_of(second) == ("github.com/ada/shop", "shop")
    assert "has this name" not in second.ctxrepo("status").stdout


@pytest.mark.slow
def test_a_checkout_is_no_suspect_after_its_own_first_note(pair: Pair) -> None:
    first, second = at(pair[0], "https://github.com/ada/shop"), at(pair[1], "git@mirror:ada/shop.git")
    first.remember("mine")
    first.sync()
    second.sync()
    second.ctxrepo("status")
    assert second.ctxrepo("remember", "another one of this name").returncode == 0
    second.sync()
    status = second.ctxrepo("status").stdout
    assert "has this name" not in status
    assert "claim" not in status


def test_an_ssh_that_hangs_or_is_missing_costs_a_moment_and_no_project(ada: Machine) -> None:
    shim = ada.home / "bin" / "ssh"
    shim.parent.mkdir()
    shim.write_text("#!/bin/sh\nexit 255\n")
    shim.chmod(0o755)
    ada.init()
    machine = Machine(ada.home, {"PATH": f"{shim.parent}:{ada.env['PATH']}"})
    assert project_of(at(machine, "work:ada/shop"))[0] == "work/ada/shop"
