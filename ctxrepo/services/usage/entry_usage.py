"""What became of delivered entries: opened, used, contradicted."""

import sqlite3
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ctxrepo.agents import only_reads
from ctxrepo.agents.known import transcripts_of
from ctxrepo.agents.recorded import reply
from ctxrepo.domain.formats.jsonl import record, text_of
from ctxrepo.domain.formats.moment import stamp
from ctxrepo.domain.project.layout import is_aside
from ctxrepo.domain.records.entry_use import COUNTS, Usage, is_used, is_zombie, rate
from ctxrepo.domain.records.evidence import edits_in
from ctxrepo.errors import CtxrepoError
from ctxrepo.hooks import own_files
from ctxrepo.hooks.known.cached import DOUBT_MARK
from ctxrepo.hooks.known.locate import inside
from ctxrepo.hooks.session import traces
from ctxrepo.hooks.session.ledger import given_before_writes, read_ledger
from ctxrepo.hooks.session.ledger_file import ledger_path
from ctxrepo.lazy import dataclass
from ctxrepo.services.locate.identify import Project
from ctxrepo.services.reading.evidence_view import EvidenceView
from ctxrepo.services.reading.find import scope_named
from ctxrepo.services.reading.marks import evidence_files
from ctxrepo.services.sessions.conversations import ends_of_session
from ctxrepo.storage.cache.entries import entries_of_note, entry_by_id
from ctxrepo.storage.cache.layout import CachedEntry, digest_of
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.state.spool import SpoolEvent
from ctxrepo.storage.state.usage import Access, AccessLog, UsageStore

if TYPE_CHECKING:
    from ctxrepo.agents.protocol import Transcripts


@dataclass(frozen=True)
class EntryUsage:
    """An entry with its counts, and its `at` and `text` of today ('' for a text that is edited or gone)."""

    usage: Usage
    at: str
    text: str


@dataclass(frozen=True)
class UsageReport:
    """The entries that were asked for, the most delivered first, how many there are without a limit, and the
    sums of the counts of all entries in these scopes."""

    entries: Sequence[EntryUsage]
    count: int
    delivered: int
    sessions: int
    opened: int
    used: int
    contradicted: int

    @property
    def usage_rate(self) -> float:
        """The share of the entries given to sessions that these used, with two decimals."""
        return rate(self.used, self.sessions)


def zombies(
    memory: Memory, scope: str, project: Project | None, limit: int, sessions: int, now: float
) -> UsageReport:
    """Entries that so many sessions were given and none used; no pinned ones, and none of a few days only."""

    def is_unused(usage: Usage, known: CachedEntry | None) -> bool:
        if known is None or known.is_struck or known.is_pinned or is_aside(known.entry.path):
            return False
        return is_zombie(usage, now, sessions)

    return usage(memory, scope, project, limit, is_unused)


def usage(
    memory: Memory,
    scope: str,
    project: Project | None,
    limit: int,
    is_wanted: Callable[[Usage, CachedEntry | None], bool] = lambda *_: True,
) -> UsageReport:
    """The entries of one scope, or of all, that were delivered most; of those that are wanted."""
    folder = f"{scope_named(memory, scope, project).folder}/" if scope else ""
    usages = [counts for counts in counts_by_entry(memory).values() if counts.path.startswith(folder)]
    usages.sort(key=lambda counts: (-counts.delivered, -counts.last, counts.id))
    pairs = ((counts, memory.cache.ask(entry_by_id, counts.id)) for counts in usages)
    rows = [(counts, known) for counts, known in pairs if is_wanted(counts, known)]
    return UsageReport(
        entries=[
            EntryUsage(counts, *((known.entry.at, known.entry.plain) if known else (counts.path, "")))
            for counts, known in rows[:limit]
        ],
        count=len(rows),
        **{name: sum(getattr(counts, name) for counts in usages) for name in COUNTS},
    )


