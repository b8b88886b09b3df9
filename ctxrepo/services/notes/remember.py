"""One fact becomes an entry of a note."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import field, replace
from datetime import datetime
from typing import Any

from ctxrepo.domain.doubts.overtaking import twin_of
from ctxrepo.domain.formats.moment import day
from ctxrepo.domain.formats.plain_data import ENTRY_ID
from ctxrepo.domain.note import compose, frontmatter
from ctxrepo.domain.note.entry import Entry, added, entries_of, normalised, similarity
from ctxrepo.domain.note.note import bump_updated, encode
from ctxrepo.domain.project.layout import MEMORY, is_archived, is_note
from ctxrepo.domain.records.entry_evidence import by_entry
from ctxrepo.domain.records.evidence import Kind, Marks, fate, marks
from ctxrepo.domain.records.save import Origin
from ctxrepo.domain.score.standing import over_since
from ctxrepo.errors import NotFound
from ctxrepo.lazy import dataclass
from ctxrepo.services.locate.code_at_hand import CodeAtHand
from ctxrepo.services.locate.identify import Project
from ctxrepo.services.notes.requests import Fact
from ctxrepo.services.reading.evidence_view import evidence_in_view
from ctxrepo.services.reading.find import (
    NamedScope,
    destination_of,
    entries_of_key,
    find_entry,
    path_by_now,
    read_note,
    scope_named,
    spelt,
    too_large_to_show,
    topic_if_there,
)
from ctxrepo.services.reading.marks import marks_now, stated_keys
from ctxrepo.services.reading.targets import entry_named
from ctxrepo.services.saving.evidence import is_repeat, new_record, record_all
from ctxrepo.services.saving.write import Draft, drafting
from ctxrepo.storage.cache.layout import is_pinned
from ctxrepo.storage.disk.private import random_name
from ctxrepo.storage.memory import Memory

MOST_OF_TOPIC = 12_000
"""Characters from which on a topic is better split: some 3,000 tokens to read."""

NEAR = 0.85
"""Share of equal text from which an existing entry of the note is worth a notice."""


@dataclass(frozen=True)
class Near:
    """An entry that says much the same as another one."""

    id: str = field(metadata=ENTRY_ID)
    at: str


@dataclass(frozen=True)
class RememberResult:
    """The id and place of the entry; `near` are entries that say much the same, `replaced` the ids of those
    it supersedes and `was` their texts. `pinned`: this pinned the entry, as asked or as a superseded one was.
    `cut_to` is the number of bytes to which it is cut beside a prompt; 0 if it fits. `overfills` says what
    else is cut if this entry made its MEMORY.md too long for a session's start, or how to split a topic that
    it made too long."""

    id: str
    at: str
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


_MOST_NEAR = 3
"""How many similar entries are named."""


def doubts(results: Sequence[RememberResult]) -> Iterator[str]:
    """Lines about similar entries, others with the same key, a text too long for a prompt, and a MEMORY.md
    that has just become too long for a session's start."""
    near = [*dict.fromkeys(near for result in results for near in result.near)]
    for each in near[:_MOST_NEAR]:
        again = f"if this replaces it, the same again with `--supersedes ^{each.id}`"
        yield f"^{each.id} at {each.at} says much the same; {again}"
    if len(near) > _MOST_NEAR:
        yield f"so do {len(near) - _MOST_NEAR} more; `ctxrepo check` lists what stands twice"
    for result in results:
        has = (
            f"is the value of the key {result.key}, and holds beside this"
            if result.key
            else "has this key too"
        )
        for rival in result.rivals:
            yield f"^{rival.id} at {rival.at} {has}; `ctxrepo forget ^{rival.id}` if it is no longer true"
        for other in result.superseded_by:
            again = f"if this one replaces it, too, the same again with `--supersedes ^{other.id}`"
            yield f"^{other.id} at {other.at} superseded that already, and holds beside this; {again}"
    for over in filter(None, (result.over_since for result in results)):
        yield f"no session is given this: its last day was {over}; edit the date if that isn't what you mean"
    overfilled = filter(None, (result.overfills for result in results))
    yield from overfilled
    if room := max(result.cut_to for result in results):
        yield (
            f"prompts have room for {room} bytes, so this entry would be cut: shorten it, or make it a note "
            "with `ctxrepo new`"
        )


