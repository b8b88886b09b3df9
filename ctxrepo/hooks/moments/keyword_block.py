"""A prompt has a word of the user's choice: the model is asked to leave an anchor before it goes on."""

import time

from ctxrepo.domain.text import escape_field, seal
from ctxrepo.domain.words.keywords import anchor_name, keywords_in
from ctxrepo.domain.words.prompt_terms import is_notice
from ctxrepo.hooks.dialect import Event
from ctxrepo.hooks.known.locate import Place
from ctxrepo.hooks.known.world import World, tape_of
from ctxrepo.hooks.session.ledger_words import ANCHOR_REQUEST, NO_ANCHOR_REQUEST
from ctxrepo.hooks.session.session import Session

_COMMAND = """\
ctxrepo anchor {name} --summary "…" --purpose "…"
"""

_TOOL = """\
tape_handoff with name "{name}", a summary and a purpose
"""

_REQUEST = """\
The prompt has a word for which its user wants an anchor: {word}
Before you go on, {verb} this, with exactly this name:
{call}\
- summary: what this prompt asks for, in its language, in fewer than 18 words: the task itself, not the word
- purpose: one or two words
Then go on with what was asked. Leave no anchor where one makes no sense here."""


def keyword_block(world: World, event: Event, place: Place, session: Session) -> str:
    """The block that asks for an anchor, or ''; the ledger notes which one is wanted. An earlier one that
    wasn't left is wanted no more, unless the user asked for it in so many words."""
    tape = tape_of(world, event.agent)
    is_in_project = bool(place.project) or not place.is_known
    if tape.leaves_alone(event.cwd, is_in_project) or is_notice(event.prompt):
        return ""
    keywords = keywords_in(event.prompt, tape.keywords)
    before = session.record.anchor_request
    if not keywords:
        if before and not before.is_manual:
            session.note(NO_ANCHOR_REQUEST)
        return ""
    primary, *_ = keywords
    name = anchor_name(primary, time.strftime("%H%M%S"))
    if not before or not before.is_manual:
        session.note(ANCHOR_REQUEST, name, keywords)
    verb, call = ("call", _TOOL) if tape.has_tools else ("run", _COMMAND)
    request = _REQUEST.format(word=escape_field(primary), verb=verb, call=call.format(name=name))
    return seal("", world.secret, request, frame="")
