"""Entries by category, a line each: preferences, facts, tools, lessons, and what is about the user."""

from ctxrepo.domain.text import UNLIMITED, age_mark, index_line, place
from ctxrepo.hooks.known.packet_rows import PacketEntry, by_category, first_entries
from ctxrepo.hooks.packet.lane import SEMANTIC, Bounds, PacketContents, PacketLane, PacketSource

_CORRECTS = ("don't", "do not", "never", "avoid", "not ", "instead of", "rather than", "stop ")


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
        return index_line(where, entry.told, "", age_mark(entry.updated, today))


class _Lessons(_Kind):
    """Lessons; those that correct something come before those that confirm something."""

    def collect(self, source: PacketSource, contents: PacketContents) -> None:
        super().collect(source, contents)
        contents.entries[self.name, ""].sort(
            key=lambda entry: not any(word in entry.text.lower() for word in _CORRECTS)
        )


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
