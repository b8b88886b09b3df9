"""Finding words for secrets, in any language, and the kind of secret that each announces."""

from __future__ import annotations

from ctxrepo.domain.secrets.tables.labels import (
    ANNOUNCE_CODES,
    ANNOUNCE_KEYS,
    ANNOUNCE_WORDS,
    PLACES,
    spellings_of,
)
from ctxrepo.lazy import dataclass, lazy_pattern

PASSWORD, KEY, CODE = "password", "secret", "pin"

STEMS: dict[bytes, str] = {
    **dict.fromkeys(spellings_of(ANNOUNCE_CODES), CODE),
    **dict.fromkeys(spellings_of(ANNOUNCE_KEYS), KEY),
    **dict.fromkeys(spellings_of(ANNOUNCE_WORDS), PASSWORD),
}
"""Stems of words for secrets, in lower case, and the kind of secret that they announce."""

INNER = frozenset(
    "pass pwd psk key secret token credential kennwort code community securestring schlüssel".encode().split()
) | {b"log in", b"sign in"}
"""Stems that may stand within a longer word."""

_GLUED = lazy_pattern(rb"[A-Za-z0-9\x80-\xff]{0,24}(?:[_.-][A-Za-z0-9]{1,20}){0,4}")
_BEFORE = lazy_pattern(rb"[A-Za-z0-9_.\x80-\xff-]{0,40}\Z")
_ABOUT = frozenset(
    b"name names url uri path file dir type kind hash hashes arn ref refs length len size count limit ttl"
    b" expiry"
    b" expires expiration expired version field header headers param prefix suffix endpoint digest"
    b" fingerprint"
    b" checksum format policy algorithm alg env var variable store manager provider source location scope"
    b" scopes"
    b" class usage budget rate bucket index pattern regex schema status holder label hint reset rules rule"
    b" strength min max minlength maxlength ids".split()
)
_ENDS = frozenset(
    b" s word words wort worts phrase phrases code codes wd es al als entials ential value string text"
    b" data plain"
    b" b64 base64 hex nummer number i e n en in".split(b" ")
)
_KEYED = lazy_pattern(
    rb"(?:[_.-]|\A|api|app|access|auth|private|secret|sign|signing|shared|master|pass|licen[sc]e|client"
    rb"|account|session"
    rb"|service|storage|deploy|machine|crypt|encrypt|local|psk|ssh|hmac|jwt|network|s|[0-9])\Z"
)


IS_PLACE = lazy_pattern(PLACES.encode())


_BY_HEAD: dict[bytes, list[bytes]] = {}
for _stem in STEMS:
    _BY_HEAD.setdefault(_stem[:3], []).append(_stem)


def places(lowered: bytes, words: set[bytes]) -> list[tuple[int, bytes]]:
    """The positions of stems in order; `words` are the words of the text."""
    stems = {stem for word in words for stem in _BY_HEAD.get(word[:3], ()) if word.startswith(stem)}
    stems |= {stem for word in words if len(word) == 2 for stem in _BY_HEAD.get(word, ())} | INNER
    if not lowered.isascii():
        stems |= {stem for stem in STEMS if not stem.isascii()}
    places_of_stems = []
    for stem in stems:
        at = lowered.find(stem)
        while at >= 0:
            places_of_stems.append((at, stem))
            at = lowered.find(stem, at + len(stem))
    return sorted(places_of_stems, key=lambda pair: (pair[0], -len(pair[1])))


@dataclass(frozen=True)
class SecretWord:
    """A word for a secret, with the rest of its name, as in `DB_PASSWORD_2`."""

    start: int
    end: int
    kind: str


def label_at(data: bytes, lowered: bytes, at: int, stem: bytes) -> SecretWord | None:
    """The whole word around a stem, if it names the secret itself and not something about it."""
    kind = STEMS[stem]
    match = _GLUED.match(lowered, at + len(stem))
    assert match
    glued, *more = match[0].replace(b"-", b"_").replace(b".", b"_").split(b"_")
    before = _BEFORE.search(lowered, max(0, at - 40), at)
    prefix = before[0] if before else b""
    if stem in INNER or stem.isascii():
        ends = glued.rstrip(b"0123456789")
        if stem in INNER and ends not in _ENDS and ends.isascii():
            return None
        if stem == b"key" and ends in (b"word", b"words"):
            return None
        if stem not in INNER and (
            (prefix[-1:].isalnum() if stem[:1].isdigit() else prefix[-1:].isalpha())
            or len(ends) > 5
            or (len(stem) < 4 and ends)
        ):
            return None
    if data.startswith(b"-----", at + len(stem)):  # The head of PEM, which has rules of its own.
        return None
    if kind == CODE and prefix[-1:].isalpha() and not IS_PLACE.search(prefix):
        return None
    if more and more[-1] in _ABOUT:
        return None
    if stem == b"key" and prefix[-1:].isalpha() and not _KEYED.search(prefix) and data[at : at + 1] != b"K":
        return None
    if stem[0] > 0xE2:  # Chinese, Japanese, Korean: no blank follows a word.
        return SecretWord(at - len(prefix), at + len(stem), kind)
    end = match.end() if not more or match[0][-1:] != b"-" else at + len(stem)
    return SecretWord(at - len(prefix), end, kind)
