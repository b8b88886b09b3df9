"""The newest handoff, without what the log or the checklist says too, or has ticked off since."""

from ctxrepo.hooks.known.notes import CachedHandoff, handoff_of
from ctxrepo.hooks.packet.contents import PacketContents
from ctxrepo.hooks.packet.lane import (
    DEFAULT,
    SCRATCHPAD,
    Bounds,
    PacketDraft,
    PacketLane,
    PacketSource,
    Section,
)
from ctxrepo.hooks.packet.sections import handoff_section


class _Handoff(PacketLane):
    __slots__ = ()

    def collect(self, source: PacketSource, contents: PacketContents) -> None:
        *_, nearest = contents.scopes
        contents.handoff = handoff_of(source.cache, nearest.folder)

    def keys(self, contents: PacketContents) -> list[str]:
        return [""] if contents.handoff else []

    def write(self, draft: PacketDraft, section: Section, room: int) -> str:
        handoff = draft.contents.handoff
        if handoff is None:
            return ""
        shown = _shown_words(draft)
        known = {"Done: ": shown, "Open: ": shown + draft.contents.ticked}
        lines = [line for line in handoff.text.split("\n") if line[6:] not in known.get(line[:6], ())]
        if [one for one in draft.sections if one.lane.name == SCRATCHPAD and one.text]:
            lines = [line for line in lines if not _counts_open(line)]  # the checklist itself shows how many
        shortened = CachedHandoff(handoff.name, handoff.ts, "\n".join(lines))
        return handoff_section(shortened, room) if lines else ""


def _shown_words(draft: PacketDraft) -> list[str]:
    """What the entries say that stand whole in the packet, as a handoff would write it."""
    found = []
    for section in draft.sections:
        for entry, line in section.lane.lines(draft, section):
            if line in section.text:
                found += section.lane.words_of(entry)
    return found


def _counts_open(line: str) -> bool:
    """Whether it is `Open: N more`, with which a handoff counts the open items that it doesn't name."""
    return line.startswith("Open: ") and line.endswith(" more") and line[6:-5].isdecimal()


HANDOFF = _Handoff("handoff", {DEFAULT: Bounds(512, 1024)})
