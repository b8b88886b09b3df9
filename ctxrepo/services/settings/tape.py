"""What is kept of an agent's sessions: as config.toml says, and for pi's as pi's own settings say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ctxrepo.domain.settings.pi import AGENT
from ctxrepo.domain.settings.values import TapeSettings
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.user.pimemory import read_pi


def settings_by_owner(memory: Memory) -> Mapping[str, TapeSettings]:
    """The settings by the agent whose sessions have their own; '' has those of all others. The tools are pi's
    alone, whatever config.toml says of them."""
    own, common = tape_settings(memory, AGENT), memory.settings.tape
    others = {"": replace(common, tools=False)}
    return others | ({AGENT: own} if own != others[""] else {})


def tape_settings(memory: Memory, agent: str) -> TapeSettings:
    """The settings of the tape for this agent's sessions. Where pi's settings say something of pi-memory-md's
    tape, that holds for pi, and what they don't say is as it is there by default."""
    if agent != AGENT:
        return memory.settings.tape
    pi = read_pi(memory.places, memory.env).settings
    return pi.tape if pi is not None and pi.tape is not None else memory.settings.tape
