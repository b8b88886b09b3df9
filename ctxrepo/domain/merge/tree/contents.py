"""The content at a path of a tree, and the merge of three versions of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ctxrepo.domain.merge.file import merge_file
from ctxrepo.domain.note.note import decode_exactly
from ctxrepo.domain.records.conflict_copy import ConflictCopy
from ctxrepo.lazy import dataclass

Content = str | bytes
"""A blob's key, or bytes that are no blob yet. What is no plain file (a link, a submodule) has a key with a
colon in it."""

Contents = Mapping[str, Content]
"""path -> what is there."""


@dataclass(frozen=True)
class Blobs:
    """`read` gives the bytes of a key."""

    read: Callable[[str], bytes]

    def bytes_of(self, content: Content | None) -> bytes | None:
        return self.read(content) if isinstance(content, str) else content

    def merge(
        self, path: str, was: Content | None, us: Content | None, them: Content | None
    ) -> tuple[Content | None, tuple[ConflictCopy, ...]]:
        """(what stays at `path`, what lost); if the bytes are those of a side, then with that side's key."""
        if us == was:
            return them, ()
        if them in (us, was):
            return us, ()
        if us is None or them is None:
            return (them if us is None else us), ()
        if not (is_plain(us) and is_plain(them)):
            return self._taken_whole(path, us, them)
        base = was if was is not None and is_plain(was) else None
        result = merge_file(path, *map(self.bytes_of, (base, us, them)))
        sides = {self.bytes_of(side): side for side in (them, us)}
        return sides.get(result.data, result.data), result.conflict_copies

    def _taken_whole(self, path: str, us: Content, them: Content) -> tuple[Content, tuple[ConflictCopy, ...]]:
        """Take one side whole; if one is a link, take the file, since a link is never written to disk."""
        other, kept = sorted((us, them), key=lambda content: (is_plain(content), str(content)))
        said = decode_exactly(self.bytes_of(other) or b"") or str(other)
        return kept, (ConflictCopy(path, "", "", said),)


def is_plain(content: Content) -> bool:
    return isinstance(content, bytes) or ":" not in content
