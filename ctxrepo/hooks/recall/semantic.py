"""A prompt asks the warm helper, which knows meanings: within hundredths of a second, or does without."""

import _socket
import _sqlite3
import os
import sys
import time

from ctxrepo.hooks.files.clock import age_of
from ctxrepo.hooks.files.daemon import start_helper
from ctxrepo.hooks.files.private import OPENING
from ctxrepo.hooks.known.cache import generation_of, head_of
from ctxrepo.hooks.known.compiled import World
from ctxrepo.hooks.recall.query import hits_of
from ctxrepo.hooks.recall.recall import (
    OF_NEAREST,
    SOCIAL,
    RecallAnswer,
    RecallRequest,
    chosen,
    is_social,
    silence,
)

SOCKET = "warm.sock"
"""In the state folder of a repository."""

FAILED = "warm.failed"
"""Beside it: that a helper could not begin, and why."""

VERSION = 1
"""Of what is asked and answered; a helper of another one says nothing."""

PATIENCE = 0.05
"""Seconds for asking and for the whole answer."""

MOST = 64 * 1024
"""Bytes of a line in either direction."""

MOST_READ = 8000
"""Characters of a prompt, and of each earlier one, that are sent."""

_EARLIER = 4
"""Earlier prompts that are sent: with the letters that JSON spells longest they still are a line."""

_BACK_OFF = 600
"""Seconds for which a helper that could not begin isn't started again."""

_LONGEST = 100
"""Bytes of a socket's address: Linux takes 107, macOS 103."""

_QUESTION = """
    select json_object('v', ?, 'prompt', ?, 'before', json(?), 'scopes', json(?), 'limit', ?, 'gated', ?)"""
_HEAD = """
    select json_extract(?1, '$.v'), json_extract(?1, '$.head'), json_extract(?1, '$.generation'),
        json_extract(?1, '$.why')"""
_SCORES = """
    select json_extract(value, '$[0]'), json_extract(value, '$[1]') from json_each(?, '$.scores') limit 100"""


def ask(cache: _sqlite3.Connection, world: World, asked: RecallRequest) -> RecallAnswer | None:
    """What the helper recalls, as `recall` would answer; None when it says nothing useful in time.

    It names numbers and scores; what is delivered is read from the cache here, and only when both look at
    the same one. A helper that isn't there is started, for the next prompt.
    """
    if is_social(asked):
        return silence(SOCIAL)
    try:
        question = _question(cache, asked)
        line = _spoken(world, question) if len(question) <= MOST else b""
        return _understood(cache, line.decode("utf-8"), asked) if line else None
    except (OSError, ValueError, _sqlite3.Error):
        return None


def address(folder: str) -> tuple[str, int]:
    """Where the socket of `folder` is, and a handle to be closed, or -1: a name that is too long for a
    socket goes through the folder's handle. OSError where there is no way."""
    path = f"{folder}/{SOCKET}"
    if len(os.fsencode(path)) <= _LONGEST:
        return path, -1
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | OPENING)
    return f"/proc/self/fd/{handle}/{SOCKET}", handle


def is_own(peer: _socket.socket) -> bool:
    """Whether at the other end is a process of the user's, where the system tells."""
    kind = getattr(_socket, "SO_PEERCRED", None)
    if kind is None:
        return True
    told = peer.getsockopt(_socket.SOL_SOCKET, kind, 12)  # pid, uid, gid
    return int.from_bytes(told[4:8], sys.byteorder) == os.geteuid()


def _spoken(world: World, question: bytes) -> bytes:
    """The helper's line, b'' when it says none."""
    end = time.monotonic() + PATIENCE
    path, handle = address(world.folder)
    peer = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        peer.setblocking(False)
        if not _is_safe(path) or peer.connect_ex(path):
            _start(world)
            return b""
        if not is_own(peer) or peer.send(question) < len(question):
            return b""
        return _line(peer, end)
    finally:
        peer.close()
        if handle >= 0:
            os.close(handle)


def _is_safe(path: str) -> bool:
    """Whether a socket of ours is there."""
    try:
        status = os.lstat(path)
    except OSError:
        return False
    return status.st_mode & 0o170000 == 0o140000 and status.st_uid == os.geteuid()


def _line(peer: _socket.socket, end: float) -> bytes:
    said = b""
    while not said.endswith(b"\n"):
        left = end - time.monotonic()
        if left <= 0 or len(said) > MOST:
            return b""
        peer.settimeout(left)
        part = peer.recv(MOST)
        if not part:
            return b""
        said += part
    return said if len(said) <= MOST else b""


def _start(world: World) -> None:
    if age_of(f"{world.folder}/{FAILED}") > _BACK_OFF:
        start_helper(world.interpreter, world.state, world.folder)


def _question(cache: _sqlite3.Connection, asked: RecallRequest) -> bytes:
    earlier = _array(cache, [text[:MOST_READ] for text in asked.before[-_EARLIER:]])
    scopes = _array(cache, asked.scopes)
    values = (VERSION, asked.prompt[:MOST_READ], earlier, scopes, asked.limit, asked.is_gated)
    text: str = cache.execute(_QUESTION, values).fetchone()[0]
    return text.encode("utf-8", "replace") + b"\n"


def _array(cache: _sqlite3.Connection, texts: list[str]) -> str:
    found: str = cache.execute(f"select json_array({', '.join('?' * len(texts))})", texts).fetchone()[0]
    return found


def _is_score(number: object, score: object) -> bool:
    return isinstance(number, int) and isinstance(score, float)


def _understood(cache: _sqlite3.Connection, line: str, asked: RecallRequest) -> RecallAnswer | None:
    """The answer in `line`; None when it is none, or speaks of another cache."""
    version, head, generation, why = cache.execute(_HEAD, (line,)).fetchone()
    if (version, head, generation) != (VERSION, head_of(cache), generation_of(cache)):
        return None
    rows = cache.execute(_SCORES, (line,)).fetchall()
    if not isinstance(why, str) or len([1 for row in rows if _is_score(*row)]) < len(rows):
        return None
    hits = hits_of(cache, dict(rows), len(rows))
    if why:
        return silence(why, hits)
    return chosen(hits, asked.limit, OF_NEAREST if asked.is_gated else None)
