"""A note's head as the program reads it whose index the preset `md` renders: all of it or nothing; with
one field of the wrong kind the note has neither description nor tags."""

import datetime as dt
import re

from ctxrepo.domain.note import frontmatter
from ctxrepo.domain.note.frontmatter import is_limit
from ctxrepo.lazy import dataclass, lazy_pattern

_LANGUAGES = ("", "yaml", "yml")
_EMPTY = lazy_pattern(r"^[^\S\n]*#[^\n]+", re.MULTILINE)


@dataclass(frozen=True)
class MdHead:
    """'' is a description that isn't there, as no tags are ''."""

    description: str = ""
    tags: str = ""


def md_head(text: str) -> MdHead:
    """The head of a note's `text`; an empty one when there is none or it isn't as it has to be."""
    fields = frontmatter.read(f"---\n{_matter(text)}\n---\n").fields
    limit, tags = fields.get("limit", 1), fields.get("tags", [])
    description = fields.get("description", "")
    if not (isinstance(description, str) and isinstance(tags, list) and is_limit(limit)):
        return MdHead()
    return MdHead(description, ", ".join(map(_word, tags)))


def _matter(text: str) -> str:
    """What is between the delimiters; the second may have more behind it, or be missing."""
    text = text.removeprefix("\ufeff")
    if not text.startswith("---") or text[3:4] == "-":
        return ""
    language, _, rest = text[3:].partition("\n")
    if language.strip() not in _LANGUAGES:  # it would run what stands in a `---js` block
        return ""
    matter = f"\n{rest}".partition("\n---")[0]
    return matter if _EMPTY.sub("", matter).strip() else ""


def _word(value: object) -> str:
    """A tag as JavaScript joins it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return ",".join(map(_word, value))
    if isinstance(value, dt.date):
        return value.isoformat()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return "[object Object]" if isinstance(value, dict) else str(value)
