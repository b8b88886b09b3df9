"""Traces: a line a prompt, with what it was given, what was left out and why, or why there was silence.

One file a memory repository, at most 256 KiB: of a fuller one the older half is forgotten. Of the prompt only
the beginning is kept.
"""

import _blake2
import _sqlite3
import os
import time

from ctxrepo.domain.text.block import place
from ctxrepo.hooks.dialect import Event
from ctxrepo.hooks.files.logs import append, line_json, lines_of
from ctxrepo.hooks.files.private import open_own
from ctxrepo.hooks.known.cache import EntryHit

MAX_BYTES = 256 * 1024
MAX_PROMPT = 120
MAX_LEFT_OUT = 10
MAX_GIVEN = 50
_PLACE = 300
"""Characters of a place; one beyond them is a path that nobody would read."""


class Subject:
    """What a trace is about: a prompt of a session, or the file that was edited in it."""

    __slots__ = ("agent", "by", "edited", "prompt", "session")

    def __init__(self, agent: str, session: str, prompt: str, edited: str = "", by: str = "") -> None:
        self.agent = agent
        self.session = session
        self.prompt = prompt
        self.edited = edited
        self.by = by
        """The command that asked, where it was no hook."""

    @staticmethod
    def of(event: Event, edited: str = "") -> "Subject":
        return Subject(event.agent, event.session, event.prompt, edited)


def note_trace(
    db: _sqlite3.Connection,
    folder: str,
    subject: Subject,
    silence: str,
    given: list[EntryHit],
    left_out: list[tuple[EntryHit, str]],
) -> str:
    """Note what was given for the subject; returns the trace's id, '' when it couldn't be written.

    Any open database makes the JSON.
    """
    moment = time.time()
    seed = f"{time.time_ns()} {os.getpid()} {subject.session}".encode("utf-8", "replace")
    name = _blake2.blake2b(seed, digest_size=4).hexdigest()
    try:
        line = line_json(
            db,
            {
                "id": name,
                "at": round(moment, 3),
                "agent": subject.agent,
                "by": subject.by,
                "session": _text(subject.session, _PLACE),
                "prompt": _text(subject.prompt, MAX_PROMPT),
                "edited": _text(subject.edited, _PLACE),
                "silence": silence,
                "given:json": _array(db, [_told(hit) for hit in given[:MAX_GIVEN]]),
                "left_out:json": _array(db, [(*_told(hit), why) for hit, why in left_out[:MAX_LEFT_OUT]]),
            },
        )
    except _sqlite3.Error:
        return ""
    return name if _put(f"{folder}/traces.jsonl", line) else ""


def _told(hit: EntryHit) -> tuple[object, ...]:
    at = place(hit.path, hit.first_line, hit.last_line)
    return (hit.id, at[:_PLACE], round(hit.score, 3))


def _text(text: str, most: int) -> str:
    """The beginning of `text`; SQLite keeps no half surrogates."""
    return text[:most].encode("utf-8", "replace").decode()


def _array(db: _sqlite3.Connection, rows: list[tuple[object, ...]]) -> str:
    marks = ", ".join([f"json_array({', '.join('?' * len(row))})" for row in rows])
    values = [value for row in rows for value in row]
    return str(db.execute(f"select json_array({marks})", values).fetchone()[0]) if rows else ""


def _put(path: str, line: str) -> bool:
    if append(path, line, MAX_BYTES):
        return True
    try:
        if os.stat(path).st_size + len(line) * 4 < MAX_BYTES:
            return False  # it isn't full, but the disk is, or may not be written
        _halve(path)
    except OSError:
        return False
    return append(path, line, MAX_BYTES)


def _halve(path: str) -> None:
    """Keep the newer half, in a new file: who reads the old one meanwhile reads whole lines."""
    kept = lines_of(path, MAX_BYTES // 2)[1:]
    fresh = f"{path}.new"
    file = open_own(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    try:
        os.write(file, "\n".join(kept).encode("utf-8", "replace"))
    finally:
        os.close(file)
    os.replace(fresh, path)
