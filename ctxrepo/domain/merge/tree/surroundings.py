"""The contents of trees, and the unchanged paths around the changed ones, read only where they are needed."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cache

from ctxrepo.domain.merge.file import merge_file
from ctxrepo.domain.note.note import decode_exactly
from ctxrepo.domain.project.layout import fold, prefixes_of
from ctxrepo.domain.records.conflict_copy import ConflictCopy
from ctxrepo.domain.records.evidence import Evidence
from ctxrepo.lazy import dataclass

Content = str | bytes
"""A blob's key, or bytes that aren't a blob yet. The key of a link or a submodule has a colon in it."""

Contents = Mapping[str, Content]
"""path -> its content."""


@dataclass(frozen=True)
class Blobs:
    """Reads and merges contents; `read` gives the bytes of a key, `evidence` what is said of entries."""

    read: Callable[[str], bytes]
    evidence: Callable[[], Iterable[Evidence]]

    def bytes_of(self, content: Content | None) -> bytes | None:
        return self.read(content) if isinstance(content, str) else content

    def merge(
        self,
        path: str,
        was: Content | None,
        us: Content | None,
        them: Content | None,
        former: Collection[str] = (),
    ) -> tuple[Content | None, tuple[ConflictCopy, ...]]:
        """The merged content of a path, as a side's key if it is that side's, and copies of what lost. What
        is recorded of entries at its `former` paths is true of its own."""
        if us == was:
            return them, ()
        if them in (us, was):
            return us, ()
        if us is None or them is None:
            return (them if us is None else us), ()
        if not (is_plain(us) and is_plain(them)):
            # Taken whole, and of a link and a file the file: a link is never written to disk.
            loser, winner = sorted((us, them), key=lambda content: (is_plain(content), str(content)))
            text = decode_exactly(self.bytes_of(loser) or b"") or str(loser)
            return winner, (ConflictCopy(path, "", "", text),)
        base = was if was is not None and is_plain(was) else None

        def evidence() -> Iterable[Evidence]:
            return *self.evidence(), *(Evidence("", "", "renamed", "", old, path) for old in former)

        result = merge_file(path, *map(self.bytes_of, (base, us, them)), evidence=evidence)
        sides = {self.bytes_of(side): side for side in (them, us)}
        return sides.get(result.data, result.data), result.conflict_copies


def is_plain(content: Content) -> bool:
    return isinstance(content, bytes) or ":" not in content


NamesIn = Callable[[str], Mapping[str, str | None]]
"""The names directly in a folder of the base ('' is the whole tree), with their keys; None for a folder.
Empty when there is no such folder."""

_Folded = dict[str, list[str]]


class Surroundings:
    """The untouched part of a base tree: paths that are the same in the base and on both sides."""

    def __init__(self, names_in: NamesIn, changed: Collection[str]) -> None:
        self._changed = changed
        self._changed_folders = {folder for path in changed for folder in prefixes_of(path)[:-1]}
        self.names: NamesIn = cache(names_in)
        """All names that the base has in a folder, those of changed files too."""
        self._by_fold: Callable[[str], _Folded] = cache(self._folded)

    def like(self, path: str) -> dict[str, str | None]:
        """Untouched paths that a file system which ignores case takes for `path`: key, None for a folder."""
        like_so_far: dict[str, str | None] = {"": None}
        for part in path.split("/"):
            folders = [folder for folder, key in like_so_far.items() if key is None]
            like_so_far = {
                join(folder, name): self.names(folder)[name]
                for folder in folders
                for name in self._by_fold(folder).get(fold(part), ())
            }
        return {other: key for other, key in like_so_far.items() if self._is_untouched(other, key)}

    def files_like(self, paths: Iterable[str]) -> dict[str, str]:
        """The untouched files that `paths`, or the folders they are in, would replace."""
        prefixes = {fold(prefix): prefix for path in paths for prefix in prefixes_of(path)}
        like = (item for prefix in prefixes.values() for item in self.like(prefix).items())
        return {path: key for path, key in like if key is not None}

    def _folded(self, folder: str) -> _Folded:
        folded: _Folded = defaultdict(list)
        for name in self.names(folder):
            folded[fold(name)].append(name)
        return folded

    def _is_untouched(self, path: str, key: str | None) -> bool:
        """Whether the file is unchanged, or anything in the folder is."""
        waiting = [(path, key)]
        while waiting:
            path, key = waiting.pop()
            if path not in (self._changed_folders if key is None else self._changed):
                return True
            if key is None:
                waiting += ((join(path, name), below) for name, below in self.names(path).items())
        return False


def join(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name
