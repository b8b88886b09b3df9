"""All that transcripts hold is searched for a text, byte by byte: what tools gave back, too."""

import json
import sqlite3
import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from ctxrepo.agents.known import parts_of, transcripts_of
from ctxrepo.agents.recorded import session_named
from ctxrepo.domain.formats.moment import second_at, seconds_of
from ctxrepo.domain.tape.session_messages import SessionMessage
from ctxrepo.errors import KeptUnusable, NoAnswer, NotFound, UsageError
from ctxrepo.lazy import lazy_pattern
from ctxrepo.services.sessions.keeping import gone_transcript
from ctxrepo.services.sessions.profiles import Profiles
from ctxrepo.services.sessions.session_projects import Projects
from ctxrepo.services.sessions.session_search import SessionHit, SessionQuery, SessionsFound, hit_of, snippet
from ctxrepo.services.sessions.transcripts_here import transcripts_here
from ctxrepo.storage.disk.recent import rows_of
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.sessions.kept_file import kept_file
from ctxrepo.storage.sessions.kept_sessions import KeptSessions
from ctxrepo.storage.sessions.session_index import IndexedSession
from ctxrepo.storage.sessions.transcript_files import (
    AROUND,
    TranscriptFile,
    find_bytes,
    first_lines,
    line_around,
)
from ctxrepo.storage.sessions.transcript_lines import opened_file

SECONDS = 60.0
"""How long somebody waits for a scan."""

_BATCH = 128 * 1024 * 1024
"""Bytes after which the process that scans answers."""

_PATIENCE = 20.0
"""Seconds for one batch."""

_NANOSECONDS = 1_000_000_000

_PER_FILE = 3
"""Hits that are shown of one transcript: tools give the same back again and again."""


_MOMENT = lazy_pattern(r'"timestamp": ?"(20\d\d-[^"]{10,30})"')
"""When the line was written that a hit stands on."""


class RawHit(NamedTuple):
    """A text in a transcript: what stands around it, and what is told of the session."""

    file: TranscriptFile
    session: str
    cwd: str
    around: str


