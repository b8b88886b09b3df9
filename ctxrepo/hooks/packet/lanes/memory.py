"""The MEMORY.md of each scope, as it is written, without struck entries."""

from ctxrepo.domain.text.cut import ENDS, passage
from ctxrepo.domain.text.escape import escape_field
from ctxrepo.hooks.known.notes import entries_at, memory_text_of
from ctxrepo.hooks.packet.contents import PacketContents
from ctxrepo.hooks.packet.lane import (
    DAILY,
    DEFAULT,
    GLOBAL_DIVISOR,
    MEMORY,
    Bounds,
    PacketDraft,
    PacketLane,
    PacketSource,
    Section,
)


class _Memory(PacketLane):
    __slots__ = ()

    def collect(self, source: PacketSource, contents: PacketContents) -> None:
        for scope in contents.scopes:
            scope.memory_text = memory_text_of(source.cache, scope.folder)
            if scope.memory_text:
                path = f"{scope.folder}/MEMORY.md"
                contents.entries[self.name, scope.folder] = entries_at(source.cache, path)

    def keys(self, contents: PacketContents) -> list[str]:
        return [scope.folder for scope in contents.scopes if scope.memory_text]

    def cap(self, draft: PacketDraft, section: Section) -> int:
        if draft.contents.is_global_beside_project(section.key):
            return min(section.bounds.cap, draft.budget // GLOBAL_DIVISOR)
        return section.bounds.cap

    def write(self, draft: PacketDraft, section: Section, room: int) -> str:
        title = f"## {escape_field(section.key)}/MEMORY.md\n"
        text, bounds = draft.contents.memory_text_of(section.key), section.bounds
        return passage(title, text, room, bounds.keep, bounds.most_lines)


MEMORY_LANE = _Memory(
    MEMORY, {DEFAULT: Bounds(1024, 3072), DAILY: Bounds(0, 4000, most_lines=150, keep=ENDS)}
)
