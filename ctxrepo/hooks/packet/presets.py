"""What a packet may be made of: for each preset its lanes, and where each of them stands.

This is the one list of lanes; how much one gets in which preset its own module says. All numbers are bytes.
Those of `daily` and `semantic` were characters in the designs that they are from; for plain English that is
the same, and for any other text it is less than those gave.
"""

from ctxrepo.hooks.packet.lane import DAILY, OWN, SEMANTIC, SUBAGENT, PacketLane

ORDER = (
    *("preamble", "caveat", "pinned", "memory", "scratchpad", "handoff", "preferences", "facts", "tools"),
    *("lessons", "user", "today", "yesterday", "recall", "files", "faults", "index"),
)
"""Where each lane stands in the block: what changes least comes first."""

BUDGETS = {OWN: 9500, DAILY: 16000, SEMANTIC: 8000, SUBAGENT: 3000}
"""Preset -> bytes of the whole."""


def lanes_of(preset: str) -> list[PacketLane]:
    """The lanes of a preset in the order in which they are given room; only their modules are loaded."""
    if preset == SUBAGENT:
        from ctxrepo.hooks.packet.lanes import index, opening

        return [opening.PREAMBLE, index.INDEX]
    if preset == SEMANTIC:
        from ctxrepo.hooks.packet.lanes import kinds, opening

        return [opening.CAVEAT, kinds.PREFERENCES, kinds.FACTS, kinds.TOOLS, kinds.LESSONS, kinds.USER]
    from ctxrepo.hooks.packet.lanes import log, memory, recall, scratchpad

    if preset == DAILY:
        return [scratchpad.OPEN_ITEMS, log.TODAY, recall.RECALL, memory.BODIES, log.YESTERDAY]
    from ctxrepo.hooks.packet.lanes import faults, files, handoff, index, opening, pinned

    return [
        *(opening.PREAMBLE, faults.FAULTS, pinned.PINNED, memory.BODIES, scratchpad.OPEN_ITEMS),
        *(log.TODAY, handoff.HANDOFF, recall.RECALL, files.FILES, log.YESTERDAY, index.INDEX),
    ]
