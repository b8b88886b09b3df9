"""Adding to a note the entries of another text that it lacks; nothing in the note is changed."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from itertools import groupby

from ctxrepo.domain.note import frontmatter
from ctxrepo.domain.note.compose import newline_of
from ctxrepo.domain.note.entry import entries_of, normalised
from ctxrepo.domain.note.markdown import Block, closed, lines_of, split_blocks
from ctxrepo.domain.working.checklist import COMMENT
from ctxrepo.lazy import dataclass, lazy_pattern

_ENTRIES = ("bullet", "paragraph")

_BOX = lazy_pattern(r"(?m)^([ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+)\[[ xX]\][ \t]+")

Titles = tuple[str, ...]


@dataclass(frozen=True)
class Supplement:
    """The supplemented text; of the other text's entries `new` were added, `known` were there already, and
    `withheld` were left out."""

    text: str
    new: int
    known: int
    withheld: int = 0


def supplemented(path: str, text: str, other: str, gone: Collection[str] = ()) -> Supplement:
    """Add to `text`, the note at `path`, the entries of `other` that it lacks, below the headings they
    have there. One that stands anywhere in the note, ticked or not, is not added, nor one whose id is
    `gone`; of two equal ones in `other` the note gets both. Comments directly above an entry come along;
    the head of `other` is ignored."""
    other = closed_note(other)
    head, body = frontmatter.split(other)
    blocks = list(_apart(split_blocks(body)))
    ids = {e.first_line - head.count("\n"): e.id for e in entries_of(path, other)}
    counts = Counter(gist(entry.text) for entry in entries_of(path, closed_note(text)))
    lacking: list[Block] = []
    above: list[Block] = []
    new = old = withheld = 0
    for block in blocks:
        if block.kind == "comment":
            above = [*above, block]
            continue
        entry_id = ids.get(block.line) if block.kind in _ENTRIES else None
        words = gist(block.text) if entry_id is not None else ""
        # A bullet without words says nothing, whatever comment is below it.
        if entry_id is not None and words:
            if counts[words]:
                counts[words] -= 1
                old += 1
            elif entry_id in gone:
                withheld += 1
            else:
                new += 1
                lacking += [*above, block]
        above = []
    title = _title(blocks)
    headings = {_titles(b, title): b.text for b in blocks if b.kind == "heading"}
    for titles, part in groupby(lacking, lambda block: _titles(block, title)):
        text = _with_part(text, titles, [*part], headings)
    return Supplement(text, new, old, withheld)


def without(path: str, text: str, gone: Collection[str]) -> str:
    """The note without the entries with these ids and the comments directly above them; all else stays."""
    head, body = frontmatter.split(text)
    ids = {e.first_line - head.count("\n"): e.id for e in entries_of(path, text)}
    blocks: list[Block] = []
    for block in _apart(split_blocks(body)):
        if ids.get(block.line) in gone:
            while blocks and blocks[-1].kind == "comment":
                blocks.pop()
        else:
            blocks.append(block)
    return head + "".join(block.raw for block in blocks)


def gist(text: str) -> str:
    """The words by which an entry is compared, without tick box and comments, which belong to the next."""
    words = "".join(line for line in lines_of(text) if not COMMENT.match(line)) if "<!--" in text else text
    return normalised(_BOX.sub(r"\1", words))


def _apart(blocks: Sequence[Block]) -> Iterator[Block]:
    """The blocks, comments at the end of a bullet by themselves: they belong to the next entry."""
    for block in blocks:
        lines = lines_of(block.text) if block.kind == "bullet" and "<!--" in block.text else []
        end = len(lines)
        while end > 1 and COMMENT.match(lines[end - 1]):
            end -= 1
        if not lines or end == len(lines) or block.after:
            yield block
            continue
        yield block._replace(text="".join(lines[:end]))
        comment = "".join(lines[end:])
        yield Block("comment", comment, "", block.line + end, block.heading)


def closed_note(text: str) -> str:
    """The note with an open fence or comment closed, so that text behind it doesn't change its last entry."""
    head, body = frontmatter.split(text)
    return head + closed(body)


def _title(blocks: Sequence[Block]) -> Titles:
    """The titles of the only heading of the first level, if nothing precedes it; otherwise ()."""
    first = next((b for b in blocks if b.kind not in ("blank", "comment")), None)
    tops = [b for b in blocks if b.kind == "heading" and len(b.heading) == 1]
    is_title = len(tops) == 1 and tops[0] == first and not first.text.startswith("##")
    return tops[0].heading if is_title else ()


def _titles(block: Block, title: Titles) -> Titles:
    """The titles that a block stands under, without the title of the whole note."""
    return block.heading[1:] if title and block.heading[:1] == title else block.heading


def _with_part(text: str, titles: Titles, part: Sequence[Block], headings: dict[Titles, str]) -> str:
    """Add blocks at the end of the section with these titles; a missing section is created."""
    head, body = frontmatter.split(text)
    newline = newline_of(text)
    if head and not head.endswith("\n"):
        head += newline
    blocks = split_blocks(body)
    title = _title(blocks)
    sections = {_titles(block, title) for block in blocks} | {()}
    depth = next(n for n in range(len(titles), -1, -1) if titles[:n] in sections)
    missing = [headings[t] for n in range(depth, len(titles)) if (t := titles[: n + 1]) in headings]
    added = "".join(f"{heading.rstrip()}\n\n" for heading in missing) + _joined(part)
    added = added.replace("\r\n", "\n").replace("\n", newline)
    # A new section may follow any block below the one it goes into, entries only those directly in it.
    places = [_titles(b, title)[: depth if missing else None] for b in blocks]
    inside = [n for n, place in enumerate(places) if place == titles[:depth]]
    last = inside[-1] if inside else -1
    if last == len(blocks) - 1:
        body = closed(body)
        blocks = split_blocks(body)
        last = len(blocks) - 1
    is_bullet = not missing and part[0].kind == "bullet"
    placed = _placed(blocks, last, added, newline, is_bullet=is_bullet)
    if head:
        return head + placed
    note = placed if body.strip() else placed.lstrip("\r\n")
    # Behind a note that begins with a line of dashes another such line would make a head of what is between.
    return newline + note if frontmatter.split(note)[0] else note


def _joined(blocks: Sequence[Block]) -> str:
    """Join blocks, with a blank line between those that would otherwise become one block."""
    text = ""
    before: Block | None = None
    for block in blocks:
        if before and not before.after and before.kind != "comment":
            text += "" if before.kind == block.kind == "bullet" else "\n"
        # Indented it would hang under a bullet that it comes to stand behind.
        words = block.text.lstrip(" \t")
        text += words if words.endswith("\n") else f"{words}\n"
        text += block.after
        before = block
    return closed(text.rstrip("\r\n") + "\n")


def _placed(blocks: Sequence[Block], last: int, added: str, newline: str, *, is_bullet: bool) -> str:
    """Insert `added` after the block at `last` (-1: before all), a blank line between unless in one list."""
    before = "".join(b.raw for b in blocks[: last + 1])
    rest = "".join(b.raw for b in blocks[last + 1 :])
    if last < 0 or blocks[last].kind == "blank":
        return (before or newline) + added + (newline + rest if rest else "")
    block = blocks[last]
    upto = "".join(b.raw for b in blocks[:last]) + block.text
    upto += "" if upto.endswith("\n") else newline
    gap = "" if is_bullet and block.kind == "bullet" else newline
    after = block.after or (newline if rest else "")
    return upto + gap + added + after + rest
