"""What a lane of the packet is made of: contents, bounds, sections, and the lane itself."""

import _sqlite3

from ctxrepo.domain.text import HEAD, escape_field, escape_text, pieces
from ctxrepo.hooks.known.cached import CachedFault, EntryHit
from ctxrepo.hooks.known.locate import Scope
from ctxrepo.hooks.known.packet_rows import CachedHandoff, IndexRow, PacketEntry, SelectedFile


class ScopeContents:
    """What lanes show of one scope beside its entries."""

    def __init__(
        self, folder: str, memory_text: str = "", rows: list[IndexRow] | None = None, count: int = 0
    ) -> None:
        self.folder = folder
        self.memory_text = memory_text
        """The text of its MEMORY.md."""
        self.rows = rows or []
        """The first rows of its index."""
        self.count = count
        """How many rows the whole index has."""


class PacketContents:
    """What the lanes of a packet show. What memory doesn't hold stays empty here and gets no section."""

    def __init__(self, preamble: str = "", scopes: list[Scope] | None = None) -> None:
        self.preamble = preamble
        self.scopes = [ScopeContents(scope.folder) for scope in scopes or []]
        """The global one first."""
        self.entries: dict[tuple[str, str], list[PacketEntry]] = {}
        """(the lane's name, the section's key) → entries."""
        self.cut_pins: set[str] = set()
        """The ids of pinned entries that a cut left out of the section of their MEMORY.md."""
        self.spare = 0
        """The bytes that no other lane needs, which pinned entries may have beyond their cap."""
        self.handoff: CachedHandoff | None = None
        self.faults: list[CachedFault] = []
        self.files: list[tuple[str, str]] = []
        """(path, lines) of the code files that matter most by what agents did with them."""
        self.recalled: list[EntryHit] = []
        self.ticked: list[str] = []
        """Items that the checklists say are done."""
        self.touched: dict[str, str] = {}
        """Notes that the index puts first, in this order: path -> why, in a few words."""

    def memory_text_of(self, folder: str) -> str:
        return next((scope.memory_text for scope in self.scopes if scope.folder == folder), "")

    def is_global_beside_project(self, folder: str) -> bool:
        """Whether this is the global scope, and a project's scope is in the packet too."""
        general, *projects = self.scopes
        return bool(projects) and folder == general.folder


DEFAULT, DAILY, SEMANTIC, SCORED, CLAWVM = "", "daily", "semantic", "scored", "clawvm"
SUBAGENT = "subagent"
"""Presets. Nobody chooses the last: it is short, because subagents are many and have one task each."""

TOKEN = 4
"""Bytes that count as a token."""

GLOBAL_DIVISOR = 3
"""Beside a project, the global scope gets at most one third of the budget."""

MEMORY, PINNED, SCRATCHPAD = "memory", "pinned", "scratchpad"
"""Names of lanes that others look at."""


class Bounds:
    """How much a lane gets in one preset, in bytes."""

    def __init__(self, floor: int, cap: int, most_lines: int = 0, keep: str = HEAD) -> None:
        self.floor = floor
        """What is kept free for a lane that has something to say, whatever the lanes before it take."""
        self.cap = cap
        """The most it gets. A lane with several sections has floor and cap for each of them."""
        self.most_lines = most_lines
        """The most lines; 0 for any number."""
        self.keep = keep
        """What stays of a text that is cut: HEAD, TAIL or ENDS."""


class PacketSource:
    """Where lanes read what memory holds."""

    def __init__(
        self,
        cache: _sqlite3.Connection,
        selected: list[SelectedFile],
        budget: int,
        own_notes: str = "",
        global_folder: str = "",
    ) -> None:
        self.cache = cache
        self.selected = selected
        """The notes and files that come first for the session's project."""
        self.budget = budget
        """The budget in the settings: no packet is larger. A lane reads no more than could fit."""
        self.own_notes = own_notes
        """How paths of notes begin whose index the agent loads by itself; '' for none."""
        self.global_folder = global_folder


