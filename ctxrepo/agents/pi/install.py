"""pi's installation: an extension of ours that hands on its events, tools and commands, and our skills."""

import json
import re
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

from ctxrepo.agents.hook_line import NAME, HookLine
from ctxrepo.agents.permissions import DEFAULTS, InstallOptions
from ctxrepo.agents.pi import FOLDER
from ctxrepo.agents.pi.dialect import DIALECT
from ctxrepo.agents.protocol import Plugin, named_folder
from ctxrepo.agents.wanted import Line, ShippedFile, SkillsFolder, Wanted

EVENTS = DIALECT.event_names()
"""The events that the extension hands on."""

ANY_EVENT = "EVENT"
"""What stands for the name of one in the extension's hook line."""


MODULES = (
    *("anchors", "answers", "commands", "delivery", "labels", "program"),
    *("tape", "tool", "tools", "turn"),
)
"""The extension's modules, in the folder beside it."""

_SOURCE = re.compile(rf"npm:{NAME}(?:@[^/]*)?|(?!npm:)(?:.*[:/])?{NAME}(?:\.git)?/?(?:@[^/]*)?")


def folder(user_home: Path, environment: Mapping[str, str]) -> Path:
    """The user's folder of pi: PI_CODING_AGENT_DIR, else ~/.pi/agent."""
    return _named(FOLDER, user_home, environment) or user_home / ".pi" / "agent"


def sessions(user_home: Path, environment: Mapping[str, str]) -> Path:
    """Where pi keeps its sessions: PI_CODING_AGENT_SESSION_DIR, else `sessions` in its folder."""
    path = _named("PI_CODING_AGENT_SESSION_DIR", user_home, environment)
    return path or folder(user_home, environment) / "sessions"


def files(
    user_home: Path, environment: Mapping[str, str], line: Line, options: InstallOptions = DEFAULTS
) -> Sequence[Wanted]:
    """The extension, and the skills in the folder that other agents read too."""
    hooks = {event: line(event) for event in DIALECT.event_names(options.enforces)}
    extensions = folder(user_home, environment) / "extensions"
    places = {"line": line(ANY_EVENT), "command": command_line(line(ANY_EVENT))}
    places["enforces"] = "yes" if options.enforces else "no"
    modules = (f"ctxrepo/{name}.ts" for name in MODULES)
    return (
        ShippedFile(extensions / "ctxrepo.ts", "pi/ctxrepo.ts", places, hooks),
        *(ShippedFile(extensions / module, f"pi/{module}", {}) for module in modules),
        SkillsFolder(user_home / ".agents" / "skills"),
    )


def command_line(hook_line: str) -> str:
    """What runs, in a shell and with its arguments, the installation that this hook line calls, as long as it
    is there; '' where it isn't a line of ours. The extension looks for another installation after it.

    Whatever the project that a session works in may hold, Python loads nothing from there: -P leaves out the
    current folder, and -E a PYTHONPATH that names it."""
    line = HookLine.read(hook_line)
    if line is None:
        return ""
    python, hook, state = (shlex.quote(str(path)) for path in (line.interpreter, line.hook, line.state))
    is_there = f"[ -x {python} ] && [ -f {hook} ]"
    return f'export CTXREPO_STATE={state}; {is_there} && exec {python} -P -E -m ctxrepo "$@"'


def _is_plugin_on(text: str) -> bool:
    """Whether one of the packages in these settings has our name: from npm, from git or in a folder. With its
    extensions filtered out (`"extensions": []`) it is not on."""
    settings = json.loads(text)
    packages = settings.get("packages") if isinstance(settings, dict) else None
    sources = map(_source, packages if isinstance(packages, list) else ())
    return any(_SOURCE.fullmatch(source) for source in sources)


def _source(package: object) -> str:
    """Where a package that brings extensions is from; '' for others."""
    if isinstance(package, dict) and package.get("extensions") != []:
        package = package.get("source")
    return package if isinstance(package, str) else ""


def _named(variable: str, user_home: Path, environment: Mapping[str, str]) -> Path | None:
    """The folder that a variable of pi's names; `~` stands for the home, as in pi."""
    path = environment.get(variable, "")
    if path == "~" or path.startswith("~/"):
        return user_home / path[2:]
    return named_folder(variable, environment)


PLUGIN = Plugin("settings.json", _is_plugin_on)
