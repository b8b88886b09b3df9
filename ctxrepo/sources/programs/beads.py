"""beads: what `bd remember` keeps, as `bd export --include-memories` writes it beside the issues.

The form is that of gastownhall/beads, cmd/bd/export.go and memory.go, of 2026."""

import re
from collections.abc import Iterator
from pathlib import Path

from ctxrepo.domain.formats.jsonl import text_of
from ctxrepo.sources.facts import Record, SourceFact, contents_of_facts, read_records
from ctxrepo.sources.source import SourceContents, SourceSearch, left_out, source_at

NAME = "beads"

_HOW = "work, not memory; `bd export --include-memories -o FILE` writes what `bd remember` keeps"


def _place(search: SourceSearch) -> Iterator[Path]:
    if search.checkout and search.is_in_checkout(search.checkout / ".beads"):
        yield search.checkout / ".beads" / "issues.jsonl"


def read(search: SourceSearch, file: Path) -> SourceContents | None:
    """The memories in the file; its issues are counted."""
    if search.files.is_folder(file):
        file = file / "issues.jsonl"
    records, torn = read_records(search, file)
    memories = [fields for fields in records if fields.get("_type") == "memory"]
    omissions = left_out((len(records) - len(memories), "issue", _HOW))
    return contents_of_facts(search, NAME, file, [*map(_fact, memories)], [*omissions, *torn])


SOURCES = (source_at(NAME, _place, read),)


def _fact(fields: Record) -> SourceFact:
    """A memory; a key that was made from its first words says nothing of its own."""
    key, value = text_of(fields, "key"), text_of(fields, "value")
    words = re.sub(r"[^a-z0-9]+", "-", value.lower()).strip("-")
    return SourceFact(value, key="" if words.startswith(key) else key)
