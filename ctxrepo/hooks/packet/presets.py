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
        from ctxrepo.hooks.packet.lanes.index import INDEX
        from ctxrepo.hooks.packet.lanes.opening import PREAMBLE_LANE

        return [PREAMBLE_LANE, INDEX]
    if preset == SEMANTIC:
        from ctxrepo.hooks.packet.lanes.kinds import FACTS, LESSONS, PREFERENCES, TOOLS, USER
        from ctxrepo.hooks.packet.lanes.opening import CAVEAT

        return [CAVEAT, PREFERENCES, FACTS, TOOLS, LESSONS, USER]
    from ctxrepo.hooks.packet.lanes.log import TODAY, YESTERDAY
    from ctxrepo.hooks.packet.lanes.memory import MEMORY_LANE
    from ctxrepo.hooks.packet.lanes.recall import RECALL
    from ctxrepo.hooks.packet.lanes.scratchpad import OPEN_ITEMS

    if preset == DAILY:
        return [OPEN_ITEMS, TODAY, RECALL, MEMORY_LANE, YESTERDAY]
    from ctxrepo.hooks.packet.lanes.faults import FAULTS
    from ctxrepo.hooks.packet.lanes.files import FILES
    from ctxrepo.hooks.packet.lanes.handoff import HANDOFF
    from ctxrepo.hooks.packet.lanes.index import INDEX
    from ctxrepo.hooks.packet.lanes.opening import PREAMBLE_LANE
    from ctxrepo.hooks.packet.lanes.pinned import PINNED

    return [
        *(PREAMBLE_LANE, FAULTS, PINNED, MEMORY_LANE, OPEN_ITEMS, TODAY),
        *(HANDOFF, RECALL, FILES, YESTERDAY, INDEX),
    ]
