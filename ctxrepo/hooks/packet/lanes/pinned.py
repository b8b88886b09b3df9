"""Pinned entries, a line each: its place and id, its text, its age."""

from ctxrepo.domain.text.block import age_mark, entry_place, index_line
from ctxrepo.hooks.known.notes import PacketEntry, pinned_of
from ctxrepo.hooks.packet.contents import PacketContents
from ctxrepo.hooks.packet.lane import DEFAULT, Bounds, PacketLane, PacketSource


class _Pinned(PacketLane):
    __slots__ = ()

    def collect(self, source: PacketSource, contents: PacketContents) -> None:
        found = [entry for scope in contents.scopes for entry in pinned_of(source.cache, scope.folder)]
        contents.entries[self.name, ""] = found

    def entries(self, contents: PacketContents, folder: str) -> list[PacketEntry]:
        """The pinned entries without those of a MEMORY.md, which has a section of its own."""
        own_sections = [f"{scope.folder}/MEMORY.md" for scope in contents.scopes if scope.memory_text]
        return [entry for entry in super().entries(contents, folder) if entry.path not in own_sections]

    def line_of(self, entry: PacketEntry, today: int) -> str:
        where = entry_place(entry.path, entry.first_line, entry.last_line, entry.id)
        return index_line(where, entry.text, "", age_mark(entry.updated, today))


PINNED = _Pinned("pinned", {DEFAULT: Bounds(512, 1024)})
