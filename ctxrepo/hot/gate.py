"""Which prompts are left alone: those too short to ask anything, and those that only close or cheer."""

from ctxrepo.hot.query import MAX_READ, words
from ctxrepo.hot.wordlists import SOCIAL, STOP

MIN_VISIBLE = 10
MIN_WORDS = 2


def is_silent(prompt: str) -> bool:
    """Whether a prompt is too short or too social to recall anything for."""
    head = prompt[:MAX_READ]
    if _width(head) < MIN_VISIBLE:
        return True
    weight = sum([_weight(word) for word in words(head)])
    return weight < MIN_WORDS or SOCIAL.issuperset(_spoken(head))


def _width(text: str) -> int:
    """Visible characters, counted as wide as a terminal would show them."""
    return sum([2 if _is_wide(char) else 1 for char in text if char.isprintable() and char != " "])


def _weight(word: str) -> int:
    """Scripts without spaces write many words as one run."""
    return 2 if len(word) >= 4 and _is_wide(word[0]) else 1


def _is_wide(char: str) -> bool:
    return "\u1100" <= char <= "\u11ff" or "\u2e80" <= char <= "\ua4cf" or "\uac00" <= char <= "\ud7a3"


def _spoken(text: str) -> list[str]:
    """Every word but the stop words, apostrophes inside words kept."""
    bare = "".join([c if c.isalnum() or c in "'’" else " " for c in text.lower()]).replace("’", "'")
    return [word for word in bare.split() if word not in STOP]
