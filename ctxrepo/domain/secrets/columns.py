"""Passwords in tables: a column headed `password`, in markdown or in what a password manager exports."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache

from ctxrepo.domain.secrets.shape import shape
from ctxrepo.domain.secrets.shape.grade import Grade, graded
from ctxrepo.lazy import dataclass, lazy_pattern

_HEADING = (
    rb"[*_ \t\"']{0,6}(?:(?:[\w\x80-\xff]{1,20}[ _-]){0,2}(?:pass(?:word|wd|wort|phrase|code)?|pwd|pw"
    rb"|kennwort|mot de passe|mdp"
    rb"|contrase\xc3\xb1a|contrasena|senha|wachtwoord|l\xc3\xb6senord|has\xc5\x82o|heslo|parola"
    rb"|\xd0\x9f\xd0\xb0\xd1\x80\xd0\xbe\xd0\xbb\xd1\x8c|\xd0\xbf\xd0\xb0\xd1\x80\xd0\xbe\xd0\xbb\xd1\x8c"
    rb"|\xe5\xaf\x86\xe7\xa0\x81|\xe3\x83\x91\xe3\x82\xb9\xe3\x83\xaf\xe3\x83\xbc\xe3\x83\x89"
    rb"|\xeb\xb9\x84\xeb\xb0\x80\xeb\xb2\x88\xed\x98\xb8|secret|token|(?:api|secret|access)[ _-]?key"
    rb"|login_password|pin)"
    rb"(?:[ ]?\([\w ]{1,20}\))?)[*_ \t\"']{0,6}\Z"
)


@cache
def _heading_pattern() -> re.Pattern[bytes]:
    return re.compile(_HEADING, re.IGNORECASE)


_CELL = lazy_pattern(rb"[^\s\"'*]{6,512}")
_RULE = "password"
_WIDEST = 24
_LONGEST_LINE = 2048
_MOST_ROWS = 1000


def cells(data: bytes, words: Iterable[int]) -> Iterator[tuple[int, int, str]]:
    """(start, end, rule) of each secret in a column headed as one; a label stands at each of `words`."""
    read = 0
    for at in words:
        if at < read:
            continue
        start = max(data.rfind(mark, max(0, at - _LONGEST_LINE), at) for mark in (b"\n", b"\r")) + 1
        line = _line(data, start)
        read = max(at, start + len(line))
        if heading := _heading(line):
            for _ in range(_MOST_ROWS):
                row = _line(data, read)
                parts = row.rstrip(b"\r\n").split(heading.separator)
                if len(parts) < 2 or (heading.separator != b"|" and len(parts) != heading.width):
                    break
                yield from _secrets(parts, heading.columns, read)
                read += len(row)


def _line(data: bytes, start: int) -> bytes:
    """The line that begins there, its break included."""
    match = _LINE.match(data, start)
    return match[0] if match else b""


_LINE = lazy_pattern(rb"[^\r\n]{0,%d}+(?:\r\n?|\n)?" % _LONGEST_LINE)


def _secrets(parts: list[bytes], columns: frozenset[int], start: int) -> Iterator[tuple[int, int, str]]:
    for number, part in enumerate(parts):
        if (
            number in columns
            and (cell := _CELL.search(part))
            and (shape.is_password(cell) or graded(cell[0]) > Grade.NUMBER)
        ):
            yield start + cell.start(), start + cell.end(), _RULE
        start += len(part) + 1


@dataclass(frozen=True)
class _Heading:
    """The separator of a table, the columns of secrets, and how many there are."""

    separator: bytes
    columns: frozenset[int]
    width: int


def _heading(line: bytes) -> _Heading | None:
    for separator in (b"|", b"\t", b",", b";"):
        parts = line.rstrip(b"\r\n").split(separator, _WIDEST + 1)
        if 2 < len(parts) <= _WIDEST or (separator == b"|" and len(parts) == 2):
            columns = frozenset(n for n, part in enumerate(parts) if _heading_pattern().match(part))
            if columns:
                return _Heading(separator, columns, len(parts))
    return None
