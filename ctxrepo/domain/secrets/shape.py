"""Telling a credential from what only stands in its place: a placeholder, a reference, an identifier.

Each judge takes the match of a rule, of which the last group that took part is what may be the secret.
"""

from __future__ import annotations

import re

_JUDGED_BYTES = 64

# What ignores case is asked of lower case, which is much faster than a pattern that ignores it.
_TOKEN_FILLER = re.compile(rb"x{5}|\*{3}|\.{3}|0{12}|your|placeholder|redacted|replace|insert")
_FILLER = re.compile(
    rb"x{4}|\*{3}|\.{3}|example|change[-_]?me|placeholder|dummy|fake|sample|your|redacted|insert|replace"
    rb"|foobar|todo|mock|not[-_]?real|(?<![a-z])tests?(?![a-z])"
)
_REFERENCE = re.compile(
    rb"\$[a-z_{($]|\$[0-9][a-z]?\$|%\w+%|[{<\[]|process\.env|os\.|env[.:(\[]|getenv|import\.meta|secrets?[.:/]"
    rb"|vault[:./]|!(?:vault|ref|sub|env|secret)|op://|arn:|urn:|file:|data:|https?://|ssm:|ref\+|projects/"
    rb"|sha[0-9]{1,3}[-:]|md5[-:]|(?:~|\.{1,2})?/[\w.-]+/|[0-9]{4}-[0-9]{2}-[0-9]{2}"
)
_UUID = re.compile(rb"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z")
# lower, Upper, camelCase or SHOUTED with a few digits after it; a number; 1password, 2nd.
_WORD = re.compile(
    rb"(?:(?:[A-Z]?[a-z]+(?:[A-Z][a-z]+)*|[A-Z]+)?[0-9]{0,4}|[0-9]{1,10}|[0-9]{1,3}[A-Za-z][a-z]{0,11}[0-9]{0,4})\Z"
)
_BETWEEN_WORDS = re.compile(rb"[-_./:@=+&?#,]+")
_SENTENCE = re.compile(rb"[A-Za-z]+(?:[-_.][A-Za-z]+)+\Z")
_LOCAL = re.compile(rb"(?:localhost|127\.|\[::1\]|[A-Za-z0-9_-]+(?:[:/\s]|\Z)|([A-Za-z0-9-]+\.)*example\.)")

_URL_WORDS = frozenset(b"pass passw passwd password pwd secret token user username key pw".split())

# `token_id`, `password-hash`, `secret_name` say something about a secret; they don't hold it.
_ABOUT = frozenset(
    b"id ids name names url uri path file dir type kind hash hashes arn ref refs length len size count limit"
    b" ttl expiry expires expiration expired version field header headers param prefix suffix endpoint digest"
    b" fingerprint checksum format policy algorithm alg env var variable store manager provider source"
    b" location scope scopes class usage budget rate bucket index pattern regex schema status holder"
    b" label".split()
)
_GLUED = frozenset({b"", b"key", b"keybase", b"value", b"string", b"text"})
_OTHER_TOKENS = re.compile(
    rb"(?:page|next|prev|continuation|cursor|sync|resume|csrf|xsrf|cancell?ation|design|public|stop|eos|bos|pad|mask"
    rb"|cls|sep|unk|max|min|per|idempotency)[ _-]?\Z"
    # One part of an address, such as an ARN or the key of a cache.
    rb"|:\Z"
)
_KEYS = re.compile(
    rb"(?:api|app|access|auth|private|secret|signing|encryption|master|account|service|shared|storage|webhook"
    rb"|subscription|hmac|jwt|session|license)[ _-]?\Z"
)


def is_token(match: re.Match[bytes]) -> bool:
    """After a vendor's own prefix nearly everything is real: but for `xxxxx` and words with dashes."""
    value = _value(match)
    return not _TOKEN_FILLER.search(value.lower()) and not _SENTENCE.match(value, min(8, len(value) // 3))


def is_mixed(match: re.Match[bytes]) -> bool:
    return _has_both(_value(match))


def is_random(match: re.Match[bytes]) -> bool:
    """Letters and digits in an order that no words and no identifier have."""
    value = _value(match)
    return _may_be_secret(value) and not _words(value)


def is_password(match: re.Match[bytes]) -> bool:
    value = _value(match)
    return _may_be_secret(value) and _words(value) != 1


def is_key_body(match: re.Match[bytes]) -> bool:
    """Whether base64 follows the header, and not the next word of a sentence."""
    first = _value(match).split()[0]
    return _has_both(first) or not (first.islower() or first.isupper())


def is_url_password(match: re.Match[bytes]) -> bool:
    """Whether `user:password@host` is a login, and not one of a document or of a developer's own machine."""
    user, password = match[0][3:].split(b":", 1)[0], _value(match)
    if password.lower() in _URL_WORDS or password == user or len(password) < 8:
        return False
    if _stands_for_one(password):
        return False
    if _words(password):
        is_local = bool(_LOCAL.match(match.string, match.end() - 1))
        return _has_both(password) and not is_local
    return True


def is_assigned_password(match: re.Match[bytes]) -> bool:
    """Twelve characters with a digit are a password, even `Summer2024rain`; a name of several words isn't."""
    return _is_assigned(match, most_words=1)


def is_assigned_secret(match: re.Match[bytes]) -> bool:
    """As for a password, but ids and, out of quotes, single identifiers are no secrets."""
    return (
        _is_assigned(match, most_words=1 if match["quote"] else 0)
        and not _UUID.match(_value(match).lower())
        and not _OTHER_TOKENS.search(_before(match))
    )


def is_assigned_key(match: re.Match[bytes]) -> bool:
    """Most keys are for maps and tables: only those named as an API's or a cipher's count."""
    return bool(_KEYS.search(_before(match))) and _is_assigned(match, most_words=1 if match["quote"] else 0)


def _is_assigned(match: re.Match[bytes], most_words: int) -> bool:
    """Whether the name stands for the secret itself, and the value is one."""
    value = _value(match)
    if not _has_both(value):
        return False
    glued, *words = match["more"].lower().replace(b"-", b"_").split(b"_")
    if glued.rstrip(b"0123456789") not in _GLUED or (words and words[-1] in _ABOUT):
        return False
    return _words(value) <= most_words and _may_be_secret(value)


def _before(match: re.Match[bytes]) -> bytes:
    """The beginning of the name that the match is the end of."""
    return match.string[max(0, match.start() - 16) : match.start()].lower()


def _value(match: re.Match[bytes]) -> bytes:
    """The beginning of what may be the secret: enough to judge it by, and no more to read in hostile text."""
    start, end = match.span(match.lastindex or 0)
    return match.string[start : min(end, start + _JUDGED_BYTES)].rstrip(b".,:;*")


def _may_be_secret(value: bytes) -> bool:
    return len(value) >= 8 and _has_both(value) and not _stands_for_one(value)


def _stands_for_one(value: bytes) -> bool:
    """Whether it is a placeholder, or says where the secret is kept."""
    lowered = value.lower()
    return bool(_REFERENCE.match(lowered) or _FILLER.search(lowered))


def _has_both(value: bytes) -> bool:
    """Letters and digits (bytes beyond ASCII count as letters)."""
    others = value.translate(None, b"0123456789")
    return len(others) < len(value) and (others.lower() != others.upper() or not others.isascii())


def _words(value: bytes) -> int:
    """How many words an identifier, a path or a file name has; 0 when the text is none of these."""
    words = [word for word in _BETWEEN_WORDS.split(value) if word]
    return len(words) if all(_WORD.match(word) for word in words) else 0
