"""What is wrong in a note and can be mended without a decision: the one byte that is meant, and no other."""

from __future__ import annotations

import re
from collections.abc import Callable

from ctxrepo.domain.note.entry import derived_id, entries_of, explicit_id, with_id
from ctxrepo.domain.note.frontmatter import field_line, read, split
from ctxrepo.domain.note.markdown import lines_of
from ctxrepo.domain.note.note import decode_exactly, encode, utf16
from ctxrepo.lazy import lazy_pattern

_OPENING = lazy_pattern(r"---[ \t]*\r?\n")
_TAGS = lazy_pattern(
    r"(tags[ \t]*:[ \t]+)"
    r"""("[^"\[\]{}\r\n]*"|'[^'\[\]{}\r\n]*'|[^"'#\[\]{}\r\n]*?)"""
    r"([ \t]*(?:[ \t]#[^\r\n]*)?\r?\n)\Z"
)
_KNOWN = frozenset({"description", "tags", "created", "updated"})

Fix = Callable[[str, str], str]
"""(path, text) -> the text mended, or as it was."""


def fixed(path: str, data: bytes) -> tuple[bytes, tuple[str, ...]]:
    """The note at `path` with all mended that can be, and a line for each deed.

    Mended twice is mended once.
    """
    text = utf16(data)
    deeds = ["is UTF-8 now, and was UTF-16"] if text else []
    text = text or decode_exactly(data)
    for deed, fix in _FIXES.items():
        before, text = text, fix(path, text)
        deeds += [deed] if text != before else []
    return encode(text), tuple(deeds)


def _line_ends(_: str, text: str) -> str:
    return text if "\n" in text else text.replace("\r", "\n")


def _mark(_: str, text: str) -> str:
    return text if split(text)[0] else text.lstrip("\ufeff")


def _closing(_: str, text: str) -> str:
    """Only where the lines up to the first blank one are a head beyond doubt.

    A line that begins with `#` or `-` may as well be the body's.
    """
    if split(text)[0] or not _OPENING.match(text):
        return text
    lines = lines_of(text)
    end = next((n for n, line in enumerate(lines) if not line.strip()), len(lines))
    if any(line.startswith(("#", "-")) for line in lines[1:end]):
        return text
    newline = "\r\n" if lines[0].endswith("\r\n") else "\n"
    gap = "" if lines[end - 1].endswith("\n") else newline
    closed = "".join([*lines[:end], gap, "---", newline, *lines[end:]])
    return closed if _KNOWN & read(closed).fields.keys() else text


def _tabs(_: str, text: str) -> str:
    head, body = split(text)
    if not head or not read(text).problems or read(text).fields:
        return text
    spaced = re.sub(r"(?m)^[ \t]*\t[ \t]*", lambda found: found[0].replace("\t", "  "), head)
    return spaced + body if split(spaced + body) == (spaced, body) and read(spaced).fields else text


def _tags(_: str, text: str) -> str:
    """Make tags in one line a list, with the same words: `tags: a, b` becomes `tags: [a, b]`."""
    head, body = split(text)
    before = read(text)
    if not before.fields or not isinstance(before.fields.get("tags"), str | int | float):
        return text
    lines = lines_of(head)
    places = [n for n, line in enumerate(lines) if line.startswith("tags")]
    found = _TAGS.match(lines[places[0]]) if len(places) == 1 else None
    if found is None:
        return text
    bare = re.sub(r"""\A(["'])(.*)\1\Z""", r"\2", found[2])
    words = list(dict.fromkeys(word for word in (" ".join(w.split()) for w in bare.split(",")) if word))
    written = field_line("tags", words).partition(": ")[2]
    lines[places[0]] = f"{found[1]}{written}{found[3]}"
    after = read("".join(lines))
    is_same = {**before.fields, "tags": words} == after.fields and after.tags == tuple(words)
    return "".join(lines) + body if is_same else text


def _ids(path: str, text: str) -> str:
    """The first of two entries with one id keeps it: what refers to it most likely means that one."""
    entries = [entry for entry in entries_of(path, text) if explicit_id(entry.text)]
    taken = {entry.id for entry in entries}
    seen: set[str] = set()
    lines = lines_of(text)
    for entry in entries:
        if entry.id in seen:
            ends = (entry.first_line - 1, entry.last_line - 1)
            place = next((n for n in ends if explicit_id(lines[n]) == entry.id), None)
            if place is None:
                continue
            free = (derived_id(path, entry.heading, entry.text, n) for n in range(1, len(taken) + 2))
            new = next(name for name in free if name not in taken)
            taken.add(new)
            lines[place] = with_id(lines[place], new)
        seen.add(entry.id)
    return "".join(lines)


_FIXES: dict[str, Fix] = {
    "lines end as everywhere": _line_ends,
    "no byte order mark before the first line": _mark,
    "frontmatter is closed": _closing,
    "frontmatter is indented with spaces": _tabs,
    "tags are a list": _tags,
    "the second of two equal ids is a new one": _ids,
}
