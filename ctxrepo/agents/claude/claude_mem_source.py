"""claude-mem, which has a model write down what sessions observe: its SQLite file, of which kinds are chosen.

The form is that of thedotmack/claude-mem, src/services/sqlite/schema.sql, at migration 35 (August 2026)."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from ctxrepo.domain.formats.jsonl import document
from ctxrepo.sources.facts import SourceFact, contents_of_facts
from ctxrepo.sources.record_files import words_of
from ctxrepo.sources.source import SourceContents, SourceSearch, source_at

NAME = "claude-mem"

SUMMARY = "summary"
"""The kind of a session's summary; the other kinds are the types of its observations."""

_TABLES = {
    "observations": (
        *("type", "project", "merged_into_project", "created_at"),
        *("title", "subtitle", "facts", "narrative", "text", "concepts"),
    ),
    "session_summaries": (
        *("request", "project", "merged_into_project", "created_at"),
        *("learned", "completed", "next_steps", "notes"),
    ),
}

_CATEGORIES = {"decision": "decision", "bugfix": "gotcha", SUMMARY: "session"}
"""What a kind is as a category here; any other is a fact."""


def read(search: SourceSearch, place: Path) -> SourceContents | None:
    """What is in the file, or in that of a folder."""
    file = place / "claude-mem.db" if search.files.is_folder(place) else place
    tables = search.files.read_tables(NAME, file, _TABLES)
    if tables is None:
        return None
    facts = [*map(_observed, tables.get("observations", ()))]
    facts += map(_summed_up, tables.get("session_summaries", ()))
    return contents_of_facts(search, NAME, file, facts, asks="a model wrote them")


def _place(search: SourceSearch) -> Iterator[Path]:
    named = search.env.get("CLAUDE_MEM_DATA_DIR", "")
    yield Path(named) if named.startswith("/") else search.home / ".claude-mem"


SOURCE = source_at(NAME, _place, read)


def _observed(row: Sequence[object]) -> SourceFact:
    kind, project, merged, when, *texts = map(_text, row)
    title, subtitle, facts, narrative, text, concepts = texts
    points = [f"- {point}" for point in _list(facts)]
    lines = [title or subtitle or text, *(points or filter(None, [narrative]))]
    tags = words_of(_list(concepts))
    return SourceFact(
        "\n".join(lines), _CATEGORIES.get(kind, "fact"), tags, "", _parent(merged or project), kind, when
    )


def _summed_up(row: Sequence[object]) -> SourceFact:
    request, project, merged, when, *texts = map(_text, row)
    names = ("Learned", "Completed", "Next", "Notes")
    lines = [request, *(f"- {name}: {text}" for name, text in zip(names, texts, strict=True) if text)]
    category = _CATEGORIES[SUMMARY]
    return SourceFact("\n".join(lines), category, (), "", _parent(merged or project), SUMMARY, when)


def _parent(project: str) -> str:
    """The project of a worktree's, which is called `project/worktree`."""
    return project.partition("/")[0]


def _list(text: str) -> list[str]:
    """The texts of a list in JSON, none where it isn't one."""
    value, _ = document(text) if text else ([], "")
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def _text(value: object) -> str:
    return " ".join(value.split()) if isinstance(value, str) else ""
