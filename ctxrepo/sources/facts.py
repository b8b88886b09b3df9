"""Facts that a program keeps as records, in files of JSON or elsewhere: how they are read, and the entries
that they become, in a note for each category."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from itertools import count
from pathlib import Path
from typing import Any

from ctxrepo.domain.formats.jsonl import document, record, text_of
from ctxrepo.domain.formats.moment import counted, day, seconds_of
from ctxrepo.domain.guard.refusals import MAX_BYTES
from ctxrepo.domain.note import compose
from ctxrepo.domain.note.note import decode
from ctxrepo.domain.project.layout import shown, visible
from ctxrepo.domain.secrets import mask
from ctxrepo.errors import Unreadable, UsageError
from ctxrepo.lazy import dataclass, lazy_pattern
from ctxrepo.sources.source import NotTaken, SourceContents, SourceNote, SourceSearch, left_out, left_with

MOST = 1_000
"""Records that are brought at a time of what a model wrote, the newest."""

_NAMED = 20
"""Kinds that are named, the most frequent."""

_KEY = lazy_pattern(r"[A-Za-z][\w.-]{0,39}\Z")
_CATEGORY = lazy_pattern(r"[A-Za-z][\w-]{0,39}\Z")
_TAG = lazy_pattern(r"[A-Za-z][\w/-]{0,63}\Z")
_HALF_PAIR = lazy_pattern("[\ud800-\udfff]")
"""What is left of a character where a program cut a text, as JSON can spell it; no file can hold that."""

_MILLISECONDS = 100_000_000_000
"""Numbers from here on are milliseconds, not seconds."""


@dataclass(frozen=True)
class SourceFact:
    """A record that says one thing. `project` is what the program knows its project by (a path, the address
    of a remote, a name), '' for what holds wherever the program keeps it.

    `kind` is the program's own word for what it is, `when` its moment in ISO 8601, '' where it has none.
    A category, tag or key that can't stand as one is left away, or stands before the text."""

    text: str
    category: str = "fact"
    tags: Sequence[str] = ()
    key: str = ""
    project: str = ""
    kind: str = ""
    when: str = ""


def contents_of_facts(
    search: SourceSearch,
    source: str,
    place: Path,
    facts: Sequence[SourceFact],
    not_taken: Sequence[NotTaken] = (),
    *,
    asks: str = "",
) -> SourceContents | None:
    """What is at a place that holds these facts, None for nothing; `not_taken` is what it holds besides.

    `asks` says why only kinds that were chosen are brought, the newest of them; '' where all are."""
    if not facts and not not_taken:
        return None
    selection, rest = _wanted(search, facts, asks)
    here = search.scope_at(place)
    bullets: defaultdict[str, dict[str, str]] = defaultdict(dict)
    elsewhere: Counter[str] = Counter()
    unfit = 0
    for fact in selection:
        scope = search.scope_of(fact.project) if fact.project else here
        category = _category_of(fact.category)
        if not scope:
            elsewhere[fact.project] += 1
        elif line := _bullet(fact, category):
            bullets[f"{scope}/topics/{category}"].setdefault(line, day_of(fact.when))
        else:
            unfit += 1
    rest += [left_with(counted(n, "entry", "entries"), name) for name, n in sorted(elsewhere.items())]
    rest += left_out((unfit, "record", "empty, or it can't stand as an entry"))
    where = search.shown(place)
    notes = tuple(note for stem in sorted(bullets) for note in _notes(where, stem, bullets[stem]))
    return SourceContents(source, where, notes, not_taken=(*rest, *not_taken))


def day_of(when: object) -> str:
    """The day of a moment as records have it, in ISO 8601 or as Unix seconds or milliseconds; '' for none."""
    try:
        if isinstance(when, int | float) and not isinstance(when, bool):
            seconds: float | None = when / 1000 if when >= _MILLISECONDS else when
        else:
            seconds = seconds_of(when) if isinstance(when, str) and when else None
        return day(datetime.fromtimestamp(seconds, UTC)) if seconds else ""
    except (OverflowError, ValueError, OSError):
        return ""


def _wanted(
    search: SourceSearch, facts: Sequence[SourceFact], asks: str
) -> tuple[list[SourceFact], list[NotTaken]]:
    """The facts that were chosen, and what is said of the others."""
    kinds_wanted = search.kinds if search.kinds or asks else {fact.kind for fact in facts}
    of_kind = [fact for fact in facts if fact.kind in kinds_wanted]
    chosen = [fact for fact in of_kind if day_of(fact.when) >= search.since]
    rest = []
    if others := Counter(fact.kind for fact in facts if fact.kind not in kinds_wanted):
        kinds = ", ".join(
            f"{shown(mask(kind))} {number}" for kind, number in sorted(others.most_common(_NAMED))
        )
        why = "of kinds that weren't chosen" if search.kinds else f"{asks}: choose some with --kind"
        rest.append(NotTaken(f"{counted(others.total(), 'record')} ({kinds})", why, is_open=bool(asks)))
    older = len(of_kind) - len(chosen)
    rest += left_out((older, "record", f"from before {search.since}, or without a day"))
    if asks and len(chosen) > MOST:
        rest.append(NotTaken(f"{len(chosen) - MOST} older records", f"{MOST} at most are brought at a time"))
        newest = sorted(range(len(chosen)), key=lambda place: chosen[place].when)[-MOST:]
        chosen = [chosen[place] for place in sorted(newest)]
    return chosen, rest


