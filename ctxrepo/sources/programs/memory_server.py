"""The reference memory server of the Model Context Protocol: entities, what is observed of each, relations.

The form is that of modelcontextprotocol/servers, src/memory/index.ts, of 2026: a line of JSON for each."""

from collections.abc import Iterator
from pathlib import Path

from ctxrepo.domain.formats.jsonl import text_of, texts_in
from ctxrepo.domain.project.layout import expanded
from ctxrepo.sources.facts import Record, SourceFact, contents_of_facts, read_records, words_of
from ctxrepo.sources.source import SourceContents, SourceSearch, left_out, source_at

NAME = "memory-server"


def _place(search: SourceSearch) -> Iterator[Path]:
    """Where a person put the file: by itself it lies in the program's own folder."""
    path = expanded(search.env.get("MEMORY_FILE_PATH", ""), str(search.home))
    if path.startswith("/"):
        yield Path(path)


def read(search: SourceSearch, file: Path) -> SourceContents | None:
    """What is in the file."""
    records, torn = read_records(search, file)
    facts = [fact for fields in records for fact in _facts(fields)]
    odd = sum(fields.get("type") not in ("entity", "relation") for fields in records)
    omissions = left_out((odd, "record", "neither an entity nor a relation"))
    return contents_of_facts(search, NAME, file, facts, [*omissions, *torn])


SOURCES = (source_at(NAME, _place, read),)


def _facts(fields: Record) -> Iterator[SourceFact]:
    """What is observed of an entity, each with its name, or what a relation says."""
    if fields.get("type") == "relation":
        words = [text_of(fields, key) for key in ("from", "relationType", "to")]
        if all(words):
            yield SourceFact(" ".join(words), category="relation")
    elif fields.get("type") == "entity":
        tags = words_of([text_of(fields, "entityType")])
        for text in texts_in(fields.get("observations")):
            yield SourceFact(f"{text_of(fields, 'name')} — {text}", tags=tags)
