"""Which prompts are left alone: those too short to ask anything, and those that only close or cheer."""

from ctxrepo.domain.words.terms import MAX_READ, is_wide, words
from ctxrepo.domain.words.wordlists import SOCIAL, STOP

MIN_VISIBLE = 10
MIN_WORDS = 2

_NOTICES = ("<task-notification>",)
"""How prompts begin that an agent writes to itself: Claude Code says so that a background task has ended."""


def is_silent(prompt: str, goes_on: bool = False) -> bool:
    """Whether a prompt is too short or too social to recall anything for, or no person's.

    One that goes on with what was said before it may be short: a single word tells what is meant.
    """
    head = prompt[:MAX_READ]
    if _width(head) < MIN_VISIBLE and not goes_on:
        return True
    return len(words(head)) < (1 if goes_on else MIN_WORDS) or _is_social(head)


def names_little(prompt: str) -> bool:
    """Whether a prompt is a word or two that name something: too little beside a prompt, enough for a person
    who asks."""
    head = prompt[:MAX_READ]
    return 0 < len(words(head)) <= MIN_WORDS and not _is_social(head)


def _is_social(head: str) -> bool:
    return head.lstrip().startswith(_NOTICES) or SOCIAL.issuperset(_spoken(head))


def _width(text: str) -> int:
    """Visible characters, counted as wide as a terminal would show them."""
    return sum([2 if is_wide(char) else 1 for char in text if char.isprintable() and char != " "])


def _spoken(text: str) -> list[str]:
    """Every word but the stop words, apostrophes inside words kept."""
    bare = "".join([c if c.isalnum() or c in "'’" else " " for c in text.lower()]).replace("’", "'")
    return [word for word in bare.split() if word not in STOP]
