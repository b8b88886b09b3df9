"""Over https, by what a person set in their own git: passwords, authorities, headers, a proxy."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest
from machines import Machine
from servers.connect import connecting
from servers.https import PASSWORD, USER, HttpsServer, needs_https
from usersgit import both_ways, calls, cli, noting

from .conftest import Own

pytestmark = needs_https


@pytest.fixture
def other(own: Own, nginx: HttpsServer) -> Machine:
    return own("ben", nginx.client(PASSWORD))


@pytest.fixture
def url(nginx: HttpsServer, remote: Path) -> str:
    """The address of the remote, which asks for a password."""
    return nginx.url(remote, "git")


def test_a_password_that_was_stored(own: Own, other: Machine, nginx: HttpsServer, url: str) -> None:
    ada = own("ada", f"{nginx.client()}[credential]\n\thelper = store\n")
    stored = ada.home / ".git-credentials"
    stored.write_text(f"https://{USER}:{PASSWORD}@127.0.0.1:{nginx.ports['good']}\n")
    stored.chmod(0o600)
    both_ways(ada, other, url)


def helper(folder: Path) -> Path:
    """A program that gives the password when it is asked."""
    answer = folder / "answer"
    answer.write_text(f"#!/bin/sh\ntest \"$1\" = get && printf 'username={USER}\\npassword={PASSWORD}\\n'\n")
    answer.chmod(0o755)
    return noting(folder / "my helper", str(answer))


def test_a_program_that_knows_the_password(
    own: Own, other: Machine, nginx: HttpsServer, url: str, tmp_path: Path
) -> None:
    program = helper(tmp_path)
    ada = own("ada", f"{nginx.client()}[credential]\n\thelper = \"!'{program}'\"\n")
    both_ways(ada, other, url)
    assert "get" in calls(program)


def test_a_program_that_knows_it_for_one_site(
    own: Own, other: Machine, nginx: HttpsServer, url: str, tmp_path: Path
) -> None:
    right, wrong = helper(tmp_path), noting(tmp_path / "wrong", "false")
    site = f"https://127.0.0.1:{nginx.ports['good']}"
    ada = own(
        "ada",
        f'{nginx.client()}[credential "{site}"]\n\thelper =\n\thelper = "!\'{right}\'"\n'
        f'[credential "https://elsewhere.example"]\n\thelper = "!\'{wrong}\'"\n',
    )
    both_ways(ada, other, url)
    assert "get" in calls(right)
    assert calls(wrong) == []


def test_settings_for_one_site(own: Own, other: Machine, nginx: HttpsServer, url: str) -> None:
    """The authority, and a header in a password's place."""
    known = f"Authorization: Basic {base64.b64encode(f'{USER}:{PASSWORD}'.encode()).decode()}"
    site = f"https://127.0.0.1:{nginx.ports['good']}"
    ada = own(
        "ada",
        f'[http "{site}/"]\n\tsslCAInfo = {nginx.authority}\n\textraHeader = "{known}"\n',
    )
    both_ways(ada, other, url)


def test_a_proxy(own: Own, other: Machine, nginx: HttpsServer, url: str) -> None:
    with connecting() as proxy:
        ada = own("ada", f"{nginx.client(PASSWORD)}[http]\n\tproxy = http://127.0.0.1:{proxy.port}\n")
        both_ways(ada, other, url)
        assert set(proxy.asked) == {f"127.0.0.1:{nginx.ports['good']}"}


def test_a_sparse_clone_brings_what_it_lacks(
    own: Own, other: Machine, nginx: HttpsServer, url: str, filtering: Path
) -> None:
    """Contents come later, by the same password."""
    cli(other, "init", url)
    for port in ("8443", "9443"):
        other.write("global/topics/oven.md", f"- the oven listens on {port}\n")
        cli(other, "sync")
    ada = own("ada", nginx.client(PASSWORD))
    cli(ada, "init", "--sparse", url)
    cli(ada, "remember", "written in a sparse clone")
    cli(ada, "sync")
    before = missing(ada)
    assert before > 0
    first = ada.git("log", "--format=%H", "--", "global/topics/oven.md").split()[-1]
    assert "8443" in cli(ada, "history", "global:topics/oven.md", "--show", first)
    assert missing(ada) < before
    cli(other, "sync")
    assert "written in a sparse clone" in other.read("shop/MEMORY.md")


def missing(machine: Machine) -> int:
    words = ("rev-list", "--objects", "--all", "--missing=print")
    return sum(line.startswith("?") for line in machine.git(*words).splitlines())
