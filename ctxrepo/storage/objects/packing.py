"""Packs loose objects and joins small packs, so that git and libgit2 stay fast in a clone (ADR 50)."""

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import accumulate
from pathlib import Path

from ctxrepo.errors import GitFailed
from ctxrepo.hooks.own_files import bytes_of
from ctxrepo.lazy import dataclass, lazy_pattern
from ctxrepo.storage.clone.reffiles import RefFiles
from ctxrepo.storage.disk.private import sync_folder
from ctxrepo.storage.git.git import Answer, Git, Watch
from ctxrepo.storage.objects.objectfiles import JOINED, ids_in

MANY_LOOSE = 6700
"""From so many on they are packed; what git takes for `gc.auto` when nobody says otherwise."""

STALE = 24 * 3600.0
"""Seconds after which a temporary file can't be one that a git is still writing."""

_TIMEOUT = 600.0
_WATCH = Watch(silence=_TIMEOUT)

_FOLDERS = 256

_TEMPORARY = lazy_pattern(r"tmp_(pack|idx|rev|obj)_|\.tmp-\d+-pack-")


@dataclass(frozen=True)
class Loose:
    """The loose objects of the clone at `git_dir`; `git` runs offline in our directory, and sees them."""

    git_dir: Path
    git: Git

    def are_many(self) -> bool:
        """Estimated from one of their 256 folders: ids are spread evenly."""
        with suppress(OSError):
            return len(os.listdir(self._objects / "17")) > MANY_LOOSE / _FOLDERS
        return False

    def pack(self) -> Answer:
        """Pack all that refs, their logs and the index lead to, and take the files away; the rest stays
        loose, refs as they are. Who reads meanwhile finds each object in one of the two places."""
        # The arguments that `git repack` passes to it; one thread, because somebody is working on this
        # machine.
        words = ("-c", "pack.threads=1", "pack-objects", "-q", "--revs", "--indexed-objects", "--unpacked")
        more = ("--incremental", "--local", "--non-empty", "--delta-base-offset", "--keep-true-parents")
        is_partial = any(name.endswith(".promisor") for name in os.listdir(self._objects / "pack"))
        partial = ("--exclude-promisor-objects",) if is_partial else ()
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
        # Whatever ends us ends it, too.
        return self.git.run("prune-packed", "--quiet", timeout=_TIMEOUT, watch=_WATCH)

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
        question = "".join(f"{tip}\n" for tip in sorted(filter(None, tips))).encode()
        words = ("cat-file", "--batch-check=%(objectname)", "--buffer")
        answer = self.git.run(*words, timeout=_TIMEOUT, stdin=question)
        return [line for line in answer.out.splitlines() if not line.endswith(" missing")]

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


MANY_PACKS = 20
"""When there are more small packs than this, they are joined."""

SMALL = 64 * 1024 * 1024
"""Bytes of a pack from which on it is not small: it stays as it is."""

_FACTOR = 2
"""A pack is left alone when it has at least this many times the bytes of all smaller ones: so a large pack is
written anew only when much has been added, and few packs remain."""

_LONGEST_INDEX = 16 * 1024 * 1024
"""Bytes of an index that is read: half a million objects have as many."""

_LONGEST_LIST = 256 * 1024 * 1024
"""The same for a multi-pack index."""

_JOIN_TIMEOUT = 120.0
_JOIN_WATCH = Watch(silence=_JOIN_TIMEOUT)

_PACK, _INDEX = ".pack", ".idx"
_ALONE = {_PACK, _INDEX, ".rev"}


@dataclass(frozen=True)
class JoinedPacks:
    """Packs whose objects are all in a new one, `into`."""

    old: tuple[Path, ...]
    into: Path


