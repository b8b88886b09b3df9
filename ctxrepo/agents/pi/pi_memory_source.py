"""pi-memory, of which there are two programs: one keeps folders of markdown, the user's own with daily logs
and scratchpad and that of a checkout; the other keeps facts and lessons in SQLite."""

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ctxrepo.agents.pi import memory_settings
from ctxrepo.agents.pi.dialect import PROJECT_FILE
from ctxrepo.domain.formats.moment import counted
from ctxrepo.domain.note import compose
from ctxrepo.domain.project.layout import expanded, visible
from ctxrepo.errors import CtxrepoError, UsageError
from ctxrepo.lazy import dataclass, lazy_pattern
from ctxrepo.sources.markdown_notes import markdown_of
from ctxrepo.sources.source import NotTaken, SourceContents, SourceNote, SourceSearch, SourceSetting

NAME = "pi-memory"

TOPICS = "topics"
"""The folder of a checkout's memory in which the scored design keeps its notes."""

_THEIRS = (
    ("config.json", "pi-memory's own settings, which ctxrepo has no use for"),
    ("page-table", "made from the notes, and made anew here"),
    ("writeback-journal", "what waits to be written: run `/memory flush` in pi, then import again"),
    ("trace", "a record of what pi-memory gave to sessions"),
    ("memory.db", "its facts are told apart"),
)

_SCORED = (
    ("memory-scores.json", "of the scored design: `ctxrepo import scored`"),
    ("embeddings.json", "of the scored design: `ctxrepo import scored`"),
)

_OF_TOPICS = NotTaken(f"{TOPICS}/", "of the scored design: `ctxrepo import scored`")

_TOTAL_RECALL = "pi-total-recall"

TABLES = {"semantic": ("key", "value"), "lessons": ("rule", "category", "negative", "project", "is_deleted")}
"""Its tables, with those of their columns that are brought here."""

_CATEGORIES = {"pref": "preference", "tool": "tool"}
"""What the first word of a key makes of its fact; any other is a fact."""

_KEY = lazy_pattern(r"[A-Za-z][\w.-]{0,39}\Z")
_WORD = lazy_pattern(r"[A-Za-z][\w/-]{0,63}\Z")

_UNUSED = NotTaken("confidence, times of use, embeddings, events", "ctxrepo has no use for them")

MODE_KEY = "delivery.mode"

_MODES = {
    "startup": "once",
    "systempromptperturn": "system",
    "systemprompt": "system",
    "contextperturn": "turn",
    "contexthook": "turn",
    "context": "turn",
}
"""How it gives its facts to a session, without case and dashes -> our mode of delivery that does the like."""


@dataclass(frozen=True)
class StoredFact:
    key: str
    value: str


@dataclass(frozen=True)
class StoredLesson:
    """`is_negative`: it says what not to do. `project` is '' for one that holds everywhere."""

    rule: str
    category: str
    project: str
    is_negative: bool


@dataclass(frozen=True)
class StoredFacts:
    """`deleted` counts lessons that were taken back, `unread` rows that are no text."""

    facts: tuple[StoredFact, ...]
    lessons: tuple[StoredLesson, ...]
    deleted: int
    unread: int


def find(search: SourceSearch) -> Iterator[SourceContents]:
    """What pi-memory has here: of both programs of that name."""
    files = search.files
    if search.chosen is None:
        yield from _markdown(search, _own_folder(search))
        if search.checkout and files.is_folder(memory_of(search.checkout)):
            yield from _of_checkout(search, memory_of(search.checkout))
        for file, goes_to_project in _files_of_facts(search):
            yield from _facts_in(search, file, goes_to_project=goes_to_project)
        return
    place = search.chosen
    if not files.is_folder(place):
        yield from _facts_in(search, place, goes_to_project=False)
        return
    yield from _facts_in(search, place / "memory.db", goes_to_project=False)
    if search.checkout and files.real(place) == files.real(memory_of(search.checkout)):
        yield from _of_checkout(search, place)
    else:
        require_here(search, place)
        yield from _markdown(search, place)


def memory_of(checkout: Path) -> Path:
    """Where both designs that keep a project's memory with its code have it."""
    return checkout / ".pi" / "memory"


def require_here(search: SourceSearch, place: Path) -> None:
    """UsageError for the memory of a checkout that nobody stands in: which project it is, is not known."""
    whole, home = search.files.real(place), search.files.real(search.home)
    top = whole.parent.parent
    is_memory = whole.parts[-2:] == (".pi", "memory") and top != home
    if is_memory and (search.checkout is None or top != search.files.real(search.checkout)):
        raise UsageError(
            f"{visible(str(place))} is the memory of another checkout", f"Run it in {visible(str(top))}."
        )


