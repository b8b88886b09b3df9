"""What is recorded of entries, as a test looks at it."""

from __future__ import annotations

from ctxrepo.domain.records.evidence import Marks, marks
from ctxrepo.services.reading.marks import evidence_at
from ctxrepo.storage.memory import Memory


def marks_of(memory: Memory, tree: str | None) -> Marks:
    """What all evidence in a tree amounts to."""
    return marks(evidence_at(memory.objects, tree))
