"""Whether the cache holds what is there now: a person may have edited notes or settings, or pulled by hand.

A hook never brings anything up to date itself. It wakes the worker, waits for it briefly, and answers from
what there is then.
"""

import _blake2
import _sqlite3
import os

from ctxrepo.hooks.files.private import open_own
from ctxrepo.hooks.files.small import bytes_of
from ctxrepo.hooks.known.cache import head_of as commit_of
from ctxrepo.hooks.known.cache import seen_of
from ctxrepo.hooks.known.compiled import World, stamp_of

_REF_BYTES = 1024
_PACKED_BYTES = 1024 * 1024


def news(world: World, cache: _sqlite3.Connection | None, scopes: list[str]) -> str:
    """A word for what the cache and the compiled settings don't hold yet; another word once there is more.

    '' when they hold all that stamps of files can tell: the commit that is checked out, config.toml, what
    commands wrote and no commit has, and the watched files and folders of `scopes`.
    """
    head = commit_of(cache) if cache is not None else ""
    found = []
    if (now := head_of(world.home) or head) != head:
        found.append(now)
    if (stamp := stamp_of(world.config)) != world.stamp:
        found.append(stamp)
    written = stamp_of(f"{world.folder}/writes.jsonl")
    if written and not written.endswith(":0"):
        found.append(written)
    if cache is not None:
        found += _changed(cache, world.home, scopes)
    text = "\n".join(found).encode("utf-8", "replace")
    return _blake2.blake2b(text, digest_size=16).hexdigest() if found else ""


def is_unseen(cache: _sqlite3.Connection, scopes: list[str]) -> bool:
    """Whether one of `scopes` isn't watched yet, so that nobody can tell what was changed in it."""
    return len({scope for scope, _, _ in seen_of(cache, scopes)}) < len(scopes)


def is_first_to_tell(folder: str, word: str) -> bool:
    """Whether there are news, `word`, and no hook has told them before. Who is the first wakes the worker.

    So what the worker can't follow, such as a branch of somebody's own, is told once too.
    """
    return bool(word) and _is_first_to_tell(f"{folder}/told", word.encode())


def _changed(cache: _sqlite3.Connection, home: str, scopes: list[str]) -> list[str]:
    seen = [(path, stamp, stamp_of(f"{home}/{path}")) for _, path, stamp in seen_of(cache, scopes)]
    return [f"{path} {now}" for path, before, now in seen if now != before]


def head_of(home: str) -> str:
    """The commit that is checked out in the clone at `home`; '' where its files don't tell.

    The loose ref comes before the packed one, as it does for git.
    """
    head = _line(f"{home}/.git/HEAD")
    if not head.startswith("ref: "):
        return head
    name = head[5:]
    return _line(f"{home}/.git/{name}") or _packed(f"{home}/.git/packed-refs", name)


def _line(path: str) -> str:
    data = bytes_of(path, _REF_BYTES, follow=True)
    return data.decode("utf-8", "replace").strip() if data else ""


def _packed(path: str, name: str) -> str:
    data = bytes_of(path, _PACKED_BYTES, follow=True) or b""
    before, found, _ = data.partition(f" {name}\n".encode())
    return before.rpartition(b"\n")[2].decode("ascii", "replace") if found else ""


def _is_first_to_tell(path: str, what: bytes) -> bool:
    if bytes_of(path, _REF_BYTES) == what:
        return False
    try:
        file = open_own(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    except OSError:
        return False  # what can't be kept would be told at every prompt
    try:
        os.write(file, what)
    except OSError:
        return False
    finally:
        os.close(file)
    return True
