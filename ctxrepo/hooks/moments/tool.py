"""A tool was used: which lines of which files, and the bytes of memory files as they were just written."""

import _sqlite3
import os
import time

from ctxrepo.hooks.dialect import Dialect
from ctxrepo.hooks.files.logs import BRIEFLY, append_rolling, line_json
from ctxrepo.hooks.known.cache import faults_of, open_cache
from ctxrepo.hooks.known.locate import inside

ACCESS_BYTES = 1024 * 1024
"""Size at which access.jsonl becomes `access.jsonl.1`; the two take 2 MiB at most."""

MOST_FILES = 100
"""Files of one call that are looked at; what an agent writes beyond them into the memory is found on disk."""

_MOST_REMINDED = 3
"""Files of one call that entries may come for."""

_REF_BYTES = 1024

_MENTIONED = "select 1 from mention where name = ? limit 1"


def answer(
    db: _sqlite3.Connection, settings: dict[str, str], dialect: Dialect, said: dict[str, str], json: str
) -> str:
    """Faults that the session wasn't told, and what memory says about files that were edited; mostly ''."""
    agent = dialect.name
    edited, unkept = [], []
    is_write = not dialect.only_reads(said["tool"])
    for file in dialect.touched(db, said, json)[:MOST_FILES]:
        path = os.path.join(said["cwd"] or os.getcwd(), file.path)
        _log(db, settings["folder"], agent, said, path, file.ranges)
        relative = inside(path, settings["home"])
        if is_write and relative is None:
            edited.append(path)
        elif is_write and relative and not relative.startswith(".git/"):
            unkept += _keep(db, settings, agent, {**said, "wrote": file.wrote}, path, relative)
    refused = _told(settings, unkept) if unkept and not said["silence"] else ""
    cache = None if said["silence"] else open_cache(f"{settings['folder']}/cache.db")
    if cache is None:
        return refused
    try:
        # Who started a subagent is told of faults, and can see to them.
        has_news = not said["sub"] and bool(faults_of(cache))
        faults = _faults(cache, settings, agent, said) if has_news else ""
        return refused + faults + _reminders(db, cache, settings, agent, said, edited)
    finally:
        cache.close()


def _log(
    db: _sqlite3.Connection, folder: str, agent: str, said: dict[str, str], path: str, ranges: str
) -> None:
    fields = {
        "at": time.time(),
        "agent": agent,
        "session": said["session"],
        "tool": said["tool"],
        "path": path,
    }
    line = line_json(db, {**fields, "ranges:json": "" if ranges == "[]" else ranges})
    append_rolling(f"{folder}/access.jsonl", line, ACCESS_BYTES, BRIEFLY)


def _keep(
    db: _sqlite3.Connection,
    settings: dict[str, str],
    agent: str,
    said: dict[str, str],
    path: str,
    relative: str,
) -> list[str]:
    """Keep what was written, and leave word of it; returns what to say when that could not be done."""
    home, folder = settings["home"], settings["folder"]
    from ctxrepo.hooks.session.session import Session  # few tools touch the memory
    from ctxrepo.hooks.session.spool import keep_version, spool, why_not_kept, written

    data = written(path, said["wrote"])
    kept = {"path": relative, "base": _base(home), "version": keep_version(folder, data)}
    is_left = spool(db, folder, "tool", agent, {**said, **kept}, durable=True)
    if data is not None:
        session = Session(folder, agent, said["session"])
        session.wrote(relative, data)
        session.save()
    if is_left and kept["version"]:
        return []
    why = why_not_kept(folder, path, said["wrote"], data)
    if not why:
        return []
    from ctxrepo.hooks.files.logs import note

    unkept = (
        f"this version of {relative} is in its file only, for {why}: should another editor replace it, it is "
        "lost. `ctxrepo doctor` says what to do"
    )
    note(f"{settings['state']}/hook-errors.log", unkept)
    return [unkept]


def _told(settings: dict[str, str], lines: list[str]) -> str:
    from ctxrepo.domain.text.block import seal
    from ctxrepo.hooks.packet.sections import FAULT_ROOM, fault_section

    return seal(fault_section(lines, FAULT_ROOM), settings.get("secret", ""))


def _base(home: str) -> str:
    """The tree the files of the clone are based on now: what the agent's edit was made from. By the time
    the worker looks, others' entries may be in the file, and must not read as taken out by this edit."""
    from ctxrepo.hooks.files.small import bytes_of

    ref = bytes_of(f"{home}/.git/refs/ctxrepo/wt", _REF_BYTES, follow=True) or b""
    return ref[:40].decode("ascii", "replace")


def _reminders(
    db: _sqlite3.Connection,
    cache: _sqlite3.Connection,
    settings: dict[str, str],
    agent: str,
    said: dict[str, str],
    edited: list[str],
) -> str:
    if settings.get("reminders") == "off":
        return ""
    blocks: list[str] = []
    for path in edited:
        if cache.execute(_MENTIONED, (os.path.basename(path).lower(),)).fetchone() is None:
            continue
        from ctxrepo.hooks.moments.remind import reminder  # most files are in no entry

        block = reminder(db, cache, settings, agent, said, os.path.normpath(path))
        blocks += [block] if block else []
        if len(blocks) == _MOST_REMINDED:
            break
    return "".join(blocks)


def _faults(cache: _sqlite3.Connection, settings: dict[str, str], agent: str, said: dict[str, str]) -> str:
    from ctxrepo.hooks.moments.prompt import fault_block
    from ctxrepo.hooks.session.session import Session

    session = Session(settings["folder"], agent, said["session"])
    if session.record.is_off:
        return ""
    text = fault_block(cache, settings, session)
    session.save()
    return text
