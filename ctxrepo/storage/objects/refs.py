"""Reads refs as files and moves them by compare and swap."""

from __future__ import annotations

from ctxrepo.storage.objects.reading import ObjectReader


class Refs(ObjectReader):
    def ref(self, name: str) -> str | None:
        """What the ref points at, following symbolic ones; None when it isn't there."""
        return self._refs.resolve(name)

    def refs(self, prefix: str) -> dict[str, str]:
        """name -> what it points at, of the refs whose names begin with `prefix`."""
        return self._refs.all(prefix)

    def move_ref(self, name: str, new: str, old: str | None) -> bool:
        """Compare and swap: False when the ref is not at `old` any more."""
        return self._refs.move(name, new, old)

    def set_ref(self, name: str, new: str) -> None:
        """Point a ref of ours at `new`, whatever it pointed at."""
        self._refs.set(name, new)

    def point_head(self, name: str) -> None:
        """Point HEAD at another branch; no file in the worktree changes."""
        self._refs.point_head(name)

    def drop_ref(self, name: str) -> None:
        """Remove a ref of ours; does nothing if there is none."""
        if self.ref(name) is not None:
            self._refs.remove(name)
