"""Telling credentials from what stands in their place: placeholders, references, identifiers.

Each judge takes the match of a rule; the last group that took part in it may be the secret."""

import re

from ctxrepo.domain.secrets.shape.placeholder import (
    FULL_WIDTH,
    TOKEN_FILLER,
    WEAK,
    has_both,
    is_mixture,
    is_strong,
    may_be_secret,
    stands_for_one,
    words_of,
)
from ctxrepo.domain.secrets.words import PATTERNS, WORDS, is_in_another, label_at
from ctxrepo.lazy import lazy_pattern

_JUDGED_BYTES = 64
_DOCUMENTED = tuple(WORDS["documented"].encode().split())
"""Secrets that their vendors print as examples; those with EXAMPLE in them need no entry."""
_UUID = lazy_pattern(rb"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z")
_SENTENCE = lazy_pattern(rb"[A-Za-z]+(?:[-_.][A-Za-z]+)+\Z")
_LOCAL = lazy_pattern(rb"(?:localhost|127\.|\[::1\]|[A-Za-z0-9_-]+(?:[:/\s]|\Z)|([A-Za-z0-9-]+\.)*example\.)")
_CODE = lazy_pattern(rb"[A-Za-z_$][\w$]*(?:(?:\.|->|::)[A-Za-z_$][\w$]*)*[(\[{]")
_RUN = lazy_pattern(rb"[^\s,;(){}\[\]|&]+")

URL_WORDS = frozenset(b"pass passw passwd password pwd secret token user username key pw".split())

ABOUT = frozenset(WORDS["about"].encode().split())
"""What a word says that is about a secret and doesn't hold it: `token_id`."""
_GLUED = frozenset(b"key keybase value string text data plain b64 base et en si nin".split()) | {b""}


def _either(name: str) -> str:
    """A pattern for any of the words of a list."""
    return "|".join(WORDS[name].split())


_OTHER_TOKENS = lazy_pattern(PATTERNS["other-tokens"])
_NAMED = lazy_pattern(rb"[a-z0-9]{2}[ _-]?\Z")
_LOGIN = lazy_pattern(rb"(?:api|auth|access|bearer|refresh|personal)[ _-]?\Z")
_NO_LOGIN = lazy_pattern(rb"(?:session|correlation|request|trace|cancel|client|device)[ _-]?\Z")
_KEYS = lazy_pattern(f"(?:{_either('opening-keys')})[ _.-]?\\Z".encode())
_OTHER_KEYS = lazy_pattern(f"(?:{_either('other-keys')})[ _.-]?\\Z".encode())
_SHOUTED = lazy_pattern(rb"[A-Z0-9]_\Z")


