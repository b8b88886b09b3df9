"""Judges of a value by itself: how much it looks like a secret, and what it encodes."""

import base64
import binascii
import re
from enum import IntEnum

from ctxrepo.domain.secrets.shape.placeholder import (
    ORDER,
    TOKEN_FILLER,
    WEAK,
    has_both,
    is_gibberish,
    is_keychains,
    is_mixture,
    is_strong,
    is_words_with_number,
    stands_for_one,
    words_of,
)
from ctxrepo.domain.secrets.shape.shape import URL_WORDS, is_documented, is_place, is_spoken, value_of
from ctxrepo.domain.secrets.words import PATTERNS, WORDS
from ctxrepo.lazy import lazy_pattern


class Grade(IntEnum):
    """What a value looks like; the higher the grade, the farther away its label may stand."""

    NONE = 0
    NUMBER = 1
    """Three to eight digits in no order: a PIN."""
    LIKELY = 2
    """A mixture of characters that is a password where one is expected."""
    CHOSEN = 3
    """A mixture with signs, which only a person who makes a password writes."""
    UUID = 4
    RANDOM = 5
    """Random characters, which only a machine makes."""


_JUDGED = 96
_NEAR_A_CARD = 120
"""Bytes before and after the code of a card in which its number is looked for."""
_UUID = lazy_pattern(rb"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?::fx)?\Z", re.IGNORECASE)
_DATED_ID = lazy_pattern(rb"(?:ses|msg|prt)_[0-9a-f]{12}[0-9A-Za-z]{14}\Z")
"""The id of an agent's session, message or part, which begins with its time; a tape has one on each line."""
_HEX = lazy_pattern(rb"(?:0x)?(?:[0-9a-f]{32,}|[0-9A-F]{32,})\Z")
_SHORT_HEX = lazy_pattern(rb"[0-9a-f]+\Z")
_NUMBER = lazy_pattern(rb"[0-9]{3,8}\Z")
_ELSEWHERE = lazy_pattern(PATTERNS["elsewhere"])
_CHANGE = lazy_pattern(PATTERNS["change"])
_SIGN = lazy_pattern(rb"(?<=\w)[!#%*^$?@&+](?=\w|\Z)")
_CRYPT = lazy_pattern(rb"\$(?:1|5|6|7|8|9|y|gy)\$[\w./$*=,+-]{12,}")
_NAMED_HASH = lazy_pattern(rb"(?:[a-z]{2,16}[-_.]){2,5}[0-9a-f]{12,64}\Z")
# How the base64 of a public key or a certificate begins: its algorithm comes first.
_PUBLIC_KEY = lazy_pattern(PATTERNS["public-key"])
_SEQUENCE = lazy_pattern(rb"a1b2c3|abc123|deadbeef|0123456|abcdef|123abc")
_ATTRIBUTE = lazy_pattern(rb"[$A-Za-z_]\w*(?:\.[$A-Za-z_]\w*)*\.[A-Za-z_]{4,}\Z")
_FILE = lazy_pattern(PATTERNS["file"])
"""File names such as `jwt-keys.enc.yaml`, which hold secrets and are none."""
_CALL = lazy_pattern(rb"[\w.$]+[(\[{]")


def graded(value: bytes) -> Grade:
    """The grade of a value by itself."""
    value = value[:_JUDGED]
    lowered = value.lower()
    if _NUMBER.match(value):
        return Grade.NONE if ORDER.match(value) or len(set(value)) < 2 else Grade.NUMBER
    if _CRYPT.match(value):
        return Grade.RANDOM
    if (
        len(value) < 6
        or _SEQUENCE.search(lowered)
        or stands_for_one(value)
        or TOKEN_FILLER.search(lowered)
        or WEAK.match(lowered)
    ):
        return Grade.NONE
    if _PUBLIC_KEY.match(value):
        return Grade.NONE
    if _UUID.match(value) or _DATED_ID.match(value):
        return Grade.UUID
    if _HEX.match(value):
        return Grade.RANDOM if len(set(lowered)) > 7 else Grade.NONE
    if _ATTRIBUTE.match(value) and words_of(value.rpartition(b".")[2]) == 1:
        return Grade.NONE
    if _ELSEWHERE.match(value) or _FILE.match(value) or _CALL.match(value) or is_place(value):
        return Grade.NONE
    if _is_random(value) and not _NAMED_HASH.match(value):
        return Grade.RANDOM
    if not is_strong(value):
        return Grade.NONE
    return Grade.CHOSEN if _is_chosen(value) or is_words_with_number(value) else Grade.LIKELY