def counts_by_entry(memory: Memory) -> dict[str, Usage]:
    """Entry id -> its counts. What was counted before an entry was edited or moved is added up under the id
    that it has now."""
    usages, ask = counted_here(memory), memory.cache.ask
    ids = {counts.id for counts in usages if ask(entry_by_id, counts.id) is None}
    edits = edits_in(sorted(_committed(memory).about(ids), key=lambda e: e.ts) if ids else ())
    by_id: dict[str, list[Usage]] = {}
    for counts in usages:
        name, visited = counts.id, set[str]()
        while name in edits and name not in visited and ask(entry_by_id, name) is None:
            visited.add(name)
            name = list(edits[name])[-1]
        by_id.setdefault(name if ask(entry_by_id, name) else counts.id, []).append(counts)
    return {name: _sum(memory, name, parts) for name, parts in by_id.items()}


def counted_here(memory: Memory) -> list[Usage]:
    """The counts of every entry that this machine remembers, under the ids that they had. CtxrepoError where
    usage.db can't be read."""
    try:
        with UsageStore.writing(memory.state.usage) as store:
            return store.all()
    except sqlite3.DatabaseError as error:
        raise CtxrepoError(f"{memory.state.usage} can't be read: {error}", "It may be deleted.") from error


def _sum(memory: Memory, name: str, parts: Sequence[Usage]) -> Usage:
    known = memory.cache.ask(entry_by_id, name)
    sums = {count: sum(getattr(part, count) for part in parts) for count in COUNTS}
    first, last = min(part.first for part in parts), max(part.last for part in parts)
    return Usage(name, known.entry.path if known else parts[-1].path, first, last, **sums)


def usage_of(memory: Memory, ids: Collection[str], paths: Collection[str]) -> Usage | None:
    """The counts of one entry by all `ids` that it had, or of all entries of a note by all `paths` that it
    had, added up; None where nothing was counted."""
    parts = [counts for counts in counted_here(memory) if counts.id in ids or counts.path in paths]
    if not parts:
        return None
    return replace(_sum(memory, parts[0].id, parts), path=parts[0].path)


REPLY_BYTES = 256 * 1024
"""Bytes of the end of a transcript that are read for the last reply."""

_MOST_OPENED = 200
"""Entries that one read opens at most."""


def observe(memory: Memory, events: Sequence[SpoolEvent], now: float) -> None:
    """Count what happened to entries since the last time. `events` are those that the worker is done with.
    CtxrepoError where usage.db can't be written."""
    replies, places = _replies(memory, events), _places(memory)  # before anything is locked: they may hang
    try:
        with UsageStore.writing(memory.state.usage) as store:
            _delivered(memory, store)
            _opened(memory, store, places)
            sessions = dict.fromkeys((e.agent, e.session) for e in events if e.session)
            for agent, session in sessions:
                _delivered_at_start(memory, store, agent, session, now)
            for event, reply in replies:
                _used(memory, store, event, reply, now)
            for agent, session in sessions:
                _contradicted(memory, store, agent, session, now)
    except sqlite3.DatabaseError as error:
        raise CtxrepoError(f"what became of entries can't be counted: {error}") from error


def _delivered(memory: Memory, store: UsageStore) -> None:
    lines = own_files.lines_of(str(memory.state.traces), traces.MAX_BYTES)
    for fields in _new_records(store, "traces", lines):
        rows, session = fields.get("given"), text_of(fields, "session")
        if text_of(fields, "by") or not session or not isinstance(rows, list):
            continue  # a person looked at what a prompt would be given
        for row in rows:
            match row:
                case [str(name), str(place), *_]:
                    path = place.rpartition("#L")[0]
                    store.note("delivered", _key(text_of(fields, "agent"), session), name, path, fields["at"])


def _delivered_at_start(memory: Memory, store: UsageStore, agent: str, session: str, now: float) -> None:
    """What a session's packet had is in its ledger alone, and in no trace."""
    key = _key(agent, session)
    record = read_ledger(ledger_path(str(memory.places.state), agent, session), memory.state.id)
    for name in record.entries.keys() - record.own - store.delivered_to(key):
        if known := memory.cache.ask(entry_by_id, name):
            store.note("delivered", key, name, known.entry.path, now)


def _replies(memory: Memory, events: Sequence[SpoolEvent]) -> list[tuple[SpoolEvent, str]]:
    """What the agent said last in each session whose turn has ended."""
    ended = {(e.transcript, e.session): e for e in events if e.event in ("stop", "end") and e.transcript}
    readable = [(e, transcripts) for e in ended.values() if (transcripts := transcripts_of(e.agent))]
    answers = memory.outside.ask_each(readable, _end_of, lambda pair: _folder(pair[0].transcript))
    return [(e, reply(transcripts.messages(lines))) for (e, transcripts), lines in answers]


