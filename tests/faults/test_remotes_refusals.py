"""A remote that refuses, asks or is gone: one line, exit code 5, no retry storm; then it heals."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from machines import Machine
from servers.expect import agree, failed
from servers.https import PASSWORD, HttpsServer, needs_https
from servers.line import machine_at, ssh_client
from servers.ssh import SshServer, needs_sshd

from ctxrepo.domain.git.remote import Outcome


def use_client(machine: Machine, client: str) -> None:
    """Set the machine's git up anew."""
    config = machine.home / ".gitconfig"
    identity = re.split(r"(?m)^\[(?:core|http|credential)\]", config.read_text())[0]
    config.write_text(identity + client)


def use_remote(machine: Machine, url: str) -> None:
    config = machine.places.config_file
    config.write_text(re.sub(r'(?m)^remote = ".*"', f'remote = "{url}"', config.read_text()))
    machine.git("remote", "set-url", "origin", url)


def put_hook(remote: Path, text: str) -> Path:
    hook = remote / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\necho x >> '{remote}/asked'\n{text}\n")
    hook.chmod(0o755)
    return hook


@needs_sshd
def test_over_ssh(sshd: SshServer, remote: Path, tmp_path: Path) -> None:
    ada, ben = (machine_at(tmp_path, name, ssh_client(sshd.client), sync="") for name in ("ada", "ben"))
    for machine in (ada, ben):
        machine.init(sshd.url(remote))

    def refused(outcome: Outcome, *words: str) -> None:
        ada.write(f"global/topics/{outcome}.md", f"- written while {outcome}\n")
        failed(ada.ctxrepo("sync"), outcome, *words)
        assert outcome in ada.git("show", f"HEAD:global/topics/{outcome}.md")

    remote.rename(remote.with_name("elsewhere.git"))
    refused("missing", "does not appear to be a git repository")
    remote.with_name("elsewhere.git").rename(remote)

    hook = put_hook(remote, "echo 'GH006: Protected branch update failed'; exit 1")
    refused("protected", "Protected branch update failed")
    assert (remote / "asked").read_text() == "x\nx\n", "for the shared branch, and once for a review"
    hook.unlink()

    (remote / "config").write_text((remote / "config").read_text() + "[receive]\n\tmaxInputSize = 100\n")
    refused("quota", "maximum allowed size")
    (remote / "config").write_text((remote / "config").read_text().replace("100", "100000"))

    use_client(ada, ssh_client(sshd.client_with("stranger")))
    refused("auth", "Permission denied")
    use_client(ada, ssh_client(sshd.client_with("user", "changed")))
    refused("untrusted", "HAS CHANGED")
    use_client(ada, ssh_client(sshd.client_with("reader")))
    refused("readonly", "read only")
    use_client(ada, ssh_client(sshd.client))
    healed(ada, ben, "missing protected quota auth untrusted readonly")


@needs_https
def test_over_https(nginx: HttpsServer, remote: Path, tmp_path: Path) -> None:
    knowing = nginx.client(PASSWORD)
    ada, ben = (machine_at(tmp_path, name, knowing, sync="") for name in ("ada", "ben"))
    for machine in (ada, ben):
        machine.init(nginx.url(remote, "git"))

    def refused(outcome: Outcome, change: Callable[[], None], *words: str) -> None:
        ada.write(f"global/topics/{outcome}.md", f"- written while {outcome}\n")
        change()
        failed(ada.ctxrepo("sync"), outcome, *words)
        use_client(ada, knowing)
        use_remote(ada, nginx.url(remote, "git"))

    refused("auth", lambda: use_client(ada, nginx.client()), "could not read Username")
    refused("untrusted", lambda: use_client(ada, ""), "certificate")
    refused("readonly", lambda: use_remote(ada, nginx.url(remote, "write-denied")), "403")
    refused("busy", lambda: use_remote(ada, nginx.url(remote, "status/503")), "503")
    refused("missing", lambda: use_remote(ada, nginx.url(remote, "garbage")), "not a git repository")
    refused("address", lambda: use_remote(ada, nginx.url(remote, "moved")), "301")
    healed(ada, ben, "auth untrusted readonly busy missing address")


def healed(ada: Machine, ben: Machine, outcomes: str) -> None:
    """Both agree again, and what was written meanwhile is everywhere."""
    agree(ada, ben)
    for outcome in outcomes.split():
        assert f"- written while {outcome}\n" in ben.read(f"global/topics/{outcome}.md")
