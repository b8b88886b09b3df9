"""How much like a secret a value looks by itself, before anybody asks what stands beside it."""

from __future__ import annotations

import re
from enum import IntEnum

from ctxrepo.domain.secrets.shape.letters import is_gibberish
from ctxrepo.domain.secrets.shape.placeholder import (
    ORDER,
    TOKEN_FILLER,
    WEAK,
    has_both,
    is_keychains,
    is_mixture,
    is_strong,
    is_words_with_number,
    stands_for_one,
    words_of,
)
from ctxrepo.domain.secrets.shape.shape import is_spoken
from ctxrepo.lazy import lazy_pattern


class Grade(IntEnum):
    """What a value may be; the higher, the farther its label may stand."""

    NONE = 0
    NUMBER = 1
    """Three to eight digits in no order: a PIN."""
    LIKELY = 2
    """A mixture that is a password where one is expected."""
    CHOSEN = 3
    """A mixture with signs, as people make passwords and nobody writes anything else."""
    UUID = 4
    RANDOM = 5
    """What only a machine makes."""


_JUDGED = 96
_UUID = lazy_pattern(rb"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?::fx)?\Z", re.IGNORECASE)
_DATED_ID = lazy_pattern(rb"(?:ses|msg|prt)_[0-9a-f]{12}[0-9A-Za-z]{14}\Z")
"""The id of an agent's session, message or part, which begins with its time; a tape has one on each line."""
_HEX = lazy_pattern(rb"(?:0x)?(?:[0-9a-f]{32,}|[0-9A-F]{32,})\Z")
_SHORT_HEX = lazy_pattern(rb"[0-9a-f]+\Z")
_NUMBER = lazy_pattern(rb"[0-9]{3,8}\Z")
_ELSEWHERE = lazy_pattern(
    rb"!?\[[^\]]{0,60}\]\(|\w{2,12}://|[\w.+-]+@[\w-]+\.[\w.]+\Z|(?:/[\w.-]+){2,}/?\Z|[\w-]+(?:\.[\w-]+)+(?:/|:[0-9])"
)
_CHANGE = lazy_pattern(
    rb"(?<=[A-Za-z])(?=[0-9])|(?<=[0-9])(?=[A-Za-z])|(?<=[a-z])(?=[A-Z])|(?<=[A-Z]{2})(?=[a-z])"
)
_SIGN = lazy_pattern(rb"(?<=\w)[!#%*^$?@&+](?=\w|\Z)")
_CRYPT = lazy_pattern(rb"\$(?:1|5|6|7|8|9|y|gy)\$[\w./$*=,+-]{12,}")
_NAMED_HASH = lazy_pattern(rb"(?:[a-z]{2,16}[-_.]){2,5}[0-9a-f]{12,64}\Z")
# How the base64 of a public key or a certificate begins: its algorithm comes first.
_PUBLIC_KEY = lazy_pattern(
    rb"MII[A-Z][A-Za-z0-9+/]{2}CC|MFkwEwYH|MCowBQYD|MII[BC]I[jD]AN|MIGfMA0G|MIIBCgKC|MHYwEAYH"
)
_SEQUENCE = lazy_pattern(rb"a1b2c3|abc123|deadbeef|0123456|abcdef|123abc")
_ATTRIBUTE = lazy_pattern(rb"[$A-Za-z_]\w*(?:\.[$A-Za-z_]\w*)*\.[A-Za-z_]{4,}\Z")
_FILE = lazy_pattern(
    rb"[a-z][a-z_.-]*\.(?:ya?ml|json|toml|ini|conf|cfg|env|txt|md|sh|py|js|ts|go|rs|tf|hcl|xml|csv|sql|gpg|age"
    rb"|pem|crt|key|pub|enc|asc|jks|tmpl|tpl|zip|tar|gz)\Z"
)
"""`jwt-keys.enc.yaml`: where secrets are kept, and none itself."""
_CALL = lazy_pattern(rb"[\w.$]+[(\[{]")


def graded(value: bytes) -> Grade:
    """What it may be, at first sight."""
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
    if _ELSEWHERE.match(value) or _FILE.match(value) or _CALL.match(value):
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
    """Whether nothing but a password looks so."""
    return graded(match[match.lastindex or 0]) >= Grade.CHOSEN


def is_flags(match: re.Match[bytes]) -> bool:
    """What a flag of one letter gives: where the line names a user too, anything that is a password
    somewhere."""
    value = match[match.lastindex or 0]
    grade = graded(value)
    start = max(0, match.start() - 300, match.string.rfind(b"\n", 0, match.start()) + 1)
    if grade is Grade.NONE or _GIT.match(value) or (b"/" in value and b":" in value):
        return False
    if _USER.search(match.string, start, match.end() + 60):
        return grade >= Grade.LIKELY
    return grade in (Grade.CHOSEN, Grade.RANDOM) and b"/" not in value and b":" not in value


_GIT = lazy_pattern(rb"[0-9a-f]{40}\Z|[0-9a-f]{64}\Z")
_USER = lazy_pattern(rb"[ ](?:-(?:u|U|l|user|username|au|ru|S|D)|/u|/ru|--user(?:name)?|--apple-id)[ :=]")


def is_typed(match: re.Match[bytes]) -> bool:
    """What stands where a prompt is given a password: no address, no path and no number."""
    value = match[match.lastindex or 0].rstrip(b".,:;)")
    return graded(value) >= Grade.LIKELY and not _WORDS_OR_HEX.match(value) and not _ADDRESS.search(value)


def is_chosen_word(match: re.Match[bytes]) -> bool:
    """What nobody but the owner of a password writes, and no option."""
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
    """What nobody calls a page or a thing: a UUID, or what changes often between letters and digits."""
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


_ADDRESS = lazy_pattern(rb"^\w+=|[/\\\[({]|@.*\.")


def is_line(match: re.Match[bytes]) -> bool:
    """`user:password` as a line of its own."""
    value = match[match.lastindex or 0]
    return graded(value) >= Grade.LIKELY and not _WORDS_OR_HEX.match(value)


_WORDS_OR_HEX = lazy_pattern(rb"[0-9a-f-]+\Z|[A-Za-z0-9+/]{40,}={0,2}\Z|[\w.-]+[0-9]\.[0-9]")
