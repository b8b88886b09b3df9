"""Finding credentials in texts before they are written, without ever repeating them."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ctxrepo.domain.text import blake2b
from ctxrepo.lazy import dataclass, lazy_pattern

if TYPE_CHECKING:
    from ctxrepo.domain.secrets.search import Span

_SECRET_BYTES = 8192
"""How many bytes of a secret make its fingerprint: private keys differ within these."""


@dataclass(frozen=True)
class Secret:
    """A match of the rule `rule` on the 1-based `line`.

    `fingerprint` is 12 hex digits made from the secret, the same wherever it stands: by naming it, a user can
    allow the secret. The secret itself is not kept."""

    rule: str
    line: int
    fingerprint: str


def scan(text: str) -> tuple[Secret, ...]:
    """The secrets in a note, a path, a JSONL line or a message, in order.

    Works through 200 KiB of prose in a few milliseconds, and in time linear in the text whatever it holds.
    Signs may be written by their numbers, as in addresses and JSON: `%3D`, `\\u003d`. A secret cut in two by
    a line break, or encoded as a whole, is not found."""
    data = _without_markup(text)
    secrets = []
    line, counted = 1, 0
    for hit in _spans(data):
        line += data.count(b"\n", counted, hit.start)
        counted = hit.start
        token = b"".join(data[hit.start : hit.end][:_SECRET_BYTES].split()).rstrip(b".,:;*")
        secrets.append(Secret(hit.rule, line, blake2b(token, digest_size=6).hexdigest()))
    return tuple(dict.fromkeys(secrets))


def mask(text: str) -> str:
    """`text` with each secret replaced by the name of its rule in brackets; itself when there is none."""
    data = _without_markup(text)
    hits = _spans(data)
    if not hits:
        return text
    parts, at = [], 0
    for hit in hits:
        parts += [data[at : hit.start], b"[" + hit.rule.encode() + b"]"]
        at = hit.covered
    return b"".join([*parts, data[at:]]).decode("utf-8", "replace")


def mask_part(text: str) -> str:
    """Mask the secrets of an excerpt, which may hold only one end of a private key.

    The text before a key's end marker or after its beginning is masked too, if it looks like a key's lines.
    """
    text = mask(text)
    if "PRIVATE KEY" not in text:
        return text
    parts: list[str] = []
    at = looked_at = 0
    for edge in _EDGE.finditer(text):
        if edge[1] == "END":
            before = text[looked_at : edge.start()]
            start, end = looked_at + len(before.rstrip(_BESIDE)), edge.start()
        else:
            body = _BODY.match(text, edge.end())
            start, end = edge.end(), body.end() if body else edge.end()
        if _LINE.search(text[start:end]):
            parts += [text[at:start], _HIDDEN]
            at = end
        looked_at = max(end, edge.end())
    return "".join([*parts, text[at:]])


def without_secrets(texts: Sequence[str]) -> list[str]:
    """Texts without secrets, looked through at once: thousands of short ones would take seconds."""
    plain = [text.replace(_BETWEEN, "\n") for text in texts]
    clean = mask(_BETWEEN.join(plain)).split(_BETWEEN)
    if len(clean) != len(texts):  # a secret went over an end
        clean = [mask(text) for text in plain]
    return [mask_part(text) if _KEY in text else text for text in clean]


def redact(text: str) -> str:
    """Text without credentials, in URLs or by their shape, and without control sequences."""
    return mask(_CONTROL.sub("", _WORD.sub(_without_credentials, text.replace("\r", "\n"))))


_BETWEEN = "\n\x1e\n"
"""What no text that is shown has in it."""

_KEY = "PRIVATE KEY"
"""What is in the markers at both ends of a key, of which a text that was cut may have one only."""

_EDGE = lazy_pattern(r"-----? ?(BEGIN|END) (?:[A-Za-z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)? ?-----?")
_BESIDE = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/= \r\n\t\\>|\"',:→"
"""The characters of a key's lines, and of what may stand between them: blanks, quotes, line numbers."""

