"""A conversation with a process of the agent for each prompt, as in a script."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Literal

from live.stage import Stage

PATIENCE = 120.0
"""Seconds a process may take."""

How = Literal["new", "resume", "fork"]


class Turns(ABC):
    """An agent says how its command line looks; with `goes_on` the first prompt resumes the last session."""

    def __init__(self, stage: Stage, form: str, goes_on: bool = False) -> None:
        self.stage, self.form, self.goes_on = stage, form, goes_on
        self._process: subprocess.Popen[str] | None = None
        self._gone = 0.0
        self._log = stage.root / f"output-{len(stage.started)}.txt"

    @abstractmethod
    def words(self, prompt: str, how: How) -> Sequence[str]:
        """The command line for a prompt."""

    @abstractmethod
    def env(self) -> Mapping[str, str]:
        """What the agent finds in its environment beside what the machine has."""

    def compact(self) -> None:
        """The conversation is shortened; whoever can do so says how."""
        raise NotImplementedError

    def process_that_matters(self, started: int) -> int:
        """The id of the process that calls the hooks, where the one that was started is a launcher."""
        return started

    def say(self, prompt: str) -> None:
        """One turn, and the process is gone."""
        self.begin(prompt)
        self.end()

    def fork(self, prompt: str) -> None:
        """One turn in a copy of the conversation, which is another session."""
        self._start(self.words(prompt, "fork"))
        self.end()

    def begin(self, prompt: str) -> None:
        """One turn, not waited for."""
        self._start(self.words(prompt, "resume" if self.goes_on else "new"))
        self.goes_on = True

    def end(self) -> float:
        """When the last process was gone."""
        if self._process:
            self._process.wait(PATIENCE)
            self._gone = time.monotonic()
        return self._gone

    def kill(self, how: signal.Signals) -> float:
        """Send the signal to the process that matters; when the one that was started was gone."""
        assert self._process
        os.kill(self.process_that_matters(self._process.pid), how)
        return self.end()

    def output(self) -> str:
        """What all processes have shown."""
        return self._log.read_text("utf-8", "replace")

    def _start(self, words: Sequence[str]) -> None:
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [*words],
                cwd=self.stage.project,
                env={**self.stage.machine.env, **self.env()},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                text=True,
            )
        self.stage.started.append(self._process)


def child_of(process: int, program: str) -> int:
    """The descendant of this process whose command line has the word, else the process itself."""
    waiting = [process]
    while waiting:
        parent = waiting.pop()
        try:
            with open(f"/proc/{parent}/task/{parent}/children", encoding="ascii") as file:
                children = [int(word) for word in file.read().split()]
            for child in children:
                with open(f"/proc/{child}/cmdline", "rb") as file:
                    if program.encode() in file.read():
                        return child
        except OSError:
            continue
        waiting += children
    return process
