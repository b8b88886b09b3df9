"""The block beside a prompt: recalled entries that are new to the session, or nothing. A trace tells why."""

import _sqlite3
import os

from ctxrepo.hooks.dialect import Event
from ctxrepo.hooks.files.clock import today
from ctxrepo.hooks.known.cache import EntryHit
from ctxrepo.hooks.known.compiled import World
from ctxrepo.hooks.known.locate import Scope, folders_of
from ctxrepo.hooks.known.mode import is_for_one_turn, why_not
from ctxrepo.hooks.session.ledger_words import ASKED
from ctxrepo.hooks.session.session import Session
from ctxrepo.hooks.session.trace import Subject, note_trace

TYPE_CHECKING = False
if TYPE_CHECKING:  # most prompts recall nothing, and needn't load it
    from ctxrepo.hooks.recall.choice import RecallAnswer
    from ctxrepo.hooks.recall.ranking import Ranking, RecallRequest

SWITCHES = ("CTXREPO_OFF", "CTXREPO_NO_RECALL")
"""Environment variables that turn recall off."""

_REMEMBERED = 12
"""Words of a prompt that the ledger keeps, to search a vague follow-up together with it."""

GIVEN_ALREADY = "this session was given it already"
NOTHING_NEW = "every entry that fits was given to this session already, or has no room"


def prompt_block(
    db: _sqlite3.Connection,
    cache: _sqlite3.Connection,
    world: World,
    event: Event,
    scopes: list[Scope],
    session: Session,
) -> str:
    """The block of recalled entries of `scopes`; '' for silence."""
    subject = Subject.of(event)
    here = event.cwd or os.getcwd()
    if why := why_not(world, "recall") or why_off(db, world, here, switches()):
        note_trace(db, world.repo, subject, why, [], [])
        return ""
    already = {**session.record.entries}
    answer = _recall(cache, world, event, scopes, session)
    if not answer.hits:
        note_trace(db, world.repo, subject, answer.why, [], answer.left_out)
        return ""
    from ctxrepo.hooks.packet.recalled import recall_block

    new = [hit for hit in answer.hits if already.get(hit.id) != hit.hash]
    budget = world.recall_bytes
    text, given = recall_block(new, today(), world.secret, budget)
    if not is_for_one_turn(world):
        session.note_given({hit.id: hit.hash for hit in given})
    left_out = not_given(answer.hits, given, already, budget) + answer.left_out
    note_trace(db, world.repo, subject, answer.why if given else NOTHING_NEW, given, left_out)
    return text


def _recall(
    cache: _sqlite3.Connection, world: World, event: Event, scopes: list[Scope], session: Session
) -> "RecallAnswer":
    """What the prompt recalls. The ledger notes what it was about, for a vague follow-up."""
    from ctxrepo.domain.words.terms import words
    from ctxrepo.hooks.recall.choice import SOCIAL, choose, is_social, silent_answer
    from ctxrepo.hooks.recall.ranking import RecallRequest

    request = RecallRequest(event.prompt, session.record.asked, folders_of(scopes), world.recall_limit)
    if world.is_gated and is_social(request):
        return silent_answer(SOCIAL)
    answer = choose(_rank(cache, world, request), world.is_gated)
    if about := words(event.prompt)[:_REMEMBERED]:
        session.note(ASKED, " ".join(about))
    return answer


def _rank(cache: _sqlite3.Connection, world: World, request: "RecallRequest") -> "Ranking":
    """The entries in the order of the helper, by words where it gives none."""
    if world.is_semantic:
        from ctxrepo.hooks.recall.semantic import ask

        if ranking := ask(cache, world, request):
            return ranking
    from ctxrepo.hooks.recall.ranking import rank_by_words

    return rank_by_words(cache, request)


def switches() -> dict[str, str]:
    """The environment variables that may turn recall off, with their values."""
    return {name: os.environ.get(name, "") for name in SWITCHES}


def why_off(db: _sqlite3.Connection, world: World, cwd: str, env: dict[str, str]) -> str:
    """Why nothing is recalled at `cwd`, whatever the prompt; '' where something may be."""
    if not world.recalls:
        return "recall.enabled is false in config.toml"
    for name in SWITCHES:
        if env.get(name, "0") not in ("", "0"):
            return f"{name} is set"
    if os.path.exists(f"{cwd}/.pi"):
        from ctxrepo.hooks.known.pi_switch import why_silent

        return why_silent(db, cwd)
    return ""


def not_given(
    hits: list[EntryHit], given: list[EntryHit], already: dict[str, str], budget: int
) -> list[tuple[EntryHit, str]]:
    """The hits that are not `given`, each with why; `already` is what the session knew before (id ->
    hash)."""
    return [
        (hit, GIVEN_ALREADY if already.get(hit.id) == hit.hash else f"no room for it within {budget} bytes")
        for hit in hits
        if hit not in given
    ]
