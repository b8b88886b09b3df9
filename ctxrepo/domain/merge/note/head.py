"""Merges the head of a note, its frontmatter, field by field."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from ctxrepo.domain.merge.choose import Key, choose, either, order, plain
from ctxrepo.domain.note import frontmatter
from ctxrepo.domain.note.head import Head
from ctxrepo.domain.note.markdown import lines_of
from ctxrepo.domain.records.conflict_copy import ConflictCopy
from ctxrepo.lazy import dataclass, lazy_pattern

_FIELD = lazy_pattern(r"([A-Za-z_][\w.-]*)[ \t]*:(?=\s|$)")


@dataclass(frozen=True)
class _Fields:
    """A head: its delimiters, and between them the lines of each field or comment."""

    opening: str
    lines: Mapping[Key, str]
    closing: str
    read: Head


def merge_head(path: str, base: str, ours: str, theirs: str) -> tuple[str, list[ConflictCopy]]:
    """The merged head with its delimiters, and copies of what lost; '' stands for a note without a head.

    A head that can't be parsed is taken whole, so that no line of it is lost or mixed with others.
    """
    if plain(ours) == plain(theirs) or plain(base) in (plain(ours), plain(theirs)):
        return choose(base or None, ours or None, theirs or None)[0] or "", []
    was, us, them = (_fields(head) for head in (base, ours, theirs))
    if us and them:
        merged, copies = _by_fields(path, was or _fields("---\n---\n"), us, them)
        if _fields(merged):
            return merged, copies
    return _whole(path, base, ours, theirs)


def _whole(path: str, base: str, ours: str, theirs: str) -> tuple[str, list[ConflictCopy]]:
    """One of two heads, and a copy of the other; a head that can be parsed wins."""
    if not ours or not theirs:
        return ours or theirs, []
    readable = [head for head in (ours, theirs) if _fields(head)]
    kept, other = choose(base or None, ours, theirs)
    if len(readable) == 1 and kept != readable[0]:
        kept, other = other, kept
    return kept or "", [ConflictCopy(path, plain(base), plain(kept or ""), plain(other or ""))]


def _by_fields(path: str, was: _Fields | None, us: _Fields, them: _Fields) -> tuple[str, list[ConflictCopy]]:
    base = was.lines if was else {}
    stay: dict[Key, str] = {}
    copies = []
    for key in sorted(us.lines.keys() | them.lines.keys()):
        text, lost = choose(base.get(key), us.lines.get(key), them.lines.get(key))
        if text is not None and lost is not None:
            both = _by_meaning(key, was, us, them)
            if both is None:
                copies.append(ConflictCopy(path, plain(base.get(key, "")), plain(text), plain(lost)))
            text = both or text
        if text is not None:
            stay[key] = text
    keys = order(*([key for key in lines if key in stay] for lines in (base, us.lines, them.lines)))
    return _bordered(was, us, them, "".join(stay[key] for key in keys)), copies


def _bordered(was: _Fields | None, us: _Fields, them: _Fields, inner: str) -> str:
    opening = either(was.opening if was else None, us.opening, them.opening)
    closing = either(was.closing if was else None, us.closing, them.closing)
    return opening + inner + closing


def _by_meaning(key: Key, was: _Fields | None, us: _Fields, them: _Fields) -> str | None:
    """The lines of a field when both sides' values can be combined; None when one of them has to lose."""
    ours, theirs = us.lines[key], them.lines[key]
    match key[1]:
        case "tags" if _are_words(us.read) and _are_words(them.read):
            return _tags(was, us, them, key)
        case "updated" if us.read.updated and them.read.updated:
            return max((us.read.updated, ours), (them.read.updated, theirs))[1]
        case "created" if us.read.created and them.read.created:
            return min((us.read.created, ours), (them.read.created, theirs))[1]
    return None


def _are_words(read: Head) -> bool:
    return bool(read.tags) or read.fields.get("tags") in (None, [])


def _tags(was: _Fields | None, us: _Fields, them: _Fields, key: Key) -> str:
    """The lines of all tags that a side added or nobody removed; as a side has them if it has just these."""
    base, ours, theirs = ([(tag,) for tag in (side.read.tags if side else ())] for side in (was, us, them))
    kept = {tag for tag in (*ours, *theirs) if (tag in ours and tag in theirs) or tag not in base}
    stay: list[Key] = order(*([tag for tag in tags if tag in kept] for tags in (base, ours, theirs)))
    same = [side.lines[key] for side, tags in ((us, ours), (them, theirs)) if tags == stay]
    if same:
        return max(same)
    return frontmatter.field_line("tags", [tag for (tag,) in stay]) + "\n"


def _fields(head: str) -> _Fields | None:
    """The head by its fields; None when its lines can't be assigned to the fields that YAML finds."""
    read = frontmatter.read(head)
    lines = lines_of(head)
    if len(lines) < 2 or (read.problems and not read.fields):
        return None
    found: dict[Key, str] = {}
    seen: Counter[Key] = Counter()
    key: Key = ("lead", "")
    for line in lines[1:-1]:
        field = _FIELD.match(line)
        if field or line.startswith("#"):
            key = ("field", field[1]) if field else ("comment", plain(line))
            seen[key] += 1
            key = (*key, str(seen[key]))
        found[key] = found.get(key, "") + line
    names = [key[1] for key in found if key[0] == "field"]
    if sorted(names) != sorted(read.fields):
        return None
    return _Fields(lines[0], found, lines[-1], read)
