"""A tool was used: log the files and lines, save memory files as the tool left them and wake the worker for
them, run a command again that could save nothing in its sandbox, and answer new faults and what memory says
about the edited files, or about a command that failed."""

import _sqlite3
import os
import time

from ctxrepo.domain.text import seal_shortly
from ctxrepo.hooks.dialect import TICKET, Dialect, Event, TouchedFile
from ctxrepo.hooks.known.cached import faults_of, open_cache
from ctxrepo.hooks.known.locate import SessionFolder, inside
from ctxrepo.hooks.known.world import Repo, World
from ctxrepo.hooks.own_files import BRIEFLY, append_rolling, line_json, log_line

ACCESS_BYTES = 1024 * 1024
"""Bytes at which access.jsonl is renamed to `access.jsonl.1`; the two take 2 MiB at most."""

MOST_FILES = 100
"""Files of one call that are looked at; what an agent writes beyond them into the memory is found on disk."""

_MOST_REMINDED = 3
"""The most files of one call for which entries are given."""

_LOOK_SECONDS = 2.0
"""Seconds to wait for the worker's word on a head that may be flawed: few are."""

_MENTIONED = "select 1 from mention where name = ? limit 1"


def answer(db: _sqlite3.Connection, world: World, dialect: Dialect, event: Event, json_text: str) -> str:
    """Faults that the session wasn't told, and what memory says about files that were edited; mostly ''."""
    edited, unsaved, doubtful, began = [], [], list[str](), time.time()
    error = dialect.failure(db, event, json_text)
    is_write = not error and not dialect.only_reads(event.tool)
    is_shell = event.tool.lower() in dialect.shells
    has_written = is_shell and event.command != "" and _has_shell_written(db, world, event)
    for touched in dialect.touched(db, event, json_text)[:MOST_FILES]:
        path = os.path.join(event.cwd or os.getcwd(), touched.path)
        file = TouchedFile(path, touched.ranges, touched.wrote)
        _log(db, world.repo, event, file)
        relative = inside(path, world.repo.home)
        if is_write and relative is None:
            edited.append(path)
        elif is_write and relative and not relative.startswith(".git/"):
            why, is_doubtful = _save(db, world, event, file, relative)
            unsaved += why
            doubtful += [relative] if is_doubtful else []
            has_written = True
    if has_written and world.wakes_at_stop:
        from ctxrepo.hooks.wakeup import wake

        wake(world)  # some agents call no hook at their end, so nothing that was written waits for one
    if is_shell and TICKET in (output := error or event.error) and "ctxrepo " in event.command:
        from ctxrepo.hooks import rerun  # in few sandboxes, and few commands

        return rerun.answer(db, world, event, output)
    unsaved_block = ""
    if unsaved and not event.silence_reason:
        from ctxrepo.hooks.packet.sections import FAULT_ROOM, fault_section

        unsaved_block = seal_shortly(fault_section(unsaved, FAULT_ROOM), world.secret)
    if doubtful and world.wakes_at_stop and not event.silence_reason:
        from ctxrepo.hooks.known.freshness import open_when_current

        # Only the worker can tell what is wrong with it; what comes later is told with the next prompt.
        cache, _, _ = open_when_current(db, world, SessionFolder(event.cwd), began, _LOOK_SECONDS)
    else:
        cache = None if event.silence_reason else open_cache(f"{world.repo.state}/cache.db")
    if cache is None:
        return unsaved_block
    try:
        # A subagent isn't told of faults: the agent that started it is, and can see to them.
        has_faults = not event.sub and (bool(doubtful) or _has_untold_faults(cache, world, event))
        faults = _fault_block(cache, world, event, doubtful) if has_faults else ""
        reminders = _reminders_of(db, cache, world, event, edited, error) if world.reminds else ""
        return unsaved_block + faults + reminders
    finally:
        cache.close()


def _has_shell_written(db: _sqlite3.Connection, world: World, event: Event) -> bool:
    """Whether a command line may have written to the memory, because it names its folder or ran in it; the
    worker is left a line to look for what it wrote."""
    home = world.repo.home
    if os.path.exists(handed := f"{world.state}/handover/{world.repo.id}") and len(os.listdir(handed)):
        return True
    if not names_folder(event.command, home, os.environ.get("HOME", "")) and inside(event.cwd, home) is None:
        return False
    from ctxrepo.hooks.wakeup import spool

    return spool(db, world.repo, "shell", event)


