"""A prompt asks the helper, which knows what entries mean, and does without where no answer comes at once."""

import _socket
import _sqlite3
import os
import sys
import time

from ctxrepo.hooks.known.cached import commit_of, generation_of, json_array
from ctxrepo.hooks.known.world import World
from ctxrepo.hooks.own_files import OPENING, age_of
from ctxrepo.hooks.recall.prompt_query import hits_of
from ctxrepo.hooks.recall.ranking import BY_MEANING, Ranking, RecallRequest, margin_alone, rank_by_words
from ctxrepo.hooks.wakeup import start_helper

SOCKET = "warm.sock"
"""The helper's socket, in the state folder of a repository."""

FAILED = "warm.failed"
"""A file beside it, which says why a helper could not start."""

NOTHING = "no entry stands out, neither by its words nor by its meaning"

VERSION = 5
"""Version of question and answer; a helper of another version answers nothing."""

HELPER_SECONDS = 0.05
"""Seconds for the question and the whole answer, where nothing else wants the processors."""

MOST_TIMES = 8.0
"""So many times longer at most it is waited for on a busy machine."""

_SCHEDULED = "/proc/self/schedstat"
"""Nanoseconds that this process ran, and that it waited for a processor; on Linux."""

STARTING = "finding by meaning wasn't running, and starts for the next prompt"
CANNOT_START = "finding by meaning couldn't start; `ctxrepo doctor` says why"
LATE = "finding by meaning gave no answer within {:.2f} s"
BEHIND = "finding by meaning hasn't read the last change yet"

LINE_BYTES = 64 * 1024
"""The most bytes of a line in either direction."""

MOST_READ = 8000
"""Characters of a prompt, and of each earlier one, that are sent."""

_BEST = 10
"""At least one of so many best hits must contain words of a vague prompt, or the prompt must stand out
without those before it. They are more than by words, as meaning also ranks high what shares none."""

_ALONE = BY_MEANING.least
"""The margin that it must reach by itself: less wouldn't be given without the prompts before it either."""

_MOST_EARLIER = 4
"""The most earlier prompts that are sent: even if JSON escapes every letter, they fit in a line."""

_BACK_OFF = 600
"""Seconds for which a helper that could not start isn't started again."""

_LONGEST = 100
"""The most bytes of a socket's address that we use: Linux takes 107, macOS 103."""

_QUESTION = """
    select json_object('v', ?, 'prompt', ?, 'before', json(?), 'scopes', json(?), 'limit', ?)"""
_HEAD = """
    select json_extract(?1, '$.v'), json_extract(?1, '$.head'), json_extract(?1, '$.generation'),
        json_type(?1, '$.read')"""
_MARGINS = "select value from json_each(?, '$.margins') limit 3"
_SCORES = """
    select json_extract(value, '$[0]'), json_extract(value, '$[1]'), json_extract(value, '$[2]')
    from json_each(?, '$.scores') limit 100"""


def ask(cache: _sqlite3.Connection, world: World, request: RecallRequest) -> tuple[Ranking | None, str]:
    """The helper's ranking; or None, and why words rank in its place ('' where the helper says so itself).

    The helper answers numbers and scores. Their entries are read from the cache here, and only where the
    helper has read the same cache. Where no helper runs, one is started for the next prompt
    (docs/adr/0025-meanings-by-a-warm-helper.md)."""
    seconds = patience()
    try:
        question = _question(cache, request)
        line = _answer_line(world, question, seconds) if len(question) <= LINE_BYTES else b""
        return _parse(cache, world, line.decode("utf-8"), request) if line else (None, "")
    except ConnectionRefusedError as error:
        return None, str(error)
    except TimeoutError:
        return None, LATE.format(seconds)
    except (OSError, ValueError, _sqlite3.Error):
        return None, ""


def patience() -> float:
    """Seconds for the question and the whole answer: as many times HELPER_SECONDS as others made this process
    itself wait for a processor, for they make the helper wait as long."""
    try:
        handle = os.open(_SCHEDULED, os.O_RDONLY | os.O_CLOEXEC)
        try:
            ran, waited, *_ = map(int, os.read(handle, 100).split())
        finally:
            os.close(handle)
    except (OSError, ValueError):
        return HELPER_SECONDS
    return HELPER_SECONDS * min(1 + waited / max(ran, 1), MOST_TIMES)


def address(folder: str) -> tuple[str, int]:
    """(the path of the socket of `folder`, a handle for the caller to close or -1). A path that is too long
    for a socket is replaced by one through the folder's handle. OSError where the folder can't be opened."""
    path = f"{folder}/{SOCKET}"
    if len(path.encode("utf-8", "surrogateescape")) <= _LONGEST:
        return path, -1
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | OPENING)
    return f"/proc/self/fd/{handle}/{SOCKET}", handle


