"""Merges one file by its kind: note, JSON lines, registry; any other file is taken whole (ADR 6)."""

from __future__ import annotations

from ctxrepo.domain.merge.lines import merge_lines
from ctxrepo.domain.merge.note.note import merge_note
from ctxrepo.domain.merge.table import merge_table
from ctxrepo.domain.note.note import decode_exactly, encode
from ctxrepo.domain.project.layout import OLD_TAPE, REGISTRY
from ctxrepo.domain.records.conflict_copy import ConflictCopy
from ctxrepo.lazy import dataclass, lazy_pattern

_UNDECODABLE = lazy_pattern("[\udc80-\udcff]")

MAX_BYTES = 2 * 1024 * 1024
"""Larger files are taken whole."""


@dataclass(frozen=True)
class MergedFile:
    """`data` is None when the file is gone; `conflict_copies` hold what lost and must be kept elsewhere."""

    data: bytes | None
    conflict_copies: tuple[ConflictCopy, ...] = ()


def merge_file(path: str, base: bytes | None, ours: bytes | None, theirs: bytes | None) -> MergedFile:
    """The file at `path` with both sides' changes to `base`; None stands for no file.

    The result is the same whichever side is `ours`. An edit wins over a deletion; only pi-memory-md's tape
    goes with its last line, and is merged as if it were empty. There are never conflict markers: of two edits
    of one thing one stays and the other becomes a conflict copy.
    """
    if ours in (theirs, base):
        return MergedFile(theirs)
    if theirs == base:
        return MergedFile(ours)
    is_gone = ours is None or theirs is None
    if is_gone and not (path.endswith(OLD_TAPE) and base):
        return MergedFile(theirs if ours is None else ours)
    ours, theirs = ours or b"", theirs or b""
    merged = _by_meaning(path, base or b"", ours, theirs)
    if merged is None:
        kept, other = max(ours, theirs), min(ours, theirs)
        return MergedFile(kept, (ConflictCopy(path, "", "", decode_exactly(other)),))
    text, copies = merged
    data = encode(text)
    return MergedFile((data or None) if is_gone else data, tuple(dict.fromkeys(copies)))


def _by_meaning(path: str, base: bytes, ours: bytes, theirs: bytes) -> tuple[str, list[ConflictCopy]] | None:
    if max(map(len, (base, ours, theirs))) > MAX_BYTES:
        return None
    texts = decode_exactly(base), decode_exactly(ours), decode_exactly(theirs)
    if path.lower().endswith(".jsonl"):
        return merge_lines(path, *texts)
    if any(_UNDECODABLE.search(text) for text in texts):
        return None
    if path.lower().endswith(".md"):
        return merge_note(path, *texts)
    return merge_table(path, *texts) if path == REGISTRY else None
