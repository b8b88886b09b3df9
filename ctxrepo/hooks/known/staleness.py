"""Whether the cache holds what is there now: a person may have edited notes or settings, or pulled by hand.

A hook never refreshes the cache itself. It wakes the worker, waits for it briefly, and answers from what
there is then (docs/adr/0035-stamps-of-what-the-cache-holds.md).
"""

import _blake2
import _sqlite3
import os

from ctxrepo.hooks.files.private import open_own
from ctxrepo.hooks.files.small_files import bytes_of
from ctxrepo.hooks.known.cache import commit_of, watched_of
from ctxrepo.hooks.known.compiled import Repo, World, stamp_of
from ctxrepo.hooks.known.locate import Scope, folders_of

_REF_BYTES = 1024
_PACKED_BYTES = 1024 * 1024


def news(world: World, cache: _sqlite3.Connection | None, scopes: list[Scope]) -> str:
    """A digest of what the cache and the compiled settings don't hold yet; another digest once there is more.

    '' when they hold all that stamps of files can tell: the commit that is checked out, config.toml, saves
    that no commit holds, and the watched files of `scopes`.
    """
    head = commit_of(cache) if cache is not None else ""
    missing = []
    if (now := checked_out_commit(world.repo.home) or head) != head:
        missing.append(now)
    if (stamp := stamp_of(world.config_file)) != world.config_stamp:
        missing.append(stamp)
    if saves := _waiting_saves(f"{world.repo.state}/journal"):
        missing.append(saves)
    if cache is not None:
        missing += _changed(cache, world.repo, scopes)
    text = "\n".join(missing).encode("utf-8", "replace")
    return _blake2.blake2b(text, digest_size=16).hexdigest() if missing else ""


def is_unwatched(cache: _sqlite3.Connection, scopes: list[Scope]) -> bool:
    """Whether one of `scopes` isn't watched yet, so that nobody can tell what was changed in it."""
    return len({scope for scope, _, _ in watched_of(cache, folders_of(scopes))}) < len(scopes)


def note_worker_told(repo: Repo, digest: str) -> bool:
    """Note that the worker is being told of the news that `digest` stands for. False where there is none
    (''), or another hook has told it already.

    So news that the worker can't take in, such as a branch that a person has checked out, wakes it only once.
    """
    return bool(digest) and _replace(f"{repo.state}/told", digest.encode())


def _waiting_saves(journal: str) -> str:
    """The stamp of the journal if saves wait in it, else ''."""
    try:
        names = os.listdir(journal)
    except OSError:
        return ""
    return stamp_of(journal) if any(name[0].isdigit() for name in names) else ""


def _changed(cache: _sqlite3.Connection, repo: Repo, scopes: list[Scope]) -> list[str]:
    """The watched files of `scopes` that have another stamp now, each with it."""
    kept = watched_of(cache, folders_of(scopes))
    watched = [(path, stamp, stamp_of(f"{repo.home}/{path}")) for _, path, stamp in kept]
    return [f"{path} {now}" for path, before, now in watched if now != before]


def checked_out_commit(home: str) -> str:
    """The commit that is checked out in the clone at `home`; '' where git's files don't tell.

    The loose ref comes before the packed one, as it does for git.
    """
    head = _line(f"{home}/.git/HEAD")
    if not head.startswith("ref: "):
        return head
    return ref_of(home, head[5:])


def ref_of(home: str, name: str) -> str:
    """What the ref `name` of the clone at `home` leads to; '' where git's files don't tell."""
    return _line(f"{home}/.git/{name}") or _packed(f"{home}/.git/packed-refs", name)


def _line(path: str) -> str:
    data = bytes_of(path, _REF_BYTES, follow=True)
    return data.decode("utf-8", "replace").strip() if data else ""


def _packed(path: str, name: str) -> str:
    """The commit of the ref `name` in a file of packed refs."""
    data = bytes_of(path, _PACKED_BYTES, follow=True) or b""
    before, found, _ = data.partition(f" {name}\n".encode())
    return before.rpartition(b"\n")[2].decode("ascii", "replace") if found else ""


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
