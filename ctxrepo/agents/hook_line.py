"""The hook line: the command that agents run at each event."""

from __future__ import annotations

import shlex
from pathlib import Path

from ctxrepo.lazy import dataclass, lazy_pattern

_HOOK = lazy_pattern(r"""ctxrepo/hook\.py['"]?\s+(\w+)(?=\s|$)""")


@dataclass(frozen=True)
class HookLine:
    """The command of a hook: an interpreter that loads nothing it needn't, and absolute places only.

    A shim in place of the interpreter costs more than the hook's whole work, and PATH may be anything in an
    agent's environment. What follows the first `||` runs when the interpreter or hook.py is missing; standard
    input is still unread then. The last `|| :` makes the line exit with 0: exit status 2, which Python uses
    for a missing file, would veto the prompt.
    """

    interpreter: Path
    hook: Path
    state: Path

    def __call__(self, agent: str, event: str) -> str:
        """The shell command line of one event."""
        runner = shlex.join(["sh", str(self.state / "hook"), agent, event])
        return f"{self._without_fallback(agent, event)} 2>/dev/null || {runner} $? 2>/dev/null || :"

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
        known = (line(*words[4:6]), line._without_fallback(*words[4:6]))
        return line if words in map(shlex.split, known) else None

    def _without_fallback(self, agent: str, event: str) -> str:
        """The line without its fallback, as it was written before there was `STATE/hook`."""
        words = [str(self.interpreter), "-I", "-S", str(self.hook), agent, event, str(self.state)]
        return shlex.join(words)


def is_ours(command: object, agent: str) -> bool:
    """Whether a hook's command is ctxrepo's for this agent, of whichever installation."""
    match = _HOOK.search(command) if isinstance(command, str) else None
    return bool(match and match[1] == agent)
