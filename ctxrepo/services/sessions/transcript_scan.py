"""`search --in sessions --raw`: transcripts are searched for a text, byte by byte, and tools' output too."""

import json
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
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
"""How long a scan may take."""

_BATCH = 128 * 1024 * 1024
"""Bytes of files that are scanned in one go."""

_PATIENCE = 20.0
"""Seconds for one batch."""

_NANOSECONDS = 1_000_000_000

_PER_FILE = 3
"""Hits that are shown of one transcript: tools return the same again and again."""

_MOMENT = lazy_pattern(r'"timestamp": ?"(20\d\d-[^"]{10,30})"')
"""When the line was written that has a hit."""


class RawHit(NamedTuple):
    """A place in a session's transcript that has the text, with the text around it."""

    session: IndexedSession
    around: str


def scan_sessions(memory: Memory, query: SessionQuery, *, ignores_case: bool = False) -> SessionsFound:
    """Where transcripts have a text, in any spelling that JSON has for it; the newest transcript first.
    NotFound for nowhere, UsageError for a query without a text or with a condition on messages."""
    if not query.text:
        raise UsageError("there is nothing to search for", "--raw takes a text.")
    if query.is_by_user or query.file:
        raise UsageError(
            "--raw doesn't go with --user or --file", "It looks at bytes, whoever they are from."
        )
    projects, profiles, is_complete = Projects(memory), Profiles(memory), True
    hits: list[SessionHit] = []
    for raw in _raw_hits(memory, query, ignores_case):
        if raw is None:
            is_complete = False
        elif query.wants(projects, raw.session.agent, raw.session.cwd):
            hits.append(_hit(raw, query.text, projects, profiles))
            if len(hits) >= query.limit:
                break
    if not hits:
        raise NotFound(f"{query.text!r} was found in no transcript")
    return SessionsFound(hits, is_complete)


def _raw_hits(memory: Memory, query: SessionQuery, any_case: bool) -> Iterator[RawHit | None]:
    """The hits in transcripts, and then those in what is only kept. A None says that something couldn't be
    searched, or not in time."""
    here, end = transcripts_here(memory, query.agent), time.monotonic() + SECONDS
    if here.unknown:
        yield None
    for batch in _batches([file for file in here.files if file.mtime // _NANOSECONDS >= query.since]):
        try:
            look = partial(_scan, batch, query.text, any_case)
            yield from memory.outside.ask(Path(batch[0].path).parent, look, _PATIENCE)
        except NoAnswer:
            yield None
        if time.monotonic() > end:
            yield None
            return
    names = {file.name for file in here.files}
    try:
        with KeptSessions.opened(kept_file(memory.state.root)) as store:
            for copy in sorted(store.sessions().values(), key=lambda session: -session.last_at):
                if time.monotonic() > end:
                    yield None
                    return
                if copy.name not in names and copy.mtime // _NANOSECONDS >= query.since:
                    yield from _in_lines(gone_transcript(copy), store.lines(copy), query.text, any_case)
    except KeptUnusable:
        yield None


def spellings(text: str) -> list[bytes]:
    """The ways to write a text in a file of JSON: as it is, or with escapes."""
    spelled = (text, json.dumps(text, ensure_ascii=False)[1:-1], json.dumps(text)[1:-1])
    return [*dict.fromkeys(spelling.encode("utf-8", "surrogatepass") for spelling in spelled)]


def _batches(files: Sequence[TranscriptFile]) -> Iterator[list[TranscriptFile]]:
    """Files to scan in one go. Of a database only one session is in a batch: all are scanned with it."""
    batch: list[TranscriptFile] = []
    size, paths = 0, set[str]()
    for file in files:
        if file.path in paths:
            continue
        paths.add(file.path)
        batch.append(file)
        size += file.size
        if size > _BATCH:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _scan(batch: Sequence[TranscriptFile], text: str, any_case: bool) -> list[RawHit]:
    """The hits in these files. Runs in a process of its own."""
    hits: list[RawHit] = []
    for file in batch:
        try:
            hits += (_in_database if file.session else _in_file)(file, text, any_case)
        except (OSError, ValueError):  # gone meanwhile, or not to be read
            continue
    return hits


def _in_file(file: TranscriptFile, text: str, any_case: bool) -> Iterator[RawHit]:
    transcripts = transcripts_of(file.agent)
    with opened_file(file.path, parts_of(transcripts)) as handle:
        places = find_bytes(handle, spellings(text), any_case, _PER_FILE)
        if not places or transcripts is None:
            return
        head = transcripts.head(first_lines(handle))
        session = head.id or session_named(file.path, transcripts.OF_SESSION)
        for place in places:
            yield RawHit(_session(file, session, file.cwd or head.cwd), line_around(handle, place))


def _in_database(file: TranscriptFile, text: str, any_case: bool) -> Iterator[RawHit]:
    transcripts = transcripts_of(file.agent)
    if transcripts is None:
        return
    path, counts = Path(file.path), Counter[str]()
    folders = {row[0]: row[1] for row in rows_of(path, transcripts.SESSIONS, {})}
    for spelling in spellings(text):
        needle = spelling.decode("utf-8", "replace")
        values = {"text": needle, "any_case": any_case}
        for session, data in rows_of(path, transcripts.TEXTS, values):
            counts[session] += 1
            if counts[session] <= _PER_FILE and isinstance(data, str):
                around = _around(data, [needle], any_case) or data[:AROUND]
                yield RawHit(_session(file, session, folders.get(session) or ""), around)


def _in_lines(file: TranscriptFile, lines: Iterable[str], text: str, any_case: bool) -> Iterator[RawHit]:
    """The hits in lines that are kept of a transcript."""
    needles = [spelling.decode("utf-8", "replace") for spelling in spellings(text)]
    hits = filter(None, (_around(line, needles, any_case) for line in lines))
    yield from (RawHit(_session(file, file.session, file.cwd), hit) for hit in islice(hits, _PER_FILE))


def _around(line: str, needles: Sequence[str], any_case: bool) -> str:
    """The part of a line around the first of the needles; '' where it has none."""
    cased, needles = (line.lower(), [needle.lower() for needle in needles]) if any_case else (line, needles)
    at = min((at for needle in needles if (at := cased.find(needle)) >= 0), default=-1)
    return line[max(0, at - AROUND) : at + AROUND] if at >= 0 else ""


def _session(file: TranscriptFile, session: str, cwd: str) -> IndexedSession:
    return IndexedSession(file.name, file.agent, session, file.path, cwd, state=file.state)


def _hit(raw: RawHit, text: str, projects: Projects, profiles: Profiles) -> SessionHit:
    plain = raw.around.replace("\\n", "\n").replace("\\t", " ").replace('\\"', '"')
    moment = _MOMENT.search(raw.around)
    when = second_at((seconds_of(moment[1]) or 0.0) if moment else 0.0)
    text_around = snippet(plain, [text])
    message = SessionMessage(
        id="", parent="", session=raw.session.id, agent=raw.session.agent, who="", when=when, text=text_around
    )
    return hit_of(raw.session, message, projects, profiles)
