"""What commits did to the files of a project's code: which paths went, and which versions files had."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from ctxrepo.storage.code.tree import CodeTree, Moment, TreeFile, nfc

MOST = 512 * 1024
"""Bytes of a version that is looked into."""

_STEPS = 60
"""So many versions of a file are looked at to tell which commit took something out."""


class Departure(NamedTuple):
    """A path that a commit removed; `to` is its new name where git takes it for a rename, else ''."""

    path: str
    to: str
    moment: Moment


class Version(NamedTuple):
    """A file as a commit left it: the id of its bytes, '' where it removed it. `was` is the version before.
    `number` is the commit's place on the first-parent line."""

    number: int
    moment: Moment
    was: str
    oid: str


class History:
    """The first-parent line of a tree from after the oldest of some commits; a merge counts as one commit.
    Empty where git can't tell in time."""

    def __init__(self, tree: CodeTree, commits: Collection[str]) -> None:
        self._tree = tree
        first = min(commits, key=tree.number, default=tree.commit)
        # What came by a merge may have begun at any time.
        self._since = first if tree.number(first) >= 0 else ""
        self.departures: list[Departure] = []
        self._versions: dict[str, list[Version]] = {}

    @cached_property
    def versions(self) -> Mapping[str, Sequence[Version]]:
        """path -> its versions, oldest first."""
        for likeness in ("-M", "-M100%"):  # files that aren't on this machine can't be compared
            log = self._tree.log(self._since, likeness)
            if log is not None:
                for part in log.split("\x01")[1:]:
                    head, *fields = part.split("\0")
                    commit, _, at = head.strip().partition(" ")
                    self._read(Moment(commit, int(at)), fields)
                break
        return self._versions

    def _read(self, moment: Moment, fields: Sequence[str]) -> None:
        number = self._tree.number(moment.commit)
        for letter, was, now, path, to in _changes(fields):
            is_moved = letter == "R"
            self._versions.setdefault(path, []).append(Version(number, moment, was, "" if is_moved else now))
            if is_moved:
                self._versions.setdefault(to, []).append(Version(number, moment, "", now))
            if letter in ("D", "R"):
                self.departures.append(Departure(path, to, moment))

    def lost(self, path: str, since: str, has: Callable[[bytes], bool]) -> Moment | None:
        """The commit after `since` that took something out of a file, if that went only once; None where it
        can't be told."""
        number = self._tree.number(since)
        later = [version for version in self.versions.get(path, ()) if version.number > number][-_STEPS:]
        files = self._tree.sized({one.oid: TreeFile(one.oid, 0) for one in later if one.oid})
        first, last = 0, len(later)
        while first < last:
            middle = (first + last) // 2
            file = files.get(later[middle].oid)
            data = (
                next((data for _, data in self._tree.blobs([file])), b"")
                if file and file.size <= MOST
                else b""
            )
            first, last = (middle + 1, last) if has(data) else (first, middle)
        return later[first].moment if first < len(later) else None


def _changes(fields: Sequence[str]) -> Iterator[tuple[str, str, str, str, str]]:
    """(letter, id before, id after, path, new path of a rename or '') of each change; ids '' for no file."""
    at = 0
    while at + 1 < len(fields):
        about = fields[at].lstrip("\n")
        if not about.startswith(":"):
            at += 1
            continue
        _, _, was, now, letter = about.split(" ")
        is_pair = letter[0] == "R" and at + 2 < len(fields)
        to = nfc(fields[at + 2]) if is_pair else ""
        was, now = (oid if oid.strip("0") else "" for oid in (was, now))
        yield letter[0], was, now, nfc(fields[at + 1]), to
        at += 3 if is_pair else 2
