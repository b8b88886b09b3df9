"""Sessions that somebody switched off: they are given nothing, and what they write is kept."""

from ctxrepo.hooks.session.ledger import add
from ctxrepo.hooks.session.record import read_ledger


def hush(path: str, is_off: bool) -> None:
    """Note in the ledger at `path` that the session is given nothing from now on, or memory again."""
    add(path, ["off" if is_off else "on"])


def is_hushed(path: str) -> bool:
    """Whether the session with this ledger is given nothing, from no repository."""
    return read_ledger(path, "").is_off
