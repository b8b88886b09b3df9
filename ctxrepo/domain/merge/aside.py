"""What lost against another version in a merge, and the file under conflicts/ that keeps it."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

from ctxrepo.domain import frontmatter
from ctxrepo.domain.note import encode

_MAX_NAME_BYTES = 200


@dataclass(frozen=True)
class Aside:
    """A version of (a part of) the file at `path` that lost against another one and must not be lost.

    `base` is what both were made from, `kept` what won ('' where there was none). For a file that can only
    be taken whole `other` is all of it, and `kept` is '': it is the file.
    """

    path: str
    base: str
    kept: str
    other: str


def aside_file(aside: Aside) -> tuple[str, bytes]:
    """(path, content) of the note that keeps it; the same on every machine."""
    parts = "\x1f".join((aside.path, aside.base, aside.kept, aside.other))
    digest = hashlib.blake2b(encode(parts), digest_size=5).hexdigest()
    said = f"two machines changed {aside.path}: the version that was not kept"
    head = frontmatter.render({"description": said, "path": aside.path})
    sections = [("was", aside.base), ("kept", aside.kept), ("other", aside.other)]
    body = "".join(f"\n## {title}\n\n{_fenced(text)}" for title, text in sections if text)
    return f"conflicts/{_name(aside.path)}--{digest}.md", encode(head + body)


def _name(path: str) -> str:
    """The path as one part of a path; a leading dot would hide it, a dash is not allowed."""
    name = path.replace("/", "__")
    return encode(name)[-_MAX_NAME_BYTES:].decode("utf-8", "ignore").lstrip(".-")


def _fenced(text: str) -> str:
    """`text` as code, so that nothing in it is read as a heading or an entry."""
    longest = max((len(run) for run in re.findall(r"`{3,}", text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}text\n{text}{'' if text.endswith(chr(10)) else chr(10)}{fence}\n"
