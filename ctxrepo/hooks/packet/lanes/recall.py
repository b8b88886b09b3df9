"""What the last prompts before a compaction recall: the session that goes on is given it again."""

from ctxrepo.hooks.packet.contents import PacketContents
from ctxrepo.hooks.packet.lane import DAILY, DEFAULT, Bounds, PacketDraft, PacketLane, Section


class _Recall(PacketLane):
    __slots__ = ()

    def keys(self, contents: PacketContents) -> list[str]:
        return [""] if contents.recalled else []

    def write(self, draft: PacketDraft, section: Section, room: int) -> str:
        from ctxrepo.hooks.packet.recalled import recall_section  # after a compaction only

        shown = draft.shown()
        hits = [hit for hit in draft.contents.recalled if hit.id not in shown]
        text, _ = recall_section(hits, draft.today, room, section.bounds.most_lines)
        return text

    def shown(self, draft: PacketDraft, section: Section) -> list[tuple[str, str]]:
        from ctxrepo.hooks.packet.recalled import is_shown

        return [(hit.id, hit.hash) for hit in draft.contents.recalled if is_shown(hit, section.text)]


RECALL = _Recall("recall", {DEFAULT: Bounds(0, 1536), DAILY: Bounds(0, 2500, most_lines=80)})
