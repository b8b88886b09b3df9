"""Lanes around the notes: the preamble and the caveat, faults, recalled entries, the handoff."""

from ctxrepo.domain.text import escape_text, fitting, size
from ctxrepo.hooks.known.cached import faults_of
from ctxrepo.hooks.known.packet_rows import CachedHandoff, handoff_of
from ctxrepo.hooks.packet.lane import (
    CLAWVM,
    DAILY,
    DEFAULT,
    SCORED,
    SCRATCHPAD,
    SEMANTIC,
    SUBAGENT,
    Bounds,
    PacketContents,
    PacketDraft,
    PacketLane,
    PacketSource,
    Section,
)
from ctxrepo.hooks.packet.sections import fault_section, handoff_section, is_shown, recall_section

CAVEAT_TEXT = """\
Before you act on a file, flag or command that is named here, check that it still holds: trust the code over
the memory. Verify what is marked >90d first; the state of a project decays fastest.

"""


class _Preamble(PacketLane):
    def keys(self, contents: PacketContents) -> list[str]:
        return [""] if contents.preamble else []

    def write(self, draft: PacketDraft, section: Section, room: int) -> str:
        lines = escape_text(draft.contents.preamble).rstrip("\n").split("\n")
        return "".join(fitting([line + "\n" for line in lines], room))


class _Caveat(PacketLane):
    def keys(self, contents: PacketContents) -> list[str]:
        return [""]

    def write(self, draft: PacketDraft, section: Section, room: int) -> str:
        return CAVEAT_TEXT if size(CAVEAT_TEXT) <= room else ""


PREAMBLE_LANE = _Preamble(
    "preamble",
    {
        DEFAULT: Bounds(1300, 2000),
        CLAWVM: Bounds(1300, 2000),
        SCORED: Bounds(500, 500),
        SUBAGENT: Bounds(500, 500),
    },
)
CAVEAT = _Caveat("caveat", {SEMANTIC: Bounds(300, 300)})


class _Faults(PacketLane):
    def collect(self, source: PacketSource, contents: PacketContents) -> None:
        contents.faults = faults_of(source.cache)

    def keys(self, contents: PacketContents) -> list[str]:
        return [""] if contents.faults else []

    def write(self, draft: PacketDraft, section: Section, room: int) -> str:
        return fault_section([fault.text for fault in draft.contents.faults], room)


FAULTS = _Faults("faults", {DEFAULT: Bounds(256, 1024)})


class _Recall(PacketLane):
    def keys(self, contents: PacketContents) -> list[str]:
        return [""] if contents.recalled else []

    def write(self, draft: PacketDraft, section: Section, room: int) -> str:
        shown = draft.shown()
        hits = [hit for hit in draft.contents.recalled if hit.id not in shown]
        text, _ = recall_section(hits, draft.today, room, section.bounds.most_lines)
        return text

    def shown(self, draft: PacketDraft, section: Section) -> list[tuple[str, str]]:
        return [(hit.id, hit.hash) for hit in draft.contents.recalled if is_shown(hit, section.text)]


RECALL = _Recall("recall", {DEFAULT: Bounds(0, 1536), DAILY: Bounds(0, 2500, most_lines=80)})


class _Handoff(PacketLane):
    def collect(self, source: PacketSource, contents: PacketContents) -> None:
        *_, nearest = contents.scopes
        contents.handoff = handoff_of(source.cache, nearest.folder)

    def keys(self, contents: PacketContents) -> list[str]:
        return [""] if contents.handoff else []

    def write(self, draft: PacketDraft, section: Section, room: int) -> str:
        handoff = draft.contents.handoff
        if handoff is None:
            return ""
        words = _shown_words(draft)
        others = {"Done: ": words, "Open: ": words + draft.contents.ticked}
        lines = [line for line in handoff.text.split("\n") if line[6:] not in others.get(line[:6], ())]
        if [part for part in draft.sections if part.lane.name == SCRATCHPAD and part.text]:
            lines = [line for line in lines if not _counts_open(line)]  # the checklist itself shows how many
        shortened = CachedHandoff(handoff.name, handoff.ts, "\n".join(lines))
        return handoff_section(shortened, room) if lines else ""


def _shown_words(draft: PacketDraft) -> list[str]:
    """What the entries say that stand whole in the packet, as a handoff would write it."""
    return [
        words
        for section in draft.sections
        for entry, line in section.lane.lines(draft, section)
        if line in section.text
        for words in section.lane.words_of(entry)
    ]


def _counts_open(line: str) -> bool:
    """Whether it is `Open: N more`, with which a handoff counts the open items that it doesn't name."""
    return line.startswith("Open: ") and line.endswith(" more") and line[6:-5].isdecimal()


HANDOFF = _Handoff("handoff", {DEFAULT: Bounds(512, 1024)})
