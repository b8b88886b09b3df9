"""A tool was used: which lines of which file, and the bytes of a memory file as it was just written."""

import _sqlite3
import os
import time

from ctxrepo.hooks.dialect.events import only_reads, ranges_query
from ctxrepo.hooks.dialect.reply import line_json
from ctxrepo.hooks.files.logs import BRIEFLY, append_rolling
from ctxrepo.hooks.known.cache import faults_of, open_cache
from ctxrepo.hooks.known.locate import inside

ACCESS_BYTES = 1024 * 1024
"""Size at which access.jsonl becomes `access.jsonl.1`; the two take 2 MiB at most."""

_REF_BYTES = 1024

_MENTIONED = "select 1 from mention where name = ? limit 1"


def answer(
    db: _sqlite3.Connection, settings: dict[str, str], agent: str, said: dict[str, str], json: str
) -> str:
    """Faults that the session wasn't told, and what memory says about a file that was edited; mostly ''."""
    edited = unkept = ""
    if said["path"]:
        path = os.path.join(said["cwd"] or os.getcwd(), said["path"])
        _log(db, settings["folder"], agent, said, path, json)
        relative = inside(path, settings["home"])
        if not only_reads(said["tool"]):
            if relative is None:
                edited = path
            elif relative and not relative.startswith(".git/"):
                unkept = _keep(db, settings, agent, said, path, relative)
    refused = _told(settings, unkept) if unkept and not said["silence"] else ""
    cache = None if said["silence"] else open_cache(f"{settings['folder']}/cache.db")
    if cache is None:
        return refused
    try:
        # Who started a subagent is told of faults, and can see to them.
        has_news = not said["sub"] and bool(faults_of(cache))
        faults = _faults(cache, settings, agent, said) if has_news else ""
        return refused + faults + _reminder(db, cache, settings, agent, said, edited)
    finally:
        cache.close()


def _log(
    db: _sqlite3.Connection, folder: str, agent: str, said: dict[str, str], path: str, json: str
) -> None:
    ranges = db.execute(ranges_query(agent), {"json": json}).fetchone()[0]
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
) -> str:
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
        return ""
    why = why_not_kept(folder, path, said["wrote"], data)
    if not why:
        return ""
    from ctxrepo.hooks.files.logs import note

    unkept = (
        f"this version of {relative} is in its file only, for {why}: should another editor replace it, it is "
        "lost. `ctxrepo doctor` says what to do"
    )
    note(f"{settings['state']}/hook-errors.log", unkept)
    return unkept


def _told(settings: dict[str, str], line: str) -> str:
    from ctxrepo.domain.text.block import seal
    from ctxrepo.hooks.packet.sections import FAULT_ROOM, fault_section

    return seal(fault_section([line], FAULT_ROOM), settings.get("secret", ""))


def _base(home: str) -> str:
    """The tree the files of the clone are based on now: what the agent's edit was made from. By the time
    the worker looks, others' entries may be in the file, and must not read as taken out by this edit."""
    from ctxrepo.hooks.files.small import bytes_of

    ref = bytes_of(f"{home}/.git/refs/ctxrepo/wt", _REF_BYTES, follow=True) or b""
    return ref[:40].decode("ascii", "replace")


def _reminder(
    db: _sqlite3.Connection,
    cache: _sqlite3.Connection,
    settings: dict[str, str],
    agent: str,
    said: dict[str, str],
    edited: str,
) -> str:
    if not edited or settings.get("reminders") == "off":
        return ""
    if cache.execute(_MENTIONED, (os.path.basename(edited).lower(),)).fetchone() is None:
        return ""
    from ctxrepo.hooks.moments.remind import reminder  # most files are in no entry

    return reminder(db, cache, settings, agent, said, os.path.normpath(edited))


def _faults(cache: _sqlite3.Connection, settings: dict[str, str], agent: str, said: dict[str, str]) -> str:
    from ctxrepo.hooks.moments.prompt import fault_block
    from ctxrepo.hooks.session.session import Session

    session = Session(settings["folder"], agent, said["session"])
    if session.record.is_off:
        return ""
    text = fault_block(cache, settings, session)
    session.save()
    return text