def is_own(peer: _socket.socket) -> bool:
    """Whether the process at the other end is the user's; true where the system doesn't tell."""
    kind = getattr(_socket, "SO_PEERCRED", None)
    if kind is None:
        return True
    credentials = peer.getsockopt(_socket.SOL_SOCKET, kind, 12)  # pid, uid, gid
    return int.from_bytes(credentials[4:8], sys.byteorder) == os.geteuid()


def _answer_line(world: World, question: bytes, seconds: float) -> bytes:
    """The line that the helper answers, b'' when it answers none. ConnectionRefusedError where none runs,
    TimeoutError where it takes longer than so many seconds."""
    end = time.monotonic() + seconds
    path, handle = address(world.repo.state)
    peer = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        peer.setblocking(False)
        if not _is_safe(path) or peer.connect_ex(path):
            if age_of(f"{world.repo.state}/{FAILED}") <= _BACK_OFF:
                raise ConnectionRefusedError(CANNOT_START)
            start_helper(world.interpreter, world.state, world.repo.state)
            raise ConnectionRefusedError(STARTING)
        if not is_own(peer) or peer.send(question) < len(question):
            return b""
        return _read_line(peer, end)
    finally:
        peer.close()
        if handle >= 0:
            os.close(handle)


def _is_safe(path: str) -> bool:
    """Whether at `path` is a socket of the user's own."""
    try:
        status = os.lstat(path)
    except OSError:
        return False
    return status.st_mode & 0o170000 == 0o140000 and status.st_uid == os.geteuid()


def _read_line(peer: _socket.socket, end: float) -> bytes:
    """A line from the helper, b'' where it is too long or breaks off; TimeoutError where it isn't whole at
    the time `end`."""
    line = b""
    while not line.endswith(b"\n"):
        seconds = end - time.monotonic()
        if seconds <= 0:
            raise TimeoutError
        if len(line) > LINE_BYTES:
            return b""
        peer.settimeout(seconds)
        part = peer.recv(LINE_BYTES)
        if not part:
            return b""
        line += part
    return line if len(line) <= LINE_BYTES else b""


def _question(cache: _sqlite3.Connection, request: RecallRequest) -> bytes:
    earlier = json_array(cache, [text[:MOST_READ] for text in request.before[-_MOST_EARLIER:]])
    scopes = json_array(cache, request.scopes)
    values = (VERSION, request.prompt[:MOST_READ], earlier, scopes, request.limit)
    text: str = cache.execute(_QUESTION, values).fetchone()[0]
    return text.encode("utf-8", "replace") + b"\n"


def _parse(
    cache: _sqlite3.Connection, world: World, line: str, request: RecallRequest
) -> tuple[Ranking | None, str]:
    """The ranking in `line`; None when it is malformed, or is about another state of the cache, and why."""
    version, head, generation, read = cache.execute(_HEAD, (line,)).fetchone()
    if (version, head, generation) != (VERSION, commit_of(cache), generation_of(cache)):
        return None, BEHIND if version == VERSION else ""
    rows = cache.execute(_SCORES, (line,)).fetchall()
    are_scores = all(
        isinstance(number, int) and isinstance(score, float) and isinstance(own, float)
        for number, score, own in rows
    )
    margins = tuple([margin for (margin,) in cache.execute(_MARGINS, (line,)) if isinstance(margin, float)])
    if len(margins) != 3 or not are_scores:
        return None, ""
    scores = {number: score for number, score, _ in rows}
    ranking = ranking_of(cache, scores, {number: own for number, _, own in rows}, margins, request)
    if read == "false" and not world.is_gated:  # with the gate the helper has looked whether words answer
        ranking.by_words = rank_by_words(cache, request)
    return ranking, ""


def ranking_of(
    cache: _sqlite3.Connection,
    scores: dict[int, float],
    own: dict[int, float],
    margins: tuple[float, ...],
    request: RecallRequest,
) -> Ranking:
    """The ranking by these scores. `margins` say how far the best stands out: beside this prompt, at an edit
    with this text, and without earlier prompts; `own` how far each entry does by itself."""
    hits = hits_of(cache, scores, len(scores), own)
    ranking = Ranking(request, hits, NOTHING, BY_MEANING)
    ranking.margin, ranking.margin_of_edit, alone = margins
    if hits and alone < _ALONE:
        ranking.alone = margin_alone(cache, request, hits[:_BEST])
    return ranking
