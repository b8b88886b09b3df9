"""Writing notes: entries are added, replaced and marked, and mechanical faults are mended."""

import re
from collections.abc import Callable, Collection, Sequence
from textwrap import dedent

from ctxrepo.domain.formats.blocks import text_beside
from ctxrepo.domain.note import frontmatter
from ctxrepo.domain.note.entry import Entry, derived_id, entries_of, explicit_id, with_id
from ctxrepo.domain.note.frontmatter import field_line, read, split
from ctxrepo.domain.note.markdown import Block, closed, lines_of, split_blocks
from ctxrepo.domain.note.note import decode_exactly, encode, utf16
from ctxrepo.errors import Refused, UsageError
from ctxrepo.lazy import lazy_pattern

MAX_ENTRY_BYTES = 64 * 1024

# As an entry's own attributes are read back: what is written must be found again.
_WORDS = {
    "tag": (re.compile(r"[A-Za-z][\w/-]{0,63}\Z"), "Letters, digits, - _ and /, beginning with a letter."),
    "category": (re.compile(r"[A-Za-z][\w-]{0,39}\Z"), "Letters, digits, - and _, beginning with a letter."),
    "key": (re.compile(r"[A-Za-z][\w.-]{0,39}\Z"), "Letters, digits, - _ and ., beginning with a letter."),
}
_ID_COMMENT = "<!-- ^{} -->"
_TITLE = lazy_pattern(r"#{1,6}[ \t]")
_MARKER = lazy_pattern(r"(?:[-*+]|\d{1,9}[.)])[ \t]+")


def bullet(
    text: str, *, category: str = "", tags: Sequence[str] = (), key: str = "", explicit_id: str = ""
) -> str:
    """The bullet for `text`: `- [category] key: text #tag <!-- ^id -->`, further lines indented. It is one
    entry wherever it is put; UsageError for a text that can't be one."""
    words = text.strip()
    if len(words.encode("utf-8", "surrogatepass")) > MAX_ENTRY_BYTES:
        raise UsageError(
            f"the text is larger than {MAX_ENTRY_BYTES // 1024} KiB",
            "Put it into a note of its own with `ctxrepo new`.",
        )
    first, *rest = [line.rstrip() for line in words.replace("\r\n", "\n").split("\n")]
    parts = [
        f"[{word(category, 'category')}]" if category else "",
        f"{word(key, 'key')}:" if key else "",
        _MARKER.sub("", first, count=1) if _MARKER.match(first) else first,
        *(f"#{word(tag.lstrip('#'), 'tag')}" for tag in tags if f"#{tag.lstrip('#')}" not in first.split()),
        _ID_COMMENT.format(explicit_id) if explicit_id else "",
    ]
    indented = [f"  {line}" if line else "" for line in rest]
    line = "\n".join(["- " + " ".join(p for p in parts if p), *indented])
    if left_open := closed(line)[len(line) :].strip():
        line += f"\n  {left_open}"
    if len(entries_of("", line)) != 1:
        raise UsageError("there is nothing to remember: the text is empty or begins with a horizontal line")
    return line


def facts_of(text: str) -> list[str]:
    """Split a text into facts: every line without indentation begins one, and the indented lines below
    belong to it. Fenced code stays whole. UsageError for a heading."""
    facts: list[list[str]] = []
    is_code = False
    for line in text.replace("\r\n", "\n").split("\n"):
        if _TITLE.match(line) and not is_code:
            raise UsageError(
                f"{line[:40]!r} is a heading, and no fact",
                "`ctxrepo new PATH -d D --from -` makes a note of a whole text.",
            )
        goes_on = is_code or line[:1] in ("", " ", "\t")
        if not goes_on:
            facts.append([line])
        elif facts:
            facts[-1].append(line)
        is_code ^= line.lstrip().startswith(("```", "~~~"))
    return [f"{first}\n{dedent(chr(10).join(rest))}".strip() for first, *rest in facts]


def word(text: str, what: str) -> str:
    """`text` if it can stand as a `what` (category, tag or key); UsageError otherwise."""
    pattern, rule = _WORDS[what]
    if not pattern.match(text):
        raise UsageError(f"{what} {text!r} is not a single word", rule)
    return text


