"""A rule: a row of the tables, and the functions that make rows."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cached_property

from ctxrepo.domain.secrets.shape import shape
from ctxrepo.lazy import dataclass

SHORTEST_TOKEN = 16
"""In bytes; a rule for one word matches nothing shorter."""

ALNUM = "[A-Za-z0-9]"
URLSAFE = "[A-Za-z0-9_-]"
HEX = "[a-f0-9]"
END = "(?![A-Za-z0-9])"

Judge = Callable[[re.Match[bytes]], bool]
Decode = Callable[[re.Match[bytes]], bytes]


@dataclass(frozen=True)
class Rule:
    """`regex` is tried where one of `anchors` stands.

    With `is_one_word` the anchor is part of a run of SHORTEST_TOKEN or more characters without white space,
    which few words of a note are, and its case counts; with `begins_word` the run begins there. The anchors
    of other rules are in lower case and begin with a whole word or sign, but those in `inner` may be part
    of a word. The word of a label may head a column.

    The last group that took part, else the whole match, is the secret if `is_real` agrees. Every repetition
    is bounded and can be read in one way only: the text may be hostile.

    `needs` is a word that the text must have somewhere. A secret that begins before its anchor does so within
    `back` bytes. With `decode` what matched stands for another text, and is a secret if one is
    in that; `is_real` isn't asked.

    `whose` and `source` are for the page that lists the rules. `example` is a text in which `{a20}` stands
    for 20 letters and digits made up at run time (see tests/made.py), `clean` one that is none.
    """

    name: str
    whose: str
    anchors: tuple[bytes, ...]
    regex: str | bytes
    is_real: Judge
    ignores_case: bool = False
    is_one_word: bool = False
    begins_word: bool = False
    is_label: bool = False
    inner: frozenset[bytes] = frozenset()
    needs: bytes = b""
    back: int = 0
    decode: Decode | None = None
    source: str = ""
    example: str = ""
    clean: str = ""

    @cached_property
    def pattern(self) -> re.Pattern[bytes]:
        """Compiled at the first use: most rules are never tried."""
        regex = self.regex if isinstance(self.regex, bytes) else self.regex.encode()
        return re.compile(regex, re.IGNORECASE if self.ignores_case else re.NOFLAG)


def prefixed(
    name: str, whose: str, prefixes: str, body: str, source: str = "", is_real: Judge = shape.is_token
) -> Rule:
    """A token that begins with a prefix of its vendor's; `body` matches the rest."""
    words = "|".join(re.escape(p) for p in prefixes.split())
    regex = f"(?<![A-Za-z0-9])(?:{words}){body}"
    return Rule(
        name, whose, anchors_of(prefixes), regex, is_real, is_one_word=True, begins_word=True, source=source
    )


def token(
    name: str,
    whose: str,
    anchors: str,
    regex: str,
    example: str,
    clean: str,
    is_real: Judge = shape.is_token,
    back: int = 0,
    decode: Decode | None = None,
) -> Rule:
    """A secret without white space, recognised by something within or before it.

    It has so many parameters because a call is a row of a table, and each is one of its columns.
    """
    return Rule(
        name,
        whose,
        anchors_of(anchors),
        regex,
        is_real,
        is_one_word=True,
        begins_word=regex.startswith("(?<![A-Za-z0-9") and not back,
        back=back,
        decode=decode,
        example=example,
        clean=clean,
    )


def text(
    name: str,
    whose: str,
    anchors: tuple[str, ...],
    regex: str | bytes,
    is_real: Judge,
    example: str,
    clean: str,
    *,
    ignores_case: bool = False,
    back: int = 0,
    needs: str = "",
) -> Rule:
    """A secret that is recognised by the text around it, across white space and lines.

    It has so many parameters because a call is a row of a table, and each is one of its columns.
    """
    lowered = tuple(a.encode().lower() for a in anchors)
    return Rule(
        name,
        whose,
        lowered,
        regex,
        is_real,
        ignores_case,
        needs=needs.encode(),
        back=back,
        example=example,
        clean=clean,
    )


def anchors_of(words: str) -> tuple[bytes, ...]:
    return tuple(words.encode().split())
