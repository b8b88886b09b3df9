"""Records the cast: commands are typed at a real terminal, and what it shows is taken as it stands.

The story says here when each is shown, and not the machine, so that the same is recorded each time."""

from __future__ import annotations

import re
import shlex
import sys
import time
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from itertools import count
from pathlib import Path
from unittest.mock import patch
from uuid import UUID

from invented import NOW, invent
from machines import Machine
from tmuxed import Tmux

from cast.screen import HEIGHT, WIDTH, Cast, Frame, Screen, row_of

PROMPT = "shop$"
REVIEW = "ctxrepo review"
_SHELL = ["env", f"PS1={PROMPT} ", "bash", "--norc", "--noprofile", "--noediting", "-i"]

_KEY = 0.035
"""Seconds that a key takes; of a comment they are pasted."""
_AT_ONCE = 3
"""Keys that are shown at once."""
_ANSWER = 0.4
"""Seconds until an answer is shown."""
_QUIET = 0.5
"""Seconds in which nothing changes once all of an answer is there."""

_LOADING = re.compile(r"^ [1-6] \w+ …", re.MULTILINE)
"""The head of a panel that isn't loaded yet: keys that are pressed before have no row to move to."""


@dataclass(frozen=True)
class Typed:
    """A line that is typed, what its answer shows at least, and for how many seconds one reads that."""

    line: str
    shows: str
    seconds: float


@dataclass(frozen=True)
class Pressed:
    """A key on the screen of `ctxrepo review`, what that shows, and for how many seconds one reads it."""

    key: str
    shows: str
    seconds: float


STORY: tuple[Typed | Pressed, ...] = (
    Typed("# An agent writes down what it learns: one line of a note, in git.", PROMPT, 0.3),
    Typed('ctxrepo remember "Gift cards expire three years after they are sold"', "remembered:", 1.8),
    Typed("# The next session begins with an index of the notes, and what is pinned.", PROMPT, 0.3),
    Typed("ctxrepo context | grep ' — '", "release.md", 3.4),
    Typed("# A prompt brings up the entries that answer it, and nothing else.", PROMPT, 0.3),
    Typed('ctxrepo recall --as-prompt "Tests fail: connection refused, port 6390"', "make valkey", 2.6),
    Typed("# What waits for you, from all machines. One key decides, u takes it back.", PROMPT, 0.3),
    Typed(REVIEW, "shows all keys", 2.2),
    Pressed("j", "stripe-key", 1.6),
    Pressed("j", "four workers", 2.0),
    Pressed("a", "accepted", 2.2),
    Pressed("u", "undone", 2.0),
    Pressed("2", "was not kept", 3.4),
)


def record(folder: Path) -> Cast:
    """The cast of the demo memory, which is made below `folder`."""
    demo = _demo(folder)
    tools = folder / "bin"
    tools.mkdir()
    command = tools / "ctxrepo"
    words = [sys.executable, "-P", str(Path(__file__).with_name("at_moment.py")), NOW.isoformat()]
    command.write_text(f'#!/bin/sh\nexec {shlex.join(words)} "$@"\n')
    command.chmod(0o755)
    more = {"COLORTERM": "truecolor", "TZ": "UTC", "HISTFILE": "/dev/null"}
    machine = Machine(demo.home, {"PATH": f"{tools}:{demo.env['PATH']}", **more})
    tmux = Tmux(folder, machine, _SHELL, (WIDTH, HEIGHT))
    try:
        tmux("set", "-g", "status", "off")
        tmux("resize-window", "-t", "it", "-x", str(WIDTH), "-y", str(HEIGHT))
        tmux.wait(lambda shown: shown.strip() == PROMPT, "a prompt")
        recorder = _Recorder(tmux)
        return Cast(recorder.frames, recorder.play())
    finally:
        tmux.close()


def _demo(folder: Path) -> Machine:
    """The demo with ids that are the same each time."""
    names = (blake2b(b"%d" % number, digest_size=6).hexdigest() for number in count())
    anchors = map(UUID, (f"{number:032x}" for number in count()))
    with (
        patch("ctxrepo.services.notes.remember.random_name", lambda _: next(names)),
        patch("ctxrepo.services.notes.proposing.random_name", lambda _: next(names)),
        patch("ctxrepo.services.anchors.leave_anchor.uuid4", lambda: next(anchors)),
    ):
        return invent(folder)


_COMMIT, _SOME_COMMIT = re.compile(r"(?<=undo )[0-9a-f]{10}"), "719418ef94"
"""The id of a commit depends on the folder that the demo is played in."""


class _Recorder:
    """Plays the story at a terminal and takes its frames."""

    def __init__(self, tmux: Tmux) -> None:
        self.frames = [Frame(0.0, Screen(((),) * HEIGHT, None))]
        self._tmux = tmux
        self._at = 0.0

    def play(self) -> float:
        """Play all of it; the second at which it is over."""
        for step in STORY:
            if isinstance(step, Pressed):
                self._tmux.keys(step.key)
            else:
                self._type(step.line)
                self._tmux.keys("Enter")
            self._wait(step.shows, has_prompt=isinstance(step, Typed) and step.line != REVIEW)
            self._at += _ANSWER if isinstance(step, Typed) and not step.line.startswith("#") else 0.0
            self._take()
            self._at += step.seconds
        return round(self._at, 2)

    def _type(self, line: str) -> None:
        keys = len(line) if line.startswith("#") else _AT_ONCE
        for end in range(keys, len(line) + keys, keys):
            self._tmux("send-keys", "-t", "it", "-l", "--", line[end - keys : end])
            self._tmux.wait(partial(self._is_typed, line[:end]), line[:end])
            self._at += _KEY * min(keys, _AT_ONCE)
            self._take()
        self._at += _KEY * 8

    def _is_typed(self, text: str, _screen: str) -> bool:
        return self._cursor() == len(f"{PROMPT} {text}")

    def _wait(self, shows: str, *, has_prompt: bool) -> None:
        """Wait until this is on the screen, and below it the prompt again, and nothing changes any more."""

        def is_there(shown: str) -> bool:
            is_over = not has_prompt or shown.rstrip().rpartition("\n")[2].strip() == PROMPT
            return is_over and shows in shown and not _LOADING.search(shown)

        before = ""
        while before != (shown := self._tmux.wait(is_there, shows)):
            before = shown
            time.sleep(_QUIET)

    def _cursor(self) -> int:
        return int(self._tmux("display-message", "-p", "-t", "it", "#{cursor_x}"))

    def _take(self) -> None:
        lines = self._tmux("capture-pane", "-e", "-N", "-p", "-t", "it").split("\n")[:HEIGHT]
        where = self._tmux("display-message", "-p", "-t", "it", "#{cursor_flag} #{cursor_x} #{cursor_y}")
        is_shown, *place = map(int, where.split())
        lines += [""] * (HEIGHT - len(lines))
        cursor = (place[0], place[1]) if is_shown else None
        screen = Screen(tuple(row_of(_COMMIT.sub(_SOME_COMMIT, line)) for line in lines), cursor)
        if screen != self.frames[-1].screen:
            self.frames.append(Frame(round(self._at, 3), screen))
