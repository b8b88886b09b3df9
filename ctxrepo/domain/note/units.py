"""What a file says, in units that can be counted and found again elsewhere."""

from __future__ import annotations

from collections import Counter

from ctxrepo.domain.note.entry import entries_of, normalised
from ctxrepo.domain.note.note import decode
from ctxrepo.domain.project.paths import is_note


def units_of(path: str, data: bytes | None) -> Counter[str]:
    """The entries of a note, normalised, or the lines of any other file; nothing where there is no file."""
    if data is None:
        return Counter()
    if is_note(path):
        return Counter(normalised(entry.text) for entry in entries_of(path, decode(data)))
    return Counter(line for line in decode(data).splitlines() if line.strip())
