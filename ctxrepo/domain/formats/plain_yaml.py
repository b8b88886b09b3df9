"""The YAML of nearly every head, read without the YAML library, which takes ten times as long.

What is read here means the same in YAML; of a head with anything in it that might mean more, nothing is read.
"""

import datetime as dt

from ctxrepo.lazy import lazy_pattern

_FIELD = lazy_pattern(r"([A-Za-z_][A-Za-z0-9_-]*):(?: ++(.*))?")
_ITEM = lazy_pattern(r"( *)- ++(.*)")
_NUMBER = lazy_pattern(r"0|[1-9][0-9]{0,8}")
_DATE = lazy_pattern(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_LIST = lazy_pattern(r"\[ *+([^\W\d_][\w ./+-]*+(?:, *+[^\W\d_][\w ./+-]*+)*+)\]")
_PLAIN = lazy_pattern(r"[A-Za-z0-9_/(][\w ./()+'-]*\Z")
_AMBIGUOUS = lazy_pattern(r"(?i)(true|false|yes|no|on|off|null|~|0[xb][\da-f_]*|[-+.\d_:eE]*)\Z")
_TELLING = frozenset({"true", "false", "yes", "no", "on", "off", "null"})
"""Words that are not words to YAML, or were not to an older one."""


class _NotPlainError(Exception):
    """YAML may take this for something else."""


def read_plain(inner: str) -> tuple[dict[str, object], dict[str, int]] | None:
    """(fields, line of the file that each is on) of what stands between a head's delimiters; None when it
    isn't plain: quotes with escapes, comments, nested values, blank lines, a key twice."""
    fields: dict[str, object] = {}
    places: dict[str, int] = {}
    key, indent = "", ""
    items: list[object] | None = None
    try:
        for number, line in enumerate(inner.removesuffix("\n").split("\n"), 2):
            if field := _FIELD.fullmatch(line):
                key, value = field[1], (field[2] or "").rstrip(" ")
                if key in fields or key.lower() in _TELLING:
                    return None
                places[key] = number
                fields[key] = _value(value) if value else None
                items = None if value else []
            elif items is not None and (item := _ITEM.fullmatch(line)):
                if items and item[1] != indent:
                    return None
                indent = item[1]
                items.append(_scalar(item[2].rstrip(" ")))
                fields[key] = items
            else:
                return None
    except _NotPlainError:
        return None
    return fields, places


def is_plain(text: str) -> bool:
    """Whether `text` needs no quotes: every YAML reads it as exactly this text."""
    return bool(_PLAIN.match(text)) and not _AMBIGUOUS.match(text) and text == text.strip()


def _value(text: str) -> object:
    if items := _LIST.fullmatch(text):
        return [_scalar(word.strip(" ")) for word in items[1].split(",")]
    return _scalar(text)


def _scalar(text: str) -> object:
    if not text.isprintable():
        raise _NotPlainError
    if text[:1].isalpha():
        if ": " in text or " #" in text or text.endswith(":") or text.lower() in _TELLING:
            raise _NotPlainError
        return text
    if text[:1] in ("'", '"') and text.count(text[0]) == 2 and text.endswith(text[0]) and "\\" not in text:
        return text[1:-1]
    if _DATE.fullmatch(text):
        try:
            return dt.date.fromisoformat(text)
        except ValueError:
            raise _NotPlainError from None
    if _NUMBER.fullmatch(text):
        return int(text)
    raise _NotPlainError
