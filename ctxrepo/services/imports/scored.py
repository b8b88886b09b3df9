"""The scored design's notes: `.pi/memory/topics/` of a checkout, and what its scores say of their lines."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from ctxrepo.domain.note.entry import normalised
from ctxrepo.domain.note.markdown import lines_of
from ctxrepo.errors import UsageError
from ctxrepo.lazy import lazy_pattern
from ctxrepo.services.imports.markdown import contents_of
from ctxrepo.services.imports.pi_memory import TOPICS, memory_of, require_here
from ctxrepo.services.imports.values import NotTaken, SourceContents, SourceNote, SourceSearch
from ctxrepo.storage.disk.foreign import read_object
from ctxrepo.storage.sources.folder import is_folder, read_folder

NAME = "scored"

SCORES = "memory-scores.json"

PINNED = 9999
"""The score of a pinned line."""

_MARKS = lazy_pattern(r"(?:\s*\*\((?:pinned|enforced)\)\*)+\s*\Z")
_LINE = lazy_pattern(r"-[ \t]+\[[\w-]+\]")

_THEIRS = (("embeddings.json", "vectors, which ctxrepo makes anew where it is told to find by meaning"),)
_WATERMARK = NotTaken(".dream-watermark", "when it last went over its notes")


def find(search: SourceSearch) -> Iterator[SourceContents]:
    """What the scored design has in the checkout, or in the folder that was named."""
    place = search.chosen or (memory_of(search.checkout) if search.checkout else None)
    if place is None:
        return
    if place.name == TOPICS:
        place = place.parent
    if not is_folder(search.outside, place / TOPICS):
        return
    if search.chosen:
        require_here(search, place)
    project = search.project
    scope = project.folder if project else "project"
    found = read_folder(search.outside, place / TOPICS)
    made = contents_of(found, lambda path: f"{scope}/{TOPICS}/{path}", shown=f"{TOPICS}/")
    scores = read_object(place / SCORES, follow=False)
    told = [*made.not_taken]
    if scores.trouble:
        told.append(NotTaken(SCORES, scores.trouble))
    elif scores.fields is not None:
        told.append(NotTaken(f"{SCORES}, but for pins", "scores and evidence, which ctxrepo doesn't keep"))
    told += [NotTaken(name, why) for name, why in _THEIRS if os.path.lexists(place / name)]
    told += [_WATERMARK] if os.path.lexists(place / _WATERMARK.what) else []
    pinned = _pinned(scores.fields or {})
    notes = tuple(replace(note, pins=_pins(note, pinned)) for note in made.notes)
    yield SourceContents(NAME, search.shown(place), notes, not_taken=tuple(told), project=project)


def require_project(search: SourceSearch) -> None:
    """UsageError outside of a project: these notes are one's."""
    if search.project is None:
        raise UsageError("this folder belongs to no project", "Run it in the checkout whose notes these are.")


def line_hash(line: str) -> str:
    """The key of a line, without its marks, in `memory-scores.json`: FNV-1a as JavaScript's numbers do it.

    They are doubles, so that the products lose their low bits: it is not FNV-1a, and ours must not be either.
    """
    found = 0x811C9DC5
    units = line.encode("utf-16-le", "surrogatepass")
    for low, high in zip(units[::2], units[1::2], strict=True):
        mixed = (found ^ (low | high << 8)) & 0xFFFFFFFF
        signed = mixed - 0x100000000 if mixed & 0x80000000 else mixed
        found = int(float(signed) * 16777619.0) & 0xFFFFFFFF
    return f"{found:08x}"


def _pinned(fields: Mapping[str, Any]) -> frozenset[str]:
    """The keys of lines that are pinned, wherever in the file its rows are."""
    tables = [fields, *(value for value in fields.values() if isinstance(value, dict))]
    return frozenset(
        key for table in tables for key, row in table.items() if isinstance(row, dict) and _is_pinned(row)
    )


def _is_pinned(row: Mapping[str, Any]) -> bool:
    score = row.get("score", row.get("stability"))
    is_score = isinstance(score, int | float) and not isinstance(score, bool) and score >= PINNED
    return is_score or row.get("pinned") is True or "pinned" in (row.get("userState"), row.get("state"))


def _pins(note: SourceNote, pinned: frozenset[str]) -> frozenset[str]:
    """The entries of a note that the scores pin and that bear no mark themselves."""
    found = set()
    for raw in lines_of(note.text):
        line = raw.strip()
        bare = _MARKS.sub("", line)
        if _LINE.match(line) and "*(pinned)*" not in line and line_hash(bare) in pinned:
            found.add(normalised(line))
    return frozenset(found)
