"""Lanes of what notes say: MEMORY.md, pinned entries, open items, daily notes."""

from ctxrepo.domain.text import (
    ENDS,
    TAIL,
    UNLIMITED,
    age_mark,
    day_of,
    entry_place,
    escape_field,
    escape_text,
    fitting,
    index_line,
    passage,
    pieces,
    size,
)
from ctxrepo.hooks.known.cached import BETWEEN_TITLES, RULES, box_of
from ctxrepo.hooks.known.packet_rows import (
    PacketEntry,
    by_category,
    daily_notes,
    entries_at,
    memory_text_of,
    pinned_of,
    rule_entries,
)
from ctxrepo.hooks.own_files import today
from ctxrepo.hooks.packet.lane import (
    CLAWVM,
    DAILY,
    DEFAULT,
    GLOBAL_DIVISOR,
    MEMORY,
    PINNED,
    SCORED,
    SCRATCHPAD,
    SUBAGENT,
    Bounds,
    NoteLane,
    PacketContents,
    PacketDraft,
    PacketLane,
    PacketSource,
    Section,
)


class _Memory(PacketLane):
    def collect(self, source: PacketSource, contents: PacketContents) -> None:
        for scope in contents.scopes:
            scope.memory_text = memory_text_of(source.cache, scope.folder)
            if scope.memory_text:
                path = f"{scope.folder}/MEMORY.md"
                contents.entries[self.name, scope.folder] = entries_at(source.cache, path)

    def keys(self, contents: PacketContents) -> list[str]:
        return [scope.folder for scope in contents.scopes if scope.memory_text]

    def cap(self, draft: PacketDraft, section: Section) -> int:
        if draft.contents.is_global_beside_project(section.key):
            return min(section.bounds.cap, draft.budget // GLOBAL_DIVISOR)
        return section.bounds.cap

    def write(self, draft: PacketDraft, section: Section, room: int) -> str:
        title = f"## {escape_field(section.key)}/MEMORY.md\n"
        text, bounds = draft.contents.memory_text_of(section.key), section.bounds
        return passage(title, text, room, bounds.keep, bounds.most_lines)


MEMORY_LANE = _Memory(
    MEMORY, {DEFAULT: Bounds(1024, 3072, keep=ENDS), DAILY: Bounds(0, 4000, most_lines=150, keep=ENDS)}
)


_MOST_LINES, _MOST_BYTES = 200, 8192
"""The first lines of a MEMORY.md that the preset `clawvm` shows: so many, and no more bytes than these."""


class _FirstLines(_Memory):
    """Each scope's MEMORY.md up to its first 200 lines or 8 KiB, whichever comes first, by the bytes of the
    file and not of what is delivered; never a part of a line."""

    def cap(self, draft: PacketDraft, section: Section) -> int:
        return section.bounds.cap

    def write(self, draft: PacketDraft, section: Section, room: int) -> str:
        lines = [f"{line}\n" for line in draft.contents.memory_text_of(section.key).split("\n")]
        count = len(fitting(lines, _MOST_BYTES, _MOST_LINES))
        parts = [escape_text(line[:-1]) + "\n" for line in lines]
        title = f"## {escape_field(section.key)}/MEMORY.md\n"
        return pieces(title, parts, "lines", room, most=count or -1)


FIRST_LINES = _FirstLines(MEMORY, {CLAWVM: Bounds(0, UNLIMITED)})


class _Pinned(PacketLane):
    def collect(self, source: PacketSource, contents: PacketContents) -> None:
        folders = [scope.folder for scope in contents.scopes]
        contents.entries[self.name, ""] = pinned_of(source.cache, folders)

    def entries(self, contents: PacketContents, folder: str) -> list[PacketEntry]:
        """The pinned entries without those that stand in the section of a MEMORY.md."""
        own_sections = [f"{scope.folder}/MEMORY.md" for scope in contents.scopes if scope.memory_text]
        pins = super().entries(contents, folder)
        return [pin for pin in pins if pin.path not in own_sections or pin.id in contents.cut_pins]

    def cap(self, draft: PacketDraft, section: Section) -> int:
        return section.bounds.cap + draft.contents.spare

    def write(self, draft: PacketDraft, section: Section, room: int) -> str:
        """As other lanes do, but one that is longer than the room hides none of those pinned before it."""
        lines = sorted([line for _, line in self.lines(draft, section)], key=lambda line: size(line) > room)
        return pieces(self.title(draft, section), lines, "entries", room)

    def line_of(self, entry: PacketEntry, today: int) -> str:
        where = entry_place(entry.path, entry.first_line, entry.last_line, entry.id)
        return index_line(where, entry.full_text, "", age_mark(entry.updated, today))


PINNED_LANE = _Pinned(PINNED, {DEFAULT: Bounds(512, 1024), SCORED: Bounds(0, UNLIMITED)})


class _Rules(PacketLane):
    """What the person wants done or left undone, as text: an index line wouldn't say it, and a prompt that a
    rule bears on seldom has a word of it (docs/adr/0099-rules-at-the-start.md)."""

    def collect(self, source: PacketSource, contents: PacketContents) -> None:
        """The rules of all scopes, those of the newest notes first, then what else is global."""
        cache, folders = source.cache, [scope.folder for scope in contents.scopes]
        rules = [entry for folder in folders for entry in rule_entries(cache, folder, RULES)]
        rules += [entry for folder in folders for entry in by_category(cache, folder, _RULE_CATEGORIES)]
        rules.sort(key=lambda entry: entry.updated, reverse=True)
        if source.global_folder in folders:
            rules += rule_entries(cache, source.global_folder, 0)
        notes: dict[str, dict[str, PacketEntry]] = {}
        for entry in rules:
            notes.setdefault(entry.path, {}).setdefault(entry.id, entry)
        contents.entries[self.name, ""] = [entry for note in notes.values() for entry in note.values()]

    def entries(self, contents: PacketContents, key: str) -> list[PacketEntry]:
        """Without the pinned entries, which stand in a lane of their own."""
        pins = {pin.id for pin in contents.entries.get((PINNED, ""), ())}
        return [entry for entry in super().entries(contents, key) if entry.id not in pins]

    def lines(self, draft: PacketDraft, section: Section) -> list[tuple[PacketEntry, str]]:
        """Each entry as it is written, the first below a heading with that, where its note has several."""
        if section.lines is None:
            section.lines = []
            entries = self.entries(draft.contents, section.key)
            paths = [path for path, _ in {(entry.path, entry.heading) for entry in entries}]
            above = ("", "")
            for entry in entries:
                entry.line = entry.line or self.line_of(entry, draft.today)
                line, titles = entry.line, entry.heading.split(BETWEEN_TITLES)
                if above != (entry.path, entry.heading) and titles != [""] and paths.count(entry.path) > 1:
                    line = escape_text(f"{'#' * len(titles)} {titles[-1]}") + "\n" + line
                above = (entry.path, entry.heading)
                section.lines.append((entry, line))
        return section.lines

    def write(self, draft: PacketDraft, section: Section, room: int) -> str:
        """Note after note, each below its path, until one is cut; without a note of which nothing fits."""
        notes: dict[str, list[str]] = {}
        for entry, line in self.lines(draft, section):
            notes.setdefault(entry.path, []).append(line)
        text = ""
        for path, lines in notes.items():
            part = pieces(f"## {escape_field(path)}\n", lines, "entries", room - size(text))
            first, *_ = lines
            text += part if first in part else ""
            if not part.endswith("".join(lines)):
                break
        return text


_RULE_CATEGORIES = ("preference", "preferences", "pref", "rule", "rules")

RULES_LANE = _Rules("rules", {DEFAULT: Bounds(1024, 2400), SUBAGENT: Bounds(0, 1024)})


_MOST_TOLD = 300
"""The most characters of an item that a handoff writes."""


class _Scratchpad(NoteLane):
    def collect(self, source: PacketSource, contents: PacketContents) -> None:
        for scope in contents.scopes:
            items = entries_at(source.cache, f"{scope.folder}/SCRATCHPAD.md")
            contents.entries[self.name, scope.folder] = [item for item in items if box_of(item.text) == " "]
            contents.ticked += [words for item in items for box, words in wordings(item.text) if box in "xX"]

    def words_of(self, entry: PacketEntry) -> list[str]:
        return [words for _, words in wordings(entry.text)]


def wordings(text: str) -> list[tuple[str, str]]:
    """(box, words) of each item in an entry of a checklist, on one line and cut, as a handoff would write it.
    Each line of an item yields a pair with its words up to there, as a handoff may have only those."""
    pairs = []
    box = words = ""
    for text_line in text.split("\n"):
        line = " ".join(text_line.split())
        if line_box := box_of(text_line):
            box, words = line_box, line.partition("] ")[2]
        else:
            words = f"{words} {line}".rstrip()
        if box:
            is_short = len(words) <= _MOST_TOLD
            pairs.append((box, words if is_short else words[: _MOST_TOLD - 1].rstrip() + "…"))
    return pairs


OPEN_ITEMS = _Scratchpad(SCRATCHPAD, {DEFAULT: Bounds(384, 1024), DAILY: Bounds(0, 2000, most_lines=120)})


_DATE = slice(-13, -3)
"""Where the path of a daily note has its date: it ends in `YYYY-MM-DD.md`."""

_LOG_DAYS = 7
"""The last daily note before today's is shown if it is at most so many days old."""


class _Daily(NoteLane):
    """The daily notes of each scope that are at least `first` and at most `last` days from today."""

    def __init__(self, name: str, bounds: dict[str, Bounds], first: int, last: int, most_notes: int) -> None:
        super().__init__(name, bounds)
        self.first = first
        self.last = last
        self.most_notes = most_notes
        """The most notes of a scope, the newest first."""

    def collect(self, source: PacketSource, contents: PacketContents) -> None:
        now = today()
        for scope in contents.scopes:
            dated = [(day_of(path[_DATE]), path) for path in daily_notes(source.cache, scope.folder)]
            paths = [
                path
                for day, path in dated
                if day is not None and self.first <= day - now <= self.last and path[-3:] == ".md"
            ]
            for path in paths[: self.most_notes][::-1]:
                contents.entries[self.name, path] = entries_at(source.cache, path)


class _Today(_Daily):
    def words_of(self, entry: PacketEntry) -> list[str]:
        # without `- HH:MM +ZONE ` (domain/working/daily.py)
        return [" ".join(entry.text.split()).split(" ", 3)[-1]]


_DAY_BOUNDS = Bounds(0, 3000, most_lines=120, keep=TAIL)

TODAY = _Today("today", {DEFAULT: Bounds(384, 1024, keep=TAIL), DAILY: _DAY_BOUNDS}, 0, 1, 60)
YESTERDAY = _Daily("yesterday", {DEFAULT: Bounds(0, 512, keep=TAIL), DAILY: _DAY_BOUNDS}, -_LOG_DAYS, -1, 1)
