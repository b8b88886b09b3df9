"""Resolves git's conflict markers in a file: takes the two sides apart again and merges them by meaning."""

from __future__ import annotations

from ctxrepo.domain.merge import merge_file
from ctxrepo.domain.note.markdown import fence_after, lines_of
from ctxrepo.domain.note.note import decode_exactly, encode
from ctxrepo.domain.records.conflict_copy import ConflictCopy
from ctxrepo.lazy import lazy_pattern

_MARKER = lazy_pattern(r"(?:(<{7}|\|{7}|>{7})(?: .*)?|(={7}))\r?\n?\Z")

_NEXT = {("", "<"): "ours", ("ours", "|"): "base", ("ours", "="): "theirs", ("base", "="): "theirs"}
_NEXT |= {("theirs", ">"): ""}
"""(side of the current line, marker) -> side of the next line; '' is outside of a conflict."""


def is_marker(line: str) -> bool:
    """Whether a line is one of those that git writes where two sides conflict, and can be nothing else."""
    found = _MARKER.match(line)
    return bool(found and found[1])


def resolve_markers(path: str, text: str) -> tuple[str, tuple[ConflictCopy, ...]] | None:
    """The file at `path` without its conflict markers, and copies of what lost.

    The base is what git wrote between its markers; else it is the text around the conflict, so that both
    sides are kept. None when there are no markers, or when it is unclear which line belongs to which side.
    """
    sides = _sides(text, has_fences=not path.lower().endswith(".jsonl"))
    if sides is None:
        return None
    merged = merge_file(path, *(encode(side) for side in sides))
    return decode_exactly(merged.data or b""), merged.conflict_copies


def _sides(text: str, *, has_fences: bool) -> tuple[str, str, str] | None:
    """(base, ours, theirs) of a file with markers; None when they are unclear.

    Markers in fenced code may be an example, and a line of seven `=` may underline a title.
    """
    found: dict[str, list[str]] = {"base": [], "ours": [], "theirs": []}
    where, fence, conflicts = "", "", 0
    for line in lines_of(text):
        match = _MARKER.match(line)
        marker = (match[1] or match[2])[0] if match else ""
        if marker and not (marker == "=" and not where):
            if fence and not where:
                return None
            if (where, marker) not in _NEXT:
                return None
            where = _NEXT[where, marker]
            conflicts += not where
            continue
        for name in [where] if where else found:
            found[name].append(line)
        if has_fences and where in ("", "ours"):
            fence = fence_after(line, fence)
    if where or not conflicts:
        return None
    base, ours, theirs = ("".join(found[name]) for name in ("base", "ours", "theirs"))
    return base, ours, theirs
