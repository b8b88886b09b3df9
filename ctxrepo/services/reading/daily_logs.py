"""What was done on a day, a line each, read from the daily notes of a scope."""

from collections.abc import Sequence
from datetime import datetime

from ctxrepo.domain.formats.jsonl import record, text_of
from ctxrepo.domain.note.entry import Entry
from ctxrepo.domain.note.note import Note
from ctxrepo.domain.project.layout import DAILY
from ctxrepo.domain.working.daily import day_of, days, path_of
from ctxrepo.errors import NotFound
from ctxrepo.hooks.own_files import lines_of
from ctxrepo.services.locate.identify import Project
from ctxrepo.services.reading.find import NamedScope, read_note, scope_named
from ctxrepo.storage.memory import Memory

LOGGED_BYTES = 128 * 1024
"""The most that this machine notes about who logged what; nobody needs more than the last day."""


def read_day(memory: Memory, day: str, scope: str, project: Project | None) -> Note:
    """The note of a day; NotFound when nothing was logged on it."""
    path = path_of(scope_named(memory, scope, project).folder, day)
    note = read_note(memory, path)
    if note is None:
        raise NotFound(f"there is no {path}", "`ctxrepo log --list` shows the days.")
    return note


def logged_days(memory: Memory, scope: str, project: Project | None) -> list[str]:
    """The days of a scope on which something was logged, the newest first."""
    place = scope_named(memory, scope, project)
    return days(memory.worktree.scan(f"{place.folder}/{DAILY}").files)


def entries_today(memory: Memory, scope: NamedScope, session: str, now: datetime) -> tuple[list[Entry], bool]:
    """What was logged today: by this session, True; or, where it logged nothing, by anybody, False."""
    note = read_note(memory, path_of(scope.folder, day_of(now)))
    entries = note.entries if note else []
    mine = {e.id for e in entries} & set(_logged_by(memory, session))
    return [e for e in entries if e.id in mine] if mine else entries, bool(mine)


def _logged_by(memory: Memory, session: str) -> Sequence[str]:
    if not session:
        return []
    file = str(memory.state.logged)
    lines = lines_of(f"{file}.1", LOGGED_BYTES) + lines_of(file, LOGGED_BYTES)
    records = [fields for fields in map(record, lines) if fields is not None]
    return [text_of(fields, "id") for fields in records if text_of(fields, "session") == session]