def in_place_of(old: Entry, text: str) -> str:
    """`text` as a replacement of the entry `old`: with its bullet and its id, unless it has its own."""
    marker = _MARKER.match(old.text)
    if marker and not _MARKER.match(text):
        first, *rest = text.split("\n")
        indent = " " * len(marker[0])
        text = "\n".join([marker[0] + first, *(indent + line if line.strip() else "" for line in rest)])
    if (own_id := explicit_id(old.text)) and not explicit_id(text):
        first, newline, rest_of_it = text.partition("\n")
        text = f"{first} {_ID_COMMENT.format(own_id)}{newline}{rest_of_it}"
    return text


def append(text: str, entry: str, title: str = "") -> str:
    """Add `entry` as the last bullet of the section `title`, which is created if it is missing; without a
    title, of the note. An open code fence or comment is closed first, or the entry would be a part of it."""
    head, body = frontmatter.split(text)
    newline = newline_of(text)
    if head and not head.endswith("\n"):
        head += newline
    entry = entry.replace("\n", newline)
    blocks = split_blocks(body)
    inside = [i for i, b in enumerate(blocks) if not title or b.heading[-1:] == (title,)]
    if not inside or inside[-1] == len(blocks) - 1:
        body = closed(body)
        blocks = split_blocks(body)
    if not inside:
        is_unfinished = body != "" and not body.endswith("\n")
        gap = newline * (is_unfinished + bool(body.strip()))
        section = f"{gap}## {title}{newline}{newline}" if title else ""
        below = newline if head and not body else body
        return f"{head}{below}{section}{entry}{newline}"
    last = inside[-1]
    before = "".join(b.raw for b in blocks[:last])
    rest = "".join(b.raw for b in blocks[last + 1 :])
    return head + before + _behind(blocks[last], entry, newline) + rest


def replace(text: str, old: Entry, new: str) -> str:
    """Replace the lines of the entry `old` in `text`; '' removes them. Refused where another text stands."""
    lines = lines_of(text)
    if "".join(lines[old.first_line - 1 : old.last_line]).rstrip("\r\n") != old.text:
        raise Refused(f"^{old.id} doesn't stand at {old.at} any more", "Run the command again.")
    end = "\r\n" if lines[old.last_line - 1].endswith("\r\n") else "\n"
    put = [line + end for line in new.split("\n")] if new else []
    return "".join([*lines[: old.first_line - 1], *put, *lines[old.last_line :]])


def _behind(block: Block, entry: str, newline: str) -> str:
    """Add `entry` after `block`: directly after a bullet, with a blank line after anything else."""
    text = block.text if block.text.endswith("\n") else block.text + newline
    if block.kind == "bullet":
        return f"{text}{entry}{newline}{block.after}"
    if block.kind == "blank":
        return f"{block.raw}{entry}{newline}"
    return f"{text}{newline}{entry}{newline}{block.after.removeprefix(newline)}"


def newline_of(text: str) -> str:
    """The line end of the note's first line."""
    return "\r\n" if text.partition("\n")[0].endswith("\r") else "\n"


def new_note(path: str, today: str, tags: Sequence[str] = ()) -> str:
    """A note made for its first entry: its head depends on no machine, so that two make the same note."""
    stem = path.rpartition("/")[2].removesuffix(".md")
    fields: dict[str, frontmatter.Value] = {
        "description": "What to know first" if stem == "MEMORY" else about(stem)
    }
    if tags:
        fields["tags"] = list(tags)
    return frontmatter.render(fields | {"created": today, "updated": today}) + "\n"


_ABOUT = dict(line.split(": ", 1) for line in text_beside(__spec__, "about.notes").splitlines())


def about(stem: str) -> str:
    """The description of a note made for its first entry, the same everywhere, until somebody betters it."""
    return _ABOUT.get(stem.lower()) or f"{stem.replace('-', ' ').capitalize()} notes"


