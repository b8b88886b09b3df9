"""Files and folders that are not ours: regular files are read up to a size, and a folder that hangs is left.

Whoever made them may have put a pipe, a device or a file without end where a file belongs, and a network disk
may be gone. Everything that is looked at outside our state folder goes through here.
"""

from __future__ import annotations

import json
import os
import stat
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TypeVar

from ctxrepo.errors import NoAnswer, Unreadable
from ctxrepo.lazy import dataclass
from ctxrepo.storage.disk.apart import Apart
from ctxrepo.storage.disk.private import put
from ctxrepo.storage.disk.random_names import random_name

MAX_BYTES = 16 * 1024 * 1024
"""A larger file is nothing that we would read whole."""

ANSWER_WAIT = 5.0
"""Seconds for which a folder may let us wait."""

QUIET = 60.0
"""Seconds for which a folder that didn't answer isn't asked again."""

_HANGS = 2
"""Folders that are waited for while many are asked; what is left then is passed over."""

Asked = TypeVar("Asked")
Found = TypeVar("Found")


def read(path: Path | str, most: int = MAX_BYTES, *, follow: bool = True) -> bytes | None:
    """The bytes of the regular file at `path`; None where nothing is there.

    Unreadable, saying why, for anything else: what isn't a file, has more than `most` bytes, is a link where
    `follow` is false, or may not be read.
    """
    try:
        handle = open_regular(path, follow=follow)
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise Unreadable(f"{shown(path)} can't be read: {_words(error)}") from error
    try:
        return _whole(handle, path, most)
    except OSError as error:
        raise Unreadable(f"{shown(path)} can't be read: {_words(error)}") from error
    finally:
        os.close(handle)


def text(path: Path | str, most: int = MAX_BYTES) -> str:
    """The text of a file; '' where `read` has nothing to give, for whatever reason."""
    try:
        return (read(path, most) or b"").decode("utf-8", "surrogateescape")
    except Unreadable:
        return ""


def open_regular(path: Path | str, *, follow: bool = True) -> int:
    """A handle to read a regular file by. OSError for anything else; nobody is waited for: a pipe would let
    us wait for whoever writes to it."""
    links = 0 if follow else os.O_NOFOLLOW
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC | links)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(f"{shown(path)} is not a file")
    return handle


def shown(path: Path | str) -> str:
    """The path as a line can show it, whatever bytes are in its name."""
    whole = "".join(char if char.isprintable() else repr(char)[1:-1] for char in str(path))
    return whole if len(whole) <= 300 else f"{whole[:150]}…{whole[-150:]}"


@dataclass(frozen=True)
class Outside:
    """`unresponsive` is a file of ours with the folders that hung in the last minute."""

    unresponsive: Path

    def ask(self, place: Path, question: Callable[[], Found], patience: float = ANSWER_WAIT) -> Found:
        """What `question` says of the folder `place`. NoAnswer when it takes longer than `patience` seconds,
        and at once when the folder let somebody wait in the last minute.

        It is asked in a process of its own, because nothing ends a call to a disk that is gone: that process
        is left behind then, and holds nothing of ours. What `question` changes in memory is lost.
        """
        if silent := _above(place, self._lately()):
            raise _no_answer(silent)
        try:
            with Apart([question], patience) as apart:
                found: Found = apart.next()
            return found
        except TimeoutError:
            self._note(place)
            raise _no_answer(place) from None

    def ask_each(
        self,
        paths: Iterable[Asked],
        question: Callable[[Asked], Found],
        place: Callable[[Asked], Path],
        patience: float = ANSWER_WAIT,
    ) -> Iterator[tuple[Asked, Found]]:
        """The same question about many paths, or what stands for them; those without an answer are passed
        over. `place` is the folder that is to be left alone when a path hangs, and all that is in it."""
        silent = self._lately()
        left = deque(path for path in paths if not _above(place(path), silent))
        for _ in range(_HANGS):
            if not left:
                return
            try:
                with Apart([partial(question, path) for path in left], patience) as apart:
                    while left:
                        try:
                            found = apart.next()
                        except TimeoutError:
                            raise
                        except (OSError, ValueError):  # one that may not be read, or is no path
                            left.popleft()
                        else:
                            yield left.popleft(), found
            except TimeoutError:
                hung = place(left[0])
                self._note(hung)
                left = deque(path for path in left if not place(path).is_relative_to(hung))

    def _lately(self) -> dict[str, float]:
        now = time.time()
        try:
            moments = json.loads(read(self.unresponsive, follow=False) or b"{}")
            return {str(p): float(at) for p, at in moments.items() if 0 <= now - float(at) < QUIET}
        except (Unreadable, ValueError, TypeError, AttributeError):
            return {}

    def _note(self, place: Path) -> None:
        """Where it can't be kept, the folder is asked again the next time."""
        made = self.unresponsive.with_name(f".{self.unresponsive.name}-{random_name(4)}")
        with suppress(OSError):
            put(made, json.dumps({**self._lately(), str(place): time.time()}))
            made.replace(self.unresponsive)


def _above(place: Path, folders: Iterable[str]) -> Path | None:
    """The one of these folders that `place` is in, or is."""
    return next((folder for folder in map(Path, folders) if place.is_relative_to(folder)), None)


def _no_answer(place: Path) -> NoAnswer:
    return NoAnswer(
        f"{shown(place)} doesn't answer", f"Is its disk away? It is asked again after {QUIET:.0f} s."
    )


def _whole(handle: int, path: Path | str, most: int) -> bytes:
    data = bytearray()
    if os.fstat(handle).st_size <= most:
        while len(data) <= most and (chunk := os.read(handle, min(1 << 20, most + 1 - len(data)))):
            data += chunk
        if len(data) <= most:
            return bytes(data)
    raise Unreadable(f"{shown(path)} is larger than {_size(most)}, and is not read")


def _size(count: int) -> str:
    return f"{count >> 20} MiB" if count >= 1 << 20 else f"{count >> 10} KiB"


def _words(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else "") or str(error)
