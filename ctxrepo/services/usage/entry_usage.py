"""What became of delivered entries: opened, used, contradicted."""

import sqlite3
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
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
class Report:
    """The entries that were asked for, the most delivered first, and the sums of all in these scopes."""

    entries: Sequence[EntryUsage]
    count: int
    delivered: int
    sessions: int
    opened: int
    used: int
    contradicted: int

    @property
    def usage_rate(self) -> float:
        """How many of the entries that a session was given it used, with two decimals."""
        return rate(self.used, self.sessions)


def zombies(
    memory: Memory, scope: str, project: Project | None, limit: int, sessions: int, now: float
) -> Report:
    """Entries that so many sessions were given and none used; no pinned ones, and none of a few days only."""

    def is_one(one: Usage, known: CachedEntry | None) -> bool:
        is_live = known is not None and not known.is_struck and not is_aside(known.entry.path)
        return is_live and not (known and known.is_pinned) and is_zombie(one, now, sessions)

    return usage(memory, scope, project, limit, is_one)


def usage(
    memory: Memory,
    scope: str,
    project: Project | None,
    limit: int,
    is_wanted: Callable[[Usage, CachedEntry | None], bool] = lambda *_: True,
) -> Report:
    """The entries of one scope, or of all, that were delivered most; of those that are wanted."""
    folder = scope_named(memory, scope, project).folder if scope else ""
    there = _as_called_now(memory, counted_here(memory))
    there = [one for one in there if not folder or one.path.startswith(f"{folder}/")]
    there.sort(key=lambda one: (-one.delivered, -one.last, one.id))
    cached = ((one, memory.cache.ask(entry_by_id, one.id)) for one in there)
    wanted = [(one, known) for one, known in cached if is_wanted(one, known)]
    return Report(
        entries=[
            EntryUsage(one, *((known.entry.at, known.entry.plain) if known else (one.path, "")))
            for one, known in wanted[:limit]
        ],
        count=len(wanted),
        **{name: sum(getattr(one, name) for one in there) for name in COUNTS},
    )


def counts_by_entry(memory: Memory) -> dict[str, Usage]:
    """id -> the counts of each entry, by what it is called now."""
    return {one.id: one for one in _as_called_now(memory, counted_here(memory))}


def counted_here(memory: Memory) -> list[Usage]:
    """What this machine has counted, of every entry that it remembers."""
    try:
        with UsageStore.writing(memory.state.usage) as store:
            return store.all()
    except sqlite3.DatabaseError as error:
        raise CtxrepoError(f"{memory.state.usage} can't be read: {error}", "It may be deleted.") from error


def _as_called_now(memory: Memory, counted: Sequence[Usage]) -> list[Usage]:
    """The counts by what the entries are called now: those of one that was edited or moved are added up."""
    gone = {one.id for one in counted if memory.cache.ask(entry_by_id, one.id) is None}
    records = sorted(_committed(memory).about(gone), key=lambda e: e.ts) if gone else ()
    edits, by_id = edits_in(records), dict[str, list[Usage]]()
    for one in counted:
        name, seen = one.id, set[str]()
        while name in edits and name not in seen and memory.cache.ask(entry_by_id, name) is None:
            seen.add(name)
            name = list(edits[name])[-1]
        by_id.setdefault(name if memory.cache.ask(entry_by_id, name) else one.id, []).append(one)
    return [_sum(memory, name, found) for name, found in by_id.items()]


def _sum(memory: Memory, name: str, found: Sequence[Usage]) -> Usage:
    known = memory.cache.ask(entry_by_id, name)
    sums = {count: sum(getattr(one, count) for one in found) for count in COUNTS}
    first, last = min(one.first for one in found), max(one.last for one in found)
    return Usage(name, known.entry.path if known else found[-1].path, first, last, **sums)


def usage_of(memory: Memory, ids: Collection[str], paths: Collection[str]) -> Usage | None:
    """The counts of one entry by all ids that it had, or with `paths` of all entries of a note, added up;
    None where nothing was counted."""
    found = [one for one in counted_here(memory) if one.id in ids or one.path in paths]
    if not found:
        return None
    return replace(_sum(memory, found[0].id, found), path=found[0].path)


REPLY_BYTES = 256 * 1024
"""As much of the end of a session's record is read for its last reply."""

_MOST_OPENED = 200
"""Entries that one read opens at most."""


def observe(memory: Memory, events: Sequence[SpoolEvent], now: float) -> None:
    """Count what came since the last time; `events` are those that the worker has done with."""
    replies, places = _replies(memory, events), _places(memory)  # before anything is locked: they may hang
    try:
        with UsageStore.writing(memory.state.usage) as store:
            _delivered(memory, store)
            _opened(memory, store, places)
            sessions = dict.fromkeys((e.agent, e.session) for e in events if e.session)
            for agent, session in sessions:
                _begun_with(memory, store, agent, session, now)
            for event, reply in replies:
                _used(memory, store, event, reply, now)
            for agent, session in sessions:
                _contradicted(memory, store, agent, session, now)
    except sqlite3.DatabaseError as error:
        raise CtxrepoError(f"what became of entries can't be counted: {error}") from error


