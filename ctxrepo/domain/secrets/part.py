"""Hiding credentials in a part of a text: of a private key only one end may be there."""

from __future__ import annotations

import re

from ctxrepo.domain.secrets import mask
from ctxrepo.lazy import lazy_pattern

_EDGE = lazy_pattern(r"-----? ?(BEGIN|END) (?:[A-Za-z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)? ?-----?")
_BESIDE = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/= \r\n\t\\>|\"',:→"
"""What a key's lines are made of, and what stands between them: blanks, quotes, numbers of lines."""

_BODY = lazy_pattern(f"[{re.escape(_BESIDE)}]*+")
_LINE = lazy_pattern(r"[A-Za-z0-9+/=]{16}")
_HIDDEN = "[private-key]"


def mask_part(text: str) -> str:
    """`text` without secrets, and without what stands before the end of a private key or behind its
    beginning; a marker that is only talked about hides nothing."""
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