@dataclass(frozen=True)
class SmallPacks:
    """The small packs of the clone at `git_dir` that have only an index beside them: one with `.keep`,
    `.promisor`, `.mtimes` or `.bitmap`, or in a multi-pack index, is left to whoever made that."""

    git_dir: Path

    def are_many(self) -> bool:
        return len(self._sizes()) > MANY_PACKS

    def join(self, git: Git) -> JoinedPacks | None:
        """Write one pack with all objects of the small packs, which stay until `remove`; None for few.
        `git` runs offline in our directory. GitFailed, with nothing changed, for unreadable objects."""
        sizes = self._sizes()
        old = _to_join(sizes) if len(sizes) > MANY_PACKS else []
        ids = self._ids(old)
        if not ids:
            return None
        into = self._write(git, ids)
        try:
            _require(git.run("verify-pack", "--", str(into), timeout=_JOIN_TIMEOUT, watch=_JOIN_WATCH))
            if self._ids([into]) != ids:
                raise GitFailed(f"git has not packed all objects of {len(old)} packs")
        except GitFailed:
            if into not in old:
                _delete(into)
            raise
        sync_folder(self._folder)  # or a power cut might take the new pack and leave the old ones gone
        return JoinedPacks(tuple(sorted({*old} - {into})), into)

    def remove(self, joined: JoinedPacks) -> int:
        """Delete the old packs, while no fetch and no gc is under way; returns how many. Nothing is
        deleted if the new pack is gone. A pack that a person has marked meanwhile stays."""
        if not (joined.into.is_file() and joined.into.with_suffix(_INDEX).is_file()):
            return 0
        here = self._sizes()
        packs = [pack for pack in joined.old if pack in here]
        for pack in packs:
            _delete(pack)
        return len(packs)

    def clear(self) -> int:
        """Delete what is left of old packs when we were killed; returns how many there were."""
        marks = [mark for mark in self._folder.glob(f"pack-*{JOINED}") if not mark.is_dir()]
        for mark in marks:
            # A repair may have made a new index; then the pack counts again.
            _delete_rest(mark.with_suffix(_PACK), with_pack=not mark.with_suffix(_INDEX).exists())
        return len(marks)

    def _write(self, git: Git, ids: Iterable[str]) -> Path:
        # Ids and not `--stdin-packs` or `git repack --geometric`, which git 2.30 lacks.
        settings = ("-c", "pack.threads=1", "-c", "pack.packSizeLimit=0", "-c", "pack.indexVersion=2")
        words = (*settings, "pack-objects", "-q", "--non-empty", "--delta-base-offset")
        place = str(git.folder / "objects" / "pack" / "pack")
        stdin = "".join(f"{oid}\n" for oid in sorted(ids)).encode()
        answer = git.run(*words, place, timeout=_JOIN_TIMEOUT, watch=_JOIN_WATCH, stdin=stdin)
        _require(answer)
        return self._folder / f"pack-{answer.out.strip()}{_PACK}"

    def _ids(self, packs: Iterable[Path]) -> set[str]:
        """The objects that are in any of these packs. GitFailed for an index that can't be read."""
        ids: set[str] = set()
        for pack in packs:
            try:
                ids |= ids_in(bytes_of(str(pack.with_suffix(_INDEX)), _LONGEST_INDEX) or b"")
            except ValueError as error:
                raise GitFailed(f"{pack.with_suffix(_INDEX)} can't be read: {error}") from error
        return ids

    def _sizes(self) -> dict[Path, int]:
        """The size of each small pack."""
        beside: dict[str, set[str]] = {}
        for name in self._names():
            stem, _, suffix = name.partition(".")
            beside.setdefault(stem, set()).add(f".{suffix}")
        if any(".promisor" in suffixes for suffixes in beside.values()):
            return {}  # a partial clone fetches packs of that kind only, and at any time
        alone = [stem for stem, suffixes in beside.items() if {_PACK, _INDEX} <= suffixes <= _ALONE]
        lists = (self._folder / "multi-pack-index", *self._folder.glob("multi-pack-index.d/*.midx"))
        listed = b"".join(bytes_of(str(file), _LONGEST_LIST) or b"" for file in lists)
        packs = [self._folder / f"{s}{_PACK}" for s in alone if f"{s}{_INDEX}\0".encode() not in listed]
        return {pack: size for pack in packs if (size := _size(pack)) < SMALL}

    def _names(self) -> Iterator[str]:
        """The names of the regular files that belong to packs."""
        with suppress(OSError), os.scandir(self._folder) as entries:
            files = (entry.name for entry in entries if entry.is_file(follow_symlinks=False))
            yield from (name for name in files if name.startswith("pack-"))

    @property
    def _folder(self) -> Path:
        return self.git_dir / "objects" / "pack"


def _to_join(sizes: dict[Path, int]) -> Sequence[Path]:
    """The small packs without those at the upper end that are large beside all smaller ones together."""
    packs = sorted(sizes, key=lambda pack: (sizes[pack], pack))
    smaller = [0, *accumulate(sizes[pack] for pack in packs)]
    while packs and sizes[packs[-1]] >= _FACTOR * smaller[len(packs) - 1]:
        packs.pop()
    return packs


def _delete(pack: Path) -> None:
    """Delete a pack. Its index goes first, and leaves a mark, so that a kill at any moment leaves either a
    whole pack or one that `clear` finds."""
    with suppress(FileNotFoundError):
        pack.with_suffix(_INDEX).replace(pack.with_suffix(JOINED))
    _delete_rest(pack, with_pack=True)


def _delete_rest(pack: Path, *, with_pack: bool) -> None:
    for suffix in (".rev", _PACK) if with_pack else ():
        pack.with_suffix(suffix).unlink(missing_ok=True)
    pack.with_suffix(JOINED).unlink(missing_ok=True)


def _size(pack: Path) -> int:
    try:
        return pack.lstat().st_size
    except OSError:
        return SMALL  # it has gone meanwhile


def _require(answer: Answer) -> None:
    if not answer.ok:
        raise GitFailed(f"small packs can't be joined: {answer.reason}")
