"""A note as basic-memory reads it: with a title, a type and a permalink in its head, and each fact as an
observation, `- [category] text #tag (context)`.

The form is that of basicmachines-co/basic-memory, src/basic_memory/markdown/{plugins,entity_parser}.py, of
August 2026. It reads a bullet without a category or a tag as prose."""

import posixpath
import re
import unicodedata
from collections.abc import Collection

from ctxrepo.domain.note import frontmatter
from ctxrepo.domain.note.entry import entries_of
from ctxrepo.domain.note.markdown import lines_of
from ctxrepo.lazy import lazy_pattern

_MARKER = lazy_pattern(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+")
_CATEGORY = lazy_pattern(r"\[[^\[\]()\n]+\][ \t]+")
_TASK = lazy_pattern(r"\[[ xX-]\]")
_LINK = lazy_pattern(r"\[\[[^\[\]\n]*\]\]\s*\Z|\[[^\n]*\]\([^\n]*\)\s*\Z")
_RELATION = lazy_pattern(
    r"(?:[^\s\[]+|\"[^\"\n]+\"|'[^'\n]+')[ \t]*\[\[[^\[\]\n]+\]\][ \t]*(?:\([^()\n]*\))?\s*\Z"
)
"""A line of its that says how the note is related to another one."""

_TITLE = lazy_pattern(r"(?m)^#[ \t]+(\S[^\r\n]*)")


def basic_memory_note(path: str, text: str, superseded: Collection[int] = ()) -> str:
    """The note for basic-memory, in whose folder it is at `path`. Facts on the lines that are `superseded`
    have that as their category, for it knows no other mark."""
    text = text.removeprefix("\ufeff")
    head = frontmatter.read(text)
    body = _with_observations(path, text, superseded)
    if head.problem and not head.fields:  # it reads such a note as it is, and a second head would be text
        return body
    head_fields = head.fields
    stem = posixpath.basename(path).removesuffix(".md")
    titled = _TITLE.search(frontmatter.split(text)[1])
    fields = {"title": titled[1].strip() if titled else stem, "type": "note", "permalink": permalink(path)}
    if head.updated and "modified" not in head_fields:
        fields["modified"] = head.updated
    if (
        "created" in head_fields and not head.created and head.updated
    ):  # it reads nothing of a note with no date there
        fields["created"] = head.updated
    for name, value in fields.items():
        if name == "created" or not isinstance(head_fields.get(name), str) or not head_fields[name]:
            body = frontmatter.set_field(body, name, value)
    return body


def permalink(path: str) -> str:
    """A name of the note that is stable there: letters, digits and dashes."""
    plain = unicodedata.normalize("NFC", path.removesuffix(".md").casefold())
    parts = (re.sub(r"[^\w.]+|_", "-", part).strip("-.") for part in plain.split("/"))
    return re.sub("-{2,}", "-", "/".join(filter(None, parts)))


def _with_observations(path: str, text: str, superseded: Collection[int]) -> str:
    lines = lines_of(text)
    for entry in entries_of(path, text):
        line = lines[entry.first_line - 1]
        marker = _MARKER.match(line)
        if marker is None:  # a paragraph
            continue
        words = line[marker.end() :]
        if entry.first_line in superseded:
            category = _CATEGORY.match(words)
            words = "[superseded] " + (words[category.end() :] if category else words)
        elif not any(pattern.match(words) for pattern in (_TASK, _CATEGORY, _LINK, _RELATION)):
            words = f"[note] {words}"
        lines[entry.first_line - 1] = marker[0] + words
    return "".join(lines)
