"""Wiki links between notes: `[[note]]`, `[[scope:path]]`, `[[^id]]`, with `|label` or `#heading` behind."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ctxrepo.domain.target import GLOBAL


def named_by(link: str) -> str:
    """What a link names: without its label, and without the heading in the note that it points at."""
    return link.partition("|")[0].partition("#")[0].strip()


def resolve(link: str, source: str, notes: Collection[str], general: str = GLOBAL) -> str:
    """The path among `notes` (paths in the repository) that a link in the note `source` leads to, or ''.

    Looked for in this order: beside the note, in its scope, in the folder `general` of what holds everywhere,
    from the top; then by the name alone in the scope and in `general`, where just one note is called so. A
    link to a heading only (`[[#Later]]`) leads to its own note.
    """
    name = named_by(link)
    if not name:
        return source
    scope, colon, rest = name.rpartition(":")
    path = rest if rest.lower().endswith(".md") else f"{rest}.md"
    if colon:
        return _first([f"{general if scope == GLOBAL else scope}/{path}"], notes)
    folder, top = source.rpartition("/")[0], source.partition("/")[0]
    found = _first([f"{folder}/{path}", f"{top}/{path}", f"{general}/{path}", path], notes)
    return found or _called(path, top, notes) or _called(path, general, notes)


def _first(paths: Sequence[str], notes: Collection[str]) -> str:
    return next((path for path in paths if path in notes), "")


def _called(path: str, scope: str, notes: Collection[str]) -> str:
    """The one note of a scope whose path ends so, whatever the case of its letters."""
    end = f"/{path}".casefold()
    found = [note for note in notes if note.startswith(f"{scope}/") and note.casefold().endswith(end)]
    return found[0] if len(found) == 1 else ""