def _delivered(memory: Memory, store: UsageStore) -> None:
    lines = own_files.lines_of(str(memory.state.traces), traces.MAX_BYTES)
    for fields in _since(store, "traces", lines):
        given, session = fields.get("given"), text_of(fields, "session")
        if text_of(fields, "by") or not session or not isinstance(given, list):
            continue  # a person looked at what a prompt would be given
        for row in given:
            match row:
                case [str(name), str(place), *_]:
                    path = place.rpartition("#L")[0]
                    store.note("delivered", _key(text_of(fields, "agent"), session), name, path, fields["at"])


def _begun_with(memory: Memory, store: UsageStore, agent: str, session: str, now: float) -> None:
    """What stood in the packet of a session is noted in its ledger, and nowhere else."""
    key = _key(agent, session)
    record = read_ledger(ledger_path(str(memory.places.state), agent, session), memory.state.id)
    for name in record.entries.keys() - record.own - store.delivered_to(key):
        if known := memory.cache.ask(entry_by_id, name):
            store.note("delivered", key, name, known.entry.path, now)


def _replies(memory: Memory, events: Sequence[SpoolEvent]) -> list[tuple[SpoolEvent, str]]:
    """What the agent said last in each session whose turn has ended."""
    ended = {(e.transcript, e.session): e for e in events if e.event in ("stop", "end") and e.transcript}
    asked = [(e, known) for e in ended.values() if (known := transcripts_of(e.agent))]
    found = memory.outside.ask_each(asked, _end_of, lambda one: _folder(one[0].transcript))
    return [(e, reply(transcripts.messages(lines))) for (e, transcripts), lines in found]


def _end_of(ended: "tuple[SpoolEvent, Transcripts]") -> list[str]:
    event, transcripts = ended
    return ends_of_session(transcripts, Path(event.transcript), event.session, REPLY_BYTES, 0).tail


def _places(memory: Memory) -> dict[str, str]:
    """path -> where in the memory it is, of the notes that agents' tools have read."""
    touched = dict.fromkeys(access.path for access in AccessLog(memory.state.access).newest())
    notes = [path for path in touched if path.endswith(".md")]
    root = str(memory.root)
    found = memory.outside.ask_each(notes, partial(inside, folder=root), _folder)
    return {path: relative for path, relative in found if relative}


def _folder(path: str) -> Path:
    return Path(path).parent


def _opened(memory: Memory, store: UsageStore, places: dict[str, str]) -> None:
    for access in map(Access.of, _since(store, "access", AccessLog(memory.state.access).lines)):
        if access is None or not access.session or not only_reads(access.agent, access.tool):
            continue
        relative = places.get(access.path)
        entries = [known.entry for known in memory.cache.ask(entries_of_note, relative)] if relative else []
        seen = [entry for entry in entries if access.shows(entry.first_line, entry.last_line)]
        for entry in seen[:_MOST_OPENED]:
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
    given, paths = store.given(key, "contradicted"), store.paths()
    if not given:
        return
    # Of entries whose note the session wrote after it was given them, the hash of then.
    written = given_before_writes(ledger_path(str(memory.places.state), agent, session), memory.state.id)
    touched = {
        name: was for note, of_note in written for name, was in of_note.items() if paths.get(name) == note
    }
    struck = None
    for name, at in given.items():
        known = memory.cache.ask(entry_by_id, name)
        if known and known.is_struck:
            struck = _struck_by(memory, session) if struck is None else struck
            is_against = struck.get(name, "") >= stamp(datetime.fromtimestamp(at, UTC))
        elif name in touched:
            was, _, _ = touched[name].partition(DOUBT_MARK)
            is_against = known is None or known.hash != was or is_aside(known.entry.path)
        else:
            continue
        if is_against:
            store.note("contradicted", key, name, paths[name], now)


def _struck_by(memory: Memory, session: str) -> dict[str, str]:
    """The entries that a session said are superseded, each with when it did last."""
    return {e.entry: e.ts for e in _committed(memory).replacements() if e.session == session}


def _committed(memory: Memory) -> EvidenceView:
    return EvidenceView(memory.cache, evidence_files(memory, memory.head_tree))


def _since(store: UsageStore, log: str, lines: Sequence[str]) -> list[dict[str, Any]]:
    """The records of a log behind the last one that was read, oldest first; where that is gone, those of a
    later moment."""
    known, mark = store.read_to(log)
    fresh: list[dict[str, Any]] = []
    last, is_met = "", False
    for line in filter(None, reversed(lines)):
        digest = digest_of(line)
        if is_met := digest == mark:
            break
        last = last or digest
        fields = record(line)
        if fields is not None and isinstance(fields.get("at"), int | float):
            fresh.append(fields)
    if not is_met:
        fresh = [fields for fields in fresh if fields["at"] > known]
    if last:
        store.has_read(log, max([known, *(fields["at"] for fields in fresh)]), last)
    return fresh[::-1]


def _key(agent: str, session: str) -> str:
    return f"{agent} {session}"
