"""The format of the cache names its layout: one that is laid out otherwise is never taken for it."""

from __future__ import annotations

from ctxrepo.domain.formats.blocks import text_beside
from ctxrepo.domain.records.entry_evidence import EntryEvidence
from ctxrepo.domain.records.evidence import Evidence
from ctxrepo.hooks.known import cached
from ctxrepo.storage.cache import layout
from ctxrepo.storage.processes.database import TOKENIZER


def test_the_format_names_the_layout() -> None:
    """Tables, the words that are in the index, and what is read by its place: fields of rows, and numbers."""
    fields = (*Evidence.__annotations__, *EntryEvidence.__annotations__)
    spans, working = (cached.SCOPE_SPAN, cached.NOTE_SPAN), (cached.SCRATCHPAD, cached.DAILY)
    marks = (cached.RULES, cached.HABITS, layout.SUPERSEDED, layout.EXPIRED)
    values = (cached.BETWEEN_TITLES, *spans, *working, *marks)
    tables = text_beside(layout.__spec__, "cache.sql")
    digest = layout.digest_of(repr((tables, layout.INDEX_OF_IDS, TOKENIZER, fields, values)))[:8]
    rules, _, named = cached.FORMAT.partition("-")
    assert named == digest, f'the layout changed: write FORMAT = "{rules}-{digest}" in {cached.__file__}'
