"""Lanes of the situation report: how full it is, and entries by category, each within a budget of its own."""

from ctxrepo.domain.text import OVERHEAD, UNLIMITED, age_mark, fitting, index_line, short_id, size
from ctxrepo.domain.words.categories import SPELLINGS, bullet_parts
from ctxrepo.hooks.known.packet_rows import PacketEntry, doubtful_entries, report_entries
from ctxrepo.hooks.own_files import today
from ctxrepo.hooks.packet.lane import (
    PINNED,
    SCORED,
    TOKEN,
    Bounds,
    PacketContents,
    PacketDraft,
    PacketLane,
    PacketSource,
    Section,
)

_OMITTED = "… {} more left out: {}\n"

_HEADER = "## Situation report · {} % · {} of {} tokens\n"
_NEARLY_FULL = (
    "Nearly full: update, merge or archive entries before you add more. `ctxrepo topics` shows where.\n"
)
_WARNING_FROM = 80
"""Per cent of the budget from which the report asks for room."""


class _Header(PacketLane):
    """How much of the budget the other sections take. It is written last and stands first."""

    def keys(self, contents: PacketContents) -> list[str]:
        return [""] if any(contents.entries.values()) else []

    def write(self, draft: PacketDraft, section: Section, room: int) -> str:
        """As long as it can get while no section is there, which is the room that is kept for it."""
        total = max(1, (draft.budget - OVERHEAD) // TOKEN)
        used = -(-sum([size(part.text) for part in draft.sections]) // TOKEN) if draft.sections else total
        percent = used * 100 // total
        text = _HEADER.format(percent, used, total) + _NEARLY_FULL * (percent >= _WARNING_FROM)
        return text if used and size(text) <= room else ""


class _Report(PacketLane):
    """The entries of some categories, in the order of their scores; not those that stand in another lane."""

    most: int | None = None
    """How many of them are shown at most."""
    command = "ctxrepo search"
    """What shows those that are left out."""

    def __init__(
        self, name: str, title: str, tokens: int, categories: tuple[str, ...], days: int = 0
    ) -> None:
        super().__init__(name, {SCORED: Bounds(0, tokens * TOKEN if tokens else UNLIMITED)})
        self.heading = f"## {title}\n"
        self.categories = categories
        """How they are spelled; none for the entries of all others."""
        self.days = days
        """For how many days after it was said, reinforced or verified last an entry is here; 0: any."""

    def collect(self, source: PacketSource, contents: PacketContents) -> None:
        folders = [scope.folder for scope in contents.scopes]
        first = today() - self.days if self.days else 0
        contents.entries[self.name, ""] = report_entries(source.cache, folders, self.categories, first)

    def entries(self, contents: PacketContents, key: str) -> list[PacketEntry]:
        pins = {pin.id for pin in contents.entries.get((PINNED, ""), ())}
        return [entry for entry in super().entries(contents, key) if entry.id not in pins]

    def title(self, draft: PacketDraft, section: Section) -> str:
        return self.heading

    def write(self, draft: PacketDraft, section: Section, room: int) -> str:
        """The first entries that fit; a last line says how many were left out."""
        title, lines = self.title(draft, section), [line for _, line in self.lines(draft, section)]
        first, omitted = lines[: self.most], _OMITTED.format(len(lines), self.command)
        rows = fitting(first, room - size(title))
        if len(rows) < len(lines):
            rows = fitting(first, room - size(title) - size(omitted))
        rest = len(lines) - len(rows)
        text = title + "".join(rows) + (_OMITTED.format(rest, self.command) if rest else "")
        return text if lines and size(text) <= room else ""

    def line_of(self, entry: PacketEntry, today: int) -> str:
        """`^id — text (doubt) age`: what the category says is the section's title, and the place is not
        needed."""
        words = bullet_parts(entry.full_text)[1]
        return index_line(f"^{short_id(entry.id)}", words, "", age_mark(entry.updated, today))


class _Doubtful(_Report):
    """The first entries of which something speaks against their truth, and how many more there are."""

    most = 3
    command = "ctxrepo stale"

    def collect(self, source: PacketSource, contents: PacketContents) -> None:
        folders = [scope.folder for scope in contents.scopes]
        contents.entries[self.name, ""] = doubtful_entries(source.cache, folders)


HEADER = _Header(
    "report", {SCORED: Bounds(size(_HEADER + _NEARLY_FULL) + 32, size(_HEADER + _NEARLY_FULL) + 32)}
)
ACTIVE_PREFERENCES = _Report("preferences", "Active preferences", 400, SPELLINGS["preference"])
ACTIVE_LESSONS = _Report("lessons", "Active lessons", 400, SPELLINGS["lesson"])
MISTAKES = _Report("mistakes", "Vetoes and mistakes", 200, SPELLINGS["mistake"])
PATTERNS = _Report("patterns", "Patterns", 200, SPELLINGS["pattern"])
DECISIONS = _Report("decisions", "Recent decisions", 200, SPELLINGS["decision"], days=7)
COMPLETIONS = _Report("completions", "Recent completions", 200, SPELLINGS["done"], days=3)
OTHERS = _Report("others", "Other entries", 0, ())
DOUBTFUL = _Doubtful("doubtful", "Doubtful", 100, ())
