"""A session starts: the worker is woken, memory is delivered, and news are waited for only briefly."""

import _sqlite3
import os
import time

from ctxrepo.hot.cache import body_of, faults_of, generation_of, handoff_of, index_of, meta, open_cache
from ctxrepo.hot.compiled import number
from ctxrepo.hot.daemon import start_worker
from ctxrepo.hot.fresh import is_news
from ctxrepo.hot.ledger import add, began, clear, is_hushed, ledger_path, read_ledger
from ctxrepo.hot.mode import gives
from ctxrepo.hot.packet import BUDGET, Scope, packet, told
from ctxrepo.hot.preamble import PREAMBLE, filled
from ctxrepo.hot.spool import spool
from ctxrepo.hot.where import Place, place_of, scopes_at

PATIENCE = 0.8
"""Seconds a session start waits for the worker at most."""

_POLL = 0.015
_DAY = 86400
_SHORTEST_LINE = 12


def answer(db: _sqlite3.Connection, settings: dict[str, str], agent: str, said: dict[str, str]) -> str:
    """The packet; nothing when the session goes on with a context that holds one."""
    since = time.time()
    folder, source = settings["folder"], said["source"]
    ledger = ledger_path(folder, agent, said["session"])
    if source in ("clear", "compact"):
        clear(ledger)
    spool(db, folder, "start", agent, said)
    is_started = start_worker(settings)
    add(ledger, began(ledger, said["cwd"]))
    if source in ("resume", "fork") or is_hushed(ledger):
        return ""
    waits = is_started and gives(settings, "packet")
    cache, place = _look(db, settings, said["cwd"], since, PATIENCE if waits else 0.0)
    if gives(settings, "packet"):
        text, lines = render(cache, settings, place, read_ledger(ledger)[2])
    else:
        from ctxrepo.hot.bare import bare

        text, lines = bare(cache, settings, place, read_ledger(ledger)[2])
    if cache is not None:
        cache.close()
    add(ledger, [*lines, f"project {place[1] if place[2] else '?'}"])
    return text


def render(
    cache: _sqlite3.Connection | None,
    settings: dict[str, str],
    place: Place,
    already: frozenset[str] = frozenset(),
    budget: int = 0,
) -> tuple[str, list[str]]:
    """The packet a session at `place` starts with, and what its ledger notes of it.

    Without a usable cache it is the preamble alone. `already` are hashes of faults told before.
    """
    general = settings.get("global", "global")
    preamble = filled(settings.get("preamble", PREAMBLE), settings["home"], place[1], general)
    secret = settings.get("secret", "")
    budget = budget or number(settings, "budget_bytes", BUDGET)
    today = int(time.time()) // _DAY
    if cache is not None:
        try:
            scopes = [scope_of(cache, name, budget) for name in scopes_at(place, general)]
            handoff = handoff_of(cache, place[1] or (general if place[2] and not place[0] else ""))
            faults = told([fault for fault in faults_of(cache) if fault[0] not in already])
            noted = [f"generation {generation_of(cache)}", *[f"fault {key}" for key, _ in faults]]
            texts = [text for _, text in faults]
            return packet(scopes, preamble, handoff, texts, today, secret, budget), noted
        except _sqlite3.Error:
            pass
    return packet([], preamble, None, [], today, secret, budget), []


def scope_of(cache: _sqlite3.Connection, name: str, budget: int) -> Scope:
    rows, count = index_of(cache, name, budget // _SHORTEST_LINE)
    return (name, body_of(cache, name), rows, count)


def _look(
    db: _sqlite3.Connection, settings: dict[str, str], cwd: str, since: float, patience: float
) -> tuple[_sqlite3.Connection | None, Place]:
    """Cache and place, once the worker has finished a round, or there is nothing to wait for, or at the end
    of `patience` (seconds)."""
    awaits_news = None
    end = time.monotonic() + patience
    while True:
        cache = open_cache(f"{settings['folder']}/cache.db")
        place = place_of(db, cwd, settings["home"])
        known = meta(cache) if cache is not None else {}
        if awaits_news is None:
            awaits_news = is_news(settings, known.get("head", "")) or _is_fetch_due(settings)
        is_settled = _seconds(known.get("settled", "")) >= since
        is_enough = cache is not None and place[2] and not awaits_news
        if is_settled or is_enough or time.monotonic() >= end:
            return cache, place
        if cache is not None:
            cache.close()
        time.sleep(_POLL)


def _is_fetch_due(settings: dict[str, str]) -> bool:
    return settings.get("remote") == "1" and _age_of_fetch(settings["folder"]) > number(settings, "ttl", 120)


def _age_of_fetch(folder: str) -> float:
    try:
        return time.time() - os.stat(f"{folder}/fetched").st_mtime
    except OSError:
        return float("inf")


def _seconds(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0
