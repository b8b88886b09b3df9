"""Whether hooks answer from what is so now: a person may have pulled by hand, or edited config.toml.

A hook never brings anything up to date itself. It answers from what there is, and wakes the worker once.
"""

import os

from ctxrepo.hot.compiled import stamp_of
from ctxrepo.hot.small import bytes_of

_REF_BYTES = 1024
_PACKED_BYTES = 1024 * 1024


def is_news(settings: dict[str, str], head: str) -> bool:
    """Whether memory or settings have moved away from `head`, the commit in the cache, and from what is
    compiled, and no hook has said so before. Who is told so wakes the worker.

    What the worker can't follow, such as a branch of somebody's own, is told once too.
    """
    now = f"{head_of(settings['home']) or head} {stamp_of(settings.get('config', ''))}"
    if now == f"{head} {settings.get('stamp', '')}":
        return False
    return _is_first_to_tell(f"{settings['folder']}/told", now.encode("utf-8", "replace"))


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
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
    except OSError:
        return False  # what can't be kept would be told at every prompt
    try:
        os.write(file, what)
    except OSError:
        return False
    finally:
        os.close(file)
    return True
