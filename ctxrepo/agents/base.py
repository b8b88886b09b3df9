"""What every agent's module offers, and the hook line that all of them are given.

An agent's module turns text into text and values into paths; reading and writing is for others.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

_HOOK = re.compile(r"""ctxrepo/hook\.py['"]?\s+(\w+)(?=\s|$)""")


class Agent(Protocol):
    """A module that knows one agent: where its settings are, and how our hooks stand in them."""

    NAME: str
    """Its name on the command line."""

    TITLE: str
    """Its name in a sentence."""

    INSTRUCTIONS: str
    """The file at the top of a checkout that it reads at a session's start."""

    def folder(self, user_home: Path, environment: Mapping[str, str]) -> Path:
        """The user's folder of this agent; ConfigError when the environment names an unusable one."""
        ...

    def settings_path(self, user_home: Path, environment: Mapping[str, str]) -> Path: ...

    def skills_path(self, user_home: Path, environment: Mapping[str, str]) -> Path: ...

    def connect(self, text: str, line: Callable[[str], str]) -> str:
        """`text` of the settings with our hooks in it; `line` gives the command for an event.

        Hooks of ours that are right stay as they are, others are replaced; nothing else changes.
        ValueError, saying where, when the settings can't be read.
        """
        ...

    def disconnect(self, text: str, original: str | None = None) -> str:
        """`text` without our hooks and without what they leave empty.

        What is empty in `original`, the settings before we came, stays empty.
        """
        ...

    def lines(self, text: str) -> Mapping[str, Sequence[str]]:
        """Our commands in these settings, by event."""
        ...

    def has_plugin(self, text: str) -> bool:
        """Whether these settings switch ctxrepo's plugin on."""
        ...

    def session(self, environment: Mapping[str, str]) -> str:
        """The id of this agent's session that the environment tells of, '' for none."""

    def events(self) -> Sequence[str]:
        """The events that `connect` gives a hook to."""
        ...

    def obstacle(self, text: str) -> str:
        """What in these settings keeps hooks from running, or ''."""
        ...

    def is_blank(self, text: str) -> bool:
        """Whether these settings say nothing at all."""
        ...


@dataclass(frozen=True)
class HookLine:
    """The command of a hook: an interpreter that loads nothing it needn't, and absolute places only.

    A shim in place of the interpreter costs more than the hook's whole work, and PATH may be anything in
    an agent's environment. What is behind the first `||` runs when interpreter or hook are gone: they then
    have left standard input unread. The agent hears nothing of it, for it would take a 2 for a veto.
    """

    interpreter: Path
    hook: Path
    state: Path

    def __call__(self, agent: str, event: str) -> str:
        """The shell command line of one event."""
        runner = shlex.join(["sh", str(self.state / "hook"), agent, event])
        return f"{self._straight(agent, event)} 2>/dev/null || {runner} $? 2>/dev/null || :"

    @classmethod
    def read(cls, command: str) -> HookLine | None:
        """The places that a line of ours names, or None when it isn't written as we write it, or once did."""
        try:
            words = shlex.split(command)
        except ValueError:
            return None
        if len(words) < 7:
            return None
        line = cls(Path(words[0]), Path(words[3]), Path(words[6]))
        known = (line(*words[4:6]), line._straight(*words[4:6]))
        return line if words in map(shlex.split, known) else None

    def _straight(self, agent: str, event: str) -> str:
        """The line without what it falls back to: all there was up to 0.1."""
        words = [str(self.interpreter), "-I", "-S", str(self.hook), agent, event, str(self.state)]
        return shlex.join(words)


def is_ours(command: object, agent: str) -> bool:
    """Whether a hook's command is ctxrepo's for this agent, of whichever installation."""
    match = _HOOK.search(command) if isinstance(command, str) else None
    return bool(match and match[1] == agent)
