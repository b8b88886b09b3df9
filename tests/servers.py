"""Real servers for tests: a private OpenSSH on a free loopback port that serves git and nothing else."""

from __future__ import annotations

import getpass
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

SSHD = shutil.which("sshd", path="/usr/sbin:/usr/local/sbin:/usr/bin:/sbin")

needs_sshd = pytest.mark.skipif(
    SSHD is None or not shutil.which("ssh-keygen"),
    reason="no OpenSSH server here, so nothing is tried over ssh: `make servers` installs one",
)


@dataclass(frozen=True)
class SshServer:
    """`url(path)` names a repository on it; `client` is the ssh command that knows key and host."""

    port: int
    client: str

    def url(self, path: Path) -> str:
        return f"ssh://{getpass.getuser()}@127.0.0.1:{self.port}{path}"


@contextmanager
def ssh_server(folder: Path) -> Iterator[SshServer]:
    """An sshd of its own process group with a fresh host key, ended at the end."""
    assert SSHD is not None
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("host", "user"):
        words = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / name)]
        subprocess.run(words, check=True, stdin=subprocess.DEVNULL)
    key = (folder / "user.pub").read_text().strip()
    command = 'command="git-shell -c \\"$SSH_ORIGINAL_COMMAND\\"",restrict'
    (folder / "authorized").write_text(f"{command} {key}\n")
    port = free_port()
    config = {
        "Port": port,
        "ListenAddress": "127.0.0.1",
        "HostKey": folder / "host",
        "AuthorizedKeysFile": folder / "authorized",
        "PidFile": folder / "pid",
        "UsePAM": "no",
        "StrictModes": "no",
        "PasswordAuthentication": "no",
        "PermitRootLogin": "forced-commands-only",
    }
    (folder / "sshd_config").write_text("".join(f"{k} {v}\n" for k, v in config.items()))
    if os.getuid() == 0:
        Path("/run/sshd").mkdir(exist_ok=True)  # where sshd separates its privileges
    host = (folder / "host.pub").read_text().split()
    (folder / "known").write_text(f"[127.0.0.1]:{port} {host[0]} {host[1]}\n")
    client = (
        f"ssh -F none -i {folder}/user -o IdentitiesOnly=yes -o UserKnownHostsFile={folder}/known "
        "-o StrictHostKeyChecking=yes -o BatchMode=yes"
    )
    with (folder / "log").open("w") as log:
        words = [SSHD, "-D", "-e", "-f", str(folder / "sshd_config")]
        process = subprocess.Popen(words, stderr=log, start_new_session=True)
    try:
        wait_for_port(port, folder / "log")
        yield SshServer(port, client)
    finally:
        process.terminate()
        process.wait(10)


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


def wait_for_port(port: int, log: Path) -> None:
    end = time.monotonic() + 10
    while time.monotonic() < end:
        with socket.socket() as tried:
            if tried.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise AssertionError(f"the server did not start: {log.read_text()}")
