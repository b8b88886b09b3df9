"""An agent in a terminal of its own, as a person has it: what is typed, and what stands on the screen."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import signal
import struct
import subprocess
import termios
import threading
import time
from collections.abc import Mapping, Sequence
from types import TracebackType

from live.stage import Stage

SIZE = (50, 160)
"""Rows and columns."""

ESC = "\x1b"

PATIENCE = 30.0
"""Seconds for which something to stand on the screen is waited for."""

_CONTROL = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b[\]_P].*?(?:\x07|\x1b\\)|\x1b[@-Z\\^=>78]|[\x00-\x08\x0b-\x1f]"
)


class Terminal:
    """A program in a terminal while it is entered; left, it is told to end."""

    def __init__(self, stage: Stage, words: Sequence[str], env: Mapping[str, str]) -> None:
        self._stage = stage
        self._output = b""
        self._ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", *SIZE, 0, 0))
        self._process = subprocess.Popen(
            [*words],
            cwd=stage.project,
            env={**stage.machine.env, **env, "TERM": "xterm-256color"},
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
            text=True,
        )
        os.close(theirs)
        stage.started.append(self._process)
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    def __enter__(self) -> Terminal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process.poll() is None:
            self.type(ESC)
            self.type("\x03\x03")
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._listener.join(5)
        os.close(self._ours)

    def kill(self, how: signal.Signals) -> float:
        """Send it the signal; when it was gone."""
        self._process.send_signal(how)
        self._process.wait(PATIENCE)
        return time.monotonic()

    def type(self, keys: str) -> None:
        """Type these keys. Nothing follows a lone Esc at once: it would be the beginning of another key."""
        os.write(self._ours, keys.encode())
        if keys == ESC:
            time.sleep(0.5)

    def until(self, words: str, since: int = 0) -> str:
        """What was drawn from this place of the output on, once it has these words, or when nobody waits any
        longer."""
        self._stage.wait(lambda: words in self.drawn(since), PATIENCE)
        return self.drawn(since)

    def drawn(self, since: int = 0) -> str:
        """All that was drawn from this place of the output on, without what controls the terminal."""
        return _CONTROL.sub("", self._output[since:].decode("utf-8", "replace"))

    @property
    def place(self) -> int:
        """Where the output is now."""
        return len(self._output)

    def _listen(self) -> None:
        try:
            while part := os.read(self._ours, 65536):
                self._output += part
        except OSError:
            return  # the program is gone
