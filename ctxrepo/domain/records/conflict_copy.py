"""A version that lost a merge, and the file under conflicts/ that keeps it."""

import re
from itertools import product

from ctxrepo.domain.note import frontmatter
from ctxrepo.domain.note.note import decode_exactly, encode
from ctxrepo.domain.project.layout import CONFLICTS
from ctxrepo.domain.text import blake2b
from ctxrepo.lazy import dataclass, lazy_pattern

_MAX_NAME_BYTES = 200
_ID = lazy_pattern(r"--([0-9a-f]{10})\.md\Z")
_FENCE = lazy_pattern(r"(`{3,})text\n")


@dataclass(frozen=True)
class ConflictCopy:
    """A version of (a part of) the file at `path` that lost a merge and must be kept.

    `base` is the version that both sides edited, `kept` the one that won, `other` the one that lost. If a
    file can't be merged by parts, `other` is the whole losing file, and `kept` is ''."""

    path: str
    base: str
    kept: str
    other: str


def copy_as_file(copy: ConflictCopy) -> tuple[str, bytes]:
    """(path, content) of a copy's file; the same on every machine."""
    parts = "\x1f".join((copy.path, copy.base, copy.kept, copy.other))
    digest = blake2b(encode(parts), digest_size=5).hexdigest()
    description = f"two machines changed {copy.path}: the version that was not kept"
    # A plain text in a head would lose double spaces.
    path: frontmatter.Value = copy.path if copy.path == " ".join(copy.path.split()) else [copy.path]
    head = frontmatter.render({"description": description, "path": path})
    sections = [("was", copy.base), ("kept", copy.kept), ("other", copy.other)]
    body = "".join(f"\n## {title}\n\n{_fenced(text)}" for title, text in sections if text)
    # Leading dots and dashes hide a file or are not allowed.
    whole = encode(copy.path.replace("/", "__"))
    name = whole[-_MAX_NAME_BYTES:].decode("utf-8", "ignore").lstrip(".-")
    return f"{CONFLICTS}/{name}--{digest}.md", encode(head + body)


def copy_id(path: str) -> str:
    """The hash in the name of a conflict copy's file; '' for any other name."""
    match = _ID.search(path)
    return match[1] if match else ""


def read_copy(path: str, data: bytes) -> ConflictCopy | None:
    """The copy that `copy_as_file` wrote to this file; None for a file that differs by a byte. The text
    doesn't show whether a version ended with a newline; the hash in the name does."""
    head, body = frontmatter.split(decode_exactly(data))
    field = frontmatter.read(head).fields.get("path")
    sections = _sections(body)
    subject = field[0] if isinstance(field, list) and len(field) == 1 else field
    if not isinstance(subject, str) or sections is None:
        return None
    for base, winner, loser in product(*({text, text.removesuffix("\n")} for text in sections)):
        copy = ConflictCopy(subject, base, winner, loser)
        if copy_as_file(copy) == (path, data):
            return copy
    return None


def _sections(body: str) -> list[str] | None:
    """The fenced texts under was, kept and other, '' for a missing one; None when the file holds more."""
    sections = []
    for title in ("was", "kept", "other"):
        rest = body.removeprefix(f"\n## {title}\n\n")
        fence = _FENCE.match(rest) if rest != body else None
        if fence is None:
            sections.append("")
            continue
        text, closed, body = rest[fence.end() - 1 :].partition(f"\n{fence[1]}\n")
        if not closed:
            return None
        sections.append(f"{text}\n"[1:])
    return None if body else sections


def _fenced(text: str) -> str:
    """`text` in a code fence, so that nothing in it is read as a heading or an entry."""
    longest = max((len(run) for run in re.findall(r"`{3,}", text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}text\n{text}{'' if text.endswith(chr(10)) else chr(10)}{fence}\n"
