"""Which lanes each preset has, in which order they are given room and stand, and how large its packet is."""

from ctxrepo.domain.text import OVERHEAD
from ctxrepo.hooks.known.world import World
from ctxrepo.hooks.packet.lane import CLAWVM, DAILY, DEFAULT, SCORED, SEMANTIC, SUBAGENT, TOKEN, PacketLane

MD = "md"
"""The preset that has no lanes."""

ORDER = (
    *("preamble", "report", "caveat", "pinned", "rules", "memory", "scratchpad", "handoff", "preferences"),
    *("facts", "tools", "lessons", "mistakes", "patterns", "decisions", "completions", "others", "user"),
    *("today", "yesterday", "recall", "doubtful", "files", "faults", "index"),
)
"""Where each lane stands in the block: what changes least comes first."""

REPORT_TOKENS, SHARED_TOKENS = 1700, 8000
"""The most tokens of a situation report, and of it together with the agent's own prompt."""

BUDGETS = {
    DEFAULT: 9500, DAILY: 16000, SEMANTIC: 8000, SCORED: REPORT_TOKENS * TOKEN + OVERHEAD, SUBAGENT: 3000,
    CLAWVM: 20_000,
}  # fmt: skip
"""Preset -> the most bytes of a packet; that of `clawvm` has room for its caps, whatever is escaped."""


def budget_beside(world: World, own_prompt: str) -> int:
    """The most bytes of a packet beside an agent's own prompt of so many characters, '' where it doesn't say;
    a situation report shares its budget with that, and 0 leaves no room for one."""
    if world.preset != SCORED or not own_prompt.isdecimal():
        return world.packet_budget
    tokens = SHARED_TOKENS - -(-int(own_prompt) // TOKEN)
    return min(world.packet_budget, tokens * TOKEN + OVERHEAD) if tokens > 0 else 0


def lanes_of(preset: str) -> list[PacketLane]:
    """The lanes of a preset, in the order in which they are given room; no other lane's module is loaded."""
    if preset == SUBAGENT:
        return lanes_of_subagent(preset)
    if preset == CLAWVM:
        from ctxrepo.hooks.packet.frame_lanes import PREAMBLE_LANE
        from ctxrepo.hooks.packet.note_lanes import FIRST_LINES

        return [PREAMBLE_LANE, FIRST_LINES]
    if preset == SEMANTIC:
        from ctxrepo.hooks.packet.frame_lanes import CAVEAT
        from ctxrepo.hooks.packet.kind_lanes import FACTS, LESSONS, PREFERENCES, TOOLS, USER

        return [CAVEAT, PREFERENCES, FACTS, TOOLS, LESSONS, USER]
    if preset == SCORED:
        return _of_report()
    from ctxrepo.hooks.packet.frame_lanes import RECALL
    from ctxrepo.hooks.packet.note_lanes import MEMORY_LANE, OPEN_ITEMS, TODAY, YESTERDAY

    if preset == DAILY:
        return [OPEN_ITEMS, TODAY, RECALL, MEMORY_LANE, YESTERDAY]
    from ctxrepo.hooks.packet.frame_lanes import FAULTS, HANDOFF, PREAMBLE_LANE
    from ctxrepo.hooks.packet.index_lanes import FILES, INDEX
    from ctxrepo.hooks.packet.note_lanes import PINNED_LANE, RULES_LANE

    return [
        *(PREAMBLE_LANE, FAULTS, PINNED_LANE, MEMORY_LANE, RULES_LANE, OPEN_ITEMS, TODAY),
        *(HANDOFF, RECALL, FILES, YESTERDAY, INDEX),
    ]


def lanes_of_subagent(preset: str) -> list[PacketLane]:
    """The lanes of a subagent, in the same order: those of a situation report, else rules and the index."""
    from ctxrepo.hooks.packet.frame_lanes import PREAMBLE_LANE

    if preset == SCORED:
        return [PREAMBLE_LANE, *_of_report()]
    from ctxrepo.hooks.packet.index_lanes import INDEX
    from ctxrepo.hooks.packet.note_lanes import RULES_LANE

    return [PREAMBLE_LANE, RULES_LANE, INDEX]


def _of_report() -> list[PacketLane]:
    """The lanes of a situation report."""
    from ctxrepo.hooks.packet import report_lanes as report
    from ctxrepo.hooks.packet.index_lanes import FILES
    from ctxrepo.hooks.packet.note_lanes import PINNED_LANE

    return [
        *(PINNED_LANE, report.DOUBTFUL, report.ACTIVE_PREFERENCES, report.ACTIVE_LESSONS, report.MISTAKES),
        *(report.PATTERNS, report.DECISIONS, report.COMPLETIONS, FILES, report.OTHERS, report.HEADER),
    ]


def preset_of(world: World) -> str:
    """The preset in the settings; our own where this version doesn't know it."""
    name = world.preset
    return name if name in BUDGETS else DEFAULT
