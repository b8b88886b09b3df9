"""A prompt is sent: what is new since the session was last told, and the few entries that matter for it.

The answer is made of parts, in the order of `KEPT` and `BESIDE`. Each is a function of the prompt and of the
bytes that are left for it, and returns a block or ''.
"""

import _sqlite3
import os
import time

from ctxrepo.domain.text.block import size
from ctxrepo.hooks.dialect import Event, HookAnswer
from ctxrepo.hooks.files.clock import today
from ctxrepo.hooks.known.cache import EntryHit, generation_of, open_cache
from ctxrepo.hooks.known.compiled import World
from ctxrepo.hooks.known.locate import Place, SessionFolder, folders_of, place_of, stamps_of
from ctxrepo.hooks.known.mode import is_for_one_turn, why_not
from ctxrepo.hooks.known.staleness import news, note_worker_told
from ctxrepo.hooks.session.ledger_words import ASKED, BRIDGE, GENERATION, SOUGHT
from ctxrepo.hooks.session.session import SWITCHED_OFF, Session
from ctxrepo.hooks.session.trace import Subject, note_trace

TYPE_CHECKING = False
if TYPE_CHECKING:  # most prompts recall nothing, and needn't load it
    from collections.abc import Callable

    from ctxrepo.hooks.recall.choice import RecallAnswer
    from ctxrepo.hooks.recall.ranking import Ranking, RecallRequest

    PromptPart = Callable[["Prompt", int], str]

SWITCHES = ("CTXREPO_OFF", "CTXREPO_NO_RECALL")
"""Environment variables that turn recall off."""

NO_CACHE = "there is no cache that can be read"
GIVEN_ALREADY = "this session was given it already"
NOTHING_NEW = "every entry that fits was given to this session already, or has no room"

_BRIDGE_PROMPTS = 3
"""With how many of its first prompts a session may be told of the one before."""

_REMEMBERED = 12
"""Words of a prompt that the ledger keeps, to search a vague follow-up together with it."""


class Prompt:
    """A prompt that is answered: what was asked, by which session, and what memory holds at its place."""

    __slots__ = ("cache", "db", "event", "is_project_late", "place", "session", "world")

    def __init__(
        self,
        db: _sqlite3.Connection,
        cache: _sqlite3.Connection,
        world: World,
        event: Event,
        place: Place,
        session: Session,
        is_project_late: bool = False,
    ) -> None:
        self.db = db
        self.cache = cache
        self.world = world
        self.event = event
        self.place = place
        self.session = session
        self.is_project_late = is_project_late
        """Whether the session's project became known only after its start."""


def answer(db: _sqlite3.Connection, world: World, event: Event, taken: int = 0) -> HookAnswer:
    """What is new and the recalled entries, a block each; most of the time nothing. `taken` bytes of what the
    agent takes are used by a packet that comes with the prompt."""
    if event.sub:
        from ctxrepo.hooks.moments.subagent import prompt_of_subagent

        return HookAnswer(prompt_of_subagent(db, world, event))
    folder = SessionFolder(event.cwd)
    place = place_of(db, world, folder)
    session = Session(world.state, world.repo.id, event.agent, event.session)
    is_project_late = session.record.project == "?" and place.is_known
    silence = event.silence_reason or (SWITCHED_OFF if session.record.is_off else "")
    claim, is_withheld = "", False
    if world.asks_for_trust or is_project_late:
        from ctxrepo.hooks.moments.claim import claim_block

        claim, is_withheld = claim_block(db, world, folder, event.session, silence)
    if is_withheld:
        return HookAnswer(claim)
    cache, place = _up_to_date(db, world, event, folder, place, session)
    if cache is None or silence:
        note_trace(db, world.repo, Subject.of(event), NO_CACHE if cache is None else silence, [], [])
        if cache is not None:
            cache.close()
        return HookAnswer(claim)
    try:
        prompt = Prompt(db, cache, world, event, place, session, is_project_late)
        # The room of recall is left free, because an agent may cap together what one event is answered.
        kept = _joined(KEPT, prompt, world.delivery.most_bytes - taken - world.recall_bytes)
        beside = _joined(BESIDE, prompt, world.recall_bytes)
        session.save()
    finally:
        cache.close()
    if is_for_one_turn(world):
        return HookAnswer(claim + kept, turn=beside)
    return HookAnswer(claim + kept + beside)


