"""The words around secrets, by what they say of one, and patterns of what stands there; whether such a word
stands by itself or is a part of another one, in whatever script."""

import re
import unicodedata

from ctxrepo.domain.formats.blocks import blocks_beside

WORDS = next(blocks_beside(__spec__, "secret.words")).fields

_NAME = re.compile(r"\{([a-z-]+)\}")


def _patterns() -> dict[str, bytes]:
    plain, verbose = blocks_beside(__spec__, "secret.patterns")
    patterns: dict[str, str] = {}
    for name, text in plain.fields.items():
        patterns[name] = _NAME.sub(lambda match: patterns[match[1]], text.replace("\n", ""))
    return {name: text.encode() for name, text in {**patterns, **verbose.fields}.items()}


PATTERNS = _patterns()
"""As bytes; those of the block `verbose` are for re.VERBOSE."""


def spellings_of(listed: str) -> set[bytes]:
    """Each word as it is, capital or not, its accents apart or not; letters of ASCII in lower case. A plus in
    the list stands for a blank."""
    words = [word.replace("+", " ") for word in listed.split()]
    cased = {spelled for word in words for spelled in (word, word.capitalize(), word.upper())}
    return {unicodedata.normalize(form, word).encode().lower() for word in cased for form in ("NFC", "NFD")}


_FIELDS = next(blocks_beside(__spec__, "edges.words")).fields
_PARTICLES, _CHINESE = (tuple(_FIELDS.pop(name).split()) for name in ("particles", "chinese"))
_HEADS = {word.encode(): tuple(head.encode() for head in heads.split()) for word, heads in _FIELDS.items()}
_SHORT = 2
"""Characters of a word of Korean that many others begin with."""

_MOST_BYTES = 32


def is_in_another(data: bytes, at: int, word: bytes) -> bool:
    """Whether `word`, which stands at `at`, is the end or the beginning of another word."""
    is_whole = not (word.isascii() and data[at + len(word) : at + len(word) + 1].isalpha())
    if is_whole and word in _HEADS and _goes_back(data, at, word):
        before = data[max(0, at - _MOST_BYTES) : at].lower()
        if not before.endswith(_HEADS[word]):
            return True
    return not word.isascii() and _goes_on(data, at + len(word), word.decode())


def label_at(data: bytes, at: int) -> bytes:
    """The word with edges of its own that a label at `at` is, b"" for another one."""
    return next((word for word in _HEADS if data[at : at + len(word)].lower() == word), b"")


def _goes_back(data: bytes, at: int, word: bytes) -> bool:
    if word.isascii():
        is_hump = data[at - 1 : at].islower() and data[at : at + 1].isupper()
        return data[max(0, at - 1) : at].isalpha() and not is_hump
    before = data[max(0, at - _MOST_BYTES) : at].decode("utf-8", "ignore")
    return _is_of(_script(word.decode()[:1]), before[-1:])


def _goes_on(data: bytes, end: int, word: str) -> bool:
    after, script = data[end : end + _MOST_BYTES].decode("utf-8", "ignore"), _script(word[:1])
    if script == "hangul":
        return len(word) <= _SHORT and _is_of(script, after[:1]) and not after.startswith(_PARTICLES)
    if script == "han":
        return after.startswith(_CHINESE)
    if script == "cyrillic":  # its endings have three letters at most
        return after[: _SHORT + 2].isalpha() and len(after) > _SHORT + 1
    return _is_of(script, after[:1])


_SCRIPTS = {"cyrillic": "Ѐӿ", "katakana": "ァヿ", "han": "一\u9fff", "hangul": "가힣"}
"""The first and the last character of each."""


def _script(char: str) -> str:
    return next((name for name in _SCRIPTS if _is_of(name, char)), "")


def _is_of(script: str, char: str) -> bool:
    ends = _SCRIPTS.get(script, "\uffff")
    return ends[:1] <= char <= ends[-1:]