def scan_sessions(memory: Memory, query: SessionQuery, *, ignores_case: bool = False) -> SessionsFound:
    """Where a text stands in transcripts, in any spelling that JSON has for it, the newest transcript first;
    NotFound when nowhere."""
    if not query.text:
        raise UsageError("there is nothing to search for", "--raw takes a text.")
    if query.is_by_user or query.file:
        raise UsageError(
            "--raw doesn't go with --user or --file", "It looks at bytes, whoever they are from."
        )
    needles = spellings(query.text)
    here = transcripts_here(memory, query.agent)
    projects, profiles = Projects(memory), Profiles(memory)
    end, is_complete = time.monotonic() + SECONDS, not here.unknown
    hits: list[SessionHit] = []
    files = [file for file in here.files if file.mtime // _NANOSECONDS >= query.since]
    for batch in _batches(files):
        look = partial(_scan, batch, needles, ignores_case, query.text)
        try:
            batch_hits = memory.outside.ask(Path(batch[0].path).parent, look, _PATIENCE)
        except NoAnswer:
            batch_hits, is_complete = [], False
        for hit in batch_hits:
            if query.wants(projects, hit.file.agent, hit.cwd) and len(hits) < query.limit:
                hits.append(_hit(hit, query.text, projects, profiles))
        if len(hits) >= query.limit:
            break
        if time.monotonic() > end:
            is_complete = False
            break
    names = {file.name for file in here.files}
    try:
        for hit in _in_kept(memory, names, needles, any_case=ignores_case):
            if len(hits) >= query.limit or time.monotonic() > end:
                is_complete = is_complete and len(hits) >= query.limit
                break
            is_late = hit.file.mtime // _NANOSECONDS >= query.since
            if is_late and query.wants(projects, hit.file.agent, hit.cwd):
                hits.append(_hit(hit, query.text, projects, profiles))
    except (KeptUnusable, sqlite3.Error):
        is_complete = False
    if not hits:
        raise NotFound(f"{query.text!r} was found in no transcript")
    return SessionsFound(hits, is_complete)


def spellings(text: str) -> list[bytes]:
    """How a text may stand in a file of JSON: as it is, or with escapes."""
    written = (text, json.dumps(text, ensure_ascii=False)[1:-1], json.dumps(text)[1:-1])
    return [*dict.fromkeys(spelled.encode("utf-8", "surrogatepass") for spelled in written)]


def _batches(files: Sequence[TranscriptFile]) -> Iterator[list[TranscriptFile]]:
    """Files of one folder or its neighbours to look into at once; of a database a session stands for all."""
    batch: list[TranscriptFile] = []
    size, seen = 0, set[str]()
    for file in files:
        if file.path in seen:
            continue
        seen.add(file.path)
        batch.append(file)
        size += file.size
        if size > _BATCH:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _scan(
    batch: Sequence[TranscriptFile], needles: Sequence[bytes], any_case: bool, text: str
) -> list[RawHit]:
    """The hits in some files, each file's own at most; in a process of its own."""
    hits: list[RawHit] = []
    for file in batch:
        try:
            hits += _in_rows(file, text, any_case) if file.session else _in_bytes(file, needles, any_case)
        except (OSError, ValueError):  # gone meanwhile, or not to be read
            continue
    return hits


def _in_bytes(file: TranscriptFile, needles: Sequence[bytes], any_case: bool) -> Iterator[RawHit]:
    transcripts = transcripts_of(file.agent)
    with opened_file(file.path, parts_of(transcripts)) as handle:
        places = find_bytes(handle, needles, any_case, _PER_FILE)
        if not places or transcripts is None:
            return
        head = transcripts.head(first_lines(handle))
        session = head.id or session_named(file.path, transcripts.OF_SESSION)
        for place in places:
            yield RawHit(file, session, file.cwd or head.cwd, line_around(handle, place))


def _in_rows(file: TranscriptFile, text: str, any_case: bool) -> Iterator[RawHit]:
    transcripts = transcripts_of(file.agent)
    if transcripts is None:
        return
    path, counted = Path(file.path), dict[str, int]()
    folders = {row[0]: row[1] for row in rows_of(path, transcripts.SESSIONS, {})}
    for spelled in spellings(text):
        sought = spelled.decode("utf-8", "replace")
        values = {"text": sought, "any_case": any_case}
        for session, data in rows_of(path, transcripts.TEXTS, values):
            counted[session] = counted.get(session, 0) + 1
            if counted[session] <= _PER_FILE and isinstance(data, str):
                at = (data.lower() if any_case else data).find(sought.lower() if any_case else sought)
                around = data[max(0, at - AROUND) : at + AROUND]
                yield RawHit(file, session, folders.get(session) or "", around)


def _in_kept(
    memory: Memory, names: Collection[str], needles: Sequence[bytes], *, any_case: bool
) -> Iterator[RawHit]:
    """The same in what is kept of transcripts that aren't there any more, as those of these `names` are."""
    texts = [needle.decode("utf-8", "replace") for needle in needles]
    spelled = [text.lower() for text in texts] if any_case else texts
    with KeptSessions.opened(kept_file(memory.state.root)) as store:
        sessions = sorted(store.sessions().values(), key=lambda session: -session.last)
        for session in (one for one in sessions if one.name not in names and not one.is_empty):
            found = (
                (line, at)
                for line in store.lines(session)
                if (at := _first_place(line.lower() if any_case else line, spelled)) >= 0
            )
            for line, at in islice(found, _PER_FILE):
                around = line[max(0, at - AROUND) : at + AROUND]
                yield RawHit(gone_transcript(session), session.id, session.cwd, around)


def _first_place(text: str, needles: Sequence[str]) -> int:
    return min((at for needle in needles if (at := text.find(needle)) >= 0), default=-1)


def _hit(raw: RawHit, text: str, projects: Projects, profiles: Profiles) -> SessionHit:
    session = IndexedSession(raw.file.name, raw.file.agent, raw.session, raw.file.path, raw.cwd)
    session = replace(session, state=raw.file.state)
    plain = raw.around.replace("\\n", "\n").replace("\\t", " ").replace('\\"', '"')
    moment = _MOMENT.search(raw.around)
    when = second_at((seconds_of(moment[1]) or 0.0) if moment else 0.0)
    text_around = snippet(plain, [text])
    message = SessionMessage(
        id="", parent="", session=raw.session, agent=raw.file.agent, who="", when=when, text=text_around
    )
    return hit_of(session, message, projects, profiles)