def is_token(match: re.Match[bytes]) -> bool:
    """Whether what follows a vendor's prefix is real; nearly everything is, apart from `xxxxx` and words with
    dashes."""
    value = value_of(match)
    return not (
        TOKEN_FILLER.search(value.lower())
        or is_documented(match)
        or _SENTENCE.match(value, min(8, len(value) // 3))
    )


def is_mixed(match: re.Match[bytes]) -> bool:
    value = value_of(match)
    return has_both(value) and not TOKEN_FILLER.search(value.lower())


def is_mixed_case(match: re.Match[bytes]) -> bool:
    """Whether it mixes small letters, capitals and digits in an order that no words have."""
    value = value_of(match)
    return is_random(match) and value.lower() != value and value.upper() != value


def is_random(match: re.Match[bytes]) -> bool:
    """Whether letters and digits are in an order that no words and no identifier have."""
    value = value_of(match)
    return may_be_secret(value) and not words_of(value) and not is_documented(match)


def is_password(match: re.Match[bytes]) -> bool:
    """Whether the value in a password's place is one, and not what a manual would print."""
    return is_strong(value_of(match))


def is_url_password(match: re.Match[bytes]) -> bool:
    """Whether `user:password@host` is a login, and not one of a document or of a developer's own machine."""
    user, password = match[0][3:].split(b":", 1)[0], value_of(match)
    if password.lower() in URL_WORDS or password == user or len(password) < 6:
        return False
    if stands_for_one(password) or WEAK.match(password.lower()):
        return False
    if words_of(password) or len(password) < 8:
        is_local = bool(_LOCAL.match(match.string, match.end() - 1))
        return is_mixture(password) and not is_local
    return True


def is_any(match: re.Match[bytes]) -> bool:
    """Whether it is no placeholder and no reference."""
    value = value_of(match)
    return len(value) > 3 and not stands_for_one(value) and not WEAK.match(value.lower())


def is_second(match: re.Match[bytes]) -> bool:
    """Whether the second part of `user / password` is a password, and no address or path."""
    value = value_of(match)
    return (
        b"/" not in value
        and not _SETTING.match(value)
        and b"://" not in match[0]
        and is_strong(value)
        and not _CODE.match(value)
    )


def is_spoken(match: re.Match[bytes]) -> bool:
    """Whether a value after a label without = or quotes is a secret: it must change often between letters and
    digits, or have signs."""
    value = value_of(match).rstrip(b"]}!?")
    if not is_strong(value) or not _PLAIN.match(value):
        return False
    if _HEX.match(value):
        return len(value) >= 32 and b" for " not in match[0] and not match[0].lower().startswith(b"pass")
    if re.search(
        rb"(?i)(?:key|cred\w*)\W{0,4}\Z", match.string[match.start() : match.start(1)]
    ) and not _KEYS.search(_before(match)):
        return False
    return _is_varied(value)


def is_assigned_varied(match: re.Match[bytes]) -> bool:
    """Whether a value is a secret after a label that mostly precedes other things: it must vary as well."""
    return is_assigned_password(match) and _is_varied(_assigned(match))


def _is_varied(value: bytes) -> bool:
    """Whether it changes often between letters, digits and cases, or has signs too."""
    changes = len(_CHANGE.findall(value))
    turns = changes + len(_TURN.findall(value))
    return changes > 2 or turns > 5 or (changes > 0 and any(c in b"!#$%^*@" for c in value))


_HEX = lazy_pattern(rb"[0-9a-f]+\Z")
_PLAIN = lazy_pattern(rb"[A-Za-z0-9!#$%^&*+/=@~?_-]+\Z")
_TURN = lazy_pattern(rb"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[a-z])")
_CHANGE = lazy_pattern(rb"(?<=[A-Za-z])(?=[0-9])|(?<=[0-9])(?=[A-Za-z])")


_WORDS_AND_NUMBER = lazy_pattern(rb"[a-z]{3,12}(?:-[a-z]{3,12}){2,8}[0-9]{2,4}\Z")
_PHRASE = lazy_pattern(rb"[a-z]{3,10}(?:[-_.][a-z]{3,10}){3,9}\Z")
_PUBLIC = lazy_pattern(rb"AC[0-9a-f]{32}\Z|pk[_.-]|pub|https?:")
_SETTING = lazy_pattern(rb"\w{1,40}=")


def is_any_hash(match: re.Match[bytes]) -> bool:
    """Whether it isn't filler: nothing but a secret has this form."""
    return not TOKEN_FILLER.search(value_of(match).lower())


def is_assigned_password(match: re.Match[bytes]) -> bool:
    """Whether an assigned value is a password: even `Summer2024rain` is, a name of several words isn't."""
    if not _is_the_thing(match):
        return False
    value = _assigned(match)
    if match["bare"] and _is_code(match):
        return False
    if _PHRASE.match(value) and b"phrase" in match[0][:12].lower():
        return not stands_for_one(value)
    if _WORDS_AND_NUMBER.match(value):
        return not stands_for_one(value)
    if len(value) < 12 or not has_both(value) or words_of(value) > 1:
        return is_strong(value)
    return may_be_secret(value) and not WEAK.match(value.lower())


def is_assigned_secret(match: re.Match[bytes]) -> bool:
    """Whether an assigned value is a secret: as for a password, but no id and no unquoted identifier is."""
    value, before = _assigned(match).lower(), _before(match)
    if _OTHER_TOKENS.search(before) or not _is_assigned(match):
        return False
    if _UUID.match(value):
        if match[0][:1] in b"sS" or _LOGIN.search(before):
            return True
        return bool(_NAMED.search(before) and not _NO_LOGIN.search(before))
    return True


def is_assigned_key(match: re.Match[bytes]) -> bool:
    """Whether an assigned value is a key: most keys belong to maps and tables, so only an API's or a cipher's
    count."""
    before = _before(match)
    if _KEYS.search(before):
        return _is_assigned(match)
    start = match.start()
    is_shouted = match[0].isupper() or _SHOUTED.search(match.string, max(0, start - 2), start)
    if not is_shouted or _OTHER_KEYS.search(before) or len(_assigned(match)) < 20:
        return False
    return _is_assigned(match) and not words_of(_assigned(match))


def is_vendors(match: re.Match[bytes]) -> bool:
    """Whether a value beside only a vendor's name is a secret: long, random, and no commit id."""
    value = _assigned(match)
    if len(value) < 20 or not _is_the_thing(match) or not may_be_secret(value) or words_of(value):
        return False
    if _PUBLIC.match(value):
        return False
    return _is_varied(value) and not (_HEX.match(value) and len(value) in (40, 64))


def is_foreign(match: re.Match[bytes]) -> bool:
    """Whether a value after a word for secret or key in another language than English is one."""
    value = _assigned(match)
    return (
        len(value) >= 12
        and _is_the_thing(match)
        and not _is_code(match)
        and may_be_secret(value)
        and not (words_of(value) or _UUID.match(value.lower()) or FULL_WIDTH.search(value))
    )


def _is_assigned(match: re.Match[bytes]) -> bool:
    """Whether the name is that of the secret itself, and the value is one."""
    value = _assigned(match)
    if len(value) < 12 or not has_both(value) or not _is_the_thing(match) or is_documented(match):
        return False
    if match["bare"] and _is_code(match):
        return False
    return (
        words_of(value) <= (1 if match["quote"] else 0)
        and may_be_secret(value)
        and not WEAK.match(value.lower())
    )


def _is_the_thing(match: re.Match[bytes]) -> bool:
    """Whether the name says `password` or `password_prod`, and not `compass`, `password_hash` or
    `passwordless`; a value that says where something is must stand behind `=`."""
    at, value_at = match.start(), match.start(match.lastindex or 0)
    if is_in_another(match.string, at, label_at(match.string, at)):
        return False
    if is_place(value_of(match)) and b"=" not in match.string[match.end("more") : value_at]:
        return False
    glued, *words = match["more"].lower().replace(b"-", b"_").replace(b".", b"_").split(b"_")
    return glued.rstrip(b"0123456789") in _GLUED and not (words and words[-1] in ABOUT)


_PLACE = lazy_pattern(PATTERNS["place"])


def is_place(value: bytes) -> bool:
    """Whether a value says where something is, and is no secret itself."""
    return bool(_PLACE.match(value))


def _assigned(match: re.Match[bytes]) -> bytes:
    """The value without the signs of code and markdown after it; a password may begin with such a sign."""
    value = value_of(match)
    run = _RUN.match(value) if match["bare"] else None
    return run[0] if run and len(run[0]) >= 6 else value


def _is_code(match: re.Match[bytes]) -> bool:
    """Whether the value is a call or a name of a program."""
    return bool(match["bare"] and _CODE.match(match["bare"][:_JUDGED_BYTES]))


def _before(match: re.Match[bytes]) -> bytes:
    """The beginning of the name that the match is the end of."""
    return match.string[max(0, match.start() - 16) : match.start()].lower()


def value_of(match: re.Match[bytes]) -> bytes:
    """The beginning of the possible secret: enough to judge it, and no more to read in hostile text."""
    start, end = match.span(match.lastindex or 0)
    return match.string[start : min(end, start + _JUDGED_BYTES)].rstrip(b".,:;*)")


def is_documented(match: re.Match[bytes]) -> bool:
    start, end = match.span()
    return any(match.string.find(sample, start, min(end, start + 8192)) >= 0 for sample in _DOCUMENTED)
