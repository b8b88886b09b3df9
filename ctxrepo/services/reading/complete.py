"""What may stand where a person pressed Tab: scopes, tags, notes and entries, from the cache alone.

Tab is pressed at every key, so this loads little more than a hook does."""

from collections.abc import Iterator

from ctxrepo.domain.project.layout import CHECKLIST, GLOBAL, PROJECT, shown
from ctxrepo.hooks.known.cached import box_of
from ctxrepo.storage.cache.completion import Known

MANY = 300
"""Notes or entries offered at once; a longer beginning brings others."""

WIDTH = 70
"""Characters of what an entry says that are shown beside its id."""

Candidate = tuple[str, str]
"""(what may stand there, what it is or '')."""


def scopes(known: Known) -> list[Candidate]:
    """The names of scopes."""
    own = [(PROJECT, known.project)] if known.project else []
    return [(GLOBAL, ""), *own, *((f, "") for f in known.folders() if f != known.everywhere)]


def tags(known: Known) -> list[Candidate]:
    """The tags of notes in view."""
    return [(tag, "") for tag in known.tags(_in_view(known))]


def categories(known: Known) -> list[Candidate]:
    """The categories that entries have."""
    return [(category, "") for category in known.categories()]


def targets(known: Known, start: str) -> list[Candidate]:
    """Notes as `[SCOPE:]PATH` that begin with `start`, with descriptions; behind `^` entries by their ids,
    behind `#` by their places. Without a scope notes in view, by their path in it, and any by its whole
    path."""
    if start.startswith("^"):
        return entries(known, start)
    note, is_place, _ = start.partition("#")
    return _places(note, known) if is_place else list(dict(_notes(start, known)).items())


def note_folders(known: Known) -> list[Candidate]:
    """The folders below a scope that have notes in view."""
    names = {name for folder in _in_view(known) for name in known.folders_below(folder)}
    return [(name, "") for name in sorted(names)]


def entries(known: Known, start: str) -> list[Candidate]:
    """Entries in view as `^ID`, with what they say."""
    folders, begun = _in_view(known), start.removeprefix("^")
    rows = [e for folder in folders for e in known.entries(MANY, begun, f"{folder}/")]
    return [(f"^{name}", plain(text)) for name, _, text in rows]


def items(known: Known, start: str, *, is_done: bool) -> list[Candidate]:
    """What the items of the checklists in view say that are done, or open; behind `^` their ids."""
    lists = [f"{folder}/{CHECKLIST}" for folder in _in_view(known)]
    rows = [entry for path in lists for entry in known.entries(MANY, path=path)]
    boxes = ("x", "X") if is_done else (" ",)
    candidates = [(f"^{name}", plain(text)) for name, _, text in rows if box_of(text) in boxes]
    return candidates if start.startswith("^") else [(text, "") for _, text in candidates]


def _places(note: str, known: Known) -> list[Candidate]:
    for path in dict(_notes(note, known)):
        if path in (note, f"{note}.md"):
            there = _in_repository(path, known)
            rows = [e for p in there for e in known.entries(MANY, path=p) if e[1].startswith(f"{p}#")]
            return [(f"{note}#{at.partition('#')[2]}", plain(text)) for _, at, text in rows]
    return []


def _in_repository(path: str, known: Known) -> list[str]:
    """Where a note is that was offered as `path`, nearest first."""
    scope, colon, rest = path.partition(":")
    if colon:
        return [f"{ {GLOBAL: known.everywhere, PROJECT: known.project}.get(scope, scope) }/{rest}"]
    there = [f"{folder}/{path}" for folder in _in_view(known)] + [path]
    return [p for p in there if known.notes(p, 1)][:1]


def plain(text: str) -> str:
    """What an entry says, on one line, without its bullet."""
    from ctxrepo.domain.note.entry import normalised  # names of notes are asked for far more often

    return shown(normalised(text), WIDTH)


def _notes(start: str, known: Known) -> Iterator[Candidate]:
    scope, colon, path = start.partition(":")
    folders = {GLOBAL: known.everywhere, PROJECT: known.project}
    prefixes = [(f"{scope}:", folders.get(scope, scope))] if colon else [("", f) for f in _in_view(known)]
    for before, folder in prefixes:
        for place, description in known.notes(f"{folder}/{path if colon else start}", MANY):
            yield before + place.removeprefix(f"{folder}/"), description
    if start and not colon:
        yield from known.notes(start, MANY)


def _in_view(known: Known) -> list[str]:
    return [*([known.project] if known.project else []), known.everywhere]
