"""A prompt is sent: what is new since the session was last told, and the few entries that matter for it.

The answer is made of LASTING_PARTS and TURN_PARTS, in this order; most are in moments/prompt_parts.py."""

import _sqlite3
import time

from ctxrepo.domain.text import size
from ctxrepo.hooks.dialect import Event, HookAnswer
from ctxrepo.hooks.known.cached import generation_of, open_cache
from ctxrepo.hooks.known.freshness import WORKER_SECONDS, news, note_worker_told, open_when_current
from ctxrepo.hooks.known.locate import Place, SessionFolder, place_of, stamps_of
from ctxrepo.hooks.known.world import World, is_for_one_turn
from ctxrepo.hooks.moments.prompt_parts import (
    Prompt,
    anchor_part,
    bridge_part,
    fault_part,
    is_project_late,
    recall_part,
)
from ctxrepo.hooks.session.ledger_words import GENERATION, SOUGHT
from ctxrepo.hooks.session.session import SWITCHED_OFF, Session
from ctxrepo.hooks.session.traces import Subject, note_trace

TYPE_CHECKING = False
if TYPE_CHECKING:  # loading it would cost a hook more than it saves
    from collections.abc import Callable

    PromptPart = Callable[[Prompt, int], str]

NO_CACHE = "there is no cache that can be read"


def answer(db: _sqlite3.Connection, world: World, event: Event, taken: int = 0) -> HookAnswer:
    """What is new and the recalled entries, a block each; most of the time nothing. `taken` bytes of what the
    agent takes are used by a packet that comes with the prompt."""
    if event.sub:
        from ctxrepo.hooks.moments.subagent import prompt_of_subagent

        return HookAnswer(prompt_of_subagent(db, world, event))
    folder = SessionFolder(event.cwd)
    place = place_of(db, world, folder)
    session = Session(world.state, world.repo.id, event.agent, event.session)
    silence = event.silence_reason or (SWITCHED_OFF if session.record.is_off else "")
    claim, is_withheld = "", False
    if world.asks_for_trust or not place.is_known or is_project_late(session, place):
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
        prompt = Prompt(db, cache, world, event, place, session)
        # The room of recall is left free, because an agent may cap together what one event is answered.
        lasting = _joined(LASTING_PARTS, prompt, world.delivery.most_bytes - taken - world.recall_bytes)
        of_turn = _joined(TURN_PARTS, prompt, world.recall_bytes)
        session.save()
    finally:
        cache.close()
    if is_for_one_turn(world):
        return HookAnswer(claim + lasting, turn=of_turn)
    return HookAnswer(claim + lasting + of_turn)


def _joined(parts: "tuple[PromptPart, ...]", prompt: Prompt, room: int) -> str:
    """The blocks of these parts, one after another."""
    text = ""
    for part in parts:
        text += part(prompt, room - size(text))
    return text


def news_part(prompt: Prompt, room: int) -> str:
    """What changed in memory since the session was last told, and what came too late for its start."""
    record, since = prompt.session.record, _take_generation(prompt.cache, prompt.session)
    if since is None and not (record.handoff or record.owed_since or prompt.is_project_late):
        return ""
    from ctxrepo.hooks.moments.news import news_blocks

    return news_blocks(prompt, since, room)


LASTING_PARTS: "tuple[PromptPart, ...]" = (fault_part, news_part, bridge_part)
"""The parts that stay in the conversation."""

TURN_PARTS: "tuple[PromptPart, ...]" = (recall_part, anchor_part)
"""The parts that some agents show in the requests of one turn alone."""


def _take_generation(cache: _sqlite3.Connection, session: Session) -> int | None:
    """Note that the session is told of everything in the cache now. Returns the generation up to which it had
    been told before; 0 where there was no cache at the session's start. None where nothing has changed since,
    where the ledger names no generation, and where the cache was rebuilt."""
    now, before = generation_of(cache), session.record.generation
    if now == before:
        return None
    session.note(GENERATION, now)
    if before is None and session.record.owed_since:
        return 0  # at its start there was no cache: all is new to it
    return before if before is not None and before < now else None


def _up_to_date(
    db: _sqlite3.Connection, world: World, event: Event, folder: SessionFolder, place: Place, session: Session
) -> tuple[_sqlite3.Connection | None, Place]:
    """The cache and the place. The worker is woken where these don't hold all that files tell of."""
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
    A worker that runs anyway, as at the end of each turn, looks again too."""
    stamps = stamps_of(db, folder)
    if stamps == session.record.sought:
        return
    from ctxrepo.hooks.wakeup import spool, wake

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
    """Wake the worker and wait briefly; the cache and the place then. The rest comes with the next prompt."""
    from ctxrepo.hooks.wakeup import spool, wake

    is_line_left = spool(db, world.repo, "prompt", event)
    since = time.time()  # a round of the worker that began before may not have read that line
    is_awake = wake(world)
    if cache is not None:
        cache.close()
    patience = WORKER_SECONDS if is_line_left and is_awake else 0.0
    return open_when_current(db, world, folder, since, patience)[:2]