def _own_folder(search: SourceSearch) -> Path:
    if named := search.env.get("PI_MEMORY_DIR", "").strip():
        return Path(expanded(named, str(search.home)))
    return search.home / ".pi" / "agent" / "memory"


def _markdown(search: SourceSearch, folder: Path) -> Iterator[SourceContents]:
    """The folder's notes for the global scope; nothing for a folder that isn't there or is empty."""
    if not folder.is_absolute() or not search.files.is_folder(folder):
        return
    contents = search.files.read_folder(folder)
    if not (contents.notes or contents.unread):
        return
    notes, not_taken = markdown_of(contents, lambda path: f"{search.global_folder}/{path}", _THEIRS)
    yield SourceContents(NAME, search.shown(folder), notes, not_taken=not_taken)


def _of_checkout(search: SourceSearch, folder: Path) -> Iterator[SourceContents]:
    """A checkout's notes, for its project; what the scored design keeps beside them is left to that."""
    contents = search.files.read_folder(folder)
    scope = search.project or "project"

    def target(path: str) -> str:
        return "" if path.startswith(f"{TOPICS}/") else f"{scope}/{path}"

    notes, others = markdown_of(contents, target, (*_THEIRS, *_SCORED))
    if not notes:
        return
    has_topics = any(path.startswith(f"{TOPICS}/") for path in contents.notes)
    yield SourceContents(
        NAME,
        search.shown(folder),
        notes,
        not_taken=(*others, *((_OF_TOPICS,) if has_topics else ())),
        is_for_project=bool(search.project),
        lacks_project=not search.project,
    )


def _files_of_facts(search: SourceSearch) -> Iterator[tuple[Path, bool]]:
    """Where the SQLite file may be, by pi's settings, and whether it is the project's. A project's settings
    may name a place in its checkout and no other: whoever is cloned can write them."""
    home, real = search.home, search.files.real
    default = home / ".pi" / "memory" / "memory.db"
    yield _file_of(_pi_settings(search), home, home) or default, False
    if search.checkout is None or real(search.checkout) == real(home):
        return
    theirs, _ = search.files.read_fields(search.checkout / PROJECT_FILE)
    file = _file_of(theirs or {}, search.checkout, home)
    if file and real(file).is_relative_to(real(search.checkout)):
        yield file, True


def _pi_settings(search: SourceSearch) -> Mapping[str, Any]:
    fields, _ = search.files.read_fields(memory_settings.file(search.home, search.env))
    return fields or {}


def _facts_in(search: SourceSearch, file: Path, *, goes_to_project: bool) -> Iterator[SourceContents]:
    """What is in the file; nothing where there is none. What can't be read is told, and stays out."""
    place = search.shown(file)
    try:
        tables = search.files.read_tables(NAME, file, TABLES, follow=not goes_to_project)
    except CtxrepoError as error:
        yield SourceContents(NAME, place, not_taken=(NotTaken(place, error.message),))
        return
    if tables is None:
        return
    if not tables:
        why = f"{visible(str(file))} can't be read as a memory of {NAME}: it has neither facts nor lessons"
        yield SourceContents(NAME, place, not_taken=(NotTaken(place, why),))
        return
    notes, not_taken = _notes(search, stored_in(tables), place, goes_to_project=goes_to_project)
    settings = () if goes_to_project or search.chosen else delivery_of(_pi_settings(search))
    own = f"{search.project}/"
    yield SourceContents(
        NAME,
        place,
        tuple(notes),
        settings=settings,
        not_taken=tuple(not_taken),
        is_for_project=bool(search.project) and any(note.path.startswith(own) for note in notes),
    )


def _file_of(settings: Mapping[str, Any], base: Path, home: Path) -> Path | None:
    for section, more in ((NAME, ()), (_TOTAL_RECALL, ("memory",))):
        table = settings.get(section)
        named = table.get("localPath") if isinstance(table, dict) else None
        if isinstance(named, str) and named.strip() and "\0" not in named:
            folder = base / expanded(named.strip(), str(home))
            return folder if folder.suffix == ".db" else folder.joinpath(*more, "memory.db")
    return None


def stored_in(tables: Mapping[str, Sequence[Sequence[object]]]) -> StoredFacts:
    """The facts and lessons in these rows."""
    facts: list[StoredFact] = []
    lessons: list[StoredLesson] = []
    deleted = unread = 0
    for key, value in tables.get("semantic", ()):
        if isinstance(key, str) and (text := _text(value)):
            facts.append(StoredFact(key, text))
        else:
            unread += 1
    for rule, category, negative, project, is_deleted in tables.get("lessons", ()):
        if is_deleted:
            deleted += 1
        elif text := _text(rule):
            lessons.append(StoredLesson(text, _text(category), _text(project), bool(negative)))
        else:
            unread += 1
    return StoredFacts(tuple(facts), tuple(lessons), deleted, unread)


