"""The open items of the checklists, as they are written."""

from ctxrepo.hooks.known.cache import box_of
from ctxrepo.hooks.known.notes import PacketEntry, entries_at
from ctxrepo.hooks.packet.contents import PacketContents
from ctxrepo.hooks.packet.lane import DAILY, DEFAULT, SCRATCHPAD, Bounds, NoteLane, PacketSource

_MOST_TOLD = 300
"""The most characters of an item that a handoff writes."""


class _Scratchpad(NoteLane):
    __slots__ = ()

    def collect(self, source: PacketSource, contents: PacketContents) -> None:
        for scope in contents.scopes:
            items = entries_at(source.cache, f"{scope.folder}/SCRATCHPAD.md")
            contents.entries[self.name, scope.folder] = [item for item in items if box_of(item.text) == " "]
            contents.ticked += [said for item in items for box, said in wordings(item.text) if box in "xX"]

    def words_of(self, entry: PacketEntry) -> list[str]:
        return [words for _, words in wordings(entry.text)]


def wordings(text: str) -> list[tuple[str, str]]:
    """(box, words) of each item in an entry of a checklist, on one line and cut, as a handoff would write it.
    An item of several lines yields a pair for each line, with its words up to there: a handoff may have only
    those."""
    found = []
    box = said = ""
    for line in text.split("\n"):
        words = " ".join(line.split())
        if here := box_of(line):
            box, said = here, words.partition("] ")[2]
        else:
            said = f"{said} {words}".rstrip()
        if box:
            found.append((box, said if len(said) <= _MOST_TOLD else said[: _MOST_TOLD - 1].rstrip() + "…"))
    return found


OPEN_ITEMS = _Scratchpad(SCRATCHPAD, {DEFAULT: Bounds(384, 1024), DAILY: Bounds(0, 2000, most_lines=120)})
