"""What the index of sessions tells of a message beside its words."""

from typing import NamedTuple

BY_AGENT, IS_COPY, USED_TOOLS, IS_SILENT, SEARCHES, FINDS_NOTHING = 1, 2, 4, 8, 16, 32
"""Traits of a message. BY_AGENT: the agent wrote it. IS_COPY: it is a copy from the session from which this
one was forked, or in a file from which the agent no longer resumes. USED_TOOLS: tools were used. IS_SILENT:
it has no text. SEARCHES: a command in it searches the memory or past sessions. FINDS_NOTHING: in it an agent
says that it found nothing."""

TELLING_BITS = 8
"""In a user's short message, the traits shifted right by this count its telling words."""


class Posting(NamedTuple):
    """A message of the index with a term, by its `number` and that of its `session`. `turn` counts the
    messages with text that its session has up to it, `length` the characters of its text; `at` is in Unix
    seconds."""

    session: int
    turn: int
    number: int
    traits: int
    length: int
    at: int