def _text(value: object) -> str:
    """A value as text; '' for what is none."""
    if isinstance(value, int | float):
        return str(value)
    return value.strip() if isinstance(value, str) else ""


def _notes(
    search: SourceSearch, stored: StoredFacts, place: str, *, goes_to_project: bool
) -> tuple[list[SourceNote], list[NotTaken]]:
    """An entry for each row, note by note, and what stays out."""
    default = search.project if goes_to_project else search.global_folder
    bullets: dict[str, list[str]] = {}
    elsewhere: dict[str, int] = {}
    not_taken: list[NotTaken] = []
    rows: list[StoredFact | StoredLesson] = [*stored.facts, *stored.lessons]
    for row in rows:
        slug = _project_of(row)
        scope = default if not slug else search.project if _is_here(slug, search) else ""
        if not scope:
            elsewhere[slug] = elsewhere.get(slug, 0) + 1
            continue
        category, line = _fact(row) if isinstance(row, StoredFact) else _lesson(row)
        if not line:
            title = (row.key if isinstance(row, StoredFact) else row.rule)[:60]
            not_taken.append(NotTaken(f"{category}: {title}", "it can't stand as an entry"))
            continue
        bullets.setdefault(f"{scope}/{path_of(category)}", []).append(line)
    not_taken += [
        NotTaken(f"{counted(n, 'entry', 'entries')} of project {slug}", "run it again in a checkout of it")
        for slug, n in sorted(elsewhere.items())
    ]
    if stored.deleted:
        not_taken.append(NotTaken(counted(stored.deleted, "lesson"), "deleted there"))
    if stored.unread:
        not_taken.append(NotTaken(counted(stored.unread, "row"), "empty, or no text"))
    notes = [SourceNote(place, path, bullets=tuple(lines)) for path, lines in sorted(bullets.items())]
    return notes, [*not_taken, *([_UNUSED] if notes else [])]


def path_of(category: str) -> str:
    """The note of a category, in its scope."""
    return f"topics/{category}.md"


def _fact(row: StoredFact) -> tuple[str, str]:
    category = _CATEGORIES.get(row.key.partition(".")[0], "fact")
    if _KEY.match(row.key):
        return category, _bullet(row.value, category=category, key=row.key)
    return category, _bullet(f"{row.key.strip()}: {row.value}", category=category)


def _lesson(row: StoredLesson) -> tuple[str, str]:
    says_not = row.rule.casefold().startswith(("don't", "don’t", "do not", "never", "avoid"))
    rule = f"Don't: {row.rule}" if row.is_negative and not says_not else row.rule
    tags = [row.category] if _WORD.match(row.category) and row.category != "general" else []
    return "lesson", _bullet(rule, category="lesson", tags=tags)


def _bullet(text: str, *, category: str, key: str = "", tags: list[str] | None = None) -> str:
    try:
        return compose.bullet(text, category=category, key=key, tags=tags or ())
    except UsageError:
        return ""


def _project_of(row: StoredFact | StoredLesson) -> str:
    """The project that a row is of, '' for none."""
    if isinstance(row, StoredLesson):
        return row.project
    first, _, rest = row.key.partition(".")
    return rest.partition(".")[0] if first == "project" and "." in rest else ""


def _is_here(slug: str, search: SourceSearch) -> bool:
    """Whether the project is that of the current folder: by its folder here, or its checkout's name."""
    names = [search.project] if search.project else []
    names += [search.checkout.name] if search.project and search.checkout else []
    return _plain(posixpath.basename(slug.rstrip("/"))) in map(_plain, names)


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.casefold()).strip("-")


def delivery_of(settings: Mapping[str, Any]) -> tuple[SourceSetting, ...]:
    """Our setting for how pi's settings say that facts are given to a session; () where they say nothing."""
    for section in (NAME, "memory"):
        table = settings.get(section)
        if not isinstance(table, dict):
            continue
        mode = table.get("injectionMode")
        if isinstance(mode, str) and (ours := _MODES.get(_without_dashes(mode))):
            return (SourceSetting(MODE_KEY, ours, f"{section}.injectionMode is {mode!r}"),)
        if isinstance(table.get("perTurnInjection"), bool):
            target = table.get("perTurnInjectionTarget")
            is_context = isinstance(target, str) and _without_dashes(target).startswith("context")
            per_turn = "turn" if is_context else "system"
            value = "true" if table["perTurnInjection"] else "false"
            ours = per_turn if table["perTurnInjection"] else "once"
            return (SourceSetting(MODE_KEY, ours, f"{section}.perTurnInjection is {value}"),)
    return ()


def _without_dashes(mode: str) -> str:
    return mode.replace("-", "").replace("_", "").casefold()
