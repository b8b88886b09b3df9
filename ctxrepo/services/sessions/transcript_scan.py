"""All that transcripts hold is searched for a text, byte by byte: what tools gave back, too."""

import json
import time
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from ctxrepo.agents.known import parts_of, transcripts_of
from ctxrepo.agents.recorded import session_named
from ctxrepo.domain.formats.moment import second_at, seconds_of
from ctxrepo.domain.tape.session_messages import SessionMessage
from ctxrepo.errors import NoAnswer, NotFound, UsageError
from ctxrepo.lazy import lazy_pattern
from ctxrepo.services.sessions.index_update import transcripts_here
from ctxrepo.services.sessions.profiles import Profiles
from ctxrepo.services.sessions.session_projects import Projects
from ctxrepo.services.sessions.session_search import SessionHit, SessionQuery, SessionsFound, hit_of, snippet
from ctxrepo.storage.disk.recent import rows_of
from ctxrepo.storage.memory import Memory
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


def _hit(raw: RawHit, text: str, projects: Projects, profiles: Profiles) -> SessionHit:
    session = IndexedSession(raw.file.name, raw.file.agent, raw.session, raw.file.path, raw.cwd)
    plain = raw.around.replace("\\n", "\n").replace("\\t", " ").replace('\\"', '"')
    moment = _MOMENT.search(raw.around)
    when = second_at((seconds_of(moment[1]) or 0.0) if moment else 0.0)
    text_around = snippet(plain, [text])
    message = SessionMessage(
        id="", parent="", session=raw.session, agent=raw.file.agent, who="", when=when, text=text_around
    )
    return hit_of(session, message, projects, profiles)
