"""What of an agent's files is ours: the hook line that it runs, and the name of our plugin."""

import shlex
from collections.abc import Iterable
from pathlib import Path

from ctxrepo.domain.formats import jsontext
from ctxrepo.lazy import dataclass, lazy_pattern

_HOOK = lazy_pattern(r"""ctxrepo/hook\.py['"]?\s+(\w+)(?=\s|$)""")


@dataclass(frozen=True)
class HookLine:
    """The command of a hook: an interpreter that loads nothing it needn't, and absolute places only.

    A shim in place of the interpreter costs more than the hook's whole work, and PATH may be anything in an
    agent's environment. What follows the first `||` runs when the interpreter or hook.py is missing; standard
    input is still unread then. The last `|| :` makes the line exit with 0: exit status 2, which Python uses
    for a missing file, would veto the prompt."""

    interpreter: Path
    hook: Path
    state: Path

    def __call__(self, agent: str, event: str) -> str:
        """The shell command line of one event."""
        runner = shlex.join(["sh", str(self.state / "hook"), agent, event])
        return f"{self._without_fallback(agent, event)} 2>/dev/null || {runner} $? 2>/dev/null || :"

    @classmethod
    def read(cls, command: str) -> "HookLine | None":
        """The places that a line of ours names, or None when it isn't written as we write it, or once did."""
        try:
            words = shlex.split(command)
        except ValueError:
            return None
        if len(words) < 7:
            return None
        line = cls(Path(words[0]), Path(words[3]), Path(words[6]))
        forms = (line(*words[4:6]), line._without_fallback(*words[4:6]))
        return line if words in map(shlex.split, forms) else None

    def _without_fallback(self, agent: str, event: str) -> str:
        """The line without its fallback, as it was written before there was `STATE/hook`."""
        words = [str(self.interpreter), "-I", "-S", str(self.hook), agent, event, str(self.state)]
        return shlex.join(words)


def is_ours(command: object, agent: str) -> bool:
    """Whether a hook's command is ctxrepo's for this agent, of whichever installation."""
    match = _HOOK.search(command) if isinstance(command, str) else None
    return bool(match and match[1] == agent)


NAME = "ctxrepo"


def is_enabled(text: str) -> bool:
    """Whether `enabledPlugins` in these settings has our plugin, as Claude Code and Copilot CLI note it;
    jsontext.Malformed when they can't be read."""
    plugins = jsontext.members(text).get("enabledPlugins")
    pairs = plugins.items() if isinstance(plugins, dict) else ()
    return is_among(name for name, is_on in pairs if is_on is True)


def is_among(plugins: Iterable[str]) -> bool:
    """Whether our plugin is among those of these names."""
    return any(name.partition("@")[0] == NAME for name in plugins)