_OPENING = lazy_pattern(r"---[ \t]*\r?\n")
_TAGS = lazy_pattern(
    r"(tags[ \t]*+:[ \t]++)"
    r"""("[^"\[\]{}\r\n]*"|'[^'\[\]{}\r\n]*'|(?:[^"'#\[\]{} \t\r\n]++|[ \t]++(?=[^"'#\[\]{} \t\r\n]))*+)"""
    r"((?:[ \t]++(?:#[^\r\n]*+)?)?\r?\n)\Z"
)
_KNOWN = frozenset({"description", "tags", "created", "updated"})

Fix = Callable[[str, str], str]
"""(path, text) -> the mended text, or the same text."""


def fixed(path: str, data: bytes) -> tuple[bytes, tuple[str, ...]]:
    """The mended note at `path`, and a line for each kind of change; mending twice changes nothing more."""
    text = utf16(data)
    deeds = ["is UTF-8 now, and was UTF-16"] if text else []
    text = text or decode_exactly(data)
    for deed, fix in _FIXES.items():
        before, text = text, fix(path, text)
        deeds += [deed] if text != before else []
    return encode(text), tuple(deeds)


def _closing(_: str, text: str) -> str:
    """Close the head if the lines up to the first blank one are of one: # and - may begin the body."""
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
    spaced = re.sub(r"(?m)^[ \t]*\t[ \t]*", lambda match: match[0].replace("\t", "  "), head)
    return spaced + body if split(spaced + body) == (spaced, body) and read(spaced).fields else text


def _tags(_: str, text: str) -> str:
    """Make tags in one line a list, with the same words: `tags: a, b` becomes `tags: [a, b]`."""
    head, body = split(text)
    before = read(text)
    if not before.fields or not isinstance(before.fields.get("tags"), str | int | float):
        return text
    lines = lines_of(head)
    places = [n for n, line in enumerate(lines) if line.startswith("tags")]
    match = _TAGS.match(lines[places[0]]) if len(places) == 1 else None
    if match is None:
        return text
    bare = re.sub(r"""\A(["'])(.*)\1\Z""", r"\2", match[2])
    words = list(dict.fromkeys(word for word in (" ".join(w.split()) for w in bare.split(",")) if word))
    tags = field_line("tags", words).partition(": ")[2]
    lines[places[0]] = f"{match[1]}{tags}{match[3]}"
    after = read("".join(lines))
    is_same = {**before.fields, "tags": words} == after.fields and after.tags == tuple(words)
    return "".join(lines) + body if is_same else text


def _ids(path: str, text: str) -> str:
    """Give the second of two entries with one id a new one: references most likely mean the first."""
    entries = [entry for entry in entries_of(path, text) if explicit_id(entry.text)]
    ids = {entry.id for entry in entries}
    seen: set[str] = set()
    lines = lines_of(text)
    for entry in entries:
        if entry.id in seen:
            ends = (entry.first_line - 1, entry.last_line - 1)
            place = next((n for n in ends if explicit_id(lines[n]) == entry.id), None)
            if place is None:
                continue
            free = (derived_id(path, entry.heading, entry.text, n) for n in range(1, len(ids) + 2))
            new = next(name for name in free if name not in ids)
            ids.add(new)
            lines[place] = with_id(lines[place], new)
        seen.add(entry.id)
    return "".join(lines)


_FIXES: dict[str, Fix] = {
    "lines end as everywhere": lambda _, text: text if "\n" in text else text.replace("\r", "\n"),
    "no byte order mark before the first line": lambda _, text: (
        text if split(text)[0] else text.lstrip("\ufeff")
    ),
    "frontmatter is closed": _closing,
    "frontmatter is indented with spaces": _tabs,
    "tags are a list": _tags,
    "the second of two equal ids is a new one": _ids,
}


def without_keys(path: str, data: bytes, keys: Collection[str]) -> bytes:
    """A note without its entries that have one of these keys, which are in small letters."""
    text = decode_exactly(data)
    for entry in reversed(entries_of(path, text) if keys else ()):
        if entry.key.casefold() in keys:
            text = replace(text, entry, "")
    return encode(text)
