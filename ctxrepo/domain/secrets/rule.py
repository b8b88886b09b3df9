"""A rule: how one kind of secret is found, and told from what looks like it."""

import re
from collections.abc import Callable
from functools import cached_property

from ctxrepo.lazy import dataclass

SHORTEST_TOKEN = 16
"""In bytes; a rule for one word matches nothing shorter."""


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
    for 20 letters and digits made up at run time (see tests/made.py), `clean` one that is none."""

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
