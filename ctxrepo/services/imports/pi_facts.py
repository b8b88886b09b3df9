"""pi-memory's facts and lessons, as it keeps them in SQLite, as entries of notes."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ctxrepo.domain.formats.moment import counted
from ctxrepo.domain.note import compose
from ctxrepo.domain.settings.pi import expanded
from ctxrepo.errors import CtxrepoError, UsageError
from ctxrepo.lazy import lazy_pattern
from ctxrepo.services.imports.injection import injection_of
from ctxrepo.services.imports.values import NotTaken, SourceContents, SourceNote, SourceSearch, SourceSetting
from ctxrepo.storage.disk.foreign import read_object
from ctxrepo.storage.sources.facts import StoredFact, StoredFacts, StoredLesson, read_facts
from ctxrepo.storage.user.places import pi_settings_file

NAME = "pi-memory"

_TOTAL_RECALL = "pi-total-recall"

_CATEGORIES = {"pref": "preference", "tool": "tool"}
"""What the first word of a key makes of its fact; any other is a fact."""

_KEY = lazy_pattern(r"[A-Za-z][\w.-]{0,39}\Z")
_WORD = lazy_pattern(r"[A-Za-z][\w/-]{0,63}\Z")

_UNUSED = NotTaken("confidence, times of use, embeddings, events", "ctxrepo has no use for them")


def files_of_facts(search: SourceSearch) -> Iterator[tuple[Path, bool]]:
    """Where the SQLite file may be, by pi's settings, and whether it is the project's.

    A project's settings may name a place in its checkout and no other: whoever is cloned can write them.
    """
    home = search.places.user_home
    own = read_object(pi_settings_file(search.env, home)).fields or {}
    default = home / ".pi" / "memory" / "memory.db"
    yield _file_of(own, home, home) or default, False
    if search.checkout is None or os.path.realpath(search.checkout) == os.path.realpath(home):
        return
    theirs = read_object(search.checkout / ".pi" / "settings.json").fields or {}
    file = _file_of(theirs, search.checkout, home)
    if file and Path(os.path.realpath(file)).is_relative_to(os.path.realpath(search.checkout)):
        yield file, True


def contents_of_facts(search: SourceSearch, file: Path, *, goes_to_project: bool) -> Iterator[SourceContents]:
    """What is in the file; nothing where there is none. What can't be read is told, and stays out."""
    place = search.shown(file)
    try:
        found = read_facts(search.outside, file, follow=not goes_to_project)
    except CtxrepoError as error:
        yield SourceContents(NAME, place, not_taken=(NotTaken(place, error.message),))
        return
    if found is None:
        return
    notes, told = _notes(search, found, place, goes_to_project=goes_to_project)
    settings = () if goes_to_project or search.chosen else _settings(search)
    project = search.project if any(_is_projects(n, search) for n in notes) else None
    yield SourceContents(NAME, place, tuple(notes), settings=settings, not_taken=tuple(told), project=project)


def _file_of(settings: Mapping[str, Any], base: Path, home: Path) -> Path | None:
    for section, more in ((NAME, ()), (_TOTAL_RECALL, ("memory",))):
        table = settings.get(section)
        named = table.get("localPath") if isinstance(table, dict) else None
        if isinstance(named, str) and named.strip() and "\0" not in named:
            folder = base / expanded(named.strip(), str(home))
            return folder if folder.suffix == ".db" else folder.joinpath(*more, "memory.db")
    return None


def _settings(search: SourceSearch) -> tuple[SourceSetting, ...]:
    fields = read_object(pi_settings_file(search.env, search.places.user_home)).fields or {}
    return injection_of(fields)


def _notes(
    search: SourceSearch, found: StoredFacts, place: str, *, goes_to_project: bool
) -> tuple[list[SourceNote], list[NotTaken]]:
    """An entry for each row, note by note, and what stays out."""
    ours = search.project.folder if search.project else ""
    default = ours if goes_to_project else search.global_folder
    bullets: dict[str, list[str]] = {}
    elsewhere: dict[str, int] = {}
    told: list[NotTaken] = []
    rows: list[StoredFact | StoredLesson] = [*found.facts, *found.lessons]
    for row in rows:
        slug = _project_of(row)
        scope = default if not slug else ours if _is_here(slug, search) else ""
        if not scope:
            elsewhere[slug] = elsewhere.get(slug, 0) + 1
            continue
        category, line = _fact(row) if isinstance(row, StoredFact) else _lesson(row)
        if not line:
            told.append(NotTaken(f"{category}: {_named(row)}", "it can't stand as an entry"))
            continue
        bullets.setdefault(f"{scope}/{path_of(category)}", []).append(line)
    told += [
        NotTaken(f"{counted(n, 'entry', 'entries')} of project {slug}", "run it again in a checkout of it")
        for slug, n in sorted(elsewhere.items())
    ]
    if found.deleted:
        told.append(NotTaken(counted(found.deleted, "lesson"), "deleted there"))
    if found.unread:
        told.append(NotTaken(counted(found.unread, "row"), "empty, or no text"))
    notes = [SourceNote(place, path, bullets=tuple(lines)) for path, lines in sorted(bullets.items())]
    return notes, [*told, *([_UNUSED] if notes else [])]


def path_of(category: str) -> str:
    """The note of a category, in its scope."""
    return f"topics/{category}.md"


def _fact(row: StoredFact) -> tuple[str, str]:
    category = _CATEGORIES.get(row.key.partition(".")[0], "fact")
    if _KEY.match(row.key):
        return category, _bullet(row.value, category=category, key=row.key)
    return category, _bullet(f"{row.key.strip()}: {row.value}", category=category)


def _lesson(row: StoredLesson) -> tuple[str, str]:
    rule = f"Don't: {row.rule}" if row.is_negative and not _says_not(row.rule) else row.rule
    tags = [row.category] if _WORD.match(row.category) and row.category != "general" else []
    return "lesson", _bullet(rule, category="lesson", tags=tags)


def _bullet(text: str, *, category: str, key: str = "", tags: list[str] | None = None) -> str:
    try:
        return compose.bullet(text, category=category, key=key, tags=tags or ())
    except UsageError:
        return ""


def _says_not(rule: str) -> bool:
    return rule.casefold().startswith(("don't", "don’t", "do not", "never", "avoid"))


def _named(row: StoredFact | StoredLesson) -> str:
    return (row.key if isinstance(row, StoredFact) else row.rule)[:60]


def _project_of(row: StoredFact | StoredLesson) -> str:
    """The project that a row is of, '' for none."""
    if isinstance(row, StoredLesson):
        return row.project
    first, _, rest = row.key.partition(".")
    return rest.partition(".")[0] if first == "project" and "." in rest else ""


def _is_here(slug: str, search: SourceSearch) -> bool:
    """Whether the project is that of the current folder: by its folder here, or its checkout's name."""
    names = [search.project.folder] if search.project else []
    names += [search.checkout.name] if search.project and search.checkout else []
    return _plain(os.path.basename(slug.rstrip("/"))) in map(_plain, names)


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.casefold()).strip("-")


def _is_projects(note: SourceNote, search: SourceSearch) -> bool:
    return search.project is not None and note.path.startswith(f"{search.project.folder}/")
