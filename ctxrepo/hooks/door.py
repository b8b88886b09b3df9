"""From an agent's event to the answer. A moment's module is imported only at that moment: a tool hook needs a
third of what a prompt needs, and imports are most of what a hook costs."""

import _sqlite3
import os
import sys

from ctxrepo.hooks.dialect import AT_START, BEFORE, Dialect, Event, HookAnswer, extract_fields, object_text
from ctxrepo.hooks.known.world import (
    APPROVALS,
    AgentDelivery,
    World,
    is_in_system_prompt,
    open_hooks,
    world_of,
)
from ctxrepo.hooks.own_files import ensure_private_folder, log_line, make_place_private

UNHEARD = "the agent throws the answer to this event away"


def answer(dialect: Dialect, event_name: str, state: str, raw: bytes) -> str:
    """What to print for the event of this name with `raw` on standard input, as the agent reads it."""
    return _answer(dialect, event_name, state, raw) or dialect.nothing


def _answer(dialect: Dialect, event_name: str, state: str, raw: bytes) -> str:
    """The same, '' where there is nothing to say."""
    name, moment = dialect.events.get(event_name.lower(), ("", ""))
    if not moment or is_off() or make_place_private(state) != "":
        return ""
    db = open_hooks(state)
    if db is None:
        if moment in ("start", "stop", "end") and os.path.exists(f"{state}/hooks.db"):
            _ask_for_rebuild(state)
        return ""
    try:
        json_text = object_text(raw)
        del raw  # a large event shouldn't be in memory twice
        fields = extract_fields(db, json_text, dialect.fields)
        if not fields or max(len(fields["cwd"]), len(fields["path"])) > 4096:
            return ""  # no system takes more, and to look at thousands of folders takes seconds
        own = dialect.own_settings(db, dict(os.environ))
        folder = dialect.own_folder(db, fields["cwd"]) if moment == "start" else ""
        delivery = AgentDelivery(
            dialect.name, dialect.most_bytes, dialect.own_modes, own, folder, dialect.repeats
        )
        world = world_of(db, state, delivery)
        if world is None or _is_run_by_another(world, dialect) or not ensure_private_folder(world.repo.state):
            return ""
        silence = own.silence or _why_silent(db, world, fields["cwd"] or os.getcwd())
        event = Event(dialect.name, name, fields)
        event.silence_reason = UNHEARD if name in dialect.unheard else silence
        if moment == "prompt" and not dialect.repeats:
            event.prompt = dialect.words(event.prompt)
        if moment == "start" and event.source == "fork" and not event.origin:
            event.origin = dialect.origin(event.transcript)
        return dialect.output(db, world, event, _answer_at(moment, db, world, dialect, event, json_text))
    finally:
        db.close()


def is_off() -> bool:
    """Whether the user switched hooks off, or the worker is an ancestor of this process (daemon.WORKER_MARK,
    spelt out here, because most hooks don't load that module)."""
    return os.environ.get("CTXREPO_OFF", "0") not in ("", "0") or "CTXREPO_HOOK" in os.environ


def _is_run_by_another(world: World, dialect: Dialect) -> bool:
    """Whether another agent runs this hook, which it found in this agent's settings: it has hooks of its own,
    and a session isn't given things twice."""
    marks = [mark.partition("=") for mark in world.hook_marks.split()]
    by = [agent for variable, _, agent in marks if os.environ.get(variable)]
    return bool(by) and dialect.name not in by


def log_error(state: str, words: list[str], error: BaseException) -> None:
    """Log a hook that failed in one line, where there is a state folder to log it in."""
    if make_place_private(state) != "":
        return

    at = error.__traceback__
    while at is not None and at.tb_next is not None:
        at = at.tb_next
    place = f"{at.tb_frame.f_code.co_filename}:{at.tb_lineno}" if at else "?"
    log_line(f"{state}/hook-errors.log", f"{' '.join(words)} {place} {type(error).__name__}: {error}")


def _ask_for_rebuild(state: str) -> None:
    """Ask the worker to rebuild hooks.db; until then sessions get nothing. Nobody knows the repository, so a
    lock in the state root is taken, which isn't that of the memory's worker."""
    from ctxrepo.hooks.wakeup import start_worker

    log_line(f"{state}/hook-errors.log", f"{state}/hooks.db can't be read; the worker is asked to rebuild it")
    start_worker(sys.executable, state, state)


def _why_silent(db: _sqlite3.Connection, world: World, folder: str) -> str:
    """Why sessions in this folder are given nothing, or ''. Checked before any answer is made, so that no
    ledger says that something was given. What agents write in such a folder is kept nevertheless.

    Few folders have a switch, so for most of them no module is loaded here."""
    switches = world.switches_in(folder)
    if not switches:
        return ""
    from ctxrepo.hooks.known.silence import why_silent

    return why_silent(db, switches)


def _answer_at(
    moment: str, db: _sqlite3.Connection, world: World, dialect: Dialect, event: Event, json_text: str
) -> HookAnswer:
    """The answer of the moment's module, which is imported here."""
    if moment == "start":
        from ctxrepo.hooks.moments import start

        text, receipt = start.answer(db, world, dialect, event)
        if is_in_system_prompt(world):
            return HookAnswer(system=text)
        return HookAnswer(text, receipt=receipt if dialect.shows_receipt else "")
    if moment == "prompt" and dialect.repeats:
        from ctxrepo.hooks.moments import each_request

        return each_request.answer(db, world, dialect, event)
    packet = ""
    if moment in ("prompt", "tool") and not dialect.starts_after_compaction and not event.sub:
        from ctxrepo.hooks.moments import first_prompt

        packet = first_prompt.after_compaction(db, world, event)
    if moment == "prompt":
        from ctxrepo.hooks.moments import prompt

        if dialect.packet_at != AT_START and not packet and not event.sub:
            from ctxrepo.hooks.moments import first_prompt

            packet = first_prompt.answer(db, world, dialect, event)
        answer = prompt.answer(db, world, event, len(packet.encode("utf-8", "replace")))
        answer.lasting = packet + answer.lasting
        return answer
    if moment == "tool":
        from ctxrepo.hooks.moments import tool

        return HookAnswer(packet + tool.answer(db, world, dialect, event, json_text))
    if moment == BEFORE:
        from ctxrepo.hooks.moments import before_tool

        return before_tool.answer(db, world, dialect, event, json_text)
    if moment == "sub":
        from ctxrepo.hooks.moments import subagent

        return HookAnswer(subagent.answer(db, world, event))
    if moment == "compact" and not dialect.starts_after_compaction:
        from ctxrepo.hooks.moments import first_prompt

        first_prompt.note_compaction(world, event)
    # A turn or a session ends, or a compaction is near: the worker is told, and woken unless the settings say
    # not to; then the line waits in the spool until something else wakes it.
    from ctxrepo.hooks.wakeup import spool, wake

    spool(db, world.repo, moment, event)
    if (moment != "stop" or world.wakes_at_stop) and (moment != "end" or world.wakes_at_end):
        wake(world)
    if moment == "stop" and os.path.exists(f"{world.repo.state}/{APPROVALS}"):
        from ctxrepo.hooks.moments import before_tool  # few enforce rules

        return HookAnswer(refusal=before_tool.before_end(db, world, event))
    return HookAnswer()  # before a compaction the agent would put any into the text that is summarised