def _joined(parts: "tuple[PromptPart, ...]", prompt: Prompt, room: int) -> str:
    """The blocks of these parts, one after another."""
    text = ""
    for part in parts:
        text += part(prompt, room - size(text))
    return text


def fault_part(prompt: Prompt, _room: int) -> str:
    """The faults that the session wasn't told yet."""
    faults = prompt.session.untold_faults(prompt.cache)
    if not faults:
        return ""
    from ctxrepo.hooks.packet.sections import fault_block  # rare, and most hooks do without

    return fault_block(faults, prompt.world.secret, prompt.session)


def news_part(prompt: Prompt, room: int) -> str:
    """What changed in memory since the session was last told, and what came too late for its start."""
    record, since = prompt.session.record, _take_generation(prompt.cache, prompt.session)
    if since is None and not (record.handoff or record.owed_since or prompt.is_project_late):
        return ""
    from ctxrepo.hooks.moments.news import news_blocks

    return news_blocks(prompt, since, room)


def bridge_part(prompt: Prompt, room: int) -> str:
    """What the session is told of the one before, once the worker has left that; no later than with its third
    prompt, and once."""
    session = prompt.session
    waited = session.record.bridge_wait
    if waited is None:
        return ""
    if os.path.exists(session.bridge_file):
        from ctxrepo.hooks.tape.bridge_block import bridge_block

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
    already = {**session.record.entries}
    recalled = _recall(prompt)
    if not recalled.hits:
        note_trace(db, world.repo, subject, recalled.why, [], recalled.left_out)
        return ""
    from ctxrepo.hooks.packet.recalled import recall_block

    new = [hit for hit in recalled.hits if already.get(hit.id) != hit.hash]
    text, given = recall_block(new, today(), world.secret, room)
    if not is_for_one_turn(world):
        session.note_given({hit.id: hit.hash for hit in given})
    left_out = not_given(recalled.hits, given, already, room) + recalled.left_out
    note_trace(db, world.repo, subject, recalled.why if given else NOTHING_NEW, given, left_out)
    return text


def anchor_part(prompt: Prompt, _room: int) -> str:
    """The request for an anchor, where the prompt has a keyword for one.

    Nearly always no keyword is a part of the prompt, not even within a word, and no earlier one is still
    asked for; so the modules that look closely aren't loaded.
    """
    event, session = prompt.event, prompt.session
    keywords, text = prompt.world.of_tape("keywords", event.agent), event.prompt.lower()
    if not keywords:
        return ""
    has_keyword = any(word.strip() in text for word in keywords.lower().split("\n"))
    if not has_keyword and session.record.anchor_request is None:
        return ""
    from ctxrepo.hooks.tape.keyword_block import keyword_block

    return keyword_block(prompt.world, event, prompt.place, session)


KEPT: "tuple[PromptPart, ...]" = (fault_part, news_part, bridge_part)
"""The parts that stay in the conversation."""

BESIDE: "tuple[PromptPart, ...]" = (recall_part, anchor_part)
"""The parts that some agents show in the requests of one turn alone."""


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
    hits: list[EntryHit], given: list[EntryHit], already: dict[str, str], budget: int
) -> list[tuple[EntryHit, str]]:
    """The hits that are not `given`, each with why; `already` is what the session knew before (id ->
    hash)."""
    return [
        (hit, GIVEN_ALREADY if already.get(hit.id) == hit.hash else f"no room for it within {budget} bytes")
        for hit in hits
        if hit not in given
    ]


