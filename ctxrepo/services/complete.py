"""What may stand where a person pressed Tab: scopes, tags and notes of the memory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ctxrepo.domain.target import GLOBAL, PROJECT
from ctxrepo.storage.known import Known, known_at

MANY = 300
"""Notes offered at once; a longer beginning brings others."""

Candidate = tuple[str, str]
"""(what may stand there, what it is or '')."""


def scopes(state: Path, cwd: Path) -> list[Candidate]:
    """The names of scopes."""
    with known_at(state, cwd) as known:
        if known is None:
            return []
        own = [(PROJECT, known.project)] if known.project else []
        return [(GLOBAL, ""), *own, *((f, "") for f in known.folders() if f != known.everywhere)]


def tags(state: Path, cwd: Path) -> list[Candidate]:
    """The tags of notes in view."""
    with known_at(state, cwd) as known:
        return [(tag, "") for tag in known.tags(_in_view(known))] if known else []


def notes(start: str, state: Path, cwd: Path) -> list[Candidate]:
    """Notes as `[SCOPE:]PATH` that begin with `start`, with their descriptions.

    Without a scope those in view, by their path in it, and any by its path in the repository.
    """
    with known_at(state, cwd) as known:
        return list(dict(_notes(start, known)).items()) if known else []


def _notes(start: str, known: Known) -> Iterator[Candidate]:
    scope, colon, path = start.partition(":")
    folders = {GLOBAL: known.everywhere, PROJECT: known.project}
    named = [(f"{scope}:", folders.get(scope, scope))] if colon else [("", f) for f in _in_view(known)]
    for before, folder in named:
        for place, description in known.notes(f"{folder}/{path if colon else start}", MANY):
            yield before + place.removeprefix(f"{folder}/"), description
    if start and not colon:
        yield from known.notes(start, MANY)


def _in_view(known: Known) -> list[str]:
    return [*([known.project] if known.project else []), known.everywhere]
