"""A line: the way from a machine to a remote, over ssh or https, with a proxy in it that can disturb it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from machines import Machine, make_machine
from servers.https import HttpsServer
from servers.proxy import Proxy, proxy
from servers.ssh import SshServer


@dataclass(frozen=True)
class Line:
    """`url` goes through `proxy` to the bare repository `remote`; `client` are lines for a `.gitconfig`."""

    proxy: Proxy
    url: str
    client: str
    remote: Path


@contextmanager
def line_to(server: SshServer | HttpsServer, remote: Path, seed: int = 0) -> Iterator[Line]:
    """A line to a repository on a server that runs."""
    if isinstance(server, SshServer):
        with proxy(server.port, seed) as between:
            yield Line(between, server.url(remote, between.port), ssh_client(server.client), remote)
    else:
        with proxy(server.ports["good"], seed) as between:
            yield Line(between, server.url(remote, port=between.port), server.client(), remote)


def ssh_client(command: str) -> str:
    return f'[core]\n\tsshCommand = "{command}"\n'


def machine_at(root: Path, name: str, client: str, sync: str = "timeout = 8\nretries = 2\n") -> Machine:
    """A machine before `init` whose git knows how to reach a server; `sync` is its table in config.toml."""
    machine = make_machine(root, name)
    with (machine.home / ".gitconfig").open("a") as config:
        config.write(client)
    machine.places.config_file.parent.mkdir(parents=True)
    machine.places.config_file.write_text(f"[sync]\n{sync}")
    return machine