def _recall(prompt: Prompt) -> "RecallAnswer":
    """What the prompt recalls. The ledger notes what it was about, for a vague follow-up."""
    from ctxrepo.domain.words.terms import words
    from ctxrepo.hooks.recall.choice import SOCIAL, choose, is_social, silent_answer
    from ctxrepo.hooks.recall.ranking import RecallRequest

    world, session, text = prompt.world, prompt.session, prompt.event.prompt
    request = RecallRequest(text, session.record.asked, folders_of(prompt.place.scopes), world.recall_limit)
    if world.is_gated and is_social(request):
        return silent_answer(SOCIAL)
    recalled = choose(_rank(prompt.cache, world, request), world.is_gated)
    if about := words(text)[:_REMEMBERED]:
        session.note(ASKED, " ".join(about))
    return recalled


def _rank(cache: _sqlite3.Connection, world: World, request: "RecallRequest") -> "Ranking":
    """The entries in the order of the helper, by words where it gives none."""
    if world.is_semantic:
        from ctxrepo.hooks.recall.semantic import ask

        if ranking := ask(cache, world, request):
            return ranking
    from ctxrepo.hooks.recall.ranking import rank_by_words

    return rank_by_words(cache, request)


def _take_generation(cache: _sqlite3.Connection, session: Session) -> int | None:
    """Note that the session is told of everything in the cache now. Returns the generation up to which it had
    been told before; 0 where there was no cache at the session's start. None where nothing has changed since,
    where the ledger names no generation, and where the cache was rebuilt."""
    now, seen = generation_of(cache), session.record.generation
    if now == seen:
        return None
    session.note(GENERATION, now)
    if seen is None and session.record.owed_since:
        return 0  # at its start there was no cache: all is new to it
    return seen if seen is not None and seen < now else None


def _up_to_date(
    db: _sqlite3.Connection, world: World, event: Event, folder: SessionFolder, place: Place, session: Session
) -> tuple[_sqlite3.Connection | None, Place]:
    """The cache and the place; where the project is unknown, or files tell of something that the cache
    doesn't hold, the worker is woken."""
    cache = open_cache(f"{world.repo.state}/cache.db")
    if not place.is_known:
        _ask_for_project(db, world, event, folder, session)
    elif note_worker_told(world.repo, news(world, cache, place.scopes)):
        return _catch_up(db, cache, world, event, folder)
    return cache, place


def _ask_for_project(
    db: _sqlite3.Connection, world: World, event: Event, folder: SessionFolder, session: Session
) -> None:
    """Wake the worker to find out which project this is: once, and again when the folder's git files change.

    A worker that runs anyway, as at the end of each turn, looks again too.
    """
    stamps = stamps_of(db, folder)
    if stamps == session.record.sought:
        return
    from ctxrepo.hooks.session.spool import spool, wake

    session.note(SOUGHT, stamps)
    session.save()
    if spool(db, world.repo, "prompt", event):
        wake(world)


def _catch_up(
    db: _sqlite3.Connection,
    cache: _sqlite3.Connection | None,
    world: World,
    event: Event,
    folder: SessionFolder,
) -> tuple[_sqlite3.Connection | None, Place]:
    """Wake the worker and wait briefly; the cache and the place as they are then. What takes longer comes
    with the next prompt."""
    from ctxrepo.hooks.known.catch_up import WORKER_SECONDS, open_when_current
    from ctxrepo.hooks.session.spool import spool, wake

    is_line_left = spool(db, world.repo, "prompt", event)
    since = time.time()  # a round of the worker that began before may not have read that line
    is_awake = wake(world)
    if cache is not None:
        cache.close()
    patience = WORKER_SECONDS if is_line_left and is_awake else 0.0
    return open_when_current(db, world, folder, since, patience)[:2]
