"""What the hooks give in each delivery mode: parts of a start, and what goes beside prompts.

Faults are told in every mode, because nothing else tells them (docs/adr/0029-modes-of-delivery.md).
"""

from ctxrepo.hooks.known.compiled import World

DEFAULT = "delta"

_ELSEWHERE = ("system", "file")
"""Modes in which the packet stands in the system prompt or in a file that the agent reads, so that hooks
don't repeat it."""

_GIVES = {
    "delta": ("preamble", "packet", "recall", "changes", "bridge", "subindex"),
    "turn": ("preamble", "packet", "recall", "changes", "bridge", "subindex"),
    "once": ("preamble", "packet", "subindex"),
    "system": ("recall", "changes", "bridge", "subindex"),
    "file": ("recall", "changes", "bridge"),
    "pull": ("preamble",),
}


def gives(world: World, part: str) -> bool:
    """Whether the hooks give this part: `preamble` and `packet` at a start, `recall`, `changes` and `bridge`
    beside prompts, `subindex` to a subagent."""
    mode = world.mode if world.mode in _GIVES else DEFAULT
    if mode == "system" and ("system" in world.delivery.own_modes or world.delivery.place == "message"):
        mode = DEFAULT  # the agent itself puts the packet into its system prompt, or wants it as a message
    return part in _GIVES[mode]


def is_in_system_prompt(world: World) -> bool:
    """Whether the agent puts what a start gives it into its system prompt."""
    is_wanted = world.delivery.place == "system" or (world.mode == "system" and not world.delivery.place)
    return is_wanted and "system" in world.delivery.own_modes


def is_for_one_turn(world: World) -> bool:
    """Whether the agent shows recalled entries in the requests of one turn alone, and keeps none."""
    return world.mode == "turn" and "turn" in world.delivery.own_modes


def packet_is_elsewhere(world: World) -> bool:
    """Whether the agent sees the packet all the time, in its system prompt or in a file."""
    return world.mode in _ELSEWHERE


def why_not(world: World, part: str) -> str:
    """Why this part isn't given, for a person who wonders; '' where it is."""
    return "" if gives(world, part) else f"delivery.mode is {world.mode}"
