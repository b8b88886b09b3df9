"""A unix socket of the user's own: a line comes in, a line goes out, and nobody can keep it waiting."""

import os
import select
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ctxrepo.hooks.recall.ask_helper import LINE_BYTES, address, is_own

_PEER_WAIT = 0.1
"""Seconds for a whole question, and for an answer: hooks ask at once and wait for less."""

_WAITING = 16


class Listener:
    """Holds the socket of a folder; whoever makes one has the lock that says there is no other."""

    def __init__(self, folder: Path) -> None:
        """OSError where no socket can be; what a killed one left is replaced."""
        self._folder = folder
        mask = os.umask(0o177)
        try:
            with _place(folder) as path:
                self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
                if os.path.lexists(path):
                    os.unlink(path)
                self._socket.bind(path)
                self._socket.listen(_WAITING)
                self._socket.setblocking(False)
                self._own = _inode(path)
        finally:
            os.umask(mask)

    def close(self) -> None:
        self._socket.close()
        with _place(self._folder) as path:
            if _inode(path) == self._own:
                os.unlink(path)

    def is_there(self) -> bool:
        """Whether the socket is still where it is looked for: a state folder may be deleted at any time."""
        try:
            with _place(self._folder) as path:
                return _inode(path) == self._own
        except OSError:
            return False

    def next(self, seconds: float) -> socket.socket | None:
        """Somebody of the user's who asks, waited for so long."""
        if not select.select([self._socket], [], [], seconds)[0]:
            return None
        try:
            peer, _ = self._socket.accept()
        except OSError:  # the asking process is gone
            return None
        if not is_own(peer):
            peer.close()
            return None
        return peer


def question(peer: socket.socket) -> bytes:
    """What somebody asks; b'' when they don't come to an end in time, or never."""
    line, end = b"", time.monotonic() + _PEER_WAIT
    try:
        while not line.endswith(b"\n"):
            seconds = end - time.monotonic()
            if seconds <= 0 or len(line) > LINE_BYTES:
                return b""
            peer.settimeout(seconds)
            if not (part := peer.recv(LINE_BYTES)):
                return b""
            line += part
    except OSError:
        return b""
    return line if len(line) <= LINE_BYTES else b""


def reply(peer: socket.socket, line: bytes) -> None:
    """Answer them, if they still listen."""
    try:
        peer.settimeout(_PEER_WAIT)
        peer.sendall(line)
    except OSError:
        pass


@contextmanager
def _place(folder: Path) -> Iterator[str]:
    """Where the socket of a folder is looked for."""
    path, handle = address(str(folder))
    try:
        yield path
    finally:
        if handle >= 0:
            os.close(handle)


def _inode(path: str) -> int:
    try:
        return os.lstat(path).st_ino
    except OSError:
        return 0