def _is_random(value: bytes) -> bool:
    if len(value) < 16 or (len(value) < 32 and _SHORT_HEX.match(value)):
        return False
    if is_keychains(value):
        return True
    if is_gibberish(value):
        return not value.isalpha() or value.isupper() or value.islower()
    return has_both(value) and not words_of(value) and len(_CHANGE.findall(value)) >= max(5, len(value) // 6)


def _is_chosen(value: bytes) -> bool:
    if len(value) < 8 or not has_both(value) or not is_mixture(value):
        return False
    digits = sum(48 <= c <= 57 for c in value)
    return digits >= 2 and value.lower() != value and bool(_SIGN.search(value))


def is_chosen(match: re.Match[bytes]) -> bool:
    """Whether the value can only be a password."""
    return graded(match[match.lastindex or 0]) >= Grade.CHOSEN


def is_flags(match: re.Match[bytes]) -> bool:
    """Whether the value of a one-letter flag is a password; where a user is named, weaker ones count."""
    value = match[match.lastindex or 0]
    grade = graded(value)
    start = max(0, match.start() - 300)
    start = max(start, match.string.rfind(b"\n", start, match.start()) + 1)
    if grade is Grade.NONE or _GIT.match(value) or (b"/" in value and b":" in value):
        return False
    end = match.string.find(b"\n", match.end(), match.end() + 60)
    if _USER.search(match.string, start, end if end >= 0 else match.end() + 60):
        return grade >= Grade.LIKELY
    return grade in (Grade.CHOSEN, Grade.RANDOM) and b"/" not in value and b":" not in value


_GIT = lazy_pattern(rb"[0-9a-f]{40}\Z|[0-9a-f]{64}\Z")
_USER = lazy_pattern(rb"[ ](?:-(?:u|U|l|user|username|au|ru|S|D)|/u|/ru|--user(?:name)?|--apple-id)[ :=]")


def is_typed(match: re.Match[bytes]) -> bool:
    """Whether a text typed at a password prompt is a password, and no address, path or number."""
    value = match[match.lastindex or 0].rstrip(b".,:;)")
    return graded(value) >= Grade.LIKELY and not _WORDS_OR_HEX.match(value) and not _ADDRESS.search(value)


def is_chosen_word(match: re.Match[bytes]) -> bool:
    """Whether only the owner of a password would write this word, and it is no option."""
    value = match[match.lastindex or 0]
    if value[:1] in b"-/.~@" or b"=" in value[:24]:
        return False
    grade = graded(value)
    return grade is Grade.CHOSEN or (
        grade is Grade.RANDOM and len(value) <= 32 and not _WORDS_OR_HEX.match(value)
    )


def is_chosen_or_spoken(match: re.Match[bytes]) -> bool:
    return is_spoken(match) or is_chosen(match)


def is_address_part(match: re.Match[bytes]) -> bool:
    """Whether a part of an address is a key: a UUID, or a frequent change of letters and digits."""
    value = match[match.lastindex or 0]
    if graded(value) >= Grade.UUID:
        return True
    return (
        has_both(value)
        and not words_of(value)
        and not stands_for_one(value)
        and len(_CHANGE.findall(value)) >= 3
        and (value.lower() != value or bool(_SHORT_HEX.match(value)))
    )


_ADDRESS = lazy_pattern(rb"^\w+=|[/\\\[({]|@[^@]*\.")


_WORDS_OR_HEX = lazy_pattern(rb"[0-9a-f-]+\Z|[A-Za-z0-9+/]{40,}={0,2}\Z|[\w.-]+[0-9]\.[0-9]")


def is_pair(match: re.Match[bytes]) -> bool:
    """Whether base64 decodes to `user:password`."""
    value = match[match.lastindex or 0]
    try:
        plain = base64.b64decode(value + b"=" * (-len(value) % 4), validate=True)
    except (binascii.Error, ValueError):
        return False
    user, colon, password = plain.partition(b":")
    return bool(
        colon and user and len(password) > 3 and plain.isascii() and plain.decode().isprintable()
    ) and (not is_documented(match) and password.lower() not in URL_WORDS and password != user)


_TEST_CARDS = frozenset(WORDS["test-cards"].encode().split())
_TEST_CARD = lazy_pattern(PATTERNS["test-card"], re.VERBOSE)
_CARD = lazy_pattern(rb"(?<![0-9])[0-9](?:[ -]?[0-9]){12,18}(?![0-9])")


def is_test_card(digits: bytes) -> bool:
    """Whether it is the number of a card that pays nowhere."""
    return digits in _TEST_CARDS or len(set(digits)) < 5


def is_of_test_card(lowered: bytes, start: int, end: int) -> bool:
    """Whether the line around a card's code is about a card for tests, and about no other one."""
    begin = lowered.rfind(b"\n", max(0, start - _NEAR_A_CARD), start) + 1
    stop = lowered.find(b"\n", end, end + _NEAR_A_CARD)
    line = lowered[max(begin, start - _NEAR_A_CARD) : stop if stop >= 0 else end + _NEAR_A_CARD]
    numbers = [re.sub(rb"[ -]", b"", number) for number in _CARD.findall(line)]
    return all(map(is_test_card, numbers)) and bool(numbers or _TEST_CARD.search(line))


def is_card(match: re.Match[bytes]) -> bool:
    """Whether a card number has the right check digit (Luhn); numbers for tests don't count."""
    digits = [int(d) for d in match[match.lastindex or 0].decode("ascii", "ignore") if d.isdigit()]
    if not 13 <= len(digits) <= 19 or is_test_card(bytes(48 + digit for digit in digits)):
        return False
    doubled = [sum(divmod(2 * d, 10)) for d in digits[-2::-2]]
    return (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0


def is_pin(match: re.Match[bytes]) -> bool:
    value = value_of(match)
    return not ORDER.match(value) and (len(value) > 3 or match[0][:1] in b"cC")


def is_app_password(match: re.Match[bytes]) -> bool:
    """Whether groups of letters are no words."""
    value = match[0] if match.lastindex is None or len(match[match.lastindex]) < 4 else match[match.lastindex]
    groups = value.replace(b"-", b" ").split(b" ")
    if len(groups) > 4:
        return sum(has_both(group) for group in groups) >= 3
    return has_both(value) or is_gibberish(value)


_SAID = lazy_pattern(PATTERNS["said"])
_JOINED = lazy_pattern(PATTERNS["joined"])


def is_said_phrase(data: bytes, at: int) -> tuple[int, int] | None:
    """The span of a pass phrase after this position: four words or more, none common in sentences."""
    match = _SAID.match(data, at, at + 240) or _JOINED.match(data, at, at + 240)
    if not match:
        return None
    words = set(re.split(rb"[ ._-]", match[1].lower().rstrip(b"0123456789")))
    if len(words) < 4 or words & _ORDINARY or len(b"".join(words)) < 16:
        return None
    return match.span(1)


def is_phrase(match: re.Match[bytes]) -> bool:
    """Whether twelve or more words in a row are a wallet's seed: none of them is common in sentences."""
    words = re.sub(rb"[^a-z\x80-\xff]+", b" ", match[match.lastindex or 0].lower()).split()
    return len(words) >= 12 and len(set(words)) >= 9 and not _COMMON.intersection(words)


_COMMON = frozenset(WORDS["common"].encode().split())
_ORDINARY = _COMMON | frozenset(WORDS["ordinary"].encode().split())


def is_codes(match: re.Match[bytes]) -> bool:
    """Whether there are two groups or more of digits, or of letters and digits."""
    if _DASHED.match(match[match.lastindex or 0]):
        return True
    groups = re.findall(rb"[A-Za-z0-9]{4,10}", match[match.lastindex or 0])
    coded = [g for g in groups if any(48 <= c <= 57 for c in g) or is_gibberish(g)]
    return len(coded) >= 2 and len(coded) * 3 >= len(groups) * 2 and len(set(groups)) > 1


def is_bytes(match: re.Match[bytes]) -> bool:
    """Whether a list of numbers is a key's bytes: none above 255, of all sizes and in no order."""
    numbers = [int(n) for n in re.findall(rb"[0-9]+", match[match.lastindex or 0])]
    return max(numbers) < 256 and len(set(numbers)) > 44 and sum(n > 127 for n in numbers) > 16


def is_noise(match: re.Match[bytes]) -> bool:
    """Whether letters, digits and brackets alternate as in no program."""
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
_NESTED = lazy_pattern(rb"\(\)|\[\]|\{\}|\$|\\|[a-z_]{4}[(\[]")
_DASHED = lazy_pattern(rb"(?=[a-z-]*[0-9])([a-z0-9]{4,6})(?:-[a-z0-9]{4,6}){2,5}(?![\w-])")


def is_key_body(match: re.Match[bytes]) -> bool:
    """Whether base64 follows a header, rather than a sentence."""
    first = next(iter(value_of(match).split()), b"")
    return bool(first) and (has_both(first) or not (first.islower() or first.isupper()))


def is_manifest(match: re.Match[bytes]) -> bool:
    """Whether a value below `data:` is base64, or text that could be a secret."""
    for line in match[match.lastindex or 0].splitlines():
        value = line.partition(b":")[2].strip(b" \"'")
        if len(value) >= 8 and not stands_for_one(value) and (has_both(value) or value.lower() != value):
            return True
    return False


def text_in_base64(match: re.Match[bytes]) -> bytes:
    """The text that base64 decodes to, its first 12 KiB; b"" if it decodes to none."""
    value = match[0][:16384].rstrip(b"=")
    try:
        plain = base64.b64decode(value[: len(value) // 4 * 4], validate=True)
        plain.decode("utf-8", "strict") if len(value) < 16384 else None
    except (binascii.Error, ValueError):
        return b""
    return plain
