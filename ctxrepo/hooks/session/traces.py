"""Traces: a line for each prompt, each edit that brought a reminder and each `ctxrepo recall`, with what was
given, what was left out and why, or why there was silence.

A memory repository has one file of at most 256 KiB; once it is full, the older half is dropped. Only the
beginning of a prompt is kept."""

import _blake2
import _sqlite3
import os
import time

from ctxrepo.domain.text import place
from ctxrepo.hooks.dialect import Event
from ctxrepo.hooks.known.cached import EntryHit
from ctxrepo.hooks.known.world import Repo
from ctxrepo.hooks.own_files import append, line_json, lines_of, open_own

MAX_BYTES = 256 * 1024
MAX_PROMPT = 120
MAX_LEFT_OUT = 10
MAX_GIVEN = 50
_PLACE = 300
"""The most characters of a place or an id that are kept."""


class Subject:
    """What a trace is about: a prompt of a session, or a file that the session edited."""

    def __init__(self, agent: str, session: str, prompt: str, edited: str = "", by: str = "") -> None:
        self.agent = agent
        self.session = session
        self.prompt = prompt
        self.edited = edited
        self.by = by
        """The command that asked, where it was no hook."""
        self.by_words = ""
        """Why words alone ranked, where meaning was to."""

    @staticmethod
    def of(event: Event) -> "Subject":
        return Subject(event.agent, event.session, event.prompt)


def note_trace(
    db: _sqlite3.Connection,
    repo: Repo,
    subject: Subject,
    silence: str,
    given: list[EntryHit],
    left_out: list[tuple[EntryHit, str]],
) -> str:
    """Write a trace of what was given for the subject; its id, or '' when it couldn't be written. `db` may be
    any open database: it only makes the JSON."""
    seed = f"{time.time_ns()} {os.getpid()} {subject.session}".encode("utf-8", "replace")
    name = _blake2.blake2b(seed, digest_size=4).hexdigest()
    try:
        fields: dict[str, object] = {
            "id": name,
            "at": round(time.time(), 3),
            "agent": subject.agent,
            "by": subject.by,
            "session": _text(subject.session, _PLACE),
            "prompt": _text(subject.prompt, MAX_PROMPT),
            "edited": _text(subject.edited, _PLACE),
            "by_words": subject.by_words,
            "silence": silence,
            "given:json": _array(db, [_fields(hit) for hit in given[:MAX_GIVEN]]),
            "left_out:json": _array(db, [(*_fields(hit), why) for hit, why in left_out[:MAX_LEFT_OUT]]),
        }
        line = line_json(db, fields)
    except _sqlite3.Error:
        return ""
    return name if _put(f"{repo.state}/traces.jsonl", line) else ""


def _fields(hit: EntryHit) -> tuple[object, ...]:
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
        if os.stat(path).st_size + len(line) * 4 < MAX_BYTES:  # at most 4 bytes a character
            return False  # the file isn't full: the disk is, or it can't be written
        _halve(path)
    except OSError:
        return False
    return append(path, line, MAX_BYTES)


def _halve(path: str) -> None:
    """Put the newer half into a new file: a process that reads the old one meanwhile reads whole lines."""
    newer = lines_of(path, MAX_BYTES // 2)[1:]
    fresh = f"{path}.new"
    file = open_own(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    try:
        os.write(file, "\n".join(newer).encode("utf-8", "replace"))
    finally:
        os.close(file)
    os.replace(fresh, path)
