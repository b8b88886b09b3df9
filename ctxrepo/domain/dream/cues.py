"""Cues: sentences of a person that say what is to be done from now on."""

import re
from collections.abc import Iterator
from functools import cache
from itertools import islice

from ctxrepo.domain.formats.blocks import text_beside
from ctxrepo.lazy import lazy_pattern

SHORTEST_MESSAGE, SHORTEST, LONGEST = 20, 12, 240
"""The least characters of a message and of a sentence that may be a cue, and the most of a sentence."""

MOST = 3
"""The most cues that are taken from one message."""

_CODE = lazy_pattern(r"```.*?(?:```|\Z)|^[ \t]*>.*$", re.DOTALL | re.MULTILINE)
"""What a person pasted or quotes."""

_TAG = lazy_pattern(r"<(\w{1,40})[^<>\n]{0,200}>")
"""How a block begins that a program put into the message."""
_END_TAG = lazy_pattern(r"</(\w{1,40})>")

_SENTENCE = lazy_pattern(r"(?:[^.!?。！？\n]|(?<=\w)[.!?](?=\w))+[.!?。！？]*")
"""A dot within a word, as of a file's name, ends none."""

_BULLET = lazy_pattern(r"\A[\s\-*•\d.)]++")

_WIDE = lazy_pattern(r"[\u3040-\u9fff]")
"""A letter of a script in which one says as much as a word."""


def cues_in(text: str) -> list[str]:
    """The first cues of a message, on one line each. Questions and quotations have none."""
    if text.lstrip().startswith("/") or _width(text) < SHORTEST_MESSAGE:
        return []
    return list(islice(_cues(_CODE.sub("\n", _without_blocks(text))), MOST))


def _without_blocks(text: str) -> str:
    """The text without what stands between the tags that a program put around it."""
    ends = {end[1]: end.end() for end in _END_TAG.finditer(text)}
    parts, at = [], 0
    for tag in _TAG.finditer(text):
        if at <= tag.start() < ends.get(tag[1], 0):
            end = text.index(f"</{tag[1]}>", tag.end())
            parts.append(text[at : tag.start()])
            at = end + len(tag[1]) + 3
    return "".join((*parts, text[at:]))


def _cues(text: str) -> Iterator[str]:
    for sentence in _SENTENCE.findall(text):
        plain = " ".join(_BULLET.sub("", sentence).split())
        is_question, cue = plain.endswith(("?", "？")), plain.rstrip(" .!。！")
        if is_question or _width(cue) < SHORTEST or len(cue) > LONGEST:
            continue
        if any(pattern.search(cue.lower()) for pattern in _patterns()):
            yield cue


def _width(text: str) -> int:
    return len(text) + 2 * len(_WIDE.findall(text))


@cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    lines = text_beside(__spec__, "cue.patterns").splitlines()
    return tuple(re.compile(line) for line in lines if line and not line.startswith("#"))
