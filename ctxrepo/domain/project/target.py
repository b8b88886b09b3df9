"""Names on the command line, `[SCOPE:]PATH[#Ln[-Lm]]` or `^ID`, and guesses at misspelled names. Whatever
we print as a place or an id can be given back."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import field
from typing import Annotated

from ctxrepo.domain.project.layout import PROJECT, note_path, shown
from ctxrepo.errors import NotFound, UsageError
from ctxrepo.lazy import dataclass, lazy_pattern

SHORTEST = 4
"""The fewest characters that abbreviate an id, if no other id begins with them."""

TOO_SHORT = f"Give at least {SHORTEST} characters of an id."

WHOLE = 12
"""The length of an id that is derived from the text."""

_ID = lazy_pattern(r"\^?([0-9a-z][0-9a-z_-]{0,63})\Z")
_HEX = lazy_pattern(rf"[0-9a-f]{{{SHORTEST},{WHOLE}}}\Z")
_LINES = lazy_pattern(r"#L([1-9][0-9]{0,8})(?:-L?([1-9][0-9]{0,8}))?\Z")


@dataclass(frozen=True)
class Target:
    """Either an `entry_id`, which may be abbreviated, or a `path` relative to its scope ('': none was
    named); its `lines` mean the entry there. `word` may be an id without ^, if no note is called so."""

    scope: str = ""
    path: str = ""
    entry_id: str = ""
    lines: tuple[int, int] | None = None
    word: str = field(default="", compare=False)


def parse_target(text: str) -> Target:
    """Read a TARGET; UsageError says which part can't be one."""
    text = text.strip()
    if text.startswith("^"):
        return Target(entry_id=parse_id(text))
    place = _LINES.search(text)
    scope, colon, path = (text[: place.start()] if place else text).rpartition(":")
    if colon and not scope:
        raise UsageError(f"{text!r} names no scope before its colon", "Write SCOPE:PATH or just PATH.")
    word = text if _HEX.match(text) else ""
    return Target(scope, note_path(path), lines=_lines(text, place) if place else None, word=word)


def parse_entry(text: str) -> Target:
    """Read the name of an entry: its id, with or without ^, or its place."""
    text = text.strip()
    return parse_target(text) if _LINES.search(text) else Target(entry_id=parse_id(text))


def parse_destination(text: str) -> Target:
    """Read a destination; its path may be '' (`global:`) or end in `/` (`archive/`)."""
    if not text.endswith((":", "/")):
        return parse_target(text)
    stand_in = parse_target(f"{text}_.md")
    return Target(stand_in.scope, stand_in.path.removesuffix("_.md"))


NoteOrEntry = Annotated[Target, parse_target, "[SCOPE:]PATH of a note; ^ID or PATH#L9 of an entry."]
"""A note or an entry in a request: how it is read from a word, and what that word is."""
EntryName = Annotated[Target, parse_entry]
"""What can only be an entry."""
Destination = Annotated[Target, parse_destination]
"""Where something is to go."""
ScopeName = Annotated[str, "global, project, or a project's id or folder."]
"""A scope in a request."""


def names_scope(request: object) -> bool:
    """Whether a request names a scope for each of its places: then nobody needs to know which project the
    current folder is."""
    request = request[0] if isinstance(request, list | tuple) and request else request
    request = getattr(request, "query", request)
    scope = getattr(request, "scope", "")
    places = (getattr(request, name, None) for name in ("target", "to", "note"))
    scopes = [place.scope or scope for place in places if isinstance(place, Target)] or [scope]
    return not {"", PROJECT} & {*scopes}


def scopes_named(request: object) -> set[str]:
    """The scopes that a request may name, wherever it does: before a colon, as the folder with which a path
    begins, or by themselves; and each entry that it names, as its ^ID."""
    requests = request if isinstance(request, list | tuple) else [request]
    names: set[str] = set()
    for part in (part for whole in requests for part in (whole, getattr(whole, "query", None))):
        for name, value in getattr(part, "__dict__", {}).items():
            for target in value if isinstance(value, tuple) else (value,):
                if isinstance(target, Target):
                    names |= {target.scope, target.path.partition("/")[0] if "/" in target.path else ""}
                    names |= {f"^{name}" for name in (target.entry_id, target.word) if name}
            if name == "scope" and isinstance(value, str):
                names.add(value)
    return names - {"", PROJECT}


def ids_meant(name: str, ids: Iterable[str]) -> list[str]:
    """The `ids` that `name` may mean: exactly that id, otherwise all that begin with it; sorted."""
    all_ids = set(ids)
    if name in all_ids:
        return [name]
    return sorted(i for i in all_ids if i.startswith(name)) if len(name) >= SHORTEST else []


def id_meant(name: str, ids: Iterable[str]) -> str:
    """The id that `name` means, or `name` itself if none does; UsageError if several do."""
    matches = ids_meant(name, ids)
    if len(matches) > 1:
        raise several_ids(name, [f"^{entry_id}" for entry_id in matches])
    return matches[0] if matches else name


def resolve_id(name: str, ids: Iterable[str], missing: str, hint: str) -> str:
    """The id that `name` means. NotFound, which says what is `missing`, if that is none; UsageError if
    several are meant."""
    matches = ids_meant(name, ids)
    if len(matches) > 1:
        raise several_ids(name, matches)
    if not matches:
        raise NotFound(missing, hint if len(name) >= SHORTEST else TOO_SHORT)
    return matches[0]


def several_ids(name: str, ids: Sequence[str]) -> UsageError:
    """The error of a name that may mean each of these."""
    return UsageError(f"{shown(name, 60)} begins {len(ids)} ids", f"They are {', '.join(ids[:5])}.")


def may_be_derived(name: str) -> bool:
    """Whether `name` may be an id that is derived from the text, or an abbreviation of one."""
    return bool(_HEX.match(name))


def parse_id(text: str) -> str:
    """The id in `^id` or `id`."""
    match = _ID.match(text)
    if not match:
        raise UsageError(
            f"{text!r} is not an entry id", "An id is ^ and 12 hex digits, as `remember` prints it."
        )
    return match[1]


def _lines(text: str, place: re.Match[str]) -> tuple[int, int]:
    first = int(place[1])
    last = int(place[2] or first)
    if last < first:
        raise UsageError(f"{text!r} ends before it begins", "A place is PATH#L9, or PATH#L9-L11.")
    return first, last


_LIKE = 0.6
"""The least likeness of a name that is suggested."""


def nearest(word: str, words: Iterable[str]) -> str:
    """The one of `words` that is most like `word`; '' if none is."""
    from difflib import get_close_matches  # most command lines and settings hold no mistake

    return next(iter(get_close_matches(word, words, n=1)), "")


def near_notes(name: str, paths: Iterable[str], most: int = 3) -> list[str]:
    """The `paths` whose file name is similar to that of `name`, in any folder; the most similar first."""
    likeness = {path: _likeness(path, name) for path in paths}
    near = [path for path in likeness if likeness[path] >= _LIKE]
    return sorted(near, key=lambda path: (-likeness[path], path))[:most]


def _likeness(path: str, name: str) -> float:
    from difflib import SequenceMatcher

    first, second = (p.rpartition("/")[2].removesuffix(".md").casefold() for p in (path, name))
    return SequenceMatcher(None, first, second).ratio()
