"""The parts of a prompt's answer. Each is a function of the prompt and of the bytes that are left for it, and
returns a block or ''."""

import _sqlite3
import os

from ctxrepo.hooks.dialect import Event
from ctxrepo.hooks.known.cached import EntryHit
from ctxrepo.hooks.known.locate import Place, folders_of
from ctxrepo.hooks.known.world import World, is_for_one_turn, why_not
from ctxrepo.hooks.own_files import today
from ctxrepo.hooks.session.ledger_words import ASKED, BRIDGE
from ctxrepo.hooks.session.session import Session
from ctxrepo.hooks.session.traces import Subject, note_trace

TYPE_CHECKING = False
if TYPE_CHECKING:  # most prompts recall nothing, and needn't load it
    from ctxrepo.hooks.recall.choice import RecallAnswer
    from ctxrepo.hooks.recall.ranking import Ranking, RecallRequest

SWITCHES = ("CTXREPO_OFF", "CTXREPO_NO_RECALL")
"""Environment variables that turn recall off."""

GIVEN_ALREADY = "this session was given it already"
NOTHING_NEW = "every entry that fits was given to this session already, or has no room"

_BRIDGE_PROMPTS = 3
"""With how many of its first prompts a session may be told of the one before."""

_REMEMBERED = 12
"""Words of a prompt that the ledger keeps, to search a vague follow-up together with it."""


class Prompt:
    """A prompt that is answered: what was asked, by which session, and what memory holds at its place."""

    def __init__(
        self,
        db: _sqlite3.Connection,
        cache: _sqlite3.Connection,
        world: World,
        event: Event,
        place: Place,
        session: Session,
    ) -> None:
        self.db = db
        self.cache = cache
        self.world = world
        self.event = event
        self.place = place
        self.session = session
        self.is_project_late = is_project_late(session, place)


def is_project_late(session: Session, place: Place) -> bool:
    """Whether the session's project became known only after its start."""
    return session.record.project == "?" and place.is_known


def fault_part(prompt: Prompt, _room: int) -> str:
    """The faults that the session wasn't told yet."""
    faults = prompt.session.untold_faults(prompt.cache)
    if not faults:
        return ""
    from ctxrepo.hooks.packet.sections import fault_block  # rare, and most hooks do without

    return fault_block(faults, prompt.world.secret, prompt.session)


def bridge_part(prompt: Prompt, room: int) -> str:
    """What the session is told of the one before, once: with its third prompt at the latest."""
    session = prompt.session
    waited = session.record.bridge_wait
    if waited is None:
        return ""
    if os.path.exists(session.bridge_file):
        from ctxrepo.hooks.moments.bridge_block import bridge_block

        return bridge_block(prompt.db, prompt.world, prompt.event, session, room)
    session.note(BRIDGE, waited + 1 if waited < _BRIDGE_PROMPTS - 1 else "-")
    return ""


def recall_part(prompt: Prompt, room: int) -> str:
    """The recalled entries that are new to the session. A trace says what was given, or why nothing was."""
    db, world, session = prompt.db, prompt.world, prompt.session
    subject = Subject.of(prompt.event)
    if why := why_not(world, "recall") or why_recall_is_off(world, switches()):
        note_trace(db, world.repo, subject, why, [], [])
        return ""
    before = {**session.record.entries}
    recalled = _recall(prompt, subject)
    if not recalled.hits:
        note_trace(db, world.repo, subject, recalled.why, [], recalled.left_out)
        return ""
    from ctxrepo.hooks.packet.sections import recall_block

    new = [hit for hit in recalled.hits if before.get(hit.id) != hit.hash]
    text, shown = recall_block(new, today(), world.secret, room)
    if not is_for_one_turn(world):
        session.note_given({hit.id: hit.hash for hit in shown})
    left_out = not_given(recalled.hits, shown, before, room) + recalled.left_out
    note_trace(db, world.repo, subject, recalled.why if shown else NOTHING_NEW, shown, left_out)
    return text


def anchor_part(prompt: Prompt, _room: int) -> str:
    """The request for an anchor, where the prompt has a keyword for one. Nearly always it has none, even
    within a word, and none is still asked for: then no module that looks closely is loaded."""
    event, session = prompt.event, prompt.session
    keywords = prompt.world.of_tape("keywords", event.agent)
    if not keywords:
        return ""
    from ctxrepo.domain.words.prompt_terms import fold

    text = fold(event.prompt)
    has_keyword = any(word.strip() in text for word in fold(keywords).split("\n"))
    if not has_keyword and session.record.anchor_request is None:
        return ""
    from ctxrepo.hooks.moments.keyword_block import keyword_block

    return keyword_block(prompt.world, event, prompt.place, session)


def switches() -> dict[str, str]:
    """The environment variables that may turn recall off, with their values."""
    return {name: os.environ.get(name, "") for name in SWITCHES}


def why_recall_is_off(world: World, env: dict[str, str]) -> str:
    """Why nothing is recalled, whatever the prompt; '' where something may be. Whether the session's folder
    asks for silence has been asked before, by the door."""
    if not world.recalls:
        return "recall.enabled is false in config.toml"
    for name in SWITCHES:
        if env.get(name, "0") not in ("", "0"):
            return f"{name} is set"
    return ""


def not_given(
    hits: list[EntryHit], shown: list[EntryHit], before: dict[str, str], budget: int
) -> list[tuple[EntryHit, str]]:
    """The hits that are not `shown`, each with why; `before`: what the session knew already (id -> hash)."""
    return [
        (hit, GIVEN_ALREADY if before.get(hit.id) == hit.hash else f"no room for it within {budget} bytes")
        for hit in hits
        if hit not in shown
    ]


def _recall(prompt: Prompt, subject: Subject) -> "RecallAnswer":
    """What the prompt recalls. The ledger notes what it was about, for a vague follow-up; `subject` is told
    where words ranked though meaning was to."""
    from ctxrepo.domain.words.prompt_terms import words
    from ctxrepo.hooks.recall.choice import SOCIAL, choose, is_social, silent_answer
    from ctxrepo.hooks.recall.ranking import RecallRequest

    world, session, text = prompt.world, prompt.session, prompt.event.prompt
    request = RecallRequest(text, session.record.asked, folders_of(prompt.place.scopes), world.recall_limit)
    if world.is_gated and is_social(request):
        return silent_answer(SOCIAL)
    ranking, subject.by_words = _rank(prompt.cache, world, request)
    recalled = choose(ranking, world.is_gated)
    if recalled.hits and world.preset in ("scored", "semantic"):
        from ctxrepo.hooks.recall.preset_bias import arranged

        is_by_meaning = world.is_semantic and not subject.by_words
        recalled.hits = arranged(prompt.cache, world.preset, request, recalled.hits, is_by_meaning)
    if about := words(text)[:_REMEMBERED]:
        session.note(ASKED, " ".join(about))
    return recalled


def _rank(cache: _sqlite3.Connection, world: World, request: "RecallRequest") -> "tuple[Ranking, str]":
    """The entries in the order of the helper, by words where it gives none, and why."""
    why = ""
    if world.is_semantic:
        from ctxrepo.hooks.recall.ask_helper import ask

        ranking, why = ask(cache, world, request)
        if ranking:
            return ranking, ""
    from ctxrepo.hooks.recall.ranking import rank_by_words

    return rank_by_words(cache, request), why
