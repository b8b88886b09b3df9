"""A session starts: the worker is woken, memory is delivered, and news are waited for only briefly."""

import _sqlite3
import os
import time

from ctxrepo.domain.text.block import size
from ctxrepo.hooks.files.clock import age_of
from ctxrepo.hooks.files.daemon import start_worker
from ctxrepo.hooks.known import look
from ctxrepo.hooks.known.compiled import number
from ctxrepo.hooks.known.mode import gives
from ctxrepo.hooks.moments.claim import claim_block
from ctxrepo.hooks.session.session import Session
from ctxrepo.hooks.session.spool import spool


def answer(db: _sqlite3.Connection, settings: dict[str, str], agent: str, said: dict[str, str]) -> str:
    """The packet; nothing when the session goes on with a context that holds one."""
    folder, source = settings["folder"], said["source"]
    session = Session(folder, agent, said["session"])
    before = session.record
    if source in ("clear", "compact"):
        session.forgot()
    spool(db, folder, "start", agent, said)
    since = time.time()  # a round of the worker that began before may not have read that line
    is_started = start_worker(settings)
    session.began(said["cwd"])
    session.save()
    if source == "fork" and before.generation is None:
        from ctxrepo.hooks.session.fork import begin_as_copy

        begin_as_copy(session, said["origin"])
    if source in ("resume", "fork") or before.is_off or said["silence"]:
        return ""
    goes_on = source == "compact" and bool(before.asked)
    waits = is_started and gives(settings, "packet")
    patience = look.PATIENCE if waits else 0.0
    cache, place, is_all = look.look(db, settings, said["cwd"], since, patience, _is_fetch_due(settings))
    claim, is_held = claim_block(db, settings, said)
    if is_held:
        if cache is not None:
            cache.close()
        session.is_in("?")
        session.save()
        return claim
    asked = before.asked if goes_on and not _is_recall_off(db, settings, said) else []
    if gives(settings, "packet"):
        from ctxrepo.hooks.packet.render import budget_of, render, taken_by_agent

        budget = budget_of(settings, taken_by_agent(settings)) - size(claim)
        given = render(cache, settings, place, budget, session.record.faults, asked)
        given.note(session)
        text = given.text
    else:
        from ctxrepo.hooks.moments.rules_block import bare

        text = bare(cache, settings, place, session)
    if cache is not None:
        cache.close()
    if waits and not is_all:
        session.owes(since)
    for words in asked:
        session.asked(words)
    session.is_in(place[1] if place[2] else "?")
    session.save()
    return claim + text


def _is_recall_off(db: _sqlite3.Connection, settings: dict[str, str], said: dict[str, str]) -> bool:
    if not gives(settings, "recall"):
        return True
    from ctxrepo.hooks.moments.prompt_block import switches, why_off

    return bool(why_off(db, settings, said["cwd"] or os.getcwd(), switches()))


def _is_fetch_due(settings: dict[str, str]) -> bool:
    fetched = age_of(f"{settings['folder']}/fetched")
    return settings.get("remote") == "1" and fetched > number(settings, "ttl", 120)