class Section:
    """A lane's part for one scope or one note, with the bounds that it has in this packet."""

    def __init__(self, lane: "PacketLane", key: str, bounds: Bounds) -> None:
        self.lane = lane
        self.key = key
        """The folder of its scope, or the path of its note; '' where the lane has one section for all."""
        self.bounds = bounds
        self.lines: list[tuple[PacketEntry, str]] | None = None
        """Each entry with its lines, once they were made: a section is written more than once."""
        self.row_lines: dict[IndexRow, str] = {}
        """The same for the notes of an index, as far as lines were made."""
        self.offered = 0
        """The bytes that it was offered."""
        self.text = ""
        """What it says in the packet."""


class PacketDraft:
    """A packet that is being written: what it is made from, and the sections that are written already."""

    def __init__(self, contents: PacketContents, today: int, budget: int) -> None:
        self.contents = contents
        self.today = today
        """In days since 1970."""
        self.budget = budget
        self.sections: list[Section] = []

    def shown(self) -> dict[str, str]:
        """The entries that stand whole in it so far: id -> hash."""
        return dict([pair for section in self.sections for pair in section.lane.shown(self, section)])


class PacketLane:
    """One part of the packet; each is in one of the modules `*_lanes.py`."""

    def __init__(self, name: str, bounds: dict[str, Bounds]) -> None:
        self.name = name
        self.bounds = bounds
        """Preset -> how much it gets there."""

    def collect(self, source: PacketSource, contents: PacketContents) -> None:
        """Read what this lane shows from the cache and put it into `contents`."""

    def keys(self, contents: PacketContents) -> list[str]:
        """The keys of this lane's sections, the global scope's first; [''] for one section of all."""
        return [key for name, key in contents.entries if name == self.name and self.entries(contents, key)]

    def entries(self, contents: PacketContents, key: str) -> list[PacketEntry]:
        """The entries of a section."""
        return contents.entries.get((self.name, key), [])

    def cap(self, draft: PacketDraft, section: Section) -> int:
        """The most bytes that a section gets."""
        return section.bounds.cap

    def title(self, draft: PacketDraft, section: Section) -> str:
        """The first line of a section: the lane's name, unless a lane knows better."""
        return f"## {self.name.capitalize()}\n"

    def write(self, draft: PacketDraft, section: Section, room: int) -> str:
        """The section in at most `room` bytes, '' where that is too little: mostly entries below a title."""
        lines = [line for _, line in self.lines(draft, section)]
        title, bounds = self.title(draft, section), section.bounds
        return pieces(title, lines, "entries", room, bounds.keep, bounds.most_lines)

    def lines(self, draft: PacketDraft, section: Section) -> list[tuple[PacketEntry, str]]:
        """Each entry of a section with its lines there."""
        if section.lines is None:
            entries = self.entries(draft.contents, section.key)
            for entry in entries:
                entry.line = entry.line or self.line_of(entry, draft.today)
            section.lines = [(entry, entry.line) for entry in entries]
        return section.lines

    def line_of(self, entry: PacketEntry, today: int) -> str:
        """The lines of an entry in its section: as they are written, unless a lane knows better."""
        return escape_text(entry.full_text) + "\n"

    def words_of(self, entry: PacketEntry) -> list[str]:
        """What an entry says, as a handoff would write it; a handoff then leaves it out."""
        return []

    def shown(self, draft: PacketDraft, section: Section) -> list[tuple[str, str]]:
        """(id, hash) of each entry that stands whole in a section."""
        lines, text = self.lines(draft, section) if section.text else [], f"\n{section.text}"
        return [(entry.id, entry.hash) for entry, line in lines if f"\n{line}" in text]


class NoteLane(PacketLane):
    """A lane that shows the entries of notes as they are written, under the path of each note."""

    def title(self, draft: PacketDraft, section: Section) -> str:
        first, *_ = self.entries(draft.contents, section.key)
        return f"## {escape_field(first.path)}\n"
