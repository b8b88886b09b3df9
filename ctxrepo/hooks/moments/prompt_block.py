"""What goes beside a prompt: recalled entries that are new to the session, or nothing; a trace tells why."""

import _sqlite3
import os

from ctxrepo.hooks.files.clock import today
from ctxrepo.hooks.known.cache import Hit
from ctxrepo.hooks.known.compiled import number
from ctxrepo.hooks.known.mode import why_not
from ctxrepo.hooks.session.session import Session
from ctxrepo.hooks.session.trace import note_trace

SWITCHES = ("CTXREPO_OFF", "CTXREPO_NO_RECALL")
"""Variables that turn recall off."""

_REMEMBERED = 12
"""Words of a prompt that are kept for a vague one that goes on with it."""

GIVEN_ALREADY = "this session was given it already"
NOTHING_NEW = "no entry that fits is new to this session and has room"


def beside(
    db: _sqlite3.Connection,
    cache: _sqlite3.Connection,
    settings: dict[str, str],
    said: dict[str, str],
    scopes: list[str],
    session: Session,
) -> str:
    """The block of recalled entries of `scopes`, '' for silence.

    `said` has `agent`, `session`, `cwd` and `prompt`.
    """
    here = said["cwd"] or os.getcwd()
    if why := why_not(settings, "recall") or why_off(db, settings, here, switches()):
        note_trace(db, settings["folder"], said, why, [], [])
        return ""
    from ctxrepo.domain.words.terms import words
    from ctxrepo.hooks.recall.recall import LIMIT, SOCIAL, recall

    already, before = {**session.record.entries}, session.record.asked
    limit = number(settings, "recall_limit", LIMIT)
    asked = (said["prompt"], before, scopes, limit, settings.get("gate") != "off")
    found = None
    if settings.get("semantic") == "on":
        from ctxrepo.hooks.recall.semantic import ask

        found = ask(cache, settings, *asked)
    why, hits, left = found or recall(cache, *asked)
    if why != SOCIAL and (about := words(said["prompt"])[:_REMEMBERED]):
        session.asked(" ".join(about))
    if not hits:
        note_trace(db, settings["folder"], said, why, [], left)
        return ""
    from ctxrepo.hooks.packet.recalled import ROOM, recall_block

    new = [hit for hit in hits if already.get(hit[0]) != hit[7]]
    budget = number(settings, "recall_bytes", ROOM)
    text, given = recall_block(new, today(), settings.get("secret", ""), budget)
    session.gave({hit[0]: hit[7] for hit in given})
    left = without(hits, given, already, budget) + left
    note_trace(db, settings["folder"], said, why if given else NOTHING_NEW, given, left)
    return text


def switches() -> dict[str, str]:
    """The variables that may turn recall off, as they are."""
    return {name: os.environ.get(name, "") for name in SWITCHES}


def why_off(db: _sqlite3.Connection, settings: dict[str, str], cwd: str, env: dict[str, str]) -> str:
    """Why nothing is recalled at `cwd`, whatever the prompt; '' where something may be."""
    if settings.get("recall") == "off":
        return "recall.enabled is false in config.toml"
    for name in SWITCHES:
        if env.get(name, "0") not in ("", "0"):
            return f"{name} is set"
    if os.path.exists(f"{cwd}/.pi"):
        from ctxrepo.hooks.known.quiet import why_silent

        return why_silent(db, cwd)
    return ""


def without(hits: list[Hit], given: list[Hit], already: dict[str, str], budget: int) -> list[tuple[Hit, str]]:
    """The hits that are not `given`, each with why; `already` is what the session was given before."""
    return [
        (hit, GIVEN_ALREADY if already.get(hit[0]) == hit[7] else f"no room for it within {budget} bytes")
        for hit in hits
        if hit not in given
    ]
