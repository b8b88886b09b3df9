"""The words around secrets, by what they say of one, and patterns of what stands there."""

import re
import unicodedata

from ctxrepo.domain.formats.blocks import blocks_beside

WORDS = next(blocks_beside(__spec__, "secret.words")).fields

_NAME = re.compile(r"\{([a-z-]+)\}")


def _patterns() -> dict[str, bytes]:
    plain, verbose = blocks_beside(__spec__, "secret.patterns")
    found: dict[str, str] = {}
    for name, text in plain.fields.items():
        found[name] = _NAME.sub(lambda match: found[match[1]], text.replace("\n", ""))
    return {name: text.encode() for name, text in {**found, **verbose.fields}.items()}


PATTERNS = _patterns()
"""As bytes; those of the block `verbose` are for re.VERBOSE."""


def _spellings(word: str) -> set[bytes]:
    """A word as it is, capital or not, its accents apart or not; letters of ASCII in lower case."""
    cased = {word, word.capitalize(), word.upper()}
    formed = {unicodedata.normalize(form, w) for w in cased for form in ("NFC", "NFD")}
    return {w.encode().lower() for w in formed}


def spellings_of(listed: str) -> set[bytes]:
    return {spelling for word in listed.split() for spelling in _spellings(word.replace("+", " "))}
