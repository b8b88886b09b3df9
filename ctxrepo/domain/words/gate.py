"""The gate: which prompts are left alone, as too short to ask anything, or as mere thanks or greetings."""

from ctxrepo.domain.words.terms import MAX_READ, is_wide, words
from ctxrepo.domain.words.wordlists import SOCIAL, STOP

MIN_VISIBLE = 10
MIN_WORDS = 2

_NOTICES = ("<task-notification>",)
"""How prompts begin that an agent writes itself: so Claude Code says that a background task ended."""


def is_left_alone(prompt: str, is_follow_up: bool = False) -> bool:
    """Whether a prompt is too short or too social to recall anything for, or isn't a person's.

    A prompt that follows earlier ones may be short: one word tells what is meant.
    """
    head = prompt[:MAX_READ]
    if _width(head) < MIN_VISIBLE and not is_follow_up:
        return True
    return len(words(head)) < (1 if is_follow_up else MIN_WORDS) or _is_social(head)


def is_notice(prompt: str) -> bool:
    """Whether an agent wrote the prompt itself, to tell its model something."""
    return prompt.lstrip().startswith(_NOTICES)


def _is_social(head: str) -> bool:
    """Whether it only thanks, agrees or greets, or is a notice of the agent's own."""
    return is_notice(head) or SOCIAL.issuperset(_spoken(head))


def _width(text: str) -> int:
    """Visible characters, counted as wide as a terminal would show them."""
    return sum([2 if is_wide(char) else 1 for char in text if char.isprintable() and char != " "])


def _spoken(text: str) -> list[str]:
    """All words but the stop words, with the apostrophes in them."""
    bare = "".join([c if c.isalnum() or c in "'’" else " " for c in text.lower()]).replace("’", "'")
    return [word for word in bare.split() if word not in STOP]
