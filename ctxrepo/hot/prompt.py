"""A prompt is sent: what changed meanwhile, and the few entries that matter for it."""

import _sqlite3

from ctxrepo.hot.block import OVERHEAD, seal, size, today
from ctxrepo.hot.cache import faults_of, generation_of, head_of, open_cache
from ctxrepo.hot.compiled import number
from ctxrepo.hot.fresh import is_news
from ctxrepo.hot.ledger import HUSHED, Told, add, ledger_path, read_ledger
from ctxrepo.hot.mode import gives
from ctxrepo.hot.where import Place, looks_of, place_of, scopes_at

CHANGES_ROOM = 1024
_CHANGES = "## Notes that changed since this session began\n"


def answer(db: _sqlite3.Connection, settings: dict[str, str], agent: str, said: dict[str, str]) -> str:
    """News and recalled entries, a block each; '' most of the time."""
    place = place_of(db, said["cwd"], settings["home"])
    cache = open_cache(f"{settings['folder']}/cache.db")
    ledger = ledger_path(settings["folder"], agent, said["session"])
    told = read_ledger(ledger)
    if not place[2]:
        _ask_the_worker(db, settings, agent, said, ledger, told[7])
    elif is_news(settings, head_of(cache) if cache else ""):
        _wake(settings)
    if cache is None:
        from ctxrepo.hot.trace import note_trace

        note_trace(
            db, settings["folder"], {**said, "agent": agent}, "there is no cache that can be read", [], []
        )
        return ""
    try:
        return _news(db, cache, settings, {**said, "agent": agent}, place, ledger, told)
    finally:
        cache.close()


def fault_block(
    cache: _sqlite3.Connection, settings: dict[str, str], already: frozenset[str], lines: list[str]
) -> str:
    """Faults this session wasn't told; what the ledger is to note goes to `lines`."""
    faults = [fault for fault in faults_of(cache) if fault[0] not in already]
    if not faults:
        return ""
    from ctxrepo.hot.sections import FAULT_ROOM, fault_section, told  # rare, and most hooks do without

    faults = told(faults)
    lines += [f"fault {key}" for key, _ in faults]
    return seal(fault_section([text for _, text in faults], FAULT_ROOM), settings.get("secret", ""))


def _news(
    db: _sqlite3.Connection,
    cache: _sqlite3.Connection,
    settings: dict[str, str],
    said: dict[str, str],
    place: Place,
    ledger: str,
    told: Told,
) -> str:
    from ctxrepo.hot.beside import beside

    if told[6] or said["silence"]:
        from ctxrepo.hot.trace import note_trace

        note_trace(db, settings["folder"], said, said["silence"] or HUSHED, [], [])
        return ""
    lines: list[str] = []
    faults = fault_block(cache, settings, told[2], lines)
    scopes = scopes_at(place, _general(settings))
    changes = _changes(cache, settings, place, told, ledger, lines)
    late, given = _project(cache, settings, place, said["agent"], told, size(faults + changes))
    recalled = beside(db, cache, settings, said, scopes, (told[0] | given, *told[1:]), lines)
    handoff = _handoff(cache, settings, scopes, told, bool(late), lines)
    if _is_late(place, told):
        lines += [f"project {place[1]}", *[f"entry {key} {digest}" for key, digest in given.items()]]
    add(ledger, lines)
    return faults + late + handoff + changes + recalled


def _changes(
    cache: _sqlite3.Connection,
    settings: dict[str, str],
    place: Place,
    told: Told,
    ledger: str,
    lines: list[str],
) -> str:
    """Index lines of notes that others changed since the session was last told, once."""
    now, seen = generation_of(cache), told[1]
    if now == seen:
        return ""
    lines.append(f"generation {now}")
    # A session from before, or a cache that was built anew.
    if seen is None or now < seen or not gives(settings, "changes"):
        return ""
    from ctxrepo.hot.cache import changed_since
    from ctxrepo.hot.own import others
    from ctxrepo.hot.sections import change_section

    general = _general(settings)
    scopes = [general] if _is_late(place, told) else scopes_at(place, general)
    rows = others(cache, changed_since(cache, scopes, seen), ledger, lines)
    if not rows:
        return ""
    room = CHANGES_ROOM - OVERHEAD
    return seal(change_section(_CHANGES, rows, today(), room), settings.get("secret", ""))


def _project(
    cache: _sqlite3.Connection, settings: dict[str, str], place: Place, agent: str, told: Told, taken: int
) -> tuple[str, dict[str, str]]:
    """The project's part of the packet, when the session began before its project was known, and the entries
    that it gives: id -> hash. Recall comes after it, and has its room left."""
    if not _is_late(place, told) or not place[1] or not gives(settings, "packet"):
        return "", {}
    from ctxrepo.hot.recalled import ROOM
    from ctxrepo.hot.render import budget_of, render_late

    room = budget_of(settings, agent) - taken - number(settings, "recall_bytes", ROOM)
    return render_late(cache, settings, place, room)


def _handoff(
    cache: _sqlite3.Connection,
    settings: dict[str, str],
    scopes: list[str],
    told: Told,
    is_told: bool,
    lines: list[str],
) -> str:
    """The handoff that came after the session began, when what the remote had took longer than a start waits.

    With its first prompt only: what others hand over later is for those who begin later.
    """
    if not told[5]:
        return ""
    lines.append("handoff ")
    if is_told or not gives(settings, "packet"):
        return ""
    from ctxrepo.hot.cache import handoff_of

    found = handoff_of(cache, scopes[-1])
    if found is None or found[1] == told[5]:
        return ""
    from ctxrepo.hot.sections import HANDOFF_ROOM, handoff_section

    return seal(handoff_section(found, HANDOFF_ROOM), settings.get("secret", ""))


def _general(settings: dict[str, str]) -> str:
    return settings.get("global", "global")


def _is_late(place: Place, told: Told) -> bool:
    return told[3] == "?" and place[2]


def _ask_the_worker(
    db: _sqlite3.Connection,
    settings: dict[str, str],
    agent: str,
    said: dict[str, str],
    ledger: str,
    sought: str,
) -> None:
    """Have it found out which project this is; once, until there is a reason to think that it would be found.

    A worker that is awake anyway, as at each turn's end, looks again.
    """
    looks = looks_of(db, said["cwd"])
    if looks == sought:
        return
    from ctxrepo.hot.spool import spool

    add(ledger, [f"sought {looks}"])
    if spool(db, settings["folder"], "prompt", agent, said):
        _wake(settings)


def _wake(settings: dict[str, str]) -> None:
    from ctxrepo.hot.daemon import start_worker

    start_worker(settings)
