"""A prompt has a word of the user's choice: the model is asked to leave an anchor before it goes on.

A keyword stands by itself: no letter, digit or underscore is beside it. A script that is written without
blanks has no such edges, so a keyword that begins or ends with a character of one needs none there."""

import time

from ctxrepo.domain.text import escape_field, seal
from ctxrepo.domain.words.prompt_terms import fold, is_notice, is_of_word, is_unspaced
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


MIN_UNITS, MAX_UNITS = 10, 300
"""Lengths of a prompt, without the blanks around it, that is looked at: in units of UTF-16, both included."""

_MAX_SLUG = 48
_NO_SLUG = "detected"
"""Stands in a name for a keyword without a letter or digit of ASCII."""

_SLUG = frozenset("abcdefghijklmnopqrstuvwxyz0123456789")


def keywords_in(prompt: str, keywords: list[str]) -> list[str]:
    """The keywords that ask for an anchor in this prompt, in lower case: the longest first, those of one
    length by the alphabet. None in a command of the agent, and in a prompt that is too short or too long."""
    text = prompt.strip()
    if not MIN_UNITS <= _units(text) <= MAX_UNITS or is_command(text):
        return []
    folded = fold(text)
    spellings = {word.strip().lower(): fold(word).strip() for word in keywords}
    matches = [word for word, sought in spellings.items() if sought and _stands_in(folded, sought)]
    return sorted(matches, key=lambda word: (-_units(word), word))


def anchor_name(keyword: str, clock: str) -> str:
    """The name of the anchor that this keyword asks for at the time `clock`, HHMMSS."""
    bare = "".join([char if char in _SLUG else " " for char in keyword.lower()])
    slug = "-".join(bare.split())[:_MAX_SLUG] or _NO_SLUG
    return f"handoff/keyword-{slug}-{clock}"


def is_command(text: str) -> bool:
    """Whether a prompt is a command of the agent, such as `/review` or `/plugin:name`, and no path."""
    word = next(iter(text.split(None, 1)), "")
    return word[:1] == "/" and word[1:2].isalpha() and "/" not in word[1:]


def _stands_in(text: str, word: str) -> bool:
    at = text.find(word)
    while at >= 0:
        before, after = text[at - 1 : at] if at else "", text[at + len(word) : at + len(word) + 1]
        if _is_edge(before, word[:1]) and _is_edge(after, word[-1:]):
            return True
        at = text.find(word, at + 1)
    return False


def _is_edge(beside: str, own: str) -> bool:
    """Whether a word ends where `own` is its outermost character, and `beside` stands next to it."""
    is_in_word = is_of_word(beside) or beside == "_"
    return not is_in_word or (is_unspaced(own) and not "\uac00" <= own <= "\ud7a3")


def _units(text: str) -> int:
    """The length in units of UTF-16."""
    return len(text) + (0 if text.isascii() else sum([char > "\uffff" for char in text]))
