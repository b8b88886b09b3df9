"""What a writer is told beside the fact that was just written: remarks on other entries that bear on it, on
its length, and on its words. `Arrival` finds what there is to remark upon, and `remarks` says it."""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import field, replace

from ctxrepo.domain.doubts.overtaking import twin_of
from ctxrepo.domain.formats.plain_data import ENTRY_ID
from ctxrepo.domain.note import frontmatter
from ctxrepo.domain.note.entry import Entry, entries_of, similarity
from ctxrepo.domain.note.note import encode
from ctxrepo.domain.project.layout import is_archived
from ctxrepo.domain.records.evidence import fate, marks
from ctxrepo.domain.score.standing import over_since
from ctxrepo.errors import NotFound
from ctxrepo.lazy import dataclass, lazy_pattern
from ctxrepo.services.notes.requests import Fact
from ctxrepo.services.reading.evidence_view import evidence_in_view
from ctxrepo.services.reading.find import NamedScope, entries_of_key, find_entry, read_note, too_large_to_show
from ctxrepo.services.reading.marks import marks_now, stated_keys
from ctxrepo.services.saving.write import Draft
from ctxrepo.storage.cache.entries import entries_alike

MOST_OF_TOPIC = 12_000
"""Characters from which on a topic is better split: some 3,000 tokens to read."""

NEAR = 0.85
"""Share of equal text from which an existing entry of the note is worth a notice."""

_MOST_NEAR = 3
"""How many similar entries are named."""


@dataclass(frozen=True)
class Near:
    """Another entry that bears on the fact."""

    id: str = field(metadata=ENTRY_ID)
    at: str


@dataclass(frozen=True)
class RememberResult:
    """The id and place of the entry or of its proposal, with the folder of its scope; `near` are entries that
    say much the same, `replaced` the ids of those it supersedes and `was` their texts. `pinned`: this pinned
    the entry, as asked or as a superseded one was. `cut_to` is the number of bytes to which it is cut beside
    a prompt; 0 if it fits. `overfills` says what else is cut if this entry made its MEMORY.md too long for a
    session's start, or how to split a topic that it made too long."""

    id: str
    at: str
    scope: str
    existing: bool = False
    staged: bool = False
    near: tuple[Near, ...] = ()
    replaced: tuple[str, ...] = ()
    was: tuple[str, ...] = ()
    pinned: bool = False
    cut_to: int = 0
    overfills: str = ""
    rivals: tuple[Near, ...] = ()
    """Other entries of the scope that have the fact's key and hold as well."""
    key: str = ""
    """The key of which these are values, where the fact wasn't given it and only reads so."""
    reinforced: int = 0
    """How often an entry that exists was said again by now, if it was by this; else 0."""
    superseded_by: tuple[Near, ...] = ()
    """What holds already in place of an entry that the fact was to supersede."""
    over_since: str = ""
    """The last day on which it is given to sessions by its own words, where that is over."""


@dataclass(frozen=True)
class Arrival:
    """A fact that a draft has as `entry`, and what was there before: `before` is the text of the note to
    which it was added, None for a new note; `keyed` are the entries with the fact's key, of which it took the
    place of the first. The memory itself doesn't have the draft yet."""

    draft: Draft
    fact: Fact
    scope: NamedScope
    superseded: Entry | None
    entry: Entry
    before: str | None
    keyed: Sequence[Entry]
    today: str

    def with_remarks(self, result: RememberResult) -> RememberResult:
        """The result of the write, with all that there is to remark upon the fact."""
        rivals = _places(self.keyed[1:])
        result = replace(result, superseded_by=self._successors(), rivals=rivals)
        if result.existing:
            return result
        path, text, room = self.entry.path, self.entry.text, self.draft.memory.settings.recall.budget_bytes
        after = self.draft.there(path) or ""
        values = () if self.fact.key else self._values_beside(result.replaced)
        return replace(
            result,
            near=() if self.keyed else self._near(result.replaced),
            cut_to=room if len(encode(text)) > room else 0,
            overfills="" if self.keyed or _excess(path, self.before or "") else _excess(path, after),
            rivals=values or rivals,
            key=self.entry.key if values else "",
            over_since=over_since(text, self.today),
        )

    def _near(self, replaced: Sequence[str]) -> tuple[Near, ...]:
        """Entries of the note that say much the same, and the twin; none that the fact replaces."""
        text, others = self.entry.text.casefold(), entries_of(self.entry.path, self.before or "")
        near = [other for other in others if similarity(other.text.casefold(), text) >= NEAR]
        twin = self._twin()
        if twin and twin.id not in (self.entry.id, *(other.id for other in near)):
            near.append(twin)
        return _places(other for other in near if other.id not in replaced)

    def _twin(self) -> Entry | None:
        """The entry of the scope that the fact may replace, or says once more, in whatever note and letters.
        It is looked for in cache and journal, for to read all notes would take too long."""
        memory, folder = self.draft.memory, self.scope.folder
        paths = {save.path for save in memory.journal.read() if save.is_command}
        saved = sorted(path for path in paths if path.startswith(f"{folder}/") and not is_archived(path))
        cached = (alike.entry for alike in memory.cache.ask(entries_alike, self.fact.text, folder))
        entries = [entry for entry in cached if entry.path not in saved]
        entries += [entry for path in saved if (note := read_note(memory, path)) for entry in note.entries]
        struck = marks_now(memory, [entry.id for entry in entries]).struck if saved else ()
        entries = [entry for entry in entries if entry.id not in struck]
        number = twin_of(self.entry.text, [entry.text for entry in entries])
        return None if number is None else entries[number]

    def _values_beside(self, replaced: Sequence[str]) -> tuple[Near, ...]:
        """The values that hold of a key, given by a command, of which the fact only reads like a value."""
        memory, folder, key = self.draft.memory, self.scope.folder, self.entry.key.casefold()
        if not key or key not in stated_keys(memory, [key]).get(folder, ()):
            return ()
        values = entries_of_key(memory, folder, key)
        struck = {self.entry.id, *replaced, *marks_now(memory, (value.id for value in values)).struck}
        return _places(value for value in values if value.id not in struck)

    def _successors(self) -> tuple[Near, ...]:
        """What superseded the entry before that the fact supersedes, if it holds."""
        old, memory = self.superseded, self.draft.memory
        if old is None or old.id == self.entry.id:
            return ()
        evidence = evidence_in_view(memory).about([old.id])
        struck, (_, name) = marks(evidence).struck, fate(evidence, old.id)
        with suppress(NotFound):
            if old.id in struck and name not in {*struck, self.entry.id}:
                return _places([find_entry(memory, name, self.scope.project)[1]])
        return ()


