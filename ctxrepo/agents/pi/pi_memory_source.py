"""Two programs called pi-memory, and the scored design, which keeps a checkout's memory in the same folder.

One pi-memory has folders of markdown, the user's own with daily logs and scratchpad and that of a checkout;
the other has facts and lessons in SQLite. The scored design has notes in `.pi/memory/topics/` of a checkout,
and scores of their lines."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ctxrepo.agents.pi import memory_settings
from ctxrepo.agents.pi.dialect import PROJECT_FILE
from ctxrepo.domain.note.entry import normalised
from ctxrepo.domain.note.markdown import lines_of
from ctxrepo.domain.project.layout import expanded, visible
from ctxrepo.errors import CtxrepoError, UsageError
from ctxrepo.lazy import lazy_pattern
from ctxrepo.sources.facts import SourceFact, contents_of_facts
from ctxrepo.sources.markdown_notes import markdown_of
from ctxrepo.sources.source import NotTaken, SourceContents, SourceNote, SourceSearch, SourceSetting, left_out

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
"""What the first word of a key makes of its fact; any other is a fact. `project.NAME.…` names its project."""

_SAYING_NOT = ("don't", "don’t", "do not", "never", "avoid")
"""How a lesson begins that says by itself what not to do."""

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


def find(search: SourceSearch) -> Iterator[SourceContents]:
    """What pi-memory has here: of both programs of that name."""
    files = search.files
    if search.chosen is None:
        folder = search.env.get("PI_MEMORY_DIR", "").strip() or "~/.pi/agent/memory"
        yield from _markdown(search, Path(expanded(folder, str(search.home))))
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
    facts, not_taken = stored_in(tables, str(search.checkout) if goes_to_project else "")
    contents = contents_of_facts(search, NAME, file, facts, [*not_taken, *([_UNUSED] if facts else [])])
    settings = () if goes_to_project or search.chosen else delivery_of(_pi_settings(search))
    if contents:
        yield replace(contents, settings=settings)


def _file_of(settings: Mapping[str, Any], base: Path, home: Path) -> Path | None:
    for section, more in ((NAME, ()), (_TOTAL_RECALL, ("memory",))):
        table = settings.get(section)
        path = table.get("localPath") if isinstance(table, dict) else None
        if isinstance(path, str) and path.strip() and "\0" not in path:
            folder = base / expanded(path.strip(), str(home))
            return folder if folder.suffix == ".db" else folder.joinpath(*more, "memory.db")
    return None


def stored_in(
    tables: Mapping[str, Sequence[Sequence[object]]], project: str = ""
) -> tuple[list[SourceFact], list[NotTaken]]:
    """(the facts and lessons in these rows, what is said of the others); `project` is whose the file is."""
    facts: list[SourceFact] = []
    deleted = unread = 0
    for key, value in tables.get("semantic", ()):
        if isinstance(key, str) and (text := _text(value)):
            first, _, rest = key.partition(".")
            owner = rest.partition(".")[0] if first == "project" and "." in rest else ""
            category = _CATEGORIES.get(first, "fact")
            facts.append(SourceFact(text, category, key=key, project=owner or project))
        else:
            unread += 1
    for rule, kind, negative, slug, is_deleted in tables.get("lessons", ()):
        if is_deleted:
            deleted += 1
        elif text := _text(rule):
            tags = [] if kind == "general" else [_text(kind)]
            says_not = text.casefold().startswith(_SAYING_NOT)
            lesson = f"Don't: {text}" if negative and not says_not else text
            facts.append(SourceFact(lesson, "lesson", tags, project=_text(slug) or project))
        else:
            unread += 1
    return facts, left_out((deleted, "lesson", "deleted there"), (unread, "row", "empty, or no text"))


def _text(value: object) -> str:
    """A value as text; '' for what is none."""
    if isinstance(value, int | float):
        return str(value)
    return value.strip() if isinstance(value, str) else ""


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


SCORED = "scored"

SCORES = "memory-scores.json"

PINNED = 9999
"""The score of a pinned line."""

_MARKS = lazy_pattern(r"(?:\s|\*\((?:pinned|enforced)\)\*)++")
_LINE = lazy_pattern(r"-[ \t]+\[[\w-]+\]")

_NOT_NOTES = (("embeddings.json", "vectors, which ctxrepo makes anew where it is told to find by meaning"),)
_WATERMARK = NotTaken(".dream-watermark", "when it last went over its notes")


def find_scored(search: SourceSearch) -> Iterator[SourceContents]:
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
        files.read_folder(place / TOPICS), lambda path: f"{scope}/{TOPICS}/{path}", prefix=f"{TOPICS}/"
    )
    scores, trouble = files.read_fields(place / SCORES, follow=False)
    not_taken = [*others]
    if trouble:
        not_taken.append(NotTaken(SCORES, trouble))
    elif scores is not None:
        not_taken.append(
            NotTaken(f"{SCORES}, but for pins", "scores and evidence, which ctxrepo counts anew")
        )
    not_taken += [NotTaken(name, why) for name, why in _NOT_NOTES if files.exists(place / name)]
    not_taken += [_WATERMARK] if files.exists(place / _WATERMARK.what) else []
    rows = scores or {}
    tables = [rows, *(value for value in rows.values() if isinstance(value, dict))]  # wherever its rows are
    pinned = frozenset(key for table in tables for key, row in table.items() if _is_pinned(row))
    notes = tuple(replace(note, pins=_pins(note, pinned)) for note in unpinned)
    yield SourceContents(
        SCORED,
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


def _is_pinned(row: object) -> bool:
    """Whether this is the row of a line that is pinned."""
    if not isinstance(row, dict):
        return False
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
