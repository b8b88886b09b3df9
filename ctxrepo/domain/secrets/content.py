"""Judges that read what a value says: a pair in base64, the digits of a card, the words of a seed."""

from __future__ import annotations

import base64
import binascii
import re

from ctxrepo.domain.secrets.placeholder import ORDER, has_both, stands_for_one
from ctxrepo.domain.secrets.shape import URL_WORDS, is_documented, value_of


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
    """Sixteen letters or so that make no words: consonants stand together in them."""
    value = match[match.lastindex or 0]
    return (
        has_both(value)
        or len(re.findall(rb"[bcdfghjklmnpqrstvwxz]{3}", value.replace(b" ", b"").lower())) > 0
    )


def is_phrase(match: re.Match[bytes]) -> bool:
    """Twelve or more words in a row, and none of those that every sentence has: the seed of a wallet."""
    words = re.sub(rb"[^a-z\x80-\xff]+", b" ", match[match.lastindex or 0].lower()).split()
    return len(words) >= 12 and len(set(words)) >= 10 and not _COMMON.intersection(words)


_COMMON = frozenset(
    b"the and of to in is it for on with as are be by or an a at from that this was not you your we words"
    b" word der die das und ist le la les et de des un une el los las y en que een het".split()
)


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
