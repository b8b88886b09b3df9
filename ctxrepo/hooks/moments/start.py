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
from ctxrepo.hooks.session.ledger import add, began, clear, ledger_path, owes, read_ledger
from ctxrepo.hooks.session.spool import spool


def answer(db: _sqlite3.Connection, settings: dict[str, str], agent: str, said: dict[str, str]) -> str:
    """The packet; nothing when the session goes on with a context that holds one."""
    folder, source = settings["folder"], said["source"]
    ledger = ledger_path(folder, agent, said["session"])
    before = read_ledger(ledger)
    faults = before[2]
    if source in ("clear", "compact"):
        clear(ledger)
        faults = frozenset()
    spool(db, folder, "start", agent, said)
    since = time.time()  # a round of the worker that began before may not have read that line
    is_started = start_worker(settings)
    add(ledger, began(ledger, said["cwd"]))
    if source == "fork" and before[1] is None:
        from ctxrepo.hooks.session.fork import begin_as_copy

        begin_as_copy(folder, agent, said)
    if source in ("resume", "fork") or before[6] or said["silence"]:
        return ""
    goes_on = source == "compact" and bool(before[4])
    waits = is_started and gives(settings, "packet")
    patience = look.PATIENCE if waits else 0.0
    cache, place, is_all = look.look(db, settings, said["cwd"], since, patience, _is_fetch_due(settings))
    claim, is_held = claim_block(db, settings, said)
    if is_held:
        if cache is not None:
            cache.close()
        add(ledger, ["project ?"])
        return claim
    asked = before[4] if goes_on and not _is_recall_off(db, settings, said) else []
    if gives(settings, "packet"):
        from ctxrepo.hooks.packet.render import render

        text, lines, _ = render(cache, settings, place, agent, faults, asked, size(claim))
    else:
        from ctxrepo.hooks.moments.rules_block import bare

        text, lines = bare(cache, settings, place, faults)
    if cache is not None:
        cache.close()
    if waits and not is_all:
        lines.append(owes(since))
    lines += [f"asked {words}" for words in asked]
    add(ledger, [*lines, f"project {place[1] if place[2] else '?'}"])
    return claim + text


def _is_recall_off(db: _sqlite3.Connection, settings: dict[str, str], said: dict[str, str]) -> bool:
    if not gives(settings, "recall"):
        return True
    from ctxrepo.hooks.moments.prompt_block import switches, why_off

    return bool(why_off(db, settings, said["cwd"] or os.getcwd(), switches()))


def _is_fetch_due(settings: dict[str, str]) -> bool:
    fetched = age_of(f"{settings['folder']}/fetched")
    return settings.get("remote") == "1" and fetched > number(settings, "ttl", 120)
