"""Refs: read, moved by compare and swap, outlasting the locks that killed processes leave."""

from __future__ import annotations

import time
from collections.abc import Callable

import pygit2

from ctxrepo.errors import GitFailed
from ctxrepo.storage.objects.reading import Reading
from ctxrepo.storage.reflock import STALE, clear_stale_locks

_REFUSALS = (pygit2.GitError, ValueError, OSError)
"""What libgit2's refusals become: an existing ref is a ValueError, a lock in the way an OSError."""


class Refs(Reading):
    def ref(self, name: str) -> str | None:
        """What the ref points at, following symbolic ones; None when it isn't there."""
        try:
            return str(self._repo.references[name].resolve().target)
        except (KeyError, pygit2.GitError, ValueError):
            return None

    def refs(self, prefix: str) -> dict[str, str]:
        """name -> what it points at, of the refs whose names begin with `prefix`."""
        names = [name for name in self._repo.references if name.startswith(prefix)]
        return {name: oid for name in names if (oid := self.ref(name)) is not None}

    def move_ref(self, name: str, new: str, old: str | None) -> bool:
        """Compare and swap: False when the ref is not at `old` any more."""
        return self._outlasting_locks(name, lambda: self._swap(name, new, old))

    def set_ref(self, name: str, new: str) -> None:
        """Point a ref of ours somewhere, whatever it was."""
        self._outlasting_locks(name, lambda: bool(self._repo.references.create(name, new, force=True)))

    def point_head(self, name: str) -> None:
        """Make HEAD stand for another branch; no file is touched."""

        def point() -> bool:
            self._repo.set_head(name)
            return True

        self._outlasting_locks("HEAD", point)

    def drop_ref(self, name: str) -> None:
        """Remove a ref of ours; nothing happens when it isn't there."""

        def drop() -> bool:
            self._repo.references.delete(name)
            return True

        if self.ref(name) is not None:
            self._outlasting_locks(name, drop)

    def _swap(self, name: str, new: str, old: str | None) -> bool:
        now = self._repo.references.get(name)
        if (str(now.target) if now else None) != old:
            return False
        try:
            if now is None:
                self._repo.references.create(name, new)
            elif new != old:
                now.set_target(new)  # fails when the ref moved since it was looked up
        except _REFUSALS:
            if self.ref(name) == old:
                raise
            return False
        return True

    def _outlasting_locks(self, name: str, act: Callable[[], bool]) -> bool:
        """Do it, taking away a lock that a kill left on the ref once it is old enough to be sure."""
        end = time.monotonic() + 2 * STALE
        while True:
            try:
                return act()
            except _REFUSALS as error:
                if time.monotonic() > end:
                    raise GitFailed(f"{name} can't be moved: {error}") from error
            clear_stale_locks(self.git_dir, name, "packed-refs", "HEAD")
            time.sleep(0.05)
