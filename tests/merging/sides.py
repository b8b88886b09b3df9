"""A file merged from both sides, for tests that say what they expect in texts."""

from __future__ import annotations

from ctxrepo.domain.merge import MergedFile, merge_file


def merge(path: str, base: str, ours: str, theirs: str) -> MergedFile:
    """What the file at `path` becomes, whichever side is called ours."""
    merged = merge_file(path, base.encode(), ours.encode(), theirs.encode())
    assert merged == merge_file(path, base.encode(), theirs.encode(), ours.encode())
    return merged


def merged_text(path: str, base: str, ours: str, theirs: str) -> str:
    """The merged text of what merges without anything put aside."""
    merged = merge(path, base, ours, theirs)
    assert merged.data is not None
    assert merged.conflict_copies == ()
    return merged.data.decode()
