"""A private OpenSSH on a free loopback port that serves git and nothing else."""

from __future__ import annotations

import getpass
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from needs import lacks, place_of, unless
from servers.process import free_port, running, wait_for_port

needs_sshd = unless(lacks("sshd", "ssh", "ssh-keygen"))


@dataclass(frozen=True)
class SshServer:
    """`url(path)` names a repository on it; `client` is the ssh command that knows key and host.

    Three keys lie in `folder`: `user` may read and write, `reader` may read, `stranger` isn't known.
    """

    port: int
    folder: Path

    @property
    def client(self) -> str:
        return self.client_with()

    def client_with(self, key: str = "user", known: str = "known") -> str:
        return (
            f"ssh -F none -i {self.folder}/{key} -o IdentitiesOnly=yes "
            f"-o UserKnownHostsFile={self.folder}/{known} -o HostKeyAlias=tests "
            "-o StrictHostKeyChecking=yes -o BatchMode=yes"
        )

    def url(self, path: Path, port: int = 0) -> str:
        """The address of the repository at `path`; with `port` through a proxy there."""
        return f"ssh://{getpass.getuser()}@127.0.0.1:{port or self.port}{path}"


@contextmanager
def ssh_server(folder: Path) -> Iterator[SshServer]:
    """An sshd of its own process group with a fresh host key, ended at the end."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("host", "other-host", "user", "reader", "stranger"):
        words = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / name)]
        subprocess.run(words, check=True, stdin=subprocess.DEVNULL)
    _let_in(folder)
    for name, key in (("known", "host"), ("changed", "other-host")):
        (folder / name).write_text(f"tests {_public(folder, key)}\n")
    (folder / "unknown").touch()
    port = free_port()
    (folder / "sshd_config").write_text("".join(f"{k} {v}\n" for k, v in _config(folder, port).items()))
    if os.getuid() == 0:
        Path("/run/sshd").mkdir(exist_ok=True)  # where sshd separates its privileges
    log = folder / "log"
    with running([place_of("sshd"), "-D", "-e", "-f", str(folder / "sshd_config")], log):
        wait_for_port(port, log)
        yield SshServer(port, folder)


def _config(folder: Path, port: int) -> dict[str, object]:
    return {
        "Port": port,
        "ListenAddress": "127.0.0.1",
        "HostKey": folder / "host",
        "AuthorizedKeysFile": folder / "authorized",
        "PidFile": folder / "pid",
        "UsePAM": "no",
        "StrictModes": "no",
        "PasswordAuthentication": "no",
        "PermitRootLogin": "forced-commands-only",
        "MaxStartups": "100",
    }


def _let_in(folder: Path) -> None:
    """`user` may do what git-shell can; `reader` hears what a hosting site says to a read-only key."""
    shell = 'git-shell -c \\"$SSH_ORIGINAL_COMMAND\\"'
    denied = "echo 'ERROR: The key you are authenticating with has been marked as read only.' >&2; exit 1"
    reading = f'case \\"$SSH_ORIGINAL_COMMAND\\" in git-receive-pack*) {denied};; *) {shell};; esac'
    (folder / "authorized").write_text(
        f'command="{shell}",restrict {_public(folder, "user")}\n'
        f'command="{reading}",restrict {_public(folder, "reader")}\n'
    )


def _public(folder: Path, name: str) -> str:
    return " ".join((folder / f"{name}.pub").read_text().split()[:2])
