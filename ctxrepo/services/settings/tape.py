"""What is kept of an agent's sessions: as config.toml says, and for pi's as pi's own settings say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ctxrepo.domain.settings.pi import AGENT
from ctxrepo.domain.settings.values import TapeSettings
from ctxrepo.hooks.known.world import is_left_alone
from ctxrepo.services.locate.identify import Project
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.user.pimemory import read_pi


def settings_by_owner(memory: Memory) -> Mapping[str, TapeSettings]:
    """The settings by the agent whose sessions have their own; '' has those of all others."""
    own, others = tape_settings(memory, AGENT), tape_settings(memory, "")
    return {"": others} | ({AGENT: own} if own != others else {})


def tape_settings(memory: Memory, agent: str) -> TapeSettings:
    """The settings of the tape for this agent's sessions. Where pi's settings say something of pi-memory-md's
    tape, that holds for pi, and what they don't say is as it is there by default. The tools are pi's alone,
    whatever config.toml says of them."""
    if agent != AGENT:
        return replace(memory.settings.tape, tools=False)
    pi = read_pi(memory.places, memory.env).settings
    return pi.tape if pi is not None and pi.tape is not None else memory.settings.tape


def leaves_alone(settings: TapeSettings, cwd: str, project: Project | None) -> bool:
    """Whether nothing is kept of sessions in this folder, which is in this project."""
    is_in_project = project is not None
    return is_left_alone(settings.enabled, settings.only_git, [*settings.exclude_dirs], cwd, is_in_project)
