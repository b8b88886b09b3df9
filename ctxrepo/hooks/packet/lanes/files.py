"""The project's code files that matter most by what agents did with them, each with the lines."""

from ctxrepo.domain.text.block import index_line, size
from ctxrepo.domain.text.cut import fitting
from ctxrepo.hooks.packet.contents import PacketContents
from ctxrepo.hooks.packet.lane import DEFAULT, Bounds, PacketDraft, PacketLane, PacketSource, Section

_TITLE = "## Files touched last\n"


class _Files(PacketLane):
    __slots__ = ()

    def collect(self, source: PacketSource, contents: PacketContents) -> None:
        contents.files = [(file.path, file.why) for file in source.selected if not file.is_note]

    def keys(self, contents: PacketContents) -> list[str]:
        return [""] if contents.files else []

    def write(self, draft: PacketDraft, section: Section, room: int) -> str:
        lines = [index_line(path, focus, "", "") for path, focus in draft.contents.files]
        kept = fitting(lines, room - size(_TITLE))
        return _TITLE + "".join(kept) if kept else ""


FILES = _Files("files", {DEFAULT: Bounds(0, 512)})
