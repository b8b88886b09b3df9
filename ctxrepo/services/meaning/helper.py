"""One process that has the model loaded embeds what has no vectors, and answers prompt hooks.

It ends by itself: when nobody asked for a quarter of an hour, or settings, model or code are other ones."""

import json
import os
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from threading import Event, Thread
from typing import Any

from ctxrepo.errors import in_words
from ctxrepo.hooks.known.cached import commit_of, generation_of, open_cache
from ctxrepo.hooks.known.world import World, stamp_of
from ctxrepo.hooks.recall.ask_helper import VERSION
from ctxrepo.hooks.recall.choice import choose_for_prompt
from ctxrepo.hooks.recall.ranking import RecallRequest, rank_by_words
from ctxrepo.lazy import make_all
from ctxrepo.services.meaning.meanings import embed, pending
from ctxrepo.services.meaning.semantic import can_read, open_semantic, score_by_meaning
from ctxrepo.storage.meaning.vectors import Vectors
from ctxrepo.storage.processes.listener import Listener, question, reply

IDLE = 900.0
"""Seconds without a question after which it ends."""

TICK = 1.0
"""Seconds between two looks whether notes, settings, model or code have changed."""

_OFTEN = 15.0
"""Seconds between two readings of vectors while they are being made."""

_MOST_HITS, _MOST_SCOPES = 100, 16


class Helper:
    """The loaded model, the meanings it has read, and the thread that embeds."""

    def __init__(self, world: World, is_same: Callable[[], bool], tell: Callable[[str], None]) -> None:
        """`world` as it is compiled; `is_same` says whether it and the code still are so, `tell` takes what
        went wrong, for doctor to find."""
        self._is_same, self._tell = is_same, tell
        self._folder = Path(world.repo.state)
        self._vectors = self._folder / "vectors.db"
        models = Path(world.state) / "models"
        self._meanings, self._embedder = open_semantic(world.model, models, self._vectors)
        self._files = self._embedder.model.onnx
        self._model = stamp_of(str(self._files))
        self._asked_at = time.monotonic()
        self._read_at = 0.0
        self._scopes: tuple[str, ...] = ()
        self._seen: tuple[str, int] | None = None
        self._stopped, self._has_more = Event(), Event()
        self._thread: Thread | None = None

    def serve(self, listener: Listener) -> None:
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
        is_busy = self._thread is not None and self._thread.is_alive()
        is_idle = time.monotonic() > self._asked_at + IDLE and not is_busy
        return is_idle or stamp_of(str(self._files)) != self._model or not self._is_same()

    def _look(self) -> None:
        """Embed what is new, and have what was made read before somebody asks for it."""
        cache = self._cache()
        if cache is None:
            return
        with closing(cache):
            now = (commit_of(cache), generation_of(cache))
            if now != self._seen and (self._thread is None or not self._thread.is_alive()):
                self._seen = now
                make_all()
                self._thread = Thread(target=self._embed, daemon=True)
                self._thread.start()
            if self._has_more.is_set() and time.monotonic() > self._read_at + _OFTEN:
                self._has_more.clear()
                self._meanings.forget()
                self._read_at = time.monotonic()
            self._meanings.of(cache, self._scopes)

    def _answer(self, line: bytes) -> bytes:
        """A line for a line; b'' for what is no question."""
        request = question_of(line)
        cache = self._cache() if request else None
        if request is None or cache is None:
            return b""
        with closing(cache):
            self._asked_at = time.monotonic()
            self._scopes = tuple(request.scopes)
            header = {"v": VERSION, "head": commit_of(cache), "generation": generation_of(cache)}
            is_read = can_read(self._embedder, request.prompt)
            if not is_read and choose_for_prompt(rank_by_words(cache, request)).hits:
                return b""
            scores = score_by_meaning(cache, self._meanings, self._embedder, request)
            if scores is None:
                return b""
            measures = {"margins": scores.margins, "read": is_read}
            rows = [(number, score, scores.own[number]) for number, score in scores.by_number.items()]
            return json.dumps({**header, **measures, "scores": rows}).encode() + b"\n"

    def _embed(self) -> None:
        """In a thread of its own, after everybody else on this machine."""
        os.setpriority(os.PRIO_PROCESS, 0, 19)  # on Linux this thread's alone
        cache = self._cache()
        if cache is None:
            return
        vectors = Vectors(self._vectors, self._embedder.model.key)
        try:
            with closing(cache):
                texts = pending(cache, vectors)
            if texts:
                embed(vectors, self._embedder, texts, self._goes_on)
        except Exception as error:
            self._tell(in_words(error))
        finally:
            vectors.close()

    def _goes_on(self, done: int, of: int) -> bool:
        if done:
            self._has_more.set()
        if done == of:
            self._read_at = 0.0
        return not self._stopped.is_set()

    def _cache(self) -> sqlite3.Connection | None:
        return open_cache(str(self._folder / "cache.db"))


def question_of(line: bytes) -> RecallRequest | None:
    """What is asked, None where it isn't asked as a hook of this version asks."""
    try:
        fields: Any = json.loads(line)
        before, scopes, limit = list(fields["before"]), list(fields["scopes"]), int(fields["limit"])
        texts = [fields["prompt"], *before, *scopes]
        if fields["v"] != VERSION or not all(isinstance(t, str) for t in texts) or len(scopes) > _MOST_SCOPES:
            return None
        return RecallRequest(fields["prompt"], before, scopes, min(limit, _MOST_HITS))
    except (ValueError, KeyError, TypeError):
        return None
