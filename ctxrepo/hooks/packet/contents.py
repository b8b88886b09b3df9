"""What memory holds for a session that begins, as far as the lanes of its packet ask for it."""

from ctxrepo.hooks.known.cache import CachedFault, EntryHit
from ctxrepo.hooks.known.notes import CachedHandoff, IndexRow, PacketEntry


class ScopeContents:
    """What lanes show of one scope beside its entries."""

    __slots__ = ("body", "count", "folder", "rows")

    def __init__(
        self, folder: str, body: str = "", rows: list[IndexRow] | None = None, count: int = 0
    ) -> None:
        self.folder = folder
        self.body = body
        """Of its MEMORY.md."""
        self.rows = rows or []
        """The first rows of its index."""
        self.count = count
        """How many rows there are."""


class PacketContents:
    """What the lanes of a packet hold. What memory doesn't hold stays empty, and has no section."""

    __slots__ = ("entries", "faults", "files", "handoff", "preamble", "recalled", "scopes", "ticked")

    def __init__(self, preamble: str = "", scopes: list[str] | None = None) -> None:
        self.preamble = preamble
        self.scopes = [ScopeContents(folder) for folder in scopes or []]
        """The global one first."""
        self.entries: dict[tuple[str, str], list[PacketEntry]] = {}
        """By the lane's name and the section's folder."""
        self.handoff: CachedHandoff | None = None
        self.faults: list[CachedFault] = []
        self.files: list[tuple[str, str]] = []
        """Files of code that were touched last: (path, which lines)."""
        self.recalled: list[EntryHit] = []
        self.ticked: list[str] = []
        """What the checklists say is done."""

    def folders_of(self, name: str) -> list[str]:
        """The folders of the sections for which this lane has entries, or had."""
        return [folder for lane, folder in self.entries if lane == name]

    def body_of(self, folder: str) -> str:
        return next((scope.body for scope in self.scopes if scope.folder == folder), "")

    def is_shared(self, folder: str) -> bool:
        """Whether this is the global scope beside a project."""
        general, *projects = self.scopes
        return bool(projects) and folder == general.folder
