"""A request to the model, where the agent shows what hooks give in this request alone: until the next prompt
the same is given again, and what is to last comes with that, too."""

import _sqlite3

from ctxrepo.domain.text import size
from ctxrepo.hooks.dialect import Dialect, Event, HookAnswer
from ctxrepo.hooks.known.world import World
from ctxrepo.hooks.moments import first_prompt, prompt, start
from ctxrepo.hooks.session.ledger_words import PACKET, PROMPT, TURN
from ctxrepo.hooks.session.session import Session


def answer(db: _sqlite3.Connection, world: World, dialect: Dialect, event: Event) -> HookAnswer:
    """What the session is to see now: what was given for its last prompt, or what is given for a new one."""
    session = Session(world.state, world.repo.id, event.agent, event.session)
    before = session.record
    is_silent = bool(before.is_off or event.silence_reason)
    name, text = dialect.last_prompt(db, event.transcript)
    if before.began and name in ("", before.prompt):
        return HookAnswer() if is_silent else HookAnswer(before.packet, turn=before.turn)
    event.prompt = dialect.words(text)
    if not before.began:
        start.answer(db, world, dialect, event)  # the agent calls no hook then
    packet = before.packet
    if not is_silent and not 0 < size(packet) <= world.delivery.most_bytes:
        session.forget_given()  # it begins anew, without what was added over many prompts
        packet = ""
    session.note(PROMPT, name)
    session.save()
    if is_silent:
        return prompt.answer(db, world, event)
    packet += first_prompt.answer(db, world, dialect, event)
    addition = prompt.answer(db, world, event, size(packet))
    packet += addition.lasting
    if packet != session.record.packet:
        session.note(PACKET, packet)
    if addition.turn != session.record.turn:
        session.note(TURN, addition.turn)
    session.save()
    return HookAnswer(packet, turn=addition.turn)
