"""Files that a person names: a folder of markdown, JSON lines, what mem0 gives out and ChatGPT shows.

mem0's form is that of `get_all` (mem0ai/mem0 2.2): a list of memories, alone or under `results`. ChatGPT's is
its list of saved memories as a person copies it, a line each, or `2. [2025-05-02]. …` as its model sees
it."""

from collections.abc import Callable, Iterator
from pathlib import Path

from ctxrepo.domain.guard.refusals import MAX_BYTES
from ctxrepo.domain.project.layout import is_note
from ctxrepo.lazy import lazy_pattern
from ctxrepo.sources.facts import Record, SourceFact, contents_of_facts, fact_of, read_records, read_text_file
from ctxrepo.sources.markdown_notes import markdown_of, note_of
from ctxrepo.sources.source import Source, SourceContents, SourceSearch, source_at

_NUMBERED = lazy_pattern(r"(?:[-*•]|\d{1,4}[.)])[ \t]+(?:\[(\d{4}-\d\d-\d\d)\]\.?[ \t]+)?")


def _nowhere(_: SourceSearch) -> Iterator[Path]:
    """They have no place of their own."""
    yield from ()


def _of_records(name: str, fact: Callable[[Record], SourceFact], *lists: str) -> Source:
    """A source whose file has a record for each fact."""

    def read(search: SourceSearch, file: Path) -> SourceContents | None:
        records, torn = read_records(search, file, *lists)
        return contents_of_facts(search, name, file, [*map(fact, records)], torn)

    return source_at(name, _nowhere, read)


def _of_mem0(fields: Record) -> SourceFact:
    """A memory of a user; its categories are tags, and what else mem0 knows of it isn't of use here."""
    known = fact_of(fields)
    return SourceFact(known.text, tags=known.tags, when=known.when)


def _read_markdown(search: SourceSearch, place: Path) -> SourceContents | None:
    """The notes in a folder, under their own paths, or one note."""
    scope, where = search.scope_at(place), search.shown(place)
    if search.files.is_folder(place):
        notes, others = markdown_of(search.files.read_folder(place), lambda path: f"{scope}/{path}")
        return SourceContents("markdown", where, notes, not_taken=others)
    data = search.files.read_file(place, MAX_BYTES)
    name = place.name if is_note(place.name) else f"{place.stem}.md"
    note = note_of(where, f"{scope}/{name}", data) if data is not None else None
    return SourceContents("markdown", where, (note,)) if note else None


def _read_chatgpt(search: SourceSearch, file: Path) -> SourceContents | None:
    """A line for each memory."""
    text = read_text_file(search, file)
    facts = [_of_line(line.strip()) for line in (text or "").splitlines() if line.strip()]
    return contents_of_facts(search, "chatgpt", file, [fact for fact in facts if fact.text])


def _of_line(line: str) -> SourceFact:
    numbered = _NUMBERED.match(line)
    start = numbered.end() if numbered else 0
    is_title = line.startswith("#")
    return SourceFact("" if is_title else line[start:], when=(numbered[1] or "") if numbered else "")


SOURCES = (
    source_at("chatgpt", _nowhere, _read_chatgpt),
    _of_records("mem0", _of_mem0, "results", "memories"),
    source_at("markdown", _nowhere, _read_markdown),
    _of_records("jsonl", fact_of, "results", "memories", "records", "observations"),
)
