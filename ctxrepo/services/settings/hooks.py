"""What the moments of a session set off: as config.toml says, and for pi's as pi's own settings say."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ctxrepo.domain.settings.pi import AGENT
from ctxrepo.domain.settings.values import HookSettings
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.user.pimemory import read_pi


def session_hooks(memory: Memory, agent: str) -> HookSettings:
    """The hooks of this agent's sessions. Where somebody chose pi-memory-md's hooks in pi's settings, they
    hold for pi: without `push` at a session's end its sessions send nothing. The next push of anybody else
    takes along what they wrote, because it sends the whole branch."""
    hooks = memory.settings.hooks
    if agent != AGENT:
        return hooks
    pi = read_pi(memory.places, memory.env).settings
    if pi is None or not pi.hooks.is_explicit:
        return hooks
    return replace(
        hooks,
        session_start=("pull",) if "pull" in pi.hooks.session_start else (),
        session_end=("commit", "push") if "push" in pi.hooks.session_end else ("commit",),
    )


def sends(memory: Memory, agents: Iterable[str]) -> bool:
    """Whether what sessions of these agents wrote is to be sent; '' stands for somebody without a session."""
    return memory.has_remote and any("push" in session_hooks(memory, agent).session_end for agent in agents)
