"""What commits did to the files of a project's code: which paths went, and which versions files had."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from ctxrepo.storage.code.tree import CodeTree, Moment, nfc

MOST = 512 * 1024
"""Bytes of a version that is looked into; what is larger was made by a program."""

_STEPS = 60
"""So many versions are looked at to tell which commit took something out."""


class Version(NamedTuple):
    """A path as a commit left it, the `number`th on the first-parent line: the ids of its bytes `before` and
    `after`, '' for no file. `to` is the new name of one that went, where git takes it for a rename."""

    number: int
    moment: Moment
    path: str
    before: str
    after: str
    to: str = ""


class History:
    """The first-parent line of a tree from after the oldest of some commits; a merge counts as one commit.
    Empty where git can't tell in time."""

    def __init__(self, tree: CodeTree, commits: Collection[str]) -> None:
        self._tree = tree
        first = min(commits, key=tree.number, default=tree.commit)
        # What came by a merge may have begun at any time.
        self._since = first if tree.number(first) >= 0 else ""

    @cached_property
    def _log(self) -> Sequence[Version]:
        # Files that aren't on this machine can't be compared.
        logs = (self._tree.log(self._since, likeness) for likeness in ("-M", "-M100%"))
        return [*self._versions_in(next((log for log in logs if log is not None), ""))]

    @cached_property
    def versions(self) -> Mapping[str, Sequence[Version]]:
        """path -> its versions, oldest first."""
        versions: dict[str, list[Version]] = {}
        for version in self._log:
            versions.setdefault(version.path, []).append(version)
        return versions

    @cached_property
    def departures(self) -> Sequence[Version]:
        """The versions with which paths went, oldest first."""
        return [version for version in self._log if not version.after]

    def _versions_in(self, log: str) -> Iterator[Version]:
        fields = iter(log.split("\0"))
        number, moment = -1, self._tree.moment
        for field in fields:
            field = field.strip("\n")
            if field.startswith("\x01"):
                commit, _, seconds = field[1:].partition(" ")
                number, moment = self._tree.number(commit), Moment(commit, int(seconds))
            elif field.startswith(":"):
                *_, before, after, letter = field.split(" ")
                before, after = (oid if oid.strip("0") else "" for oid in (before, after))
                path, to = nfc(next(fields)), nfc(next(fields)) if letter.startswith("R") else ""
                yield Version(number, moment, path, before, "" if to else after, to)
                if to:
                    yield Version(number, moment, to, "", after)

    def later(self, path: str, since: str) -> Sequence[Version]:
        """The last versions that commits after `since` made of a file, or of files in a folder, the oldest
        first."""
        versions = self.versions.get(path) or [v for v in self._log if v.path.startswith(f"{path}/")]
        number = self._tree.number(since)
        return [version for version in versions if version.number > number][-_STEPS:]

    def lost(self, path: str, since: str, has: Callable[[bytes], bool]) -> Moment | None:
        """The commit after `since` that took something out of a file, found by halving: `has` tells whether
        the bytes of a version still have it. None where it can't be told."""
        later = self.later(path, since)
        files = self._tree.files_by_id(version.after for version in later if version.after)
        first, last = 0, len(later)
        while first < last:
            middle = (first + last) // 2
            data = self._tree.bytes_of(files.get(later[middle].after), MOST) or b""
            first, last = (middle + 1, last) if has(data) else (first, middle)
        return later[first].moment if first < len(later) else None