@lru_cache(maxsize=1_000)
def _category_of(kind: str) -> str:
    """The category for a program's word for it, which names a note; `fact` for one that can't, or mustn't."""
    category = kind.lower()
    return category if _CATEGORY.match(category) and mask(category) == category else "fact"


def _bullet(fact: SourceFact, category: str) -> str:
    """The entry that a fact becomes, '' where it can't be one."""
    is_key = bool(_KEY.match(fact.key))
    if not (text := fact.text.strip()):
        return ""
    if fact.key.strip() and not is_key:
        text = f"{' '.join(fact.key.split())}: {text}"
    text = _HALF_PAIR.sub("\ufffd", text)
    tags = [tag for tag in dict.fromkeys(fact.tags) if _TAG.match(tag)]
    try:
        return compose.bullet(text, category=category, key=fact.key if is_key else "", tags=tags)
    except UsageError:
        return ""


def _notes(origin: str, stem: str, bullets: Mapping[str, str]) -> Iterator[SourceNote]:
    """A note with these entries, and further ones where they are more than half of what a note may hold."""
    numbers = count(2)
    path, part, size = f"{stem}.md", dict[str, str](), 0
    for bullet, of_day in bullets.items():
        size += len(bullet.encode("utf-8", "surrogatepass"))
        if part and size > MAX_BYTES // 2:
            yield SourceNote(origin, path, bullets=tuple(part), days=part)
            path, part, size = f"{stem}-{next(numbers)}.md", {}, len(bullet.encode("utf-8", "surrogatepass"))
        part[bullet] = of_day
    yield SourceNote(origin, path, bullets=tuple(part), days=part)


MAX_RECORDS_BYTES = 64 * 1024 * 1024
MAX_TEXT_BYTES = 4 * 1024 * 1024

Record = Mapping[str, Any]

_TEXTS = ("text", "content", "memory", "fact", "value", "body")
_TAGS = ("tags", "categories", "labels", "keywords")
_CATEGORIES = ("category", "type", "kind")
_PROJECTS = ("project", "git_remote", "repository", "cwd", "directory")
_MOMENTS = ("updated_at", "created_at", "updated", "created", "timestamp", "when", "date")
"""What programs call the fields of a record, the likeliest first."""


def read_text_file(search: SourceSearch, file: Path, most: int = MAX_TEXT_BYTES) -> str | None:
    """The text of a file, None where there is none; Unreadable for a link, what is no file of text, and a
    large one. Bytes that are no UTF-8 become U+FFFD."""
    data = search.files.read_file(file, most)
    text = None if data is None else decode(data).removeprefix("\ufeff")
    if text and "\0" in text:
        raise Unreadable(f"{visible(str(file))} is no text")
    return text


def read_records(search: SourceSearch, file: Path, *lists: str) -> tuple[list[Record], list[NotTaken]]:
    """(the records, what is said of lines and items that are none) of a file of JSON lines, or of one JSON
    text that is a list or has one under any of the names in `lists`. Unreadable where it is neither; nothing
    where there is no file."""
    text = read_text_file(search, file, MAX_RECORDS_BYTES)
    if text is None:
        return [], []
    lines = [line for line in text.split("\n") if line.strip()]
    first = record(lines[0]) if lines else {}
    whole, why = document(text)
    if why or (first is not None and not any(name in first for name in lists)):
        parsed = [*map(record, lines)]
        if first is not None or any(parsed):  # the first line may be torn, too
            return [fields for fields in parsed if fields is not None], _torn(parsed.count(None))
    if isinstance(whole, dict):
        key = next((name for name in lists if isinstance(whole.get(name), list)), "")
        whole, why = whole.get(key, whole), why or "isn't a list of records"
    if not isinstance(whole, list):
        raise Unreadable(f"{visible(str(file))} {why.replace('a JSON object', 'JSON') or 'holds no records'}")
    records: list[Record] = [item for item in whole if isinstance(item, dict)]
    return records, _torn(len(whole) - len(records))


def _torn(number: int) -> list[NotTaken]:
    return left_out((number, "line", "no JSON object that can be read"))


def fact_of(fields: Record) -> SourceFact:
    """What a record says whose fields have usual names; its text is '' where none of them is one."""
    when = next((fields[name] for name in _MOMENTS if fields.get(name)), "")
    kind = _text(fields, _CATEGORIES)
    return SourceFact(
        _text(fields, _TEXTS),
        category=kind or "fact",
        tags=words_of(next((fields[name] for name in _TAGS if fields.get(name)), ())),
        key=text_of(fields, "key"),
        project=_text(fields, _PROJECTS),
        kind=kind,
        when=day_of(when),
    )


def words_of(value: object) -> list[str]:
    """The tags that a list or a text with commas names."""
    words = value.split(",") if isinstance(value, str) else value if isinstance(value, list | tuple) else []
    return ["-".join(word.split()) for word in words if isinstance(word, str)]


def _text(fields: Record, names: Sequence[str]) -> str:
    return next((text for name in names if (text := text_of(fields, name).strip())), "")
