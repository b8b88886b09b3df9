"""Finding credentials in what is about to be written, without ever repeating them."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass

from ctxrepo.domain.secrets.rules import RULES, SHORTEST_TOKEN, Rule

_SECRET_BYTES = 8192
"""More of a key block than this adds nothing to what tells two apart."""


@dataclass(frozen=True)
class Secret:
    """That the rule `rule` found something on the 1-based `line`.

    `fingerprint` is 12 hex digits made from the secret: the same wherever it stands, so that the user can
    allow it by naming it. The secret itself is not kept.
    """

    rule: str
    line: int
    fingerprint: str


def scan(text: str) -> tuple[Secret, ...]:
    """The secrets in a note, a path, a JSONL line or a message, in order.

    Works through 200 KiB of prose in a few milliseconds, and in time linear in the text whatever it holds.
    A secret cut in two by a line break, or encoded once more, is not found.
    """
    data = _without_markup(text)
    found = []
    line, counted = 1, 0
    for start, end, rule in _spans(data):
        line += data.count(b"\n", counted, start)
        counted = start
        found.append(Secret(rule, line, _fingerprint(data[start:end])))
    return tuple(dict.fromkeys(found))


def mask(text: str) -> str:
    """`text` with each secret replaced by the name of its rule in brackets; itself when there is none."""
    data = _without_markup(text)
    spans = list(_spans(data))
    if not spans:
        return text
    parts, at = [], 0
    for start, end, rule in spans:
        parts += [data[at:start], b"[" + rule.encode() + b"]"]
        at = end
    return b"".join([*parts, data[at:]]).decode("utf-8", "replace")


def _without_markup(text: str) -> bytes:
    """The bytes to search, line breaks where they were: no code marks, no backslash escapes."""
    data = text.encode("utf-8", "surrogatepass")
    # In a JSONL line `\n` must not hide where a word begins, and must not count as a line of the file.
    data = data.replace(b"\\n", b"\r").replace(b"\\r", b"\r").replace(b"\\t", b" ")
    return data.translate(None, b"`\\\0")


def _spans(data: bytes) -> Iterator[tuple[int, int, str]]:
    """Yield (start, end, rule) from left to right; of what overlaps the first, then the special rule's."""
    lowered = data.lower()
    tokens = b" ".join([word for word in data.split() if len(word) >= SHORTEST_TOKEN])
    # A picture in base64 is one long word; without these marks in it most rules need no look.
    absent = {mark for mark in b"_-.:" if mark not in tokens}
    hits = [
        (*match.span(match.lastindex or 0), order)
        for order, rule in enumerate(RULES)
        for anchor in rule.anchors
        if not rule.is_one_word or (absent.isdisjoint(anchor) and anchor in tokens)
        for match in _matches(rule, anchor, data, lowered if rule.ignores_case else data)
    ]
    last = 0
    for start, end, order in sorted(hits, key=lambda hit: (hit[0], hit[2])):
        if start >= last:
            last = end
            yield start, end, RULES[order].name


def _matches(rule: Rule, anchor: bytes, data: bytes, searched: bytes) -> Iterator[re.Match[bytes]]:
    # bytes.find is ten times as fast as the search of a regular expression: rules look only where one of
    # their words stands.
    at = searched.find(anchor)
    while at >= 0:
        after = at + len(anchor)
        match = rule.pattern.match(data, at)
        if match and rule.is_real(match):
            yield match
            after = max(after, match.end())
        at = searched.find(anchor, after)


def _fingerprint(secret: bytes) -> str:
    return hashlib.blake2b(
        b"".join(secret[:_SECRET_BYTES].split()).rstrip(b".,:;*"), digest_size=6
    ).hexdigest()
