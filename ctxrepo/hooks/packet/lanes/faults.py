"""What is wrong with the memory itself, a line each."""

from ctxrepo.hooks.known.cache import faults_of
from ctxrepo.hooks.packet.contents import PacketContents
from ctxrepo.hooks.packet.lane import DEFAULT, Bounds, PacketDraft, PacketLane, PacketSource, Section
from ctxrepo.hooks.packet.sections import fault_section


class _Faults(PacketLane):
    __slots__ = ()

    def collect(self, source: PacketSource, contents: PacketContents) -> None:
        contents.faults = faults_of(source.cache)

    def keys(self, contents: PacketContents) -> list[str]:
        return [""] if contents.faults else []

    def write(self, draft: PacketDraft, section: Section, room: int) -> str:
        return fault_section([fault.text for fault in draft.contents.faults], room)


FAULTS = _Faults("faults", {DEFAULT: Bounds(256, 1024)})
