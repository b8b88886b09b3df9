"""The helper's door: `python -m ctxrepo _warm --state DIR`, a process that knows meanings and is warm.

It loads the model once, embeds what has no vectors, and answers prompt hooks on a socket. It ends by itself:
when nobody asked for a quarter of an hour, and when settings, model or code are other ones.
"""

from __future__ import annotations

import _sqlite3
import json
import os
import time
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

from ctxrepo.hot.compiled import open_hooks, settings_of, stamp_of
from ctxrepo.hot.daemon import WARM_LOCK, take
from ctxrepo.hot.logs import LOG_BYTES, append_rolling
from ctxrepo.hot.semantic import FAILED, VERSION

if TYPE_CHECKING:
    from ctxrepo.services.semantic import Asked
    from ctxrepo.storage.listener import Listener

IDLE = 900.0
"""Seconds without a question after which it ends."""

TICK = 1.0
"""Seconds between two looks whether notes, settings, model or code have changed."""

_OFTEN = 15.0
"""Seconds between two readings of vectors while they are being made."""

_MOST_HITS, _MOST_SCOPES = 100, 16


def main(argv: list[str]) -> int:
    """Be the helper of the memory compiled under the state folder, unless there is one; ends quietly."""
    state = argv[argv.index("--state") + 1]
    settings = settings_now(state)
    if settings is None or settings.get("semantic") != "on":
        return 0
    folder, lock = settings["folder"], -1
    try:
        lock = int(argv[argv.index("--lock") + 1]) if "--lock" in argv else take(f"{folder}/{WARM_LOCK}")
        if lock < 0:
            return 0
        os.set_inheritable(lock, False)
        _be(settings)
    except Exception as error:
        from ctxrepo.errors import in_words

        _fail(folder, in_words(error))
    finally:
        if lock >= 0:
            os.close(lock)
    return 0


def settings_now(state: str) -> dict[str, str] | None:
    """The settings as they are compiled now; None where they can't be read."""
    try:
        db = open_hooks(state)
        if db is None:
            return None
        try:
            return settings_of(db, state)
        finally:
            db.close()
    except _sqlite3.Error:
        return None


def _be(settings: dict[str, str]) -> None:
    """Answer until there is a reason to end."""
    before = code_stamp()  # taken before the code is read
    from ctxrepo.storage.listener import Listener

    folder = Path(settings["folder"])
    helper = Helper(settings, before)
    (folder / FAILED).unlink(missing_ok=True)
    listener = Listener(folder)
    try:
        helper.serve(listener)
    finally:
        helper.stop()
        listener.close()


