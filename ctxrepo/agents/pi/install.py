"""pi's installation: an extension of ours that hands its events on and has tools and commands, and our
skills."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from ctxrepo.agents.hook_line import HookLine
from ctxrepo.agents.protocol import ShippedFile, SkillsFolder, Wanted
from ctxrepo.errors import ConfigError

EVENTS = (
    "session_start",
    "session_tree",
    "session_compact",
    "before_agent_start",
    "tool_result",
    "session_before_compact",
    "agent_settled",
    "session_shutdown",
)
"""The events that the extension hands on."""

ANY_EVENT = "EVENT"
"""What stands for the name of one in the extension's hook line."""


MODULES = ("answers", "commands", "delivery", "program", "tools")
"""The extension's modules, in the folder beside it."""


def folder(user_home: Path, environment: Mapping[str, str]) -> Path:
    """The user's folder of pi: PI_CODING_AGENT_DIR, else ~/.pi/agent."""
    return _named("PI_CODING_AGENT_DIR", user_home, environment) or user_home / ".pi" / "agent"


def sessions(user_home: Path, environment: Mapping[str, str]) -> Path:
    """Where pi keeps its sessions: PI_CODING_AGENT_SESSION_DIR, else `sessions` in its folder."""
    named = _named("PI_CODING_AGENT_SESSION_DIR", user_home, environment)
    return named or folder(user_home, environment) / "sessions"


def files(user_home: Path, environment: Mapping[str, str], line: Callable[[str], str]) -> Sequence[Wanted]:
    """The extension, and the skills in the folder that other agents read too."""
    hooks = {event: line(event) for event in EVENTS}
    extensions = folder(user_home, environment) / "extensions"
    places = {"line": line(ANY_EVENT), "command": command_line(line(ANY_EVENT))}
    modules = (f"ctxrepo/{name}.ts" for name in MODULES)
    return (
        ShippedFile(extensions / "ctxrepo.ts", "pi/ctxrepo.ts", places, hooks),
        *(ShippedFile(extensions / module, f"pi/{module}", {}) for module in modules),
        SkillsFolder(user_home / ".agents" / "skills"),
    )


def command_line(hook_line: str) -> str:
    """What runs ctxrepo in a shell, with the shell's arguments: the installation that this hook line calls,
    and once that is gone the one on PATH. Python's -P keeps the current folder, a project's, out of what it
    loads."""
    on_path = 'exec ctxrepo "$@"'
    line = HookLine.read(hook_line)
    if line is None:
        return on_path
    python, state = shlex.quote(str(line.interpreter)), shlex.quote(str(line.state))
    ours = f'[ -x {python} ] && [ -f {shlex.quote(str(line.hook))} ] && exec {python} -P -m ctxrepo "$@"'
    return f"export CTXREPO_STATE={state}; {ours}; {on_path}"


def _named(variable: str, user_home: Path, environment: Mapping[str, str]) -> Path | None:
    """The folder that a variable of pi's names; `~` stands for the home, as in pi."""
    named = environment.get(variable, "")
    if named == "~" or named.startswith("~/"):
        return user_home / named[2:]
    if named and not Path(named).is_absolute():
        raise ConfigError(
            f"{variable} is {named!r}, which is not an absolute path", "Set it to one, or unset it."
        )
    return Path(named) if named else None
