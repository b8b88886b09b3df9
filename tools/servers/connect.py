"""A proxy as companies have it: asked by CONNECT, it passes bytes on to whoever was named."""

from __future__ import annotations

import socket
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Connecting:
    """`asked` is whom it was asked for, call by call."""

    port: int
    asked: list[str] = field(default_factory=list)


@contextmanager
def connecting() -> Iterator[Connecting]:
    """A proxy on loopback, ended at the end."""
    asked: list[str] = []

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            name = self.rfile.readline().decode("latin-1").split()[1]
            while self.rfile.readline().strip():
                pass
            asked.append(name)
            host, _, port = name.rpartition(":")
            with socket.create_connection((host, int(port))) as there:
                self.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n")
                back = threading.Thread(target=_pass, args=(there, self.connection))
                back.start()
                _pass(self.connection, there)
                back.join()

    class Server(socketserver.ThreadingTCPServer):
        daemon_threads = True

    with Server(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield Connecting(server.server_address[1], asked)
        finally:
            server.shutdown()
            thread.join()


def _pass(source: socket.socket, other: socket.socket) -> None:
    """Hand on what `one` says until it ends."""
    with suppress(OSError):
        while data := source.recv(65536):
            other.sendall(data)
    with suppress(OSError):
        other.shutdown(socket.SHUT_WR)
