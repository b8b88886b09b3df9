"""OpenCode's installation: our bridge among its plugins, and our skills where several agents look."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from ctxrepo.agents.install_options import DEFAULTS, InstallOptions
from ctxrepo.agents.opencode.dialect import DIALECT
from ctxrepo.agents.protocol import named_folder
from ctxrepo.agents.wanted import Line, ShippedFile, SkillsFolder, Wanted

BRIDGE = "opencode/ctxrepo.js"
"""The bridge in hooks/, which OpenCode can load from there as well."""

ANY_EVENT = "EVENT"
"""What stands for the name of one in the bridge's hook line."""

EVENTS = DIALECT.event_names()


def folder(user_home: Path, environment: Mapping[str, str]) -> Path:
    """The user's folder of OpenCode, which it always reads: OPENCODE_CONFIG_DIR names one more."""
    return (named_folder("XDG_CONFIG_HOME", environment) or user_home / ".config") / "opencode"


def files(
    user_home: Path, environment: Mapping[str, str], line: Line, options: InstallOptions = DEFAULTS
) -> Sequence[Wanted]:
    """The bridge with the hook line of this machine in it and what it lets OpenCode run, and our skills."""
    hooks = {event: line(event) for event in DIALECT.event_names(options.enforces)}
    allowed = [f"ctxrepo {command}" for command in options.commands]
    enforces = "yes" if options.enforces else "no"
    places = {"line": line(ANY_EVENT), "allowed": allowed, "enforces": enforces}
    bridge = folder(user_home, environment) / "plugins/ctxrepo.js"
    return (
        ShippedFile(bridge, BRIDGE, places, hooks),
        SkillsFolder(user_home / ".agents/skills"),
    )


RULES = "rules for its shell, which the bridge adds to those of its settings"
