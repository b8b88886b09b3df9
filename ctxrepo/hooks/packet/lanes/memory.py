"""The MEMORY.md of each scope, as it is written, without struck entries."""

from ctxrepo.domain.text.cut import ENDS, passage
from ctxrepo.domain.text.escape import escape_field
from ctxrepo.hooks.known.notes import body_of, entries_at
from ctxrepo.hooks.packet.contents import PacketContents
from ctxrepo.hooks.packet.lane import (
    DAILY,
    GLOBAL_SHARE,
    MEMORY,
    OWN,
    Bounds,
    PacketDraft,
    PacketLane,
    PacketSource,
    Section,
)


class _Memory(PacketLane):
    __slots__ = ()

    def load_contents(self, source: PacketSource, contents: PacketContents) -> None:
        for scope in contents.scopes:
            scope.body = body_of(source.cache, scope.folder)
            if scope.body:
                path = f"{scope.folder}/MEMORY.md"
                contents.entries[self.name, scope.folder] = entries_at(source.cache, path)

    def folders(self, contents: PacketContents) -> list[str]:
        return [scope.folder for scope in contents.scopes if scope.body]

    def cap(self, draft: PacketDraft, section: Section) -> int:
        if draft.contents.is_shared(section.folder):
            return min(section.bounds.cap, draft.budget // GLOBAL_SHARE)
        return section.bounds.cap

    def write(self, draft: PacketDraft, section: Section, room: int) -> str:
        title = f"## {escape_field(section.folder)}/MEMORY.md\n"
        body, bounds = draft.contents.body_of(section.folder), section.bounds
        return passage(title, body, room, bounds.keep, bounds.most_lines)


BODIES = _Memory(MEMORY, {OWN: Bounds(1024, 3072), DAILY: Bounds(0, 4000, 150, ENDS)})
