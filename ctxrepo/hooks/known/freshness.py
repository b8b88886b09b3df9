"""Whether the cache holds what is there now, and how a hook waits for the worker to catch up."""

import _blake2
import _sqlite3
import os
import time

from ctxrepo.hooks.known.cached import commit_of, last_round_of, open_cache, watched_of
from ctxrepo.hooks.known.locate import Place, Scope, SessionFolder, folders_of, place_of
from ctxrepo.hooks.known.world import Repo, World, stamp_of
from ctxrepo.hooks.own_files import bytes_of, open_own

_REF_BYTES = 1024
_PACKED_BYTES = 1024 * 1024


def news(world: World, cache: _sqlite3.Connection | None, scopes: list[Scope]) -> str:
    """A digest of what the cache and the compiled settings don't hold yet; another digest once there is more.

    '' when they hold all that stamps of files can tell: the commit that is checked out, config.toml, saves
    that no commit holds, and the watched files of `scopes`."""
    head = commit_of(cache) if cache is not None else ""
    missing = []
    if (now := checked_out_commit(world.repo.home) or head) != head:
        missing.append(now)
    if (stamp := stamp_of(world.config_file)) != world.config_stamp:
        missing.append(stamp)
    if saves := _stamp_of_saves(f"{world.repo.state}/journal"):
        missing.append(saves)
    for _, path, before in watched_of(cache, folders_of(scopes)) if cache is not None else ():
        if (stamp := stamp_of(f"{world.repo.home}/{path}")) != before:
            missing.append(f"{path} {stamp}")
    text = "\n".join(missing).encode("utf-8", "replace")
    return _blake2.blake2b(text, digest_size=16).hexdigest() if missing else ""


def is_unwatched(cache: _sqlite3.Connection, scopes: list[Scope]) -> bool:
    """Whether one of `scopes` isn't watched yet, so that nobody can tell what was changed in it."""
    return len({scope for scope, _, _ in watched_of(cache, folders_of(scopes))}) < len(scopes)


def note_worker_told(repo: Repo, digest: str) -> bool:
    """Note that the worker is told of news; False where there is none (''), or it was told already: so what
    it can't take in, such as a branch that a person has checked out, wakes it once."""
    return bool(digest) and _replace(f"{repo.state}/told", digest.encode())


def _stamp_of_saves(journal: str) -> str:
    """The stamp of the journal if saves wait in it, else ''."""
    try:
        names = os.listdir(journal)
    except OSError:
        return ""
    return stamp_of(journal) if any(name[0].isdigit() for name in names) else ""


def checked_out_commit(home: str) -> str:
    """The commit that is checked out in the clone at `home`; '' where git's files don't tell. The loose ref
    comes before the packed one, as it does for git."""
    head = _line(f"{home}/.git/HEAD")
    return ref_of(home, head[5:]) if head.startswith("ref: ") else head


def ref_of(home: str, name: str) -> str:
    """What the ref `name` of the clone at `home` leads to; '' where git's files don't tell."""
    if line := _line(f"{home}/.git/{name}"):
        return line
    data = bytes_of(f"{home}/.git/packed-refs", _PACKED_BYTES, follow=True) or b""
    before, mark, _ = data.partition(f" {name}\n".encode())
    return before.rpartition(b"\n")[2].decode("ascii", "replace") if mark else ""


def _line(path: str) -> str:
    data = bytes_of(path, _REF_BYTES, follow=True)
    return data.decode("utf-8", "replace").strip() if data else ""


def _replace(path: str, data: bytes) -> bool:
    """Make the file at `path` hold `data`; False where it did already, or can't."""
    if bytes_of(path, _REF_BYTES) == data:
        return False
    try:
        file = open_own(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    except OSError:
        return False  # what can't be noted would be told at every prompt
    try:
        os.write(file, data)
    except OSError:
        return False
    finally:
        os.close(file)
    return True


WORKER_SECONDS = 0.8
"""How long a hook waits for the worker at most."""

_POLL = 0.015
"""Seconds between two looks at the cache."""


View = tuple[_sqlite3.Connection | None, Place, bool]
"""(the cache, the place, whether waiting longer would bring nothing more: the cache is up to date, or a round
of the worker that began late enough is over)"""


def open_when_current(
    db: _sqlite3.Connection,
    world: World,
    folder: SessionFolder,
    since: float,
    patience: float,
    is_fetch_due: bool = False,
) -> View:
    """Open the cache and find the place of the folder, waiting up to `patience` seconds until they hold all
    that is there, or a round of the worker that began after `since` is over. The caller closes the cache.

    What that round did not bring in will not come by waiting longer. `is_fetch_due`: the remote may have more
    than the clone, so only the end of a round counts."""
    end = time.monotonic() + patience
    while True:
        cache = open_cache(f"{world.repo.state}/cache.db")
        place = place_of(db, world, folder)
        if cache is not None:
            is_over = last_round_of(cache) >= since
            scopes = place.scopes
            is_final = is_over or not (
                is_fetch_due or is_unwatched(cache, scopes) or news(world, cache, scopes)
            )
            if is_over or (is_final and place.is_known) or time.monotonic() >= end:
                return cache, place, is_final
            cache.close()
        elif time.monotonic() >= end:
            return None, place, False
        time.sleep(_POLL)