@dataclass(frozen=True)
class PreparedFact:
    """A fact with the scope that it is for, the line that it becomes, and the entry that it replaces."""

    fact: Fact
    scope: NamedScope
    line: str
    superseded: Entry | None


def remember(
    memory: Memory, fact: Fact, project: Project | None, origin: Origin, now: datetime
) -> RememberResult:
    """Write `fact`; when this returns it survives a power cut. If the note has the same entry (in MEMORY.md
    under the heading Notes), that one is returned: it holds again if it was superseded, and is pinned if that
    was asked or its predecessor was."""
    return remember_all(memory, [fact], project, origin, now)[0]


def remember_all(
    memory: Memory,
    facts: Sequence[Fact],
    project: Project | None,
    origin: Origin,
    now: datetime,
    code: CodeAtHand | None = None,
) -> list[RememberResult]:
    """`remember` for several facts in one write: all of them are kept, or none. Of `code`, the checkout that
    the session works in, is recorded what a fact about it is based on."""
    ready = [prepare(memory, fact, project) for fact in facts]
    with drafting(memory, "remember", origin, now) as draft:
        first, *more = [normalised(one.line) for one in ready]
        draft.saying = f"{first} and {len(more)} more" if more else first
        return [remember_in(draft, one, now, code) for one in ready]


def remember_in(
    draft: Draft, ready: PreparedFact, now: datetime, code: CodeAtHand | None = None
) -> RememberResult:
    """`remember` as a part of a larger write."""
    return _Writing(**vars(ready), draft=draft, now=now, code=code).run()


def prepare(memory: Memory, fact: Fact, project: Project | None) -> PreparedFact:
    """The fact for the scope that it names; UsageError or NotFound where it can't be remembered."""
    fact = replace(fact, note=destination_of(memory, fact.note, project)) if fact.note else fact
    return prepared(memory, fact, scope_named(memory, fact.scope_name, project))


def prepared(memory: Memory, fact: Fact, scope: NamedScope, explicit_id: str = "") -> PreparedFact:
    """The fact for this scope, `explicit_id` in its line where it is to have one; UsageError or NotFound
    where it can't be remembered as it is."""
    line = line_of(fact, explicit_id or random_name(6))
    superseded = entry_named(memory, fact.supersedes, scope.project) if fact.supersedes else None
    return PreparedFact(fact, scope, line, superseded)


def line_of(fact: Fact, explicit_id: str) -> str:
    """The bullet that a fact becomes."""
    return compose.bullet(
        fact.text,
        category=fact.category,
        tags=fact.tags,
        key=fact.key,
        explicit_id=explicit_id if fact.with_id else "",
    )


