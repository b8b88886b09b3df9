"""Judges that read what a value says: a pair in base64, the digits of a card, the words of a seed."""

from __future__ import annotations

import base64
import binascii
import re

from ctxrepo.domain.secrets.shape.letters import is_gibberish
from ctxrepo.domain.secrets.shape.placeholder import ORDER, has_both, stands_for_one
from ctxrepo.domain.secrets.shape.shape import URL_WORDS, is_documented, value_of
from ctxrepo.lazy import lazy_pattern


def is_pair(match: re.Match[bytes]) -> bool:
    """Base64 that says `user:password`."""
    value = match[match.lastindex or 0]
    try:
        plain = base64.b64decode(value + b"=" * (-len(value) % 4), validate=True)
    except (binascii.Error, ValueError):
        return False
    user, colon, password = plain.partition(b":")
    return bool(
        colon and user and len(password) > 3 and plain.isascii() and plain.decode().isprintable()
    ) and (not is_documented(match) and password.lower() not in URL_WORDS and password != user)


def is_card(match: re.Match[bytes]) -> bool:
    """Whether the digits of a card's number add up as Luhn's do; the numbers for tests don't count."""
    digits = [int(d) for d in match[match.lastindex or 0].decode("ascii", "ignore") if d.isdigit()]
    if not 13 <= len(digits) <= 19 or len(set(digits)) < 5:
        return False
    doubled = [sum(divmod(2 * d, 10)) for d in digits[-2::-2]]
    return (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0


def is_pin(match: re.Match[bytes]) -> bool:
    value = value_of(match)
    return not ORDER.match(value) and (len(value) > 3 or match[0][:1] in b"cC")


def is_app_password(match: re.Match[bytes]) -> bool:
    """Groups of letters that make no words."""
    value = match[0] if match.lastindex is None or len(match[match.lastindex]) < 4 else match[match.lastindex]
    groups = value.replace(b"-", b" ").split(b" ")
    if len(groups) > 4:
        return sum(has_both(group) for group in groups) >= 3
    return has_both(value) or is_gibberish(value)


_SAID = lazy_pattern(
    rb"[^\r\n:=]{0,50}?(?:[:=>\x9a]|(?<![a-z])(?:is|was|now|ist|lautet|est|es|era|\xc3\xa9|\xc3\xa8|to"
    rb"|jest|je|er|is|var)(?=[ ])|(?=[ ]?[\"']))"
    rb"[ \t\"'*]{0,6}(?:\xc2\xab|\xc2\xa0|\xe2\x80[\x98-\x9f\xaf]|\xe3\x80[\x80\x8c\x8e]|[ ])*"
    rb"([A-Za-z][a-z]{2,11}([ ._-])[A-Za-z]?[a-z]{2,11}(?:\2[A-Za-z]?[a-z]{2,11}){2,9}[0-9]{0,4})(?![\w-]"
    rb"|[ ][\w]|[._/(]\w)"
)
_JOINED = lazy_pattern(
    rb"[ ]([a-z]{3,11}([._-])[a-z]{3,11}(?:\2[a-z]{3,11}){2,9}[0-9]{0,4})(?![\w-]|[._/(]\w)"
)


def is_said_phrase(data: bytes, at: int) -> tuple[int, int] | None:
    """Where the pass phrase is that follows there: four words or more, and none of those that a name or a
    sentence has."""
    match = _SAID.match(data, at, at + 240) or _JOINED.match(data, at, at + 240)
    if not match:
        return None
    words = set(re.split(rb"[ ._-]", match[1].lower().rstrip(b"0123456789")))
    if len(words) < 4 or words & _ORDINARY or len(b"".join(words)) < 16:
        return None
    return match.span(1)


def is_phrase(match: re.Match[bytes]) -> bool:
    """Twelve or more words in a row, and none of those that every sentence has: the seed of a wallet."""
    words = re.sub(rb"[^a-z\x80-\xff]+", b" ", match[match.lastindex or 0].lower()).split()
    return len(words) >= 12 and len(set(words)) >= 9 and not _COMMON.intersection(words)


_COMMON = frozenset(
    b"the and of to in is it for on with as are be by or an a at from was your we words were has its been"
    b" der die das und ist le la les et de des un une el los las y en que een het".split()
)

_ORDINARY = _COMMON | frozenset(
    b"password passwords passphrase secret secrets token tokens key keys user users name names file files"
    b" path prod production"
    b" test tests data database app apps api service services my here env local config default client"
    b" server auth login"
    b" reset link see when used uses must should vault value values string required optional not can will"
    b" that this you have"
    b" field form input text type new old current confirm change strength store stored manager policy hash"
    b" hashed hashing"
    b" encrypted plain grant flow account admin root email one two all any each only then than more before"
    b" after if else use"
    b" set get via without which does been per least same first last long letters words characters digits"
    b" please enter ask"
    b" our their his her who how why where what but also may might could would just like into over under"
    b" about access"
    b" pas sur par pour dans avec que qui mit von auf bei nur oder sich wird wurde werden nicht kein eine"
    b" einen"
    b" con por sin para non per che una como staging dev cluster node host demo none true false null".split()
)


def is_codes(match: re.Match[bytes]) -> bool:
    """Whether there are two groups or more of digits, or of letters and digits."""
    if _DASHED.match(match[match.lastindex or 0]):
        return True
    groups = re.findall(rb"[A-Za-z0-9]{4,10}", match[match.lastindex or 0])
    coded = [g for g in groups if any(48 <= c <= 57 for c in g) or is_gibberish(g)]
    return len(coded) >= 2 and len(coded) * 3 >= len(groups) * 2 and len(set(groups)) > 1


def is_bytes(match: re.Match[bytes]) -> bool:
    """Numbers of which none is above 255, in all sizes and no order: no table of a program has that."""
    numbers = [int(n) for n in re.findall(rb"[0-9]+", match[match.lastindex or 0])]
    return max(numbers) < 256 and len(set(numbers)) > 44 and sum(n > 127 for n in numbers) > 16


def is_noise(match: re.Match[bytes]) -> bool:
    """What changes between letters, digits and brackets as no program does."""
    value = match[match.lastindex or 0].rstrip(b",.;")
    kinds = value.translate(_KINDS)
    return (
        _BRACKET.search(value) is not None
        and {*kinds} >= {*b"aA0!"}
        and len(_TURN.findall(kinds)) * 2 >= len(kinds)
        and not stands_for_one(value)
        and not _NESTED.search(value)
    )


_BRACKET = lazy_pattern(rb"[()\[\]{}<>;|]")
_KINDS = bytes(
    ord("a") if 97 <= c <= 122 else ord("A") if 65 <= c <= 90 else ord("0") if 48 <= c <= 57 else ord("!")
    for c in range(256)
)
_TURN = lazy_pattern(rb"(.)(?!\1)(?=.)")
_NESTED = lazy_pattern(rb"\(\)|\[\]|\{\}|\$|\\|[a-z_]{4,}[(\[]")
_DASHED = lazy_pattern(rb"(?=[a-z-]*[0-9])([a-z0-9]{4,6})(?:-[a-z0-9]{4,6}){2,5}(?![\w-])")


def is_key_body(match: re.Match[bytes]) -> bool:
    """Whether base64 follows the header, and not the next word of a sentence."""
    first = value_of(match).split()[0]
    return has_both(first) or not (first.islower() or first.isupper())


def is_manifest(match: re.Match[bytes]) -> bool:
    """Whether one of the values below `data:` is base64 or text that could be a secret."""
    for line in match[match.lastindex or 0].splitlines():
        value = line.partition(b":")[2].strip(b" \"'")
        if len(value) >= 8 and not stands_for_one(value) and (has_both(value) or value.lower() != value):
            return True
    return False


def text_in_base64(match: re.Match[bytes]) -> bytes:
    """The text that base64 stands for, its first 12 KiB; b"" where it stands for none."""
    value = match[0][:16384].rstrip(b"=")
    try:
        plain = base64.b64decode(value[: len(value) // 4 * 4], validate=True)
        plain.decode("utf-8", "strict") if len(value) < 16384 else None
    except (binascii.Error, ValueError):
        return b""
    return plain