def _places(entries: Iterable[Entry]) -> tuple[Near, ...]:
    return tuple(Near(entry.id, entry.at) for entry in entries)


def _excess(path: str, text: str) -> str:
    """What is wrong with the size of a note with this text, and what helps; '' for nothing."""
    if why := too_large_to_show(path, frontmatter.split(text)[1]):
        return f"{path}: {why}; `--category` writes to a note of its own"
    if "/topics/" in path and len(text) > MOST_OF_TOPIC:
        return (
            f"{path} has more than {MOST_OF_TOPIC} characters: move what belongs together to a note of its "
            "own, entry by entry with `ctxrepo move ^ID topics/NAME.md`"
        )
    return ""


def remarks(results: Sequence[RememberResult]) -> Iterator[str]:
    """Lines about facts that were written together; what is true of several is said once."""
    near = [*dict.fromkeys(near for result in results for near in result.near)]
    for entry in near[:_MOST_NEAR]:
        again = f"if this replaces it, the same again with `--supersedes ^{entry.id}`"
        yield f"^{entry.id} at {entry.at} says much the same; {again}"
    if len(near) > _MOST_NEAR:
        yield f"so do {len(near) - _MOST_NEAR} more; `ctxrepo check` lists what stands twice"
    for result in results:
        value = f"is the value of the key {result.key}, and holds beside this"
        has = value if result.key else "has this key too"
        for rival in result.rivals:
            yield f"^{rival.id} at {rival.at} {has}; `ctxrepo forget ^{rival.id}` if it is no longer true"
        for other in result.superseded_by:
            again = f"if this one replaces it, too, the same again with `--supersedes ^{other.id}`"
            yield f"^{other.id} at {other.at} superseded that already, and holds beside this; {again}"
    for day in filter(None, (result.over_since for result in results)):
        yield f"no session is given this: its last day was {day}; edit the date if that isn't what you mean"
    yield from filter(None, (result.overfills for result in results))
    if room := max((result.cut_to for result in results), default=0):
        yield (
            f"prompts have room for {room} bytes, so this entry would be cut: shorten it, or make it a note "
            "with `ctxrepo new`"
        )


_PATH = r"(?:the )?`?[\w@-]*+[/.][\w./@-]*+`?(?: (?:folder|directory|file))?"
_CODE = lazy_pattern(
    r"(?:the |our )?[\w' -]{1,40} (?:is|are|lives?|is located|are located|is defined|are defined|go|goes) "
    rf"(?:in|at|under|inside) {_PATH}\W*|"
    rf"{_PATH} (?:contains|holds|has|is for|is) (?:the |all |our )?[\w' -]{{1,40}}\W*|"
    r"(?:(?:the|this|our) )?(?:project|repo|repository|codebase|app|application|backend|frontend|we) "
    r"(?:uses?|is written in|is built (?:with|on)|runs on) [\w .+#/-]{1,40}\W*|"
    r"(?:run |use )?`[^`]{1,100}`(?: (?:to|runs|starts|builds) [\w ]{1,30})?\W*",
    re.I,
)
"""Where something is, what the project is made with, and a command alone."""
_DEED = lazy_pattern(
    r"(?:today,? |just |i |we |i've |we've |i have |we have |now )*"
    r"(?:fixed|added|implemented|refactored|updated|created|removed|merged|completed|finished|bumped|"
    r"renamed|migrated|deployed|released|moved|wrote|changed) \S",
    re.I,
)
_ORDER = lazy_pattern(
    r"(?:please |always |never |remember to |make sure |ensure |do not |don't |avoid |be sure |use |run |"
    r"call |add |check |prefer |keep |put |write |set |immer |niemals |toujours |jamais |siempre |nunca )",
    re.I,
)
_OF_RULES = ("rule", "pref", "habit", "conv", "style", "command", "workflow", "how", "todo", "task")
"""How categories begin in which orders are meant."""


def remarks_on_words(fact: Fact) -> Iterator[str]:
    """A line about a fact that only says what the code or the history says, or one about an order."""
    line = " ".join(fact.text.split())
    if _CODE.fullmatch(line):
        yield "the code says this itself; worth remembering is what it doesn't say, such as why"
    elif _DEED.match(line):
        yield "this says what was done, as the history does; worth remembering is what holds from now on"
    elif _ORDER.match(line) and " because " not in line and not fact.category.lower().startswith(_OF_RULES):
        yield "sessions will read this as an order; as a fact it says what is so, and why"
