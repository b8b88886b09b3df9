"""Wiki links between notes: `[[note]]`, `[[scope:path]]`, `[[^id]]`, with `|label` or `#heading` behind."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ctxrepo.domain.paths import archived
from ctxrepo.domain.target import GLOBAL


def named_by(link: str) -> str:
    """What a link names: without its label, and without the heading in the note that it points at."""
    return link.partition("|")[0].partition("#")[0].strip()


def resolve(link: str, source: str, notes: Collection[str], general: str = GLOBAL) -> str:
    """The path among `notes` (paths in the repository) that a link in the note `source` leads to, or ''.

    Looked for in this order: beside the note, in its scope, in the folder `general` of what holds everywhere,
    from the top; then by the name alone in the scope and in `general`, where just one note is called so; then
    where it is when it was archived. A link to a heading only (`[[#Later]]`) leads to its own note.
    """
    name = named_by(link)
    if not name:
        return source
    scope, colon, rest = name.rpartition(":")
    path = rest if rest.lower().endswith(".md") else f"{rest}.md"
    if colon:
        named = f"{general if scope == GLOBAL else scope}/{path}"
        return _first([named, archived(named)], notes)
    folder, top = source.rpartition("/")[0], source.partition("/")[0]
    places = [f"{folder}/{path}", f"{top}/{path}", f"{general}/{path}", path]
    found = _first(places, notes) or _called(path, top, notes) or _called(path, general, notes)
    return found or _first([archived(place) for place in places], notes)


def _first(paths: Sequence[str], notes: Collection[str]) -> str:
    return next((path for path in paths if path in notes), "")


def _called(path: str, scope: str, notes: Collection[str]) -> str:
    """The one note of a scope whose path ends so, whatever the case of its letters."""
    end = f"/{path}".casefold()
    found = [note for note in notes if note.startswith(f"{scope}/") and note.casefold().endswith(end)]
    return found[0] if len(found) == 1 else ""
