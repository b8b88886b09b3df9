"""What a text is about, as words that the full-text index knows: of a prompt, and beside an entry's own.

The index cuts a text at everything but letters and digits. What it leaves whole and a person takes for
several words, a text without spaces or a name in camelCase, is spelled out for it.
"""

from ctxrepo.domain.words.wordlists import STOP

MAX_WORDS = 96
MAX_READ = 8000
"""Characters of a prompt that are looked at: a pasted log says no more after that."""

_LONGEST = 64


def words(prompt: str) -> list[str]:
    """What a prompt is about: at most 96 distinct words in lower case, without stop words.

    What is held together by `_`, `-`, `.`, `/` or camelCase is there in its parts; Chinese, Japanese and
    Korean in pairs of signs.
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


def runs(text: str) -> list[str]:
    """The runs of letters and digits in a text."""
    if text.isascii():
        return text.translate(_BLANKS).split()
    return "".join([char if char.isalnum() else " " for char in text]).split()


def spelled(run: str) -> list[str]:
    """The words in a run of letters and digits that the index takes for one; none when it is one."""
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
    """Whether it is a sign of a script that a terminal shows twice as wide, and writes without spaces."""
    first = char[:1]
    return "\u1100" <= first <= "\u11ff" or "\u2e80" <= first <= "\ua4cf" or "\uac00" <= first <= "\ud7a3"


def _is_mixed(run: str) -> bool:
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
