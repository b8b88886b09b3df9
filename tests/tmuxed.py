"""A real terminal: a program in tmux, to which keys are sent and of which the screen is read."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from machines import Machine
from needs import place_of

SECONDS = 60.0


class Tmux:
    """A session of tmux with a server of its own below `folder`, in which one command runs."""

    def __init__(self, folder: Path, machine: Machine, command: list[str], size: tuple[int, int]) -> None:
        self._socket = str(folder / "tmux")
        env = {**machine.env, "TERM": "xterm-256color", "LANG": "C.UTF-8"}
        words = f"exec {shlex.join(command)}"
        width, height = map(str, size)
        self._env = {**env, "TMUX_TMPDIR": str(folder)}
        where = ["-c", str(machine.project_folder), "-x", width, "-y", height]
        self("new-session", "-d", "-s", "it", *where, words)

    def __call__(self, *words: str) -> str:
        program = [place_of("tmux"), "-S", self._socket, "-f", "/dev/null", *words]
        run = subprocess.run(program, env=self._env, capture_output=True, text=True)
        return run.stdout

    def keys(self, *keys: str) -> None:
        for key in keys:
            self("send-keys", "-t", "it", key)

    @property
    def screen(self) -> str:
        return self("capture-pane", "-p", "-t", "it")

    def wait(self, is_there: Callable[[str], bool], what: str) -> str:
        """Wait until the screen is so."""
        end = time.monotonic() + SECONDS
        while not is_there(shown := self.screen):
            assert time.monotonic() < end, f"{what}:\n{shown}"
            time.sleep(0.05)
        return shown

    @property
    def pid(self) -> int:
        return int(self("list-panes", "-t", "it", "-F", "#{pane_pid}"))

    def kill(self) -> None:
        """The power goes, as far as the program can tell."""
        os.kill(self.pid, signal.SIGKILL)

    def close(self) -> None:
        self("kill-server")


def review(folder: Path, machine: Machine, size: tuple[int, int] = (100, 30)) -> Tmux:
    """`ctxrepo review` at a terminal, up and with all that waits."""
    tmux = Tmux(folder, machine, [sys.executable, "-m", "ctxrepo", "review"], size)
    tmux.wait(lambda shown: "for you · ?" in shown, "the screen comes up")
    return tmux
