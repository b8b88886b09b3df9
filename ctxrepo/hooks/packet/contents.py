"""What memory holds for a session at its start, as far as the lanes of its packet ask for it."""

from ctxrepo.hooks.known.cache import CachedFault, EntryHit
from ctxrepo.hooks.known.locate import Scope
from ctxrepo.hooks.known.notes import CachedHandoff, IndexRow, PacketEntry


class ScopeContents:
    """What lanes show of one scope beside its entries."""

    __slots__ = ("count", "folder", "memory_text", "rows")

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

    __slots__ = (
        "entries", "faults", "files", "handoff", "preamble", "recalled", "scopes", "ticked", "touched",
    )  # fmt: skip

    def __init__(self, preamble: str = "", scopes: list[Scope] | None = None) -> None:
        self.preamble = preamble
        self.scopes = [ScopeContents(scope.folder) for scope in scopes or []]
        """The global one first."""
        self.entries: dict[tuple[str, str], list[PacketEntry]] = {}
        """(the lane's name, the section's key) → entries."""
        self.handoff: CachedHandoff | None = None
        self.faults: list[CachedFault] = []
        self.files: list[tuple[str, str]] = []
        """(path, lines) of the code files that matter most by what agents did with them."""
        self.recalled: list[EntryHit] = []
        self.ticked: list[str] = []
        """Items that the checklists say are done."""
        self.touched: dict[str, str] = {}
        """Notes that the index puts first, in this order: path -> why, in a few words."""

    def keys_of(self, name: str) -> list[str]:
        """The keys of the sections for which this lane has a list of entries, which may be empty."""
        return [key for lane, key in self.entries if lane == name]

    def memory_text_of(self, folder: str) -> str:
        return next((scope.memory_text for scope in self.scopes if scope.folder == folder), "")

    def is_global_beside_project(self, folder: str) -> bool:
        """Whether this is the global scope, and a project's scope is in the packet too."""
        general, *projects = self.scopes
        return bool(projects) and folder == general.folder
