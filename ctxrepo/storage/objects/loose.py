"""Loose objects: a commit leaves half a dozen small files, which take six times the room of a pack."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from ctxrepo.lazy import dataclass, lazy_pattern
from ctxrepo.storage.clone.reffiles import RefFiles
from ctxrepo.storage.disk.durable import sync_folder
from ctxrepo.storage.git.git import Answer, Git, Watch

MANY = 6700
"""From so many on they are packed; what git takes for `gc.auto` when nobody says otherwise."""

STALE = 24 * 3600.0
"""Seconds after which a temporary file can't be one that a git is still writing."""

_TIMEOUT = 600.0
_WATCH = Watch(silence=_TIMEOUT)

_FOLDERS = 256

_TEMPORARY = lazy_pattern(r"tmp_(pack|idx|rev|obj)_|\.tmp-\d+-pack-")


@dataclass(frozen=True)
class Loose:
    """The loose objects of the clone at `git_dir`. `git` runs in our own git directory, sees them, and is
    offline."""

    git_dir: Path
    git: Git

    def are_many(self) -> bool:
        """Estimated from one of their 256 folders: ids are spread evenly."""
        with suppress(OSError):
            return len(os.listdir(self._objects / "17")) > MANY / _FOLDERS
        return False

    def pack(self) -> Answer:
        """Put all that refs, their logs and the index lead to in a pack of its own, and take the files away.

        No object goes: what nothing leads to stays loose. No ref is touched. A process that reads meanwhile
        finds each object in one of the two places.
        """
        # The arguments that `git repack` passes to it; one thread, because somebody is working on this
        # machine.
        words = ("-c", "pack.threads=1", "pack-objects", "-q", "--revs", "--indexed-objects", "--unpacked")
        more = ("--incremental", "--local", "--non-empty", "--delta-base-offset", "--keep-true-parents")
        partial = ("--exclude-promisor-objects",) if self._is_partial() else ()
        index = self.git_dir / "index"
        packed = self.git.run(
            *words,
            *more,
            *partial,
            str(self.git.folder / "objects" / "pack" / "pack"),
            timeout=_TIMEOUT,
            watch=_WATCH,
            stdin="".join(f"{tip}\n" for tip in self._tips()).encode(),
            index=index if index.is_file() else None,
        )
        if not packed.ok:
            return packed
        sync_folder(self._objects / "pack")  # or a power cut might take the pack and leave the files gone
        return self._run("prune-packed", "--quiet")

    def clear(self, now: float) -> int:
        """Take away what a git that was killed left half written; returns how many files."""
        stale = [file for file in self._temporary() if _age(file, now) > STALE]
        for file in stale:
            file.unlink(missing_ok=True)
        return len(stale)

    def _tips(self) -> list[str]:
        """Where refs and their logs lead, as far as that is here."""
        refs = RefFiles(self.git_dir)
        tips = {*refs.all().values(), refs.resolve("HEAD"), *refs.logged()} - {None}
        asked = "".join(f"{tip}\n" for tip in sorted(filter(None, tips))).encode()
        words = ("cat-file", "--batch-check=%(objectname)", "--buffer")
        answer = self.git.run(*words, timeout=_TIMEOUT, stdin=asked)
        return [line for line in answer.out.splitlines() if not line.endswith(" missing")]

    def _is_partial(self) -> bool:
        return any(name.endswith(".promisor") for name in os.listdir(self._objects / "pack"))

    def _run(self, *words: str) -> Answer:
        return self.git.run(*words, timeout=_TIMEOUT, watch=_WATCH)  # whatever ends us ends it, too

    def _temporary(self) -> Iterator[Path]:
        for folder in (self._objects / "pack", *self._objects.glob("[0-9a-f][0-9a-f]")):
            with suppress(OSError):
                yield from (folder / name for name in os.listdir(folder) if _TEMPORARY.match(name))

    @property
    def _objects(self) -> Path:
        return self.git_dir / "objects"


def _age(file: Path, now: float) -> float:
    with suppress(OSError):
        return now - file.stat().st_mtime
    return 0.0
