"""Over ssh, by what a person set in their own git and ssh: commands, host names, other addresses."""

from __future__ import annotations

import getpass
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from machines import Machine
from needs import older_git, unless
from servers.https import HttpsServer, needs_https
from servers.line import ssh_client
from servers.ssh import SshServer, needs_sshd
from usersgit import both_ways, calls, cli, noting

from .conftest import Own

pytestmark = needs_sshd


def authors(machine: Machine) -> set[str]:
    return set(machine.git("log", "--format=%ae").split())


@pytest.fixture
def other(own: Own, sshd: SshServer) -> Machine:
    return own("ben", ssh_client(sshd.client))


def test_an_ssh_command(own: Own, other: Machine, sshd: SshServer, remote: Path, tmp_path: Path) -> None:
    ssh = noting(tmp_path / "my ssh", sshd.client)
    ada = own("ada", f"[core]\n\tsshCommand = \"'{ssh}' -v\"\n")
    both_ways(ada, other, sshd.url(remote))
    log = " ".join(calls(ssh))
    assert "-v" in log
    assert "git-upload-pack" in log
    assert "git-receive-pack" in log


def test_a_host_that_only_the_persons_ssh_knows(
    own: Own, other: Machine, sshd: SshServer, remote: Path, tmp_path: Path
) -> None:
    """ssh reads the home of the account, which isn't the test's: the one on PATH is told where to look."""
    config = tmp_path / "ada" / ".ssh" / "config"
    ssh = noting(tmp_path / "bin" / "ssh", f"{shutil.which('ssh')} -F {config}")
    ada = own("ada", "", PATH=f"{ssh.parent}:{Machine(tmp_path).env['PATH']}")
    config.parent.mkdir()
    config.write_text(
        f"Host shelf\n  HostName 127.0.0.1\n  Port {sshd.port}\n  User {getpass.getuser()}\n"
        f"  IdentityFile {sshd.folder}/user\n  IdentitiesOnly yes\n  HostKeyAlias tests\n"
        f"  UserKnownHostsFile {sshd.folder}/known\n"
    )
    both_ways(ada, other, f"shelf:{remote}", sshd.url(remote))
    assert "shelf" in calls(ssh)[0]


def test_an_address_that_stands_for_another(own: Own, other: Machine, sshd: SshServer, remote: Path) -> None:
    base = sshd.url(remote.parent)
    ada = own("ada", f'{ssh_client(sshd.client)}[url "{base}/"]\n\tinsteadOf = shelf:\n')
    both_ways(ada, other, f"shelf:{remote.name}", sshd.url(remote))


@needs_https
def test_reading_over_https_and_writing_over_ssh(
    own: Own, other: Machine, sshd: SshServer, nginx: HttpsServer, remote: Path
) -> None:
    """`pushInsteadOf`, as many have it who read a site without a password."""
    reading = nginx.url(remote, "read")
    lines = f'[url "{sshd.url(remote)}"]\n\tpushInsteadOf = {reading}\n'
    ada = own("ada", f"{ssh_client(sshd.client)}{nginx.client()}{lines}")
    both_ways(ada, other, reading, sshd.url(remote))


def test_settings_under_a_condition_on_where_the_memory_is(
    own: Own, other: Machine, sshd: SshServer, remote: Path
) -> None:
    """`includeIf "gitdir:…"`: who commits in the memory, and how it is reached, is another matter."""
    ada = own("ada", '[includeIf "gitdir:~/.ctxrepo/"]\n\tpath = ~/memory.inc\n')
    (ada.home / "memory.inc").write_text(f"[user]\n\temail = memory@example.org\n{ssh_client(sshd.client)}")
    cli(ada, "init")
    both_ways(ada, other, sshd.url(remote))
    assert authors(ada) == {"memory@example.org", "ben@example.org"}


@unless(older_git((2, 36), "hasconfig"))
def test_settings_under_a_condition_on_the_remote(
    own: Own, other: Machine, sshd: SshServer, remote: Path
) -> None:
    ada = own("ada", '[includeIf "hasconfig:remote.*.url:ssh://**"]\n\tpath = ~/ssh.inc\n')
    (ada.home / "ssh.inc").write_text(f"[user]\n\temail = ssh@example.org\n{ssh_client(sshd.client)}")
    both_ways(ada, other, sshd.url(remote))
    assert authors(ada) == {"ssh@example.org", "ben@example.org"}


def test_who_commits_as_the_clone_itself_says(
    own: Own, other: Machine, sshd: SshServer, remote: Path
) -> None:
    ada = own("ada", ssh_client(sshd.client))
    cli(ada, "init")
    ada.git("config", "user.name", "Ada of the memory")
    ada.git("config", "user.email", "clone@example.org")
    both_ways(ada, other, sshd.url(remote))
    wrote = ada.git("log", "--format=%an <%ae>", "-S", "written by mine", "--", "shop/MEMORY.md")
    assert wrote == "Ada of the memory <clone@example.org>"


def test_settings_of_the_system(
    own: Own, other: Machine, sshd: SshServer, remote: Path, tmp_path: Path
) -> None:
    """A git whose system configuration is a file of the test's, as /etc/gitconfig is one of the machine's."""
    (tmp_path / "system").write_text(ssh_client(sshd.client))
    git = tmp_path / "bin" / "git"
    git.parent.mkdir()
    system = shlex.quote(str(tmp_path / "system"))
    git.write_text(f'#!/bin/sh\nGIT_CONFIG_SYSTEM={system} exec {shutil.which("git")} "$@"\n')
    git.chmod(0o755)
    ada = own("ada", "", PATH=f"{git.parent}:{Machine(tmp_path).env['PATH']}")
    both_ways(ada, other, sshd.url(remote))


def test_settings_in_the_folder_for_settings(own: Own, other: Machine, sshd: SshServer, remote: Path) -> None:
    """`$XDG_CONFIG_HOME/git/config`, which git reads beside `~/.gitconfig`."""
    ada = own("ada", "")
    folder = ada.home / "settings"
    (folder / "git").mkdir(parents=True)
    (folder / "git" / "config").write_text(ssh_client(sshd.client))
    both_ways(Machine(ada.home, {"XDG_CONFIG_HOME": str(folder)}), other, sshd.url(remote))


def test_a_shallow_clone_becomes_whole(own: Own, other: Machine, sshd: SshServer, remote: Path) -> None:
    url = sshd.url(remote)
    cli(other, "init", url)
    for number in range(2):
        cli(other, "remember", f"of long ago, {number}")
        cli(other, "sync")
    ada = own("ada", ssh_client(sshd.client))
    words = ["git", "clone", "-q", "--depth=1", url, str(ada.clone)]
    subprocess.run(words, env=ada.env, check=True)
    assert ada.git("rev-parse", "--is-shallow-repository") == "true"
    both_ways(ada, other, url)
    assert ada.git("rev-parse", "--is-shallow-repository") == "false"
    assert "of long ago, 0" in ada.git("log", "-p", "--format=")