def _end_of(ended: "tuple[SpoolEvent, Transcripts]") -> list[str]:
    event, transcripts = ended
    return ends_of_session(transcripts, Path(event.transcript), event.session, REPLY_BYTES, 0).tail


def _places(memory: Memory) -> dict[str, str]:
    """Absolute path -> path in the memory, for the notes that agents' tools have read."""
    touched = dict.fromkeys(access.path for access in AccessLog(memory.state.access).newest())
    notes = [path for path in touched if path.endswith(".md")]
    root = str(memory.root)
    answers = memory.outside.ask_each(notes, partial(inside, folder=root), _folder)
    return {path: relative for path, relative in answers if relative}


def _folder(path: str) -> Path:
    return Path(path).parent


def _opened(memory: Memory, store: UsageStore, places: dict[str, str]) -> None:
    for access in map(Access.of, _new_records(store, "access", AccessLog(memory.state.access).lines)):
        if access is None or not access.session or not only_reads(access.agent, access.tool):
            continue
        relative = places.get(access.path)
        entries = [known.entry for known in memory.cache.ask(entries_of_note, relative)] if relative else []
        opened = (entry for entry in entries if access.shows(entry.first_line, entry.last_line))
        for entry in islice(opened, _MOST_OPENED):
            store.note("opened", _key(access.agent, access.session), entry.id, entry.path, access.at)


def _used(memory: Memory, store: UsageStore, event: SpoolEvent, reply: str, now: float) -> None:
    key = _key(event.agent, event.session)
    for name in store.given(key, "used"):
        known = memory.cache.ask(entry_by_id, name)
        if known and is_used(known.entry, reply):
            store.note("used", key, name, known.entry.path, now)


def _contradicted(memory: Memory, store: UsageStore, agent: str, session: str, now: float) -> None:
    """Entries that the session itself superseded, forgot, archived or changed after they were delivered."""
    key = _key(agent, session)
    deliveries, paths = store.given(key, "contradicted"), store.paths()
    if not deliveries:
        return
    # The hash that entries had when they were given, for those whose note the session wrote after that.
    writes = given_before_writes(ledger_path(str(memory.places.state), agent, session), memory.state.id)
    former = {
        name: digest for note, hashes in writes for name, digest in hashes.items() if paths.get(name) == note
    }
    struck = None
    for name, at in deliveries.items():
        known = memory.cache.ask(entry_by_id, name)
        if known and known.is_struck:
            struck = _struck_by(memory, session) if struck is None else struck
            is_against = struck.get(name, "") >= stamp(datetime.fromtimestamp(at, UTC))
        elif name in former:
            digest = former[name].partition(DOUBT_MARK)[0]
            is_against = known is None or known.hash != digest or is_aside(known.entry.path)
        else:
            continue
        if is_against:
            store.note("contradicted", key, name, paths[name], now)


def _struck_by(memory: Memory, session: str) -> dict[str, str]:
    """The entries that a session superseded -> the last moment when it did, in ISO form."""
    return {e.entry: e.ts for e in _committed(memory).replacements() if e.session == session}


def _committed(memory: Memory) -> EvidenceView:
    return EvidenceView(memory.cache, evidence_files(memory, memory.head_tree))


def _new_records(store: UsageStore, log: str, lines: Sequence[str]) -> list[dict[str, Any]]:
    """The records of a log after the last one that was read, oldest first; where that one is gone, those of a
    later moment."""
    until, mark = store.read_to(log)
    new: list[dict[str, Any]] = []
    last, is_marked = "", False
    for line in filter(None, reversed(lines)):
        digest = digest_of(line)
        if is_marked := digest == mark:
            break
        last = last or digest
        fields = record(line)
        if fields is not None and isinstance(fields.get("at"), int | float):
            new.append(fields)
    if not is_marked:
        new = [fields for fields in new if fields["at"] > until]
    if last:
        store.has_read(log, max([until, *(fields["at"] for fields in new)]), last)
    return new[::-1]


def _key(agent: str, session: str) -> str:
    return f"{agent} {session}"