_BODY = lazy_pattern(f"[{re.escape(_BESIDE)}]*+")
_LINE = lazy_pattern(r"[A-Za-z0-9+/=]{16}")
_HIDDEN = "[private-key]"

# A password may hold any sign itself, `/` and `@` too.
_CREDENTIALS = lazy_pattern(
    r"(\b[a-z][a-z0-9+.-]{0,30}://)([^/\s:@'\"]*:(?!\d+/)[^\s'\"]*|[^/\s'\"]+)@", re.IGNORECASE
)
_WORD = lazy_pattern(r"[^\s'\"]+")


def _without_credentials(word: re.Match[str]) -> str:
    """A word without the credentials of its addresses; behind its last `@` there are none."""
    before, at, after = word[0].rpartition("@")
    return _CREDENTIALS.sub(r"\1…@", before + at) + after if at else after


_CONTROL = lazy_pattern(r"\x1b\[[0-9;?]*[A-Za-z]|[\x00-\x08\x0b-\x1f\x7f]")


def _spans(data: bytes) -> "list[Span]":
    """The spans of secrets. Loading the rules takes about as long as starting Python, so they are loaded only
    if there is text to search."""
    if not data:
        return []
    from ctxrepo.domain.secrets.search import spans

    return spans(data)


def _without_markup(text: str) -> bytes:
    """The bytes to search, without code marks and backslash escapes; line breaks stay where they were."""
    data = text.encode("utf-8", "surrogatepass")
    is_utf16 = data.count(b"\0") * 3 > len(data)
    if b"\x1b" in data or b"\\" in data or b"\xc2\x9b" in data:
        data = _ESCAPES.sub(_meant, _COLOURS.sub(b" ", data))
    if b"%" in data or b"=3D" in data:
        data = _IN_ADDRESSES.sub(_sign_before_token, data)
    # In a JSONL line `\n` must not hide where a word begins, and must not count as a line of the file.
    data = data.replace(b"\\n", b"\r").replace(b"\\r", b"\r").replace(b"\\t", b" ")
    if b"`" in data:
        data = _CODE.sub(_token_apart, data)
    return data.translate(None, b"`\\\0" if is_utf16 else b"`\\").replace(b"\0", b" ")


_COLOURS = lazy_pattern(rb"(?:(?:\x1b|\\{1,4}(?:033|e|x1[bB]|u001[bB]))\[|\xc2\x9b)[0-9;?]{0,24}[A-Za-z]")
_ESCAPES = lazy_pattern(rb"\\{1,4}(?:u00|x)([0-7][0-9a-fA-F])")
_IN_ADDRESSES = lazy_pattern(
    rb"(?:%(?:25){0,4}([2-7][0-9a-fA-F])|=3D)(?=(?<=(?:key|ken|ret|ord|pwd|ass)%3[Dd])|([A-Za-z0-9_-]{16}))"
)
_CODE = lazy_pattern(rb"(`{1,3})([^`\s]{16,512}+)\1")


def _token_apart(match: re.Match[bytes]) -> bytes:
    """Code that begins as a token does, apart from words beside its marks; other marks may stand in one."""
    from ctxrepo.domain.secrets.search import begins_as_token

    return b" " + match[2] + b" " if begins_as_token(match[2]) else match[0]


def _sign_before_token(match: re.Match[bytes]) -> bytes:
    """The sign that a number stands for in an address, before a token or behind the name of a secret."""
    from ctxrepo.domain.secrets.search import begins_as_token

    is_apart = match[2] is None or begins_as_token(match[2])
    return (_meant(match) if match[1] else b"=") if is_apart else match[0]


def _meant(match: re.Match[bytes]) -> bytes:
    """The sign that a number stands for. One for a letter or a control character parts words, as the number
    itself would."""
    sign = bytes([int(match[1], 16)])
    return b" " if sign.isalnum() or sign < b" " else sign
