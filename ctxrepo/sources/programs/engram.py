"""engram: what agents saved of their work, each observation with a type and a topic, in its SQLite file.

The form is that of Gentleman-Programming/engram, internal/store/store.go, of 2026."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from ctxrepo.sources.facts import SourceFact, contents_of_facts
from ctxrepo.sources.source import SourceContents, SourceSearch, left_out, source_at

NAME = "engram"

_TABLES = {
    "observations": (
        *("content", "title", "type", "topic_key", "scope", "project"),
        *("session_id", "updated_at", "deleted_at"),
    ),
    "sessions": ("id", "directory"),
}

_CATEGORIES = {
    **{name: name for name in ("decision", "pattern", "preference", "config", "architecture")},
    **dict.fromkeys(("bugfix", "gotcha"), "gotcha"),
    **dict.fromkeys(("learning", "discovery"), "lesson"),
}
"""What a type is as a category here; any other is a fact."""

_PASSING = frozenset(
    {"session_summary", "tool_use", "file_change", "file_read", "command", "search", "passive"}
)
"""Types of what a session did, which isn't for another one."""


def read(search: SourceSearch, place: Path) -> SourceContents | None:
    """What is in the file, or in that of a folder."""
    file = place / "engram.db" if search.files.is_folder(place) else place
    tables = search.files.read_tables(NAME, file, _TABLES) or {}
    folders = {str(key): str(folder) for key, folder in tables.get("sessions", ()) if folder}
    rows = tables.get("observations", ())
    there = [_fact(row, folders) for row in rows if not row[-1]]
    facts = [fact for fact in there if fact.kind not in _PASSING]
    deleted = len(rows) - len(there), "record", "deleted there"
    passing = len(there) - len(facts), "record", "what a session did, and summed up"
    return contents_of_facts(search, NAME, file, facts, left_out(deleted, passing))


SOURCES = (source_at(NAME, lambda search: [search.named_or("ENGRAM_DATA_DIR", ".engram")], read),)


def _fact(row: Sequence[object], folders: Mapping[str, str]) -> SourceFact:
    """An observation: its title, below it what it says; it is its user's own or of its session's project."""
    content, title, kind, topic, scope, project, session, when, _ = (str(value or "") for value in row)
    text = content if content.startswith(title) else f"{title}\n{content}"
    tags = [topic] if topic else []
    of = "" if scope == "personal" else folders.get(session) or project
    return SourceFact(text, _CATEGORIES.get(kind, "fact"), tags, "", of, kind, when)
