"""The session-start packet: a pure function of what is in memory, the day and the budget.

It is made of lanes. In the order of the preset, each is written into the room that it is offered; what it
leaves goes to the lanes after it (docs/adr/0030-lanes-share-one-budget.md).
"""

from ctxrepo.domain.text.block import OVERHEAD, seal, size
from ctxrepo.hooks.packet.contents import PacketContents
from ctxrepo.hooks.packet.lane import DEFAULT, PacketDraft, PacketLane, Section
from ctxrepo.hooks.packet.presets import BUDGETS, ORDER, lanes_of

_OPENING = ("preamble", "caveat")


class Packet:
    """A sealed block, and what it is made of."""

    __slots__ = ("entries", "sections", "text")

    def __init__(self, text: str, sections: list[Section], entries: dict[str, str]) -> None:
        self.text = text
        """'' when there is nothing to say or no room to say it."""
        self.sections = sections
        """The sections, in the order in which they were given room."""
        self.entries = entries
        """Entries that stand whole in it: id -> hash."""


def packet(
    contents: PacketContents, today: int, secret: str, preset: str = DEFAULT, budget: int = 0
) -> Packet:
    """One block of at most `budget` bytes (0: the preset's).

    `today` is in days since 1970, `secret` the key of the seal in hex. What doesn't fit is cut between lines
    or entries, and the cut is marked.
    """
    most, lanes = BUDGETS[preset], lanes_of(preset)
    draft = PacketDraft(contents, today, min(budget, most) if budget else most)
    _write_sections(draft, _sections(contents, lanes, preset))
    if contents.recalled:
        # A lane that is written after the recall lane may show the same entry. It is then dropped from the
        # recall lane, and the packet is written a second time.
        shown_ids = [key for section in draft.sections for key, _ in section.lane.shown(draft, section)]
        contents.recalled = [hit for hit in contents.recalled if shown_ids.count(hit.id) < 2]
        draft = PacketDraft(contents, today, draft.budget)
        _write_sections(draft, _sections(contents, lanes, preset))
    opening = _joined(draft, [name for name in ORDER if name in _OPENING])
    content = _joined(draft, [name for name in ORDER if name not in _OPENING])
    # A caveat without entries would warn of nothing; the preamble is worth giving alone.
    if not content and (not opening or _joined(draft, ["caveat"])):
        return Packet("", draft.sections, {})
    return Packet(seal(content, secret, opening), draft.sections, draft.shown())


def _sections(contents: PacketContents, lanes: list[PacketLane], preset: str) -> list[Section]:
    """All sections in the order in which they get room: in each lane the project's before the global one."""
    keyed = [(lane, key) for lane in lanes for key in lane.keys(contents)[::-1]]
    return [Section(lane, key, lane.bounds[preset]) for lane, key in keyed]


def _write_sections(draft: PacketDraft, sections: list[Section]) -> None:
    """Write each section within its cap, and within what the floors of the sections after it leave."""
    room = max(0, draft.budget - OVERHEAD)
    floors = _floors(draft, sections, room)
    for at, section in enumerate(sections):
        most = section.lane.cap(draft, section)
        section.offered = max(0, min(most, room - sum(floors[at + 1 :])))
        section.text = section.lane.write(draft, section, section.offered)
        room -= size(section.text)
        draft.sections.append(section)


def _floors(draft: PacketDraft, sections: list[Section], room: int) -> list[int]:
    """The bytes that are kept free for each section: no more than it would fill, the first sections first."""
    floors = []
    for section in sections:
        floor = min(section.bounds.floor, room)
        if floor:
            floor = size(section.lane.write(draft, section, floor))
        floors.append(floor)
        room -= floor
    return floors


def _joined(draft: PacketDraft, names: list[str]) -> str:
    """The text of these lanes in this order, in each lane the global scope's section first."""
    return "".join([one.text for name in names for one in draft.sections[::-1] if one.lane.name == name])