@dataclass(frozen=True)
class _Writing(PreparedFact):
    draft: Draft
    now: datetime
    code: CodeAtHand | None

    def run(self) -> RememberResult:
        path, title = self._place()
        keyed = self._entries_with_key(path)
        if keyed:
            return self._replace(keyed[0], keyed[1:])
        text = self.draft.text(path)
        if text is None:
            category = self.fact.category.lower()
            text = compose.new_note(path, self._today, [category] if category else [])
        else:
            same = [e for e in entries_of(path, text) if normalised(e.text) == normalised(self.line)]
            same = [e for e in same if not title or title in e.heading]
            if same:
                return self._existing(same[0])
        written = bump_updated(compose.append(text, self.line, title), self._today)
        self.draft.put(path, written)
        known = entries_of(path, text)
        entry = added(known, entries_of(path, written))
        near = [e for e in known if similarity(e.text.casefold(), self.line.casefold()) >= NEAR]
        near += [twin for twin in self._twin() if twin.id not in {entry.id, *(e.id for e in near)}]
        old = self.superseded.id if self.superseded else ""
        done = self._record(entry, near=[e for e in near if e.id != old])
        was, now = (_overfilled(path, t) for t in (text, written))
        return replace(done, overfills=now if now and not was else "")

    def _twin(self) -> Iterator[Entry]:
        """The entry of the scope that the fact may replace, or says once more, in whatever note and letters.
        It is looked for in cache and journal, for to read all notes would take too long."""
        memory, folder = self.draft.memory, f"{self.scope.folder}/"
        there = [known.entry for known in memory.cache.alike(self.fact.text, self.scope.folder)]
        saved = {save.path for save in memory.journal.read() if save.is_command}
        saved = {path for path in saved if path.startswith(folder) and not is_archived(path)}
        if saved:
            notes = filter(None, (read_note(memory, path) for path in sorted(saved)))
            there = [entry for entry in there if entry.path not in saved]
            there += [entry for note in notes for entry in note.entries]
            struck = marks_now(memory, [entry.id for entry in there]).struck
            there = [entry for entry in there if entry.id not in struck]
        twin = twin_of(self.line, [entry.text for entry in there])
        if twin is not None:
            yield there[twin]

    def _existing(self, entry: Entry) -> RememberResult:
        """The result for an entry that exists; if it was superseded, it holds again from now on, and if a
        hand has deleted it, and that is held back, the file has it again."""
        self.draft.put_back(entry)
        # Don't ask the cache: what was superseded a moment ago isn't committed yet.
        evidence = evidence_in_view(self.draft.memory).about([entry.id])
        known, said = marks(evidence), by_entry(evidence).get(entry.id)
        times = 0
        if entry.id in known.struck:
            self._evidence("stated", entry.id, entry.path)
        elif self.fact.holds or not is_repeat(evidence, entry.id, self.draft, self.now):
            self._evidence("reinforced", entry.id, entry.path)
            times = said.reinforced + 1 if said else 1
        done = replace(self._supersede(entry, [self.superseded]), reinforced=times)
        pins = (self.fact.pin or done.pinned) and not is_pinned(entry, known)
        if pins:
            self._evidence("pinned", entry.id, entry.path)
        return replace(done, existing=True, pinned=pins)

    def _place(self) -> tuple[str, str]:
        folder = self.scope.folder
        if self.fact.note is not None and self.fact.note.path:
            path = spelt(self.draft.memory, f"{folder}/{self.fact.note.path}")
            now = path_by_now(self.draft.memory, path)  # an agent may still know it by its old name
            return path if is_archived(now) or path == f"{folder}/{MEMORY}" else now, ""
        if self.fact.category:
            path = f"{folder}/topics/{self.fact.category.lower()}.md"
            return topic_if_there(path, self.draft.there), ""
        return f"{folder}/{MEMORY}", "Notes"

    def _entries_with_key(self, path: str) -> list[Entry]:
        """The entries of the scope with the fact's key. Of those that two machines added the first is
        replaced, and the person is told of the others."""
        if not self.fact.key:
            return []
        folder, key = self.scope.folder, self.fact.key
        drafted = [p for p in self.draft.after if p.startswith(f"{folder}/") and is_note(p)]
        read = dict.fromkeys((path, *drafted))
        found = [entry for p in read for entry in entries_of(p, self.draft.text(p) or "")]
        elsewhere = entries_of_key(self.draft.memory, folder, key)
        found += [entry for entry in elsewhere if entry.path not in read]
        found = [entry for entry in found if entry.key.casefold() == key.casefold()]
        found.sort(key=lambda entry: entry.key != key)  # the very spelling comes first
        same = {entry.id: entry for entry in reversed(found)}
        found = [entry for entry in found if same[entry.id] is entry]
        if len(found) > 1:  # replace an entry that holds, not a superseded one
            struck = marks_now(self.draft.memory, (entry.id for entry in found)).struck
            found = [entry for entry in found if entry.id not in struck] or found[:1]
        return found

    def _replace(self, old: Entry, others: Sequence[Entry]) -> RememberResult:
        rivals = tuple(Near(other.id, other.at) for other in others)
        if normalised(old.text) == normalised(self.line):
            return replace(self._existing(old), rivals=rivals)
        text = self.draft.text(old.path) or ""
        written = bump_updated(compose.replace(text, old, self.line), self._today)
        self.draft.put(old.path, written)
        entry = next(e for e in entries_of(old.path, written) if e.first_line == old.first_line)
        return replace(self._record(entry, old=old), rivals=rivals)

    def _record(self, entry: Entry, near: Sequence[Entry] = (), old: Entry | None = None) -> RememberResult:
        self.draft.register(self.scope.project)
        done = self._supersede(entry, [old, self.superseded])
        done = done if self.fact.key else replace(done, **self._beside(entry, done.replaced))
        self._evidence("stated", entry.id, entry.path)
        if pins := self.fact.pin or done.pinned:
            self._evidence("pinned", entry.id, entry.path)
        room = self.draft.memory.settings.recall.budget_bytes
        cut_to = room if len(encode(entry.text)) > room else 0
        similar, over = tuple(Near(e.id, e.at) for e in near), over_since(entry.text, self._today)
        return replace(done, near=similar, pinned=pins, cut_to=cut_to, over_since=over)

    def _supersede(self, entry: Entry, others: Iterable[Entry | None]) -> RememberResult:
        """Record that `entry` supersedes the others; the result is `pinned` if one of them was."""
        olds = {old.id: old for old in others if old and old.id != entry.id}
        known = marks_now(self.draft.memory, olds) if olds else Marks()
        for old in olds.values():
            self._evidence("superseded", old.id, old.path, to=entry.id)
        was = tuple(normalised(old.text) for old in olds.values())
        pinned = any(is_pinned(old, known) for old in olds.values())
        heirs = self._successors(entry, known.struck)
        return RememberResult(
            entry.id, entry.at, replaced=tuple(olds), was=was, pinned=pinned, superseded_by=heirs
        )

    def _successors(self, entry: Entry, struck: Collection[str]) -> tuple[Near, ...]:
        """What superseded the entry before that the fact supersedes, if it holds."""
        old, memory = self.superseded, self.draft.memory
        if old is None or old.id not in struck:
            return ()
        _, name = fate(evidence_in_view(memory).about([old.id]), old.id)
        if name in struck or name in (old.id, entry.id):
            return ()
        with suppress(NotFound):
            _, other = find_entry(memory, name, self.scope.project)
            return (Near(other.id, other.at),)
        return ()

    def _beside(self, entry: Entry, replaced: Collection[str]) -> dict[str, Any]:
        """The key, given by a command, of which the fact reads like a value, and the values that hold."""
        memory, folder, key = self.draft.memory, self.scope.folder, entry.key.casefold()
        if not key or key not in stated_keys(memory, [key]).get(folder, ()):
            return {}
        there = entries_of_key(memory, folder, key)
        struck = {entry.id, *replaced, *marks_now(memory, (e.id for e in there)).struck}
        rivals = tuple(Near(e.id, e.at) for e in there if e.id not in struck)
        return {"rivals": rivals, "key": entry.key} if rivals else {}

    def _evidence(self, kind: Kind, entry_id: str, path: str, to: str = "") -> None:
        one, holds = new_record(self.draft, kind, entry_id, path, self.now, to), self.fact.holds
        if kind == "stated" or (kind == "reinforced" and holds):
            code, cites = self.code.of(path, self.line, holds) if self.code else ("", ())
            one = replace(one, key=self.fact.key, code=code, cites=cites, holds=tuple(holds))
        record_all(self.draft, [one], self.now)

    @property
    def _today(self) -> str:
        return day(self.now)


def _overfilled(path: str, text: str) -> str:
    """What is wrong with the size of a note with this text, and what helps; '' for nothing."""
    if why := too_large_to_show(path, frontmatter.split(text)[1]):
        return f"{path}: {why}; `--category` writes to a note of its own"
    if "/topics/" in path and len(text) > MOST_OF_TOPIC:
        return (
            f"{path} has more than {MOST_OF_TOPIC} characters: move what belongs together to a note of its "
            "own, entry by entry with `ctxrepo move ^ID topics/NAME.md`"
        )
    return ""
