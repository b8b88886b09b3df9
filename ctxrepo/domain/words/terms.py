"""What a text is about, as words of the full-text index: the words of a prompt, and further words of an
entry.

The index splits a text at everything but letters and digits. A text without spaces, or a name in camelCase,
is one word to it and several to a person, so their parts are given to it as well.
"""

from ctxrepo.domain.words.wordlists import STOP

MAX_WORDS = 96
MAX_READ = 8000
"""Characters of a prompt that are read: what a pasted log says later tells nothing new."""

_LONGEST = 64


def words(prompt: str) -> list[str]:
    """What a prompt is about: at most 96 distinct words in lower case, without stop words.

    Names that `_`, `-`, `.`, `/` or camelCase hold together are split into parts; Chinese, Japanese and
    Korean into pairs of characters.
    """
    found: dict[str, None] = {}
    for run in runs(prompt[:MAX_READ]):
        for word in (run, *spelled(run)):
            low = word.lower()
            if low not in STOP and (len(low) > 1 or is_wide(low)) and not (word is run and _is_mixed(run)):
                found[low[:_LONGEST]] = None
        if len(found) >= MAX_WORDS:
            break
    return list(found)[:MAX_WORDS]


def numbered_items(prompt: str) -> list[tuple[str, str]]:
    """The items that a prompt names by a number, as in INC-45: (what stands before it, the number), in lower
    case. Only capitals make an item of it, as postgres-15 is a kind of postgres, and two digits at least."""
    found: dict[tuple[str, str], None] = {}
    before, *rest = prompt[:MAX_READ].split("-")
    for after in rest:
        kind = before[_end_of_letters(before) :]
        number = after[: len(after) - len(after.lstrip("0123456789"))]
        behind = after[len(number) : len(number) + 1]
        if kind.isupper() and len(number) > 1 and (is_wide(behind) or not behind.isalnum()):
            found[kind.lower(), number] = None
        before = after
    return list(found)


def _end_of_letters(text: str) -> int:
    """Where the run of letters at the end of a text begins."""
    first = len(text)
    while first and text[first - 1].isalpha() and not is_wide(text[first - 1]):
        first -= 1
    return first


def runs(text: str) -> list[str]:
    """The runs of letters and digits in a text."""
    if text.isascii():
        return text.translate(_BLANKS).split()
    return "".join([char if char.isalnum() else " " for char in text]).split()


def spelled(run: str) -> list[str]:
    """The words in a run of letters and digits that the index takes for one word; [] when it is one."""
    if run.isascii():
        return _humps(run) if not (run.islower() or run[1:].islower() or run.isupper()) else []
    if not _is_mixed(run):
        return []
    found = []
    start = 0
    for end in range(1, len(run) + 1):
        if end == len(run) or is_wide(run[end]) != is_wide(run[start]):
            part = run[start:end]
            found += _pairs(part) if is_wide(part[:1]) else [part]
            start = end
    return found


def is_wide(char: str) -> bool:
    """Whether the character is of a script without spaces; a terminal shows such characters twice as wide."""
    first = char[:1]
    return "\u1100" <= first <= "\u11ff" or "\u2e80" <= first <= "\ua4cf" or "\uac00" <= first <= "\ud7a3"


def _is_mixed(run: str) -> bool:
    """Whether a run has characters of a script without spaces: the index takes its words for one."""
    return not run.isascii() and any(is_wide(char) for char in run)


def _pairs(run: str) -> list[str]:
    return [run[n : n + 2] for n in range(len(run) - 1)] or [run]


def _humps(name: str) -> list[str]:
    """`parseHTTPBody2` in its parts: parse, HTTP, Body2."""
    parts = []
    start = 0
    for n in range(1, len(name)):
        begins = name[n].isupper() and not name[n - 1].isupper()
        ends = name[n].islower() and name[n - 1].isupper() and n - 1 > start
        if begins or ends:
            parts.append(name[start : n if begins else n - 1])
            start = n if begins else n - 1
    parts.append(name[start:])
    return parts if len(parts) > 1 else []


_BLANKS = {n: " " for n in range(128) if not chr(n).isalnum()}
