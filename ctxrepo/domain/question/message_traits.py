"""What the index of sessions tells of a message beside its words."""

from typing import NamedTuple

BY_AGENT, IS_COPY, USED_TOOLS, IS_SILENT, SEARCHES, FINDS_NOTHING = 1, 2, 4, 8, 16, 32
"""Traits of a message: by the agent; a copy, of the session from which this one was forked, or in a file from
which the agent goes on no more; with tools used; with nothing said beside them; with a command that searches
the memory or past sessions; by an agent that says that it found nothing."""

TOLD_BITS = 8
"""Bits above which the traits of a user's short message count its telling words."""


class Posting(NamedTuple):
    """A message of the index that holds what was looked for, by its number. `turn` counts the messages of its
    `session` up to it in which something was said, `length` the characters of what was said; `at` is in Unix
    seconds."""

    session: int
    turn: int
    number: int
    traits: int
    length: int
    at: int
