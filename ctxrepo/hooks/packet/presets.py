"""What a packet may be made of: the lanes of each preset, and where each lane stands in the block.

This is the only list of lanes; a lane's module says how much it gets in which preset
(docs/adr/0043-a-lane-is-a-file.md). All numbers are bytes. The designs that `daily` and `semantic` are from
count characters: for plain English that is the same, for other text bytes give less.
"""

from ctxrepo.hooks.packet.lane import DAILY, DEFAULT, SEMANTIC, SUBAGENT, PacketLane

ORDER = (
    *("preamble", "caveat", "pinned", "memory", "scratchpad", "handoff", "preferences", "facts", "tools"),
    *("lessons", "user", "today", "yesterday", "recall", "files", "faults", "index"),
)
"""Where each lane stands in the block: what changes least comes first."""

BUDGETS = {DEFAULT: 9500, DAILY: 16000, SEMANTIC: 8000, SUBAGENT: 3000}
"""Preset -> the most bytes of a packet."""


def lanes_of(preset: str) -> list[PacketLane]:
    """The lanes of a preset, in the order in which they are given room; no other lane's module is loaded."""
    if preset == SUBAGENT:
        from ctxrepo.hooks.packet.lanes import index, opening

        return [opening.PREAMBLE, index.INDEX]
    if preset == SEMANTIC:
        from ctxrepo.hooks.packet.lanes import kinds, opening

        return [opening.CAVEAT, kinds.PREFERENCES, kinds.FACTS, kinds.TOOLS, kinds.LESSONS, kinds.USER]
    from ctxrepo.hooks.packet.lanes import log, memory, recall, scratchpad

    if preset == DAILY:
        return [scratchpad.OPEN_ITEMS, log.TODAY, recall.RECALL, memory.MEMORY_LANE, log.YESTERDAY]
    from ctxrepo.hooks.packet.lanes import faults, files, handoff, index, opening, pinned

    return [
        *(opening.PREAMBLE, faults.FAULTS, pinned.PINNED, memory.MEMORY_LANE, scratchpad.OPEN_ITEMS),
        *(log.TODAY, handoff.HANDOFF, recall.RECALL, files.FILES, log.YESTERDAY, index.INDEX),
    ]