def names_folder(command: str, folder: str, user_home: str) -> bool:
    """Whether a command line names this folder, from the root or from the user's home."""
    if folder in command:
        return True
    if not user_home or not folder.startswith(f"{user_home}/"):
        return False
    rest = folder[len(user_home) :]
    return f"~{rest}" in command or f"$HOME{rest}" in command or f"${{HOME}}{rest}" in command


def _log(db: _sqlite3.Connection, repo: Repo, event: Event, file: TouchedFile) -> None:
    fields = {
        "at": time.time(),
        "agent": event.agent,
        "session": event.session,
        "tool": event.tool,
        "path": file.path,
    }
    line = line_json(db, {**fields, "ranges:json": "" if file.ranges == "[]" else file.ranges})
    append_rolling(f"{repo.state}/access.jsonl", line, ACCESS_BYTES, BRIEFLY)


def _save(
    db: _sqlite3.Connection, world: World, event: Event, file: TouchedFile, relative: str
) -> "tuple[list[str], bool]":
    """Save what was written: (what to say where that failed, whether a note's head may be flawed)."""
    from ctxrepo.hooks.saves import may_be_flawed, save, version_of, why_too_large  # few touch the memory
    from ctxrepo.hooks.session.session import Session

    version = version_of(world.repo, file, relative)
    why = save(db, world.repo, event, version) if version else why_too_large(file.path, file.wrote)
    is_doubtful = version is not None and may_be_flawed(relative, version.data)
    if version:
        session = Session(world.state, world.repo.id, event.agent, event.session)
        session.note_write(relative, version.data)
        session.save()
        if not why:
            return [], is_doubtful
    from ctxrepo.hooks.wakeup import spool

    spool(db, world.repo, "tool", event, relative)  # so that the worker looks at the file
    if not why:
        return [], is_doubtful

    unsaved = (
        f"this version of {relative} is in its file only, for {why}: should another editor replace it, it is "
        "lost. `ctxrepo doctor` says what to do"
    )
    log_line(f"{world.state}/hook-errors.log", unsaved)
    return [unsaved], is_doubtful


def _reminders_of(
    db: _sqlite3.Connection,
    cache: _sqlite3.Connection,
    world: World,
    event: Event,
    edited: list[str],
    error: str,
) -> str:
    """What memory says of the files that were edited, or of a command that failed."""
    if error and event.command:
        from ctxrepo.hooks.moments.reminders import failure_block  # most commands do their work

        return failure_block(db, cache, world, event, error)
    blocks: list[str] = []
    for path in edited:
        name = os.path.basename(path).lower()
        if not world.is_semantic and cache.execute(_MENTIONED, (name,)).fetchone() is None:
            continue
        from ctxrepo.hooks.moments.reminders import reminder  # most files are in no entry

        block = reminder(db, cache, world, event, os.path.normpath(path))
        blocks += [block] if block else []
        if len(blocks) == _MOST_REMINDED:
            break
    return "".join(blocks)


def _has_untold_faults(cache: _sqlite3.Connection, world: World, event: Event) -> bool:
    """Whether there are faults that the session wasn't told, without loading all that a session is."""
    if not (faults := faults_of(cache)):
        return False
    from ctxrepo.hooks.session.ledger_file import faults_told, ledger_path  # most memories have none

    hashes = faults_told(ledger_path(world.state, event.agent, event.session), world.repo.id)
    return any(fault.hash not in hashes for fault in faults)


def _fault_block(cache: _sqlite3.Connection, world: World, event: Event, paths: list[str]) -> str:
    """The faults that the session wasn't told yet, and flaws in heads of notes at `paths`, a block each."""
    from ctxrepo.hooks.packet.sections import FAULT_ROOM, fault_block, fault_section
    from ctxrepo.hooks.session.session import Session

    session = Session(world.state, world.repo.id, event.agent, event.session)
    faults = [] if session.record.is_off else session.untold_faults(cache)
    text = fault_block(faults, world.secret, session) if faults else ""
    if paths and not session.record.is_off and (flaws := session.untold_flaws(cache, paths)):
        text += seal_shortly(fault_section(flaws, FAULT_ROOM), world.secret)
    session.save()
    return text
