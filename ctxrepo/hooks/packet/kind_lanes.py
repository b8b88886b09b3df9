"""Entries by category, a line each: preferences, facts, tools, lessons, and what is about the user."""

from ctxrepo.domain.text import UNLIMITED, age_mark, index_line, place
from ctxrepo.domain.words.categories import corrects
from ctxrepo.hooks.known.packet_rows import PacketEntry, by_category, first_entries
from ctxrepo.hooks.packet.lane import (
    SEMANTIC,
    Bounds,
    PacketContents,
    PacketDraft,
    PacketLane,
    PacketSource,
    Section,
)


class _Kind(PacketLane):
    """The entries in one of these categories, the project's first."""

    def __init__(self, name: str, most_lines: int, categories: tuple[str, ...] = ()) -> None:
        super().__init__(name, {SEMANTIC: Bounds(0, UNLIMITED, most_lines=most_lines)})
        self.categories = categories

    def collect(self, source: PacketSource, contents: PacketContents) -> None:
        contents.entries[self.name, ""] = [
            entry
            for scope in contents.scopes[::-1]
            for entry in by_category(source.cache, scope.folder, self.categories)
        ]

    def line_of(self, entry: PacketEntry, today: int) -> str:
        """Place, text and age of the entry. There may be hundreds, so the id is left out."""
        where = place(entry.path, entry.first_line, entry.last_line)
        return index_line(where, entry.full_text, "", age_mark(entry.updated, today))


_CORRECTIONS, _APPROACHES = "corrections", "validated approaches"


class _Lessons(_Kind):
    """Lessons in two sections: those that correct something, and those that confirm an approach; of both the
    first ones, as many as fit into the lines of one."""

    def keys(self, contents: PacketContents) -> list[str]:
        """In the order of sections from the global scope on: what comes first gets room last."""
        parts = {_CORRECTIONS if corrects(e.text) else _APPROACHES for e in self.entries(contents, "")}
        return [key for key in (_APPROACHES, _CORRECTIONS) if key in parts]

    def entries(self, contents: PacketContents, key: str) -> list[PacketEntry]:
        lessons = contents.entries.get((self.name, ""), [])
        if not key:
            return lessons
        most = self.bounds[SEMANTIC].most_lines
        first = sorted(lessons, key=lambda entry: not corrects(entry.text))[:most]
        return [entry for entry in first if corrects(entry.text) == (key == _CORRECTIONS)]

    def title(self, draft: PacketDraft, section: Section) -> str:
        return f"## Lessons: {section.key}\n"


class _Facts(_Kind):
    """The first entries of a project that are in none of the other lanes' categories."""

    def collect(self, source: PacketSource, contents: PacketContents) -> None:
        others = [name for lane in (PREFERENCES, TOOLS, LESSONS, USER) for name in lane.categories]
        if len(contents.scopes) > 1:
            *_, project = contents.scopes
            contents.entries[self.name, ""] = first_entries(source.cache, project.folder, others)


PREFERENCES = _Kind("preferences", 50, ("preference", "preferences", "pref"))
FACTS = _Facts("facts", 50)
TOOLS = _Kind("tools", 20, ("tool", "tools", "command"))
LESSONS = _Lessons("lessons", 50, ("lesson", "lessons", "gotcha", "mistake"))
USER = _Kind("user", 10, ("user", "profile"))
