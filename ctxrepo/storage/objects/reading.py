"""Reads objects from an opened repository; Damaged for one that can't be read, and never a hang."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, cast

from ctxrepo.domain.guard.bounds import COMMIT_BYTES, FILE_BYTES, FOLDER_BYTES, Bound
from ctxrepo.errors import Damaged
from ctxrepo.storage.clone.refwriter import RefWriter, logs_setting
from ctxrepo.storage.isolated.owngit import OwnGit
from ctxrepo.storage.objects.libgit2 import enums, pygit2
from ctxrepo.storage.objects.objectfiles import loose_file, why_spoiled

_LOOSE, _PACKED = 1, 2
"""The order in which libgit2 asks them: packs first."""

_LARGEST: Mapping[int, Bound] = {enums.ObjectType.TREE: FOLDER_BYTES, enums.ObjectType.BLOB: FILE_BYTES}

_Object = pygit2.Commit | pygit2.Tree | pygit2.Blob | pygit2.Tag


class ObjectReader:
    """An opened repository. Ids are 40 hex digits."""

    def __init__(self, own: OwnGit) -> None:
        self._own = own
        clone = own.clone
        self._refs = RefWriter(clone.git_dir, logs_setting(clone.configured()))
        self._sound: set[str] = set()
        self.reopen()

    def reopen(self) -> None:
        """Open the repository again, to see packs that another process has added.

        libgit2 opens a directory of ours with the clone's objects: it reads neither the clone's configuration
        nor its alternates (ADR 38).
        """
        objects = str(self._own.prepare_objects())
        try:
            self._repo = pygit2.Repository(str(self._own.folder), enums.RepositoryOpenFlag.NO_SEARCH)
            found = pygit2.Odb()
            found.add_backend(pygit2.OdbBackendLoose(objects, -1, False), _LOOSE)
            found.add_backend(pygit2.OdbBackendPack(objects), _PACKED)
            self._repo.set_odb(found)
        except (pygit2.GitError, KeyError) as error:
            raise Damaged(f"{self._own.clone.root} can't be opened as a git repository: {error}") from error
        self._git_dir = str(self._own.clone.git_dir)

    def commit_at(self, commit: str) -> pygit2.Commit:
        found = self.read(commit, "commit")
        if not isinstance(found, pygit2.Commit):
            raise Damaged(f"{commit} is no commit")
        return found

    def read(self, oid: str, what: str) -> _Object:
        self._require_small(oid, what)
        with reading(f"{what} {oid}"):
            found: Any = self._repo[oid]  # its stub names a base that nothing else inherits from
        return cast(_Object, found)

    def read_raw(self, oid: str, what: str) -> tuple[int, bytes]:
        """(kind, bytes) of an object."""
        self._require_small(oid, what)
        with reading(f"{what} {oid}"):
            return self._repo.read(oid)

    def is_there(self, oid: str) -> bool:
        return self._repo.odb.exists(oid)  # to ask the repository itself would read the object

    def header(self, oid: str, what: str) -> tuple[int, int]:
        """(kind, size) of an object, without reading it."""
        self._require_sound(oid, what)
        with reading(f"{what} {oid}"):
            return self._repo.odb.read_header(oid)

    def tree_bytes(self, tree: str) -> bytes:
        kind, data = self.read_raw(tree, "tree")
        if kind == enums.ObjectType.COMMIT:
            kind, data = self.read_raw(str(self.commit_at(tree).tree_id), "tree")
        if kind != enums.ObjectType.TREE:
            raise Damaged(f"{tree} is no tree")
        return data

    def _require_small(self, oid: str, what: str) -> None:
        """BeyondBounds for an object that is larger than any of its kind may be."""
        kind, size = self.header(oid, what)
        _LARGEST.get(kind, COMMIT_BYTES).require(size, f"{what} {oid[:10]}")

    def _require_sound(self, oid: str, what: str) -> None:
        """Damaged for a spoiled loose object: libgit2 1.9 never returns from one that was cut short."""
        if oid not in self._sound:
            if why := why_spoiled(loose_file(self._git_dir, oid)):
                raise Damaged(f"{what} {oid} can't be read: it {why}")
            self._sound.add(oid)


@contextmanager
def reading(what: str) -> Iterator[None]:
    """Raise Damaged for libgit2's errors when something is missing or can't be read."""
    try:
        yield
    except (KeyError, pygit2.GitError, ValueError) as error:
        raise Damaged(f"{what} can't be read: {error}") from error