class Helper:
    """The loaded model, the meanings it has read, and the thread that embeds."""

    def __init__(self, settings: dict[str, str], code: str) -> None:
        from ctxrepo.services.semantic import open_semantic

        self._settings, self._code = settings, code
        self._folder = Path(settings["folder"])
        self._vectors = self._folder / "vectors.db"
        models = Path(settings["state"]) / "models"
        self._meanings, self._embedder = open_semantic(settings["model"], models, self._vectors)
        self._files = self._embedder.model.onnx
        self._model = stamp_of(str(self._files))
        self._asked_at = time.monotonic()
        self._read_at = 0.0
        self._scopes: tuple[str, ...] = ()
        self._seen: tuple[str, int] | None = None
        self._stopped, self._has_more = Event(), Event()
        self._thread: Thread | None = None

    def serve(self, listener: Listener) -> None:
        from ctxrepo.storage.listener import question, reply

        looked = 0.0
        while not self._stopped.is_set():
            peer = listener.next(TICK)
            if peer is not None:
                with peer:
                    reply(peer, self._answer(question(peer)))
            if time.monotonic() > looked + TICK:
                looked = time.monotonic()
                if self._is_over() or not listener.is_there():
                    return
                self._look()

    def stop(self) -> None:
        self._stopped.set()
        if self._thread is not None:
            self._thread.join()

    def _is_over(self) -> bool:
        now = settings_now(self._settings["state"]) or {}
        same = all(
            now.get(key) == self._settings[key] for key in ("semantic", "model", "interpreter", "folder")
        )
        is_busy = self._thread is not None and self._thread.is_alive()
        is_idle = time.monotonic() > self._asked_at + IDLE and not is_busy
        return not same or is_idle or stamp_of(str(self._files)) != self._model or code_stamp() != self._code

    def _look(self) -> None:
        """Embed what is new, and have what was made read before somebody asks for it."""
        cache = self._cache()
        if cache is None:
            return
        try:
            from ctxrepo.hot.cache import generation_of, head_of

            now = (head_of(cache), generation_of(cache))
            if now != self._seen and (self._thread is None or not self._thread.is_alive()):
                self._seen = now
                self._thread = Thread(target=self._embed, daemon=True)
                self._thread.start()
            if self._has_more.is_set() and time.monotonic() > self._read_at + _OFTEN:
                self._has_more.clear()
                self._meanings.forget()
                self._read_at = time.monotonic()
            self._meanings.of(cache, self._scopes)
        finally:
            cache.close()

    def _answer(self, line: bytes) -> bytes:
        """A line for a line; b'' for what is no question."""
        asked = question_of(line)
        cache = self._cache() if asked else None
        if asked is None or cache is None:
            return b""
        try:
            from ctxrepo.hot.cache import generation_of, head_of
            from ctxrepo.services.semantic import rank

            self._asked_at = time.monotonic()
            self._scopes = tuple(asked.scopes)
            cache.execute("begin")  # what is told of it is true of what is read
            told = {"v": VERSION, "head": head_of(cache), "generation": generation_of(cache)}
            ranked = rank(cache, self._meanings, self._embedder, asked)
            if ranked is None:
                return b""
            why, scores = ranked
            return json.dumps({**told, "why": why, "scores": list(scores.items())}).encode() + b"\n"
        finally:
            cache.close()

    def _embed(self) -> None:
        """In a thread of its own, after everybody else on this machine."""
        from ctxrepo.services.embed import embed, pending
        from ctxrepo.storage.vectors import Vectors

        os.setpriority(os.PRIO_PROCESS, 0, 19)  # on Linux this thread's alone
        cache = self._cache()
        if cache is None:
            return
        vectors = Vectors(self._vectors, self._embedder.model.key)
        try:
            texts = pending(cache, vectors)
            if texts:
                embed(vectors, self._embedder, texts, self._goes_on)
        except Exception as error:
            from ctxrepo.errors import in_words

            _tell(str(self._folder), in_words(error))
        finally:
            vectors.close()
            cache.close()

    def _goes_on(self, done: int, of: int) -> bool:
        if done:
            self._has_more.set()
        if done == of:
            self._read_at = 0.0
        return not self._stopped.is_set()

    def _cache(self) -> _sqlite3.Connection | None:
        from ctxrepo.hot.cache import open_cache

        return open_cache(str(self._folder / "cache.db"))


def question_of(line: bytes) -> Asked | None:
    """What is asked, None where it isn't asked as a hook of this version asks."""
    from ctxrepo.services.semantic import Asked

    try:
        told: Any = json.loads(line)
        before, scopes, limit = list(told["before"]), list(told["scopes"]), int(told["limit"])
        texts = [told["prompt"], *before, *scopes]
        if told["v"] != VERSION or not all(isinstance(t, str) for t in texts) or len(scopes) > _MOST_SCOPES:
            return None
        limit = min(limit, _MOST_HITS)
        return Asked(told["prompt"], tuple(before), tuple(scopes), limit, bool(told["gated"]))
    except (ValueError, KeyError, TypeError):
        return None


def code_stamp() -> str:
    """Of the files that this process has been read from."""
    folder = os.path.dirname(os.path.abspath(__file__))
    rooms = [f"{folder}/{room}" for room in ("", "hot", "services", "storage")]
    files = [f"{room}/{name}" for room in rooms for name in os.listdir(room) if name.endswith(".py")]
    return ",".join(sorted(map(stamp_of, files)))


def _fail(folder: str, why: str) -> None:
    """Have it known, so that prompts start no other one for a while."""
    _tell(folder, why)
    with suppress(OSError):
        Path(folder, FAILED).write_text(why.partition("\n")[0], "utf-8")


def _tell(folder: str, why: str) -> None:
    stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    append_rolling(f"{folder}/work.log", f"{stamp} warm: {why.rstrip()}\n", LOG_BYTES)
