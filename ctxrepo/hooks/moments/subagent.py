"""A subagent starts: it may read the memory, and leaves writing to the agent that started it."""

import _sqlite3

from ctxrepo.hooks.dialect import Event
from ctxrepo.hooks.known.cached import generation_of, open_cache
from ctxrepo.hooks.known.locate import SessionFolder, place_of
from ctxrepo.hooks.known.packet_rows import selected_of
from ctxrepo.hooks.known.world import World, gives
from ctxrepo.hooks.moments.claim import is_withheld
from ctxrepo.hooks.own_files import today
from ctxrepo.hooks.packet.lane import SCORED, SUBAGENT, PacketContents, PacketSource
from ctxrepo.hooks.packet.packet import packet
from ctxrepo.hooks.packet.presets import BUDGETS, lanes_of_subagent, preset_of
from ctxrepo.hooks.session.ledger_words import GENERATION, PARENT
from ctxrepo.hooks.session.session import Session

WORDS = """\
There is a memory of earlier sessions: `ctxrepo search WORDS` finds notes, `ctxrepo read PATH` prints one.
Don't write to it: report what is worth keeping to the agent that started you.
"""


def answer(db: _sqlite3.Connection, world: World, event: Event) -> str:
    """One short block: how to read, and rules and the index, or the situation report, where the mode has an
    index given."""
    folder = SessionFolder(event.cwd)
    cache = _cache_for(db, world, event, folder)
    if cache is None:
        return ""
    try:
        place = place_of(db, world, folder)
        contents = PacketContents(WORDS, place.scopes if gives(world, "subindex") else [])
        first = selected_of(cache, place.project, world.tape_owner) if contents.scopes else []
        preset = SCORED if preset_of(world) == SCORED else SUBAGENT
        lanes = lanes_of_subagent(preset)
        for lane in lanes:
            lane.collect(PacketSource(cache, first, BUDGETS[preset], "", world.global_folder), contents)
        block = packet(contents, today(), world.secret, preset, world.packet_budget, lanes)
        session = Session(world.state, world.repo.id, event.agent, event.session, event.sub)
        session.note(PARENT, event.session)
        session.note(GENERATION, generation_of(cache))
        session.note_given(block.entries)
        session.save()
        return block.text
    finally:
        cache.close()


def prompt_of_subagent(db: _sqlite3.Connection, world: World, event: Event) -> str:
    """What a subagent's task recalls; what is new in memory is told to the agent that started it. Beside a
    situation report nothing is looked for."""
    if preset_of(world) == SCORED:
        return ""
    folder = SessionFolder(event.cwd)
    cache = _cache_for(db, world, event, folder)
    if cache is None:
        return ""
    from ctxrepo.hooks.moments.prompt_parts import Prompt, recall_part

    try:
        session = Session(world.state, world.repo.id, event.agent, event.session, event.sub)
        prompt = Prompt(db, cache, world, event, place_of(db, world, folder), session)
        text = recall_part(prompt, world.recall_bytes)
        session.save()
        return text
    finally:
        cache.close()


def _cache_for(
    db: _sqlite3.Connection, world: World, event: Event, folder: SessionFolder
) -> _sqlite3.Connection | None:
    """The cache; None where there is none, or the session that started the subagent is given nothing."""
    if event.silence_reason or Session(world.state, world.repo.id, event.agent, event.session).record.is_off:
        return None
    return None if is_withheld(db, world, folder) else open_cache(f"{world.repo.state}/cache.db")
