"""The opening of a packet: the rules for using the memory, or the warning that what it says may be old."""

from ctxrepo.domain.text.block import size
from ctxrepo.domain.text.cut import fitting
from ctxrepo.domain.text.escape import escape_text
from ctxrepo.hooks.packet.contents import PacketContents
from ctxrepo.hooks.packet.lane import (
    DEFAULT,
    SEMANTIC,
    SUBAGENT,
    Bounds,
    PacketDraft,
    PacketLane,
    Section,
)

CAVEAT_TEXT = """\
Before you act on a file, flag or command that is named here, check that it still holds: trust the code over
the memory. Verify what is marked >90d first; the state of a project decays fastest.

"""


class _Preamble(PacketLane):
    __slots__ = ()

    def keys(self, contents: PacketContents) -> list[str]:
        return [""] if contents.preamble else []

    def write(self, draft: PacketDraft, section: Section, room: int) -> str:
        lines = escape_text(draft.contents.preamble).rstrip("\n").split("\n")
        return "".join(fitting([line + "\n" for line in lines], room))


class _Caveat(PacketLane):
    __slots__ = ()

    def keys(self, contents: PacketContents) -> list[str]:
        return [""]

    def write(self, draft: PacketDraft, section: Section, room: int) -> str:
        return CAVEAT_TEXT if size(CAVEAT_TEXT) <= room else ""


PREAMBLE_LANE = _Preamble("preamble", {DEFAULT: Bounds(1300, 2000), SUBAGENT: Bounds(500, 500)})
CAVEAT = _Caveat("caveat", {SEMANTIC: Bounds(300, 300)})
