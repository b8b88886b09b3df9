"""Tickets: a command that could save nothing in its sandbox prints one, and a hook runs it again (ADR 84).

What a tool printed anybody may have made up. A ticket says only that our program was given certain words in a
certain project; what is run again is what the agent's own event says that the agent ran."""

import os
import time

from ctxrepo.domain.text import tag_of
from ctxrepo.hooks.dialect import TICKET

SECONDS = 600
"""How long a ticket counts. A hook runs at once after its command, which takes seconds."""

ADDING = (
    *("remember", "log", "new", "edit", "touch", "reinforce", "verify"),
    *("scratch add", "scratch done", "anchor", "handoff"),
)
"""The commands that may be run again: those that rules may let out of a sandbox (agents/permissions.py)."""

_UNFIT = ("--from", "--undo")
"""How options begin that read a file, which may hold something else by then, or that take away."""

_STANDARD_INPUT = "-"

_LONGEST = 128 * 1024
"""Bytes of one word that Linux passes to a program."""

_BARE, _BARE_INSIDE = "_-./:,@+%^", "#="
"""What stands for itself outside of quotes, beside letters and digits, in every shell that we know; and what
does so behind the first character of a word."""

_ESCAPED = {'"': '"\\$`', "": "\"\\$`' "}
"""What a backslash before it makes stand for itself, in double quotes and outside of quotes."""

_DIGITS = "0123456789abcdef."
_TIME_DIGITS = 8


def ticket(secret: str, project: str, words: list[str]) -> str:
    """A new ticket for a command with these words, `ctxrepo` first, in the project of this id; '' is none."""
    number = f"{int(time.time()):x}.{os.urandom(8).hex()}"
    return f"{TICKET}{number}.{_tag(secret, number, project, words)}"


def number_in(output: str, secret: str, project: str, words: list[str]) -> str:
    """The number of the last ticket in what a command printed; '' if it is for other words or another
    project, was made by nobody with the secret, or is too old."""
    text = output.rpartition(TICKET)[2][:64]
    known = text[: len(text) - len(text.lstrip(_DIGITS))].rstrip(".")
    number, _, tag = known.rpartition(".")
    stamp = number.partition(".")[0]
    if len(stamp) != _TIME_DIGITS or tag != _tag(secret, number, project, words):
        return ""
    return number if abs(time.time() - int(stamp, 16)) < SECONDS else ""


def adds(words: list[str]) -> bool:
    """Whether these words are one of our commands that add, and read no file for it."""
    start = " ".join(words[1:3]) if words[1:2] == ["scratch"] else "".join(words[1:2])
    is_ours = words[:1] == ["ctxrepo"] and start in ADDING
    return is_ours and not any(word == _STANDARD_INPUT or word.startswith(_UNFIT) for word in words)


def words_of(command: str) -> list[str]:
    """The words of a command line that is one plain command, as every shell reads it: words, in quotes or
    not, and nothing else. [] for any other line: with a second command, a pipe, a file, a variable."""
    text = command.strip(" \t\n")
    words: list[str] = []
    word: str | None = None
    quote, at = "", 0
    while at < len(text) <= _LONGEST:
        char, follower = text[at], text[at + 1 : at + 2]
        at += 1
        if char == quote:
            quote = ""
        elif not quote and char in " \t":
            words += [] if word is None else [word]
            word = None
        elif not quote and char in "'\"":
            quote, word = char, word or ""
        elif char == "\\" and quote != "'" and follower and follower in _ESCAPED[quote]:
            word, at = (word or "") + follower, at + 1
        elif _stands_for_itself(char, quote, word, follower):
            word = (word or "") + char
        else:
            return []
    return [] if quote or word is None else [*words, word]


def _stands_for_itself(char: str, quote: str, word: str | None, follower: str) -> bool:
    """Whether a shell takes a character of a `word` for itself, in this kind of quotes ('' for none)."""
    if quote == "'":
        return True
    if quote:
        return char not in "$`" and (char != "\\" or follower != "\n")
    return char.isalnum() or char in _BARE or (char in _BARE_INSIDE and bool(word))


def _tag(secret: str, number: str, project: str, words: list[str]) -> str:
    return tag_of("\0".join([number, project, *words]), secret)
