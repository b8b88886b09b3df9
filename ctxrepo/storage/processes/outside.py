"""Questions about folders of others, which may hang: nothing ends a call to a lost network disk (ADR 37)."""

import json
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TypeVar

from ctxrepo.errors import NoAnswer, Unreadable
from ctxrepo.lazy import dataclass
from ctxrepo.storage.disk.foreign import read, shown
from ctxrepo.storage.disk.private import put_whole
from ctxrepo.storage.processes.apart import Apart, ask_apart

ANSWER_WAIT = 5.0
"""Seconds for which a folder may let us wait."""

QUIET = 60.0
"""Seconds for which a folder that didn't answer isn't asked again."""

_HANGS = 2
"""Folders that are waited for while many are asked; those that remain are passed over."""

Asked = TypeVar("Asked")
Answer = TypeVar("Answer")


@dataclass(frozen=True)
class Outside:
    """Asks about folders in another process, left behind where one hangs, with what it changed in memory.
    A question is a named function, or a `partial` to be pickled. `unresponsive`: what hung lately."""

    unresponsive: Path

    def ask(self, place: Path, question: Callable[[], Answer], patience: float = ANSWER_WAIT) -> Answer:
        """What `question` answers about the folder `place`. NoAnswer when that takes more than `patience`
        seconds, and at once when the folder hung in the last minute."""
        if hung := _above(place, self._hung_lately()):
            raise _no_answer(hung)
        try:
            return ask_apart(question, patience)
        except TimeoutError:
            self._note(place)
            raise _no_answer(place) from None

    def ask_each(
        self,
        subjects: Iterable[Asked],
        question: Callable[[Asked], Answer],
        place: Callable[[Asked], Path],
        patience: float = ANSWER_WAIT,
    ) -> Iterator[tuple[Asked, Answer]]:
        """The same question about many paths, or what stands for them; those without an answer are passed
        over. `place` is the folder that is to be left alone when one of them hangs, and all that is in it."""
        silent = self._hung_lately()
        waiting = deque(subject for subject in subjects if not _above(place(subject), silent))
        for _ in range(_HANGS):
            if not waiting:
                return
            try:
                with Apart(partial(_each, question, list(waiting)), patience) as apart:
                    while waiting:
                        is_answered, answer = apart.next()
                        subject = waiting.popleft()
                        if is_answered:
                            yield subject, answer
            except TimeoutError:
                hung = place(waiting[0])
                self._note(hung)
                waiting = deque(subject for subject in waiting if not place(subject).is_relative_to(hung))

    def _hung_lately(self) -> dict[str, float]:
        now = time.time()
        try:
            moments = json.loads(read(self.unresponsive, follow=False) or b"{}")
            return {str(p): float(at) for p, at in moments.items() if 0 <= now - float(at) < QUIET}
        except (Unreadable, ValueError, TypeError, AttributeError):
            return {}

    def _note(self, place: Path) -> None:
        """Where it can't be written down, the folder is asked again the next time."""
        with suppress(OSError):
            put_whole(self.unresponsive, json.dumps({**self._hung_lately(), str(place): time.time()}))


def _each(
    question: Callable[[Asked], Answer], subjects: Iterable[Asked]
) -> Iterator[tuple[bool, Answer | None]]:
    """(whether there is an answer, the answer) for each; none for what may not be read, or is no path."""
    for subject in subjects:
        try:
            answer = question(subject)
        except (OSError, ValueError):
            yield False, None
        else:
            yield True, answer


def _above(place: Path, folders: Iterable[str]) -> Path | None:
    """The one of these folders that `place` is in, or is."""
    return next((folder for folder in map(Path, folders) if place.is_relative_to(folder)), None)


def _no_answer(place: Path) -> NoAnswer:
    return NoAnswer(
        f"{shown(place)} doesn't answer", f"Is its disk away? It is asked again after {QUIET:.0f} s."
    )
