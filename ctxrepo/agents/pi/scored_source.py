"""The scored design's notes: `.pi/memory/topics/` of a checkout, and what its scores say of their lines."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from ctxrepo.agents.pi.pi_memory_source import TOPICS, memory_of, require_here
from ctxrepo.domain.note.entry import normalised
from ctxrepo.domain.note.markdown import lines_of
from ctxrepo.lazy import lazy_pattern
from ctxrepo.sources.markdown_notes import markdown_of
from ctxrepo.sources.source import NotTaken, SourceContents, SourceNote, SourceSearch

NAME = "scored"

SCORES = "memory-scores.json"

PINNED = 9999
"""The score of a pinned line."""

_MARKS = lazy_pattern(r"(?:\s|\*\((?:pinned|enforced)\)\*)++")
_LINE = lazy_pattern(r"-[ \t]+\[[\w-]+\]")

_THEIRS = (("embeddings.json", "vectors, which ctxrepo makes anew where it is told to find by meaning"),)
_WATERMARK = NotTaken(".dream-watermark", "when it last went over its notes")


def find(search: SourceSearch) -> Iterator[SourceContents]:
    """What the scored design has in the checkout, or in the folder that was named."""
    files = search.files
    place = search.chosen or (memory_of(search.checkout) if search.checkout else None)
    if place is None:
        return
    if place.name == TOPICS:
        place = place.parent
    if not files.is_folder(place / TOPICS):
        return
    if search.chosen:
        require_here(search, place)
    scope = search.project or "project"
    unpinned, others = markdown_of(
        files.read_folder(place / TOPICS), lambda path: f"{scope}/{TOPICS}/{path}", shown=f"{TOPICS}/"
    )
    scores, trouble = files.read_fields(place / SCORES, follow=False)
    not_taken = [*others]
    if trouble:
        not_taken.append(NotTaken(SCORES, trouble))
    elif scores is not None:
        not_taken.append(
            NotTaken(f"{SCORES}, but for pins", "scores and evidence, which ctxrepo doesn't keep")
        )
    not_taken += [NotTaken(name, why) for name, why in _THEIRS if files.exists(place / name)]
    not_taken += [_WATERMARK] if files.exists(place / _WATERMARK.what) else []
    pinned = _pinned(scores or {})
    notes = tuple(replace(note, pins=_pins(note, pinned)) for note in unpinned)
    yield SourceContents(
        NAME,
        search.shown(place),
        notes,
        not_taken=tuple(not_taken),
        lacks_project=not search.project and bool(notes),
    )


def line_hash(line: str) -> str:
    """The key of a line, without its marks, in `memory-scores.json`: FNV-1a as JavaScript's numbers do it.

    They are doubles, so that the products lose their low bits: it is not FNV-1a, and ours must not be either.
    """
    hashed = 0x811C9DC5
    units = line.encode("utf-16-le", "surrogatepass")
    for low, high in zip(units[::2], units[1::2], strict=True):
        mixed = (hashed ^ (low | high << 8)) & 0xFFFFFFFF
        signed = mixed - 0x100000000 if mixed & 0x80000000 else mixed
        hashed = int(float(signed) * 16777619.0) & 0xFFFFFFFF
    return f"{hashed:08x}"


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
    lines = (raw.strip() for raw in lines_of(note.text))
    unmarked = (line for line in lines if _LINE.match(line) and "*(pinned)*" not in line)
    return frozenset(normalised(line) for line in unmarked if line_hash(_without_marks(line)) in pinned)


def _without_marks(line: str) -> str:
    """A line up to the marks that it ends in."""
    return next((line[: run.start()] for run in _MARKS.finditer(line) if run.end() == len(line)), line)
